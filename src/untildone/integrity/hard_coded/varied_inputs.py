"""Runs functions with varied test inputs to find those that only answer the tests' own."""

import ast
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded import varied_inputs_child
from untildone.integrity.hard_coded.answer_sources import (
    DATA_SUFFIXES,
    find_answer_sources,
    list_values,
)
from untildone.process.runner import run
from untildone.worktree.contents import Tree

# The beginning of a literal argument, or of a comment before it.
_LITERAL_ARGUMENT = r"\s*(?:[-+.\d(#\\]|True|False|[rRuUbBfF]{0,2}[\"'])"
_MAX_CALLS = 40
_MAX_CONSTANTS = 20
_TIMEOUT_SECONDS = 20.0
_MAX_FILES = 2_000
_MAX_DATA_FILE_SIZE = 200_000


class FunctionCall(NamedTuple):
    function: str
    arguments: tuple[object, ...]


class TreeCopies:
    """Copies of both trees to run functions in, each made once when it is needed."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self._resources = ExitStack()

    def close(self) -> None:
        self._resources.close()

    @cached_property
    def old(self) -> Path | None:
        return self._copy(self.comparison.old)

    @cached_property
    def new(self) -> Path | None:
        return self._copy(self.comparison.new)

    def _copy(self, tree: Tree) -> Path | None:
        """Return None if the tree has too many files."""
        sources = [each for each in tree if each.endswith(".py")]
        if len(sources) > _MAX_FILES:
            return None
        small = [
            each
            for each in tree
            if each.endswith(DATA_SUFFIXES) and tree.entries[each].size < _MAX_DATA_FILE_SIZE
        ]
        folder = Path(self._resources.enter_context(tempfile.TemporaryDirectory()))
        for each in (*sources, *small[:_MAX_FILES]):
            target = folder / each
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.root / each, target)
        return folder


def find_special_inputs(
    copies: TreeCopies, path: str, *, functions: Sequence[str], tests: Sequence[str]
) -> dict[FunctionCall, str]:
    """Return test inputs whose result changed although the result of no similar input did.

    Empty unless they are most of the changed inputs, and if the code cannot run. Constants of the
    code count as similar inputs: a table with more entries than the tests have is honest.
    """
    tested = _list_tested_calls(functions, tests)
    constants = _list_untested_constants(copies.comparison, path, tested) if tested else []
    varied = {
        call: [each for each in _vary_call(call, constants) if each not in tested]
        for call in tested
    }
    calls = list(dict.fromkeys((*varied, *chain.from_iterable(varied.values()))))
    before = _run_calls(copies.old, path, calls) if calls else {}
    after = _run_calls(copies.new, path, calls) if before else {}
    if not after:
        return {}
    # An input like an entry of a table that raises an error now is just not in the table.
    like_entries = {each for each in calls if not set(constants).isdisjoint(each.arguments)}
    like_entries |= {
        each for call, others in varied.items() for each in others if _has_same_shape(call, each)
    }
    ignored = {each for each in like_entries if _is_error(after.get(each))}
    differs = {each for each in calls if before.get(each) != after.get(each)} - ignored
    changed = [call for call, others in varied.items() if call in differs and others]
    alone = [call for call in changed if not differs.intersection(varied[call])]
    special, total = (Counter(call.function for call in each) for each in (alone, changed))
    return {
        call: after[call] for call in alone if 2 * special[call.function] > total[call.function]
    }


def _list_tested_calls(functions: Sequence[str], tests: Sequence[str]) -> dict[FunctionCall, None]:
    calls = chain.from_iterable(list_calls(text, functions) for text in tests)
    in_order = sorted(calls, key=lambda call: functions.index(call.function))
    return dict.fromkeys(list(dict.fromkeys(in_order))[:_MAX_CALLS])


def _list_untested_constants(
    comparison: Comparison, path: str, tested: Iterable[FunctionCall]
) -> list[object]:
    """Return constants of the module and of its answer sources that no test passes."""
    given = set(chain.from_iterable(call.arguments for call in tested))
    sources = (
        list_values(each, comparison.new.text(each))
        for each in find_answer_sources(comparison, path)
    )
    known = (*_list_constants(comparison.new.text(path)), *chain.from_iterable(sources))
    return [each for each in known if each not in given]


def _is_error(result: str | None) -> bool:
    """Whether the call raised an error; a table has an answer for each of its entries."""
    return result is None or (result.isidentifier() and result not in ("None", "True", "False"))


def _list_constants(code: str) -> list[object]:
    try:
        nodes = ast.walk(ast.parse(code))
    except (SyntaxError, ValueError, RecursionError):
        return []
    values = (node.value for node in nodes if isinstance(node, ast.Constant))
    # Zero is what a remainder is compared with, hardly ever an entry of a table.
    return [*dict.fromkeys(each for each in values if each and isinstance(each, int | float | str))]


def _vary_call(call: FunctionCall, written: Sequence[object]) -> Iterator[FunctionCall]:
    return (FunctionCall(call.function, given) for given in vary_arguments(call.arguments, written))


def list_calls(text: str, functions: Sequence[str]) -> Iterator[FunctionCall]:
    """Yield calls of the functions whose arguments are literals or `parametrize` values."""
    named = frozenset(each for each in functions if f"{each}(" in text)
    given = rf"\b(?:{'|'.join(named)})\({_LITERAL_ARGUMENT}"
    may = named and ("parametrize" in text or re.search(given, text))
    try:
        tree = ast.parse(text if may else "")
    except (SyntaxError, ValueError, RecursionError):
        return
    scopes: list[tuple[ast.AST, list[dict[str, ast.expr]]]] = [(tree, [{}])]
    tests = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    scopes += ((node, list(_list_rows(node))) for node in tests)
    for scope, rows in scopes:
        calls = list(_find_calls(scope, named)) if rows else []
        for row, (name, call) in product(rows, calls):
            values = [_evaluate(row.get(getattr(each, "id", ""), each)) for each in call.args]
            if None not in values:
                yield FunctionCall(name, tuple(values))


def _find_calls(tree: ast.AST, named: frozenset[str]) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and not node.keywords:
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in named:
                yield name, node


def _list_rows(test: ast.FunctionDef) -> Iterator[dict[str, ast.expr]]:
    """Yield the rows of `parametrize`, each with its argument names."""
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[heads, ast.List(rows)]):
                labels = re.findall(r"\w+", ast.unparse(heads))
                yield from (dict(zip(labels, _list_cells(row), strict=False)) for row in rows)
            case _:
                continue


def _list_cells(row: ast.expr) -> list[ast.expr]:
    match row:
        case ast.Call(args=cells) | ast.Tuple(cells) | ast.List(cells):
            return cells
        case _:
            return [row]


def _evaluate(node: ast.expr) -> object:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, int | float | str) else None


def vary_arguments(
    given: tuple[object, ...], written: Sequence[object] = ()
) -> Iterator[tuple[object, ...]]:
    for place, value in enumerate(given):
        alike = [each for each in written if type(each) is type(value)]
        for other in (*_vary(value), *alike[:_MAX_CONSTANTS]):
            yield (*given[:place], other, *given[place + 1 :])


def _vary(value: object) -> Sequence[object]:
    match value:
        case bool():
            return ()
        case int() | float():
            return (value + 1, value - 1, value * 2 + 3, value + 17)
        case str():
            alike = (text for text in _vary_keeping_shape(value) if text != value)
            return (f"{value} q", f"Zq {value}", f"{value}{value}", *dict.fromkeys(alike))
        case _:
            return ()


def _has_same_shape(call: FunctionCall, other: FunctionCall) -> bool:
    pairs = zip(call.arguments, other.arguments, strict=True)
    return any(isinstance(a, str) and b != a and b in {*_vary_keeping_shape(a)} for a, b in pairs)


def _vary_keeping_shape(text: str) -> Iterator[str]:
    """Yield `2h` and `1k` for `1h`: a parser rejects texts of another form."""
    yield re.sub(r"[0-8](?=\D|$)", lambda digit: str(int(digit[0]) + 1), text)
    yield re.sub(r"[a-wA-W]", lambda letter: chr(ord(letter[0]) + 3), text, count=1)


def _run_calls(
    copy: Path | None, path: str, calls: Sequence[FunctionCall]
) -> dict[FunctionCall, str]:
    """Run the calls in a process of their own and return their results."""
    if copy is None:
        return {}
    finished = run(
        [sys.executable, "-I", "-B", str(varied_inputs_child.__file__)],
        cwd=copy,
        timeout=_TIMEOUT_SECONDS,
        env={"HOME": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=json.dumps({"root": str(copy), "path": path, "calls": calls}).encode(),
    )
    return dict(zip(calls, _parse_results(finished.text), strict=False))


def _parse_results(output: str) -> list[str]:
    try:
        found = json.loads(output.strip().rpartition("\n")[2])
    except ValueError:
        return []
    return found if isinstance(found, list) else []
