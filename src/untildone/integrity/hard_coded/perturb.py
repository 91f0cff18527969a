"""The tests' own inputs varied: a function that only answers those very inputs is found out."""

import ast
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded import perturb_child
from untildone.integrity.hard_coded.tables import DATA, tables, values
from untildone.process.runner import run
from untildone.worktree.contents import Tree

# Of an argument, or a comment before it.
_LITERAL = r"\s*(?:[-+.\d(#\\]|True|False|[rRuUbBfF]{0,2}[\"'])"
_MOST_INPUTS = 40
_MOST_WRITTEN = 20
_SECONDS = 20.0
_MOST_FILES = 2_000
_SMALL = 200_000


class Asked(NamedTuple):
    function: str
    given: tuple[object, ...]


class Trials:
    """Both trees to run functions in, each copied once: what runs there can write nothing."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self._kept = ExitStack()

    def close(self) -> None:
        self._kept.close()

    @cached_property
    def old(self) -> Path | None:
        return self._copy(self.comparison.old)

    @cached_property
    def new(self) -> Path | None:
        return self._copy(self.comparison.new)

    def _copy(self, tree: Tree) -> Path | None:
        """None where it is too large for that."""
        sources = [each for each in tree if each.endswith(".py")]
        if len(sources) > _MOST_FILES:
            return None
        small = [each for each in tree if each.endswith(DATA) and tree.entries[each].size < _SMALL]
        folder = Path(self._kept.enter_context(tempfile.TemporaryDirectory()))
        for each in (*sources, *small[:_MOST_FILES]):
            target = folder / each
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.root / each, target)
        return folder


def special_inputs(
    trials: Trials, path: str, *, functions: Sequence[str], tests: Sequence[str]
) -> dict[Asked, str]:
    """Inputs of the tests that give something else now, while all of their neighbours do not.

    None unless they are most of those that changed, nor where it cannot be run. Values that stand
    in the code are neighbours too: a table that knows more than the tests is no trick.
    """
    comparison = trials.comparison
    calls = chain.from_iterable(inputs(text, functions) for text in tests)
    in_order = sorted(calls, key=lambda each: functions.index(each.function))
    called = dict.fromkeys(list(dict.fromkeys(in_order))[:_MOST_INPUTS])
    if not called:
        return {}
    tested = set(chain.from_iterable(each.given for each in called))
    read = (values(each, comparison.new.text(each)) for each in tables(comparison, path))
    known = (*_written(comparison.new.text(path)), *chain.from_iterable(read))
    written = [each for each in known if each not in tested]
    near = {each: [one for one in _around(each, written) if one not in called] for each in called}
    asked = list(dict.fromkeys((*near, *chain.from_iterable(near.values()))))
    before = _results(trials.old, path, asked)
    after = _results(trials.new, path, asked) if before else {}
    if not after:
        return {}
    entries = {each for each in asked if not set(written).isdisjoint(each.given)}
    entries |= {one for each, around in near.items() for one in around if _is_alike(each, one)}
    unknown = {each for each in entries if _fails(after.get(each))}
    differs = {each for each in asked if before.get(each) != after.get(each)} - unknown
    changed = [each for each, around in near.items() if each in differs and around]
    alone = [each for each in changed if not differs.intersection(near[each])]
    most = Counter(each.function for each in changed)
    most.subtract(2 * [each.function for each in alone])
    return {each: after[each] for each in alone if most[each.function] < 0}


def _fails(result: str | None) -> bool:
    """A table that knows an entry has an answer for it."""
    return result is None or (result.isidentifier() and result not in ("None", "True", "False"))


def _written(code: str) -> list[object]:
    try:
        nodes = ast.walk(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError):
        return []
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    # Nought is what a remainder is compared with, hardly ever an entry of a table.
    return [*dict.fromkeys(each for each in values if each and isinstance(each, int | float | str))]


def _around(asked: Asked, written: Sequence[object]) -> Iterator[Asked]:
    return (Asked(asked.function, given) for given in neighbours(asked.given, written))


def inputs(text: str, functions: Sequence[str]) -> Iterator[Asked]:
    """Each call of these, where the arguments are literals or come from the rows of a table."""
    named = frozenset(each for each in functions if f"{each}(" in text)
    given = rf"\b(?:{'|'.join(named)})\({_LITERAL}"
    may = named and ("parametrize" in text or re.search(given, text))
    try:
        tree = ast.parse(text if may else "")
    except (SyntaxError, ValueError, RecursionError):
        return
    scopes: list[tuple[ast.AST, list[dict[str, ast.expr]]]] = [(tree, [{}])]
    tests = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    scopes += ((node, list(_rows(node))) for node in tests)
    for scope, rows in scopes:
        calls = list(_calls(scope, named)) if rows else []
        for row, (name, call) in product(rows, calls):
            values = [_value(row.get(getattr(each, "id", ""), each)) for each in call.args]
            if None not in values:
                yield Asked(name, tuple(values))


def _calls(tree: ast.AST, named: frozenset[str]) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and not node.keywords:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in named:
                yield name, node


def _rows(test: ast.FunctionDef) -> Iterator[dict[str, ast.expr]]:
    """Of `parametrize`, each as the names it binds."""
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[heads, ast.List(rows)]):
                labels = re.findall(r"\w+", ast.unparse(heads))
                yield from (dict(zip(labels, _cells(row), strict=False)) for row in rows)
            case _:
                continue


def _cells(row: ast.expr) -> list[ast.expr]:
    match row:
        case ast.Call(args=cells) | ast.Tuple(cells) | ast.List(cells):
            return cells
        case _:
            return [row]


def _value(node: ast.expr) -> object:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, int | float | str) else None


def neighbours(
    given: tuple[object, ...], written: Sequence[object] = ()
) -> Iterator[tuple[object, ...]]:
    for place, value in enumerate(given):
        alike = [each for each in written if type(each) is type(value)]
        for other in (*_varied(value), *alike[:_MOST_WRITTEN]):
            yield (*given[:place], other, *given[place + 1 :])


def _varied(value: object) -> Sequence[object]:
    match value:
        case bool():
            return ()
        case int() | float():
            return (value + 1, value - 1, value * 2 + 3, value + 17)
        case str():
            alike = (text for text in _shaped_alike(value) if text != value)
            return (f"{value} q", f"Zq {value}", f"{value}{value}", *dict.fromkeys(alike))
        case _:
            return ()


def _is_alike(asked: Asked, other: Asked) -> bool:
    pairs = zip(asked.given, other.given, strict=True)
    return any(isinstance(a, str) and b != a and b in {*_shaped_alike(a)} for a, b in pairs)


def _shaped_alike(text: str) -> Iterator[str]:
    """`2h` and `1k` beside `1h`: what has to have a form is told by nothing else."""
    yield re.sub(r"[0-8](?=\D|$)", lambda digit: str(int(digit[0]) + 1), text)
    yield re.sub(r"[a-wA-W]", lambda letter: chr(ord(letter[0]) + 3), text, count=1)


def _results(copy: Path | None, path: str, asked: Sequence[Asked]) -> dict[Asked, str]:
    """In a process of its own: what it breaks is nobody's."""
    if copy is None:
        return {}
    finished = run(
        [sys.executable, "-I", "-B", str(perturb_child.__file__)],
        cwd=copy,
        timeout=_SECONDS,
        env={"HOME": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=json.dumps({"root": str(copy), "path": path, "asked": asked}).encode(),
    )
    return dict(zip(asked, _answer(finished.text), strict=False))


def _answer(output: str) -> list[str]:
    try:
        found = json.loads(output.strip().rpartition("\n")[2])
    except ValueError:
        return []
    return found if isinstance(found, list) else []
