"""The journal entry of a judged stop: its evidence and verdict, cut to a moderate size."""

from typing import Any

import msgspec
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.progress import Progress, Round
from untildone.core.totals import find_worst_files
from untildone.engine.stopped_loop import JudgedStop

# Findings and failing tests of each check, and concerns; their counts are not cut.
_MAX_ITEMS = 50
_MAX_FAILURES = 200
_MAX_TEXT = 2_000


def make_round_entry(judged: JudgedStop, progress: Progress, *, at: str) -> dict[str, Any]:
    """Return the entry as JSON values; `progress` is the one after this stop."""
    evidence = judged.evidence
    entry = Round(
        number=progress.round,
        at=at,
        verdict=judged.verdict,
        unmet=progress.unmet or (),
        failures=progress.failures[:_MAX_FAILURES],
        checks=tuple(_trim_result(result) for result in evidence.checks),
        message=judged.stop.message[:_MAX_TEXT],
        tree=evidence.tree,
        totals=progress.totals,
        spend_usd=progress.spend_usd,
        files=find_worst_files(evidence.checks),
        edited_files=evidence.edited_files,
        written_files=evidence.written_files,
        fixed=progress.fixed,
        concerns=evidence.concerns and evidence.concerns[:_MAX_ITEMS],
        comparisons=evidence.comparisons,
    )
    return dict(msgspec.to_builtins(entry))


def _trim_result(result: CheckResult) -> CheckResult:
    """Return the result with its first findings and failing tests, and the end of its output."""
    tests = result.tests
    if tests:
        tests = replace(tests, failing=tests.failing[:_MAX_ITEMS], passing=(), skipping=())
    return replace(
        result,
        findings=result.findings[:_MAX_ITEMS],
        finding_count=max(result.finding_count, len(result.findings)),
        output=result.output[-_MAX_TEXT:],
        tests=tests,
    )
