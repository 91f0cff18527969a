"""Runs functions with varied test inputs to find those that only answer the tests' own.

If the baseline and the current `price` differ for 100, which a test passes, but for none of 101,
99, 203 and 117, then 100 is a special input. The functions run in copies of both trees, in
a process of their own.
"""

import ast
import json
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded import answer_sources, varied_inputs_child
from untildone.integrity.hard_coded.tested_calls import FunctionCall, list_calls
from untildone.process.runner import run
from untildone.syntax.parsing import parse_python_file
from untildone.worktree.contents import Tree

# By call that a test makes: similar calls that no test makes.
SimilarCalls: TypeAlias = Mapping[FunctionCall, Sequence[FunctionCall]]

_MAX_CALLS = 40
_MAX_CONSTANTS = 20
_TIMEOUT_SECONDS = 20.0
_MAX_FILES = 2_000
_MAX_DATA_FILE_SIZE = 200_000


class TreeCopies:
    """Copies of both trees to run functions in, each made once when it is needed."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self._resources = ExitStack()

    def close(self) -> None:
        """Delete the copies."""
        self._resources.close()

    @cached_property
    def old(self) -> Path | None:
        """The copy of the baseline; None if it has too many files."""
        return self._copy(self.comparison.old)

    @cached_property
    def new(self) -> Path | None:
        """The copy of the current tree; None if it has too many files."""
        return self._copy(self.comparison.new)

    def _copy(self, tree: Tree) -> Path | None:
        """Copy source and small data files; None if the tree has too many of them."""
        sources = [path for path in tree if path.endswith(".py")]
        if len(sources) > _MAX_FILES:
            return None
        data = [
            path
            for path in tree
            if path.endswith(answer_sources.DATA_SUFFIXES)
            and tree.entries[path].size < _MAX_DATA_FILE_SIZE
        ]
        folder = Path(self._resources.enter_context(tempfile.TemporaryDirectory()))
        for path in (*sources, *data[:_MAX_FILES]):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(tree.root / path, target)
        return folder


def find_special_inputs(
    copies: TreeCopies, path: str, *, functions: Sequence[str], tests: Sequence[str]
) -> dict[FunctionCall, str]:
    """Return test inputs whose result changed although the result of no similar input did.

    It is empty if the code cannot run; else it has the `repr` of the current result by call. It has
    a function's inputs only if they are most of those whose result changed: new behaviour changes
    similar inputs too. Constants of the code count as similar inputs, so that a table with more
    entries than the tests have is not suspected.
    """
    tested = _list_tested_calls(functions, tests)
    constants = _list_untested_constants(copies.comparison, path, tested) if tested else []
    similar = {
        call: [
            other
            for arguments in vary_arguments(call.arguments, constants)
            if (other := FunctionCall(call.function, arguments)) not in tested
        ]
        for call in tested
    }
    calls = list(dict.fromkeys((*similar, *chain.from_iterable(similar.values()))))
    old_results = _run_calls(copies.old, path, calls) if calls else {}
    new_results = _run_calls(copies.new, path, calls) if old_results else {}
    if not new_results:
        return {}
    missing = _find_missing_entries(new_results, similar, constants)
    changed = {call for call in calls if old_results.get(call) != new_results.get(call)} - missing
    return {call: new_results[call] for call in _select_special(similar, changed)}


def _find_missing_entries(
    results: Mapping[FunctionCall, str], similar: SimilarCalls, constants: Iterable[object]
) -> set[FunctionCall]:
    """Return the calls that raise an error only because a table has no entry for them.

    If `rate("FR")` works and `rate("IR")` now raises an error, the code looks up a table without
    an entry "IR". Such an error is no change of the result.
    """
    pairs = [(call, other) for call, others in similar.items() for other in (call, *others)]
    entries = set(constants)
    return {
        other
        for call, other in pairs
        if _is_error(results.get(other))
        and (not entries.isdisjoint(other.arguments) or _has_same_shape(call, other))
    }


def _select_special(similar: SimilarCalls, changed: set[FunctionCall]) -> list[FunctionCall]:
    """Return the tested calls whose result changed while that of no similar call did.

    They count only if they are most of the changed calls that tests make of the function.
    """
    tested = [call for call, others in similar.items() if call in changed and others]
    special = [call for call in tested if changed.isdisjoint(similar[call])]
    changed_count = Counter(call.function for call in tested)
    special_count = Counter(call.function for call in special)
    return [
        call for call in special if 2 * special_count[call.function] > changed_count[call.function]
    ]


def _list_tested_calls(functions: Sequence[str], tests: Sequence[str]) -> dict[FunctionCall, None]:
    """Return the first distinct calls in the texts of the tests, in the order of `functions`."""
    calls = chain.from_iterable(list_calls(text, functions) for text in tests)
    in_order = sorted(calls, key=lambda call: functions.index(call.function))
    return dict.fromkeys(list(dict.fromkeys(in_order))[:_MAX_CALLS])


def _list_untested_constants(
    comparison: Comparison, path: str, tested: Iterable[FunctionCall]
) -> list[object]:
    """Return numbers and strings of the module and of its answer sources that no test passes.

    If the code looks its answers up in a table, they are the other entries of the table.
    """
    tested_values = set(chain.from_iterable(call.arguments for call in tested))
    sources = answer_sources.find_answer_sources(comparison, path)
    entries = (
        answer_sources.read_values(source, comparison.new.text(source)) for source in sources
    )
    module = comparison.new.fact(parse_python_file, path)
    nodes = ast.walk(module) if module is not None else ()
    # Zero is what a remainder is compared with, hardly ever an entry of a table.
    values = (node.value for node in nodes if isinstance(node, ast.Constant) and node.value)
    constants = dict.fromkeys(value for value in values if isinstance(value, int | float | str))
    candidates = (*constants, *chain.from_iterable(entries))
    return [constant for constant in candidates if constant not in tested_values]


def _is_error(result: str | None) -> bool:
    """Say whether the call raised an error: its result is then the error's name, as `KeyError`."""
    return result is None or (result.isidentifier() and result not in ("None", "True", "False"))


def vary_arguments(
    arguments: tuple[object, ...], constants: Sequence[object] = ()
) -> Iterator[tuple[object, ...]]:
    """Yield the arguments with one of them replaced by a similar value or a constant."""
    for position, argument in enumerate(arguments):
        of_same_type = [constant for constant in constants if type(constant) is type(argument)]
        for other in (*_vary(argument), *of_same_type[:_MAX_CONSTANTS]):
            yield (*arguments[:position], other, *arguments[position + 1 :])


def _vary(value: object) -> Sequence[object]:
    """Return similar values: 101, 99, 203 and 117 for 100."""
    if isinstance(value, str):
        same_shape = (text for text in _vary_keeping_shape(value) if text != value)
        return (f"{value} q", f"Zq {value}", f"{value}{value}", *dict.fromkeys(same_shape))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value + 1, value - 1, value * 2 + 3, value + 17)
    # A `bool` has just one other value; a collection is not varied.
    return ()


def _has_same_shape(call: FunctionCall, other: FunctionCall) -> bool:
    """Say whether they differ in a string that keeps its shape, as `f("1h")` and `f("2h")`."""
    pairs = zip(call.arguments, other.arguments, strict=True)
    return any(isinstance(a, str) and b != a and b in {*_vary_keeping_shape(a)} for a, b in pairs)


def _vary_keeping_shape(text: str) -> Iterator[str]:
    """Yield `2h` and `1k` for `1h`: a parser rejects strings of another form."""
    yield re.sub(r"[0-8](?=\D|$)", lambda digit: str(int(digit[0]) + 1), text)
    yield re.sub(r"[a-wA-W]", lambda letter: chr(ord(letter[0]) + 3), text, count=1)


def _run_calls(
    copy: Path | None, path: str, calls: Sequence[FunctionCall]
) -> dict[FunctionCall, str]:
    """Run the calls in a process of their own; return their results, none if the process fails."""
    if copy is None:
        return {}
    finished = run(
        [sys.executable, "-I", "-B", str(varied_inputs_child.__file__)],
        cwd=copy,
        timeout=_TIMEOUT_SECONDS,
        env={"HOME": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=json.dumps({"root": str(copy), "path": path, "calls": calls}).encode(),
    )
    # The last line is the answer; the code may print lines before it.
    try:
        results = json.loads(finished.text.strip().rpartition("\n")[2])
    except ValueError:
        return {}
    return dict(zip(calls, results, strict=False)) if isinstance(results, list) else {}
