"""The tests' own inputs varied: a function that only answers those very inputs is found out."""

import ast
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from untildone.integrity.ratchet import Compared
from untildone.integrity.special_cases import perturb_child
from untildone.integrity.special_cases.tables import DATA, tables, values
from untildone.integrity.tree import Tree
from untildone.process import run

_MOST_INPUTS = 40
_MOST_WRITTEN = 20
_SECONDS = 20.0
_MOST_FILES = 2_000
_SMALL = 200_000


class Asked(NamedTuple):
    function: str
    given: tuple[object, ...]


def special_inputs(
    both: Compared, path: str, *, functions: Iterable[str], tests: Sequence[str]
) -> dict[Asked, str]:
    """Inputs of the tests that give something else now, while all of their neighbours do not.

    None unless they are most of those that changed, nor where it cannot be run. Values that stand
    in the code are neighbours too: a table that knows more than the tests is no trick.
    """
    called: dict[Asked, None] = {}
    for each in (Asked(n, given) for n in functions for text in tests for given in inputs(text, n)):
        called[each] = None
        if len(called) == _MOST_INPUTS:
            break
    tested = set(chain.from_iterable(each.given for each in called))
    read = (values(each, both.new.text(each)) for each in tables(both, path))
    known = (*_written(both.new.text(path)), *chain.from_iterable(read))
    written = [each for each in known if each not in tested]
    near = {each: [one for one in _around(each, written) if one not in called] for each in called}
    asked = list(dict.fromkeys((*near, *chain.from_iterable(near.values()))))
    before, after = (_results(tree, path, asked) for tree in (both.old, both.new))
    if not before or not after:
        return {}
    entries = {each for each in asked if not set(written).isdisjoint(each.given)}
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


def inputs(text: str, function: str) -> Iterator[tuple[object, ...]]:
    """The arguments of each call, where they are literals or come from the rows of a table."""
    try:
        tree = ast.parse(text if f"{function}(" in text else "")
    except (SyntaxError, ValueError, RecursionError):
        return
    yield from _called(tree, function, {})
    for node in ast.walk(tree):
        for row in _rows(node) if isinstance(node, ast.FunctionDef) else ():
            yield from _called(node, function, row)


def _called(
    tree: ast.AST, function: str, row: Mapping[str, ast.expr]
) -> Iterator[tuple[object, ...]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node.keywords or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        values = [_value(row.get(getattr(each, "id", ""), each)) for each in node.args]
        if name == function and None not in values:
            yield tuple(values)


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
            return (f"{value} q", f"Zq {value}", f"{value}{value}")
        case _:
            return ()


def _results(tree: Tree, path: str, asked: Sequence[Asked]) -> dict[Asked, str]:
    """In a copy and a process of its own: what it writes or breaks is nobody's."""
    sources = [each for each in tree if each.endswith(".py")]
    if not asked or len(sources) > _MOST_FILES:
        return {}
    small = [each for each in tree if each.endswith(DATA) and tree.entries[each].size < _SMALL]
    with tempfile.TemporaryDirectory() as folder:
        for each in (*sources, *small[:_MOST_FILES]):
            target = Path(folder) / each
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.root / each, target)
        question = {"root": folder, "path": path, "asked": asked}
        finished = run(
            [sys.executable, "-I", "-B", str(perturb_child.__file__)],
            cwd=Path(folder),
            timeout=_SECONDS,
            env={"HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=json.dumps(question).encode(),
        )
    return dict(zip(asked, _answer(finished.text), strict=False))


def _answer(output: str) -> list[str]:
    try:
        found = json.loads(output.strip().rpartition("\n")[2])
    except ValueError:
        return []
    return found if isinstance(found, list) else []
