"""The tests' own inputs varied: a function that only answers those very inputs is found out."""

import ast
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from untildone.integrity.special_cases import perturb_child
from untildone.integrity.tree import Tree
from untildone.process import run

_MOST_INPUTS = 40
_SECONDS = 20.0
_MOST_FILES = 2_000


def special_inputs(old: Tree, new: Tree, path: str, *, function: str, tests: Iterable[str]) -> bool:
    """Whether now differs from the start at inputs of the tests, and at none of their neighbours.

    False as well where it cannot be run.
    """
    called = list(dict.fromkeys(each for text in tests for each in inputs(text, function)))
    near = [each for given in called for each in neighbours(given) if each not in called]
    if not called or not near:
        return False
    asked = [*called[:_MOST_INPUTS], *near[: 4 * _MOST_INPUTS]]
    before, after = (_results(tree, path, function, asked) for tree in (old, new))
    if len(before) != len(asked) or len(after) != len(asked):
        return False
    split = min(len(called), _MOST_INPUTS)
    return before[:split] != after[:split] and before[split:] == after[split:]


def inputs(text: str, function: str) -> Iterator[tuple[object, ...]]:
    """The arguments of each call with literals alone."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node.keywords or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        values = [_value(argument) for argument in node.args]
        if name == function and None not in values:
            yield tuple(values)


def _value(node: ast.expr) -> object:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, int | float | str) else None


def neighbours(given: tuple[object, ...]) -> Iterator[tuple[object, ...]]:
    for place, value in enumerate(given):
        for other in _varied(value):
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


def _results(
    tree: Tree, path: str, function: str, asked: Sequence[tuple[object, ...]]
) -> list[str]:
    """In a copy and a process of its own: what it writes or breaks is nobody's."""
    sources = [each for each in tree if each.endswith(".py")]
    if len(sources) > _MOST_FILES:
        return []
    with tempfile.TemporaryDirectory() as folder:
        for each in sources:
            target = Path(folder) / each
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.root / each, target)
        question = {"root": folder, "path": path, "function": function, "asked": asked}
        finished = run(
            [sys.executable, "-I", "-B", str(perturb_child.__file__)],
            cwd=Path(folder),
            timeout=_SECONDS,
            env={"HOME": folder, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=json.dumps(question).encode(),
        )
    return _answer(finished.text)


def _answer(output: str) -> list[str]:
    try:
        found = json.loads(output.strip().rpartition("\n")[2])
    except ValueError:
        return []
    return found if isinstance(found, list) else []
