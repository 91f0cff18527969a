"""The journal entry of a judged stop."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.progress import Progress, Round
from untildone.core.totals import find_worst_files
from untildone.engine.payload import EDITING
from untildone.engine.stop_answer import JudgedStop

# Of each check's findings and failing tests; the counts beside them are whole.
_KEPT = 50
_MOST_TOUCHED = 50


def make_round_entry(
    judged: JudgedStop, progress: Progress, *, message: str, at: str
) -> dict[str, Any]:
    """`progress` is that of after this stop."""
    written = Round(
        number=progress.round,
        at=at,
        verdict=judged.verdict,
        unmet=progress.unmet or (),
        failures=progress.failures[:200],
        checks=tuple(_trim_result(result) for result in judged.evidence.checks),
        message=message[:2_000],
        tree=judged.evidence.tree,
        totals=progress.totals,
        spend_usd=progress.spend_usd,
        files=find_worst_files(judged.evidence.checks),
        edited_files=judged.evidence.edited_files,
        written_files=judged.evidence.written_files,
        fixed=progress.fixed,
        concerns=judged.evidence.concerns and judged.evidence.concerns[:_KEPT],
        comparisons=judged.evidence.comparisons,
    )
    return dict(msgspec.to_builtins(written))


def _trim_result(result: CheckResult) -> CheckResult:
    tests = result.tests
    if tests:
        tests = replace(tests, failing=tests.failing[:_KEPT], passing=(), skipping=())
    return replace(
        result, findings=result.findings[:_KEPT], output=result.output[-2_000:], tests=tests
    )


def list_written_files(
    calls: Mapping[str, list[dict[str, object]]], project: str
) -> tuple[str, ...]:
    """The files that the agent's own tools wrote, as seen from the project."""
    found = dict.fromkeys(_find_written_paths(calls))
    return tuple(_make_relative(path, project) for path in found)[:_MOST_TOUCHED]


def _find_written_paths(calls: Mapping[str, list[dict[str, object]]]) -> Iterator[str]:
    for call in chain.from_iterable(calls.values()):
        inputs = call.get("tool_input", call)
        if call.get("tool_name") in EDITING and isinstance(inputs, dict):
            yield str(inputs.get("file_path") or inputs.get("notebook_path") or "")


def _make_relative(path: str, project: str) -> str:
    try:
        return PurePath(path).relative_to(project).as_posix()
    except ValueError:
        return path
