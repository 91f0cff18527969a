"""The journal entry of a judged stop."""

from typing import Any

import msgspec
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.progress import Progress, Round
from untildone.core.totals import find_worst_files
from untildone.engine.stopped_loop import JudgedStop

# Of each check's findings and failing tests; the counts beside them are whole.
_KEPT = 50


def make_round_entry(judged: JudgedStop, progress: Progress, *, at: str) -> dict[str, Any]:
    """`progress` is that of after this stop."""
    evidence = judged.evidence
    written = Round(
        number=progress.round,
        at=at,
        verdict=judged.verdict,
        unmet=progress.unmet or (),
        failures=progress.failures[:200],
        checks=tuple(_trim_result(result) for result in evidence.checks),
        message=judged.stop.message[:2_000],
        tree=evidence.tree,
        totals=progress.totals,
        spend_usd=progress.spend_usd,
        files=find_worst_files(evidence.checks),
        edited_files=evidence.edited_files,
        written_files=evidence.written_files,
        fixed=progress.fixed,
        concerns=evidence.concerns and evidence.concerns[:_KEPT],
        comparisons=evidence.comparisons,
    )
    return dict(msgspec.to_builtins(written))


def _trim_result(result: CheckResult) -> CheckResult:
    tests = result.tests
    if tests:
        tests = replace(tests, failing=tests.failing[:_KEPT], passing=(), skipping=())
    return replace(
        result, findings=result.findings[:_KEPT], output=result.output[-2_000:], tests=tests
    )
