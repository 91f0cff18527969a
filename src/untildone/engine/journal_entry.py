"""The journal entries of a judged stop and of the baseline: evidence, cut to a moderate size.

Lists are cut, counts are not: a receipt is built from these entries alone.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from untildone.core.check_results import CheckResult, Totals
from untildone.core.progress import BaselineRun, Progress, Round
from untildone.core.totals import count_totals, find_worst_files
from untildone.engine.stopped_loop import JudgedStop

# Findings and failing tests of each check.
_MAX_ITEMS = 50
_MAX_CONCERNS = 500
_MAX_FAILURES = 200
_MAX_TEXT = 2_000
_MAX_FEEDBACK = 4_000


def make_round_entry(
    judged: JudgedStop, progress: Progress, *, at: str, diffs: dict[str, str]
) -> dict[str, Any]:
    """Return the entry as JSON values; `progress` is the one after this stop."""
    evidence, concerns = judged.evidence, judged.evidence.concerns
    entry = Round(
        number=progress.round,
        at=at,
        verdict=judged.verdict,
        unmet=progress.unmet or (),
        failures=progress.failures[:_MAX_FAILURES],
        checks=tuple(map(_trim_result, evidence.checks)),
        message=judged.stop.message[:_MAX_TEXT],
        tree=evidence.tree,
        totals=progress.totals if evidence.checks else None,
        spend_usd=progress.spend_usd,
        files=find_worst_files(evidence.checks),
        edited_files=evidence.edited_files,
        written_files=evidence.written_files,
        fixed=progress.fixed,
        notes=_list_relayed_notes(judged),
        concerns=concerns and concerns[:_MAX_CONCERNS],
        concern_count=len(concerns or ()),
        comparisons=evidence.comparisons,
        sandbox=evidence.sandbox,
        change=evidence.change,
        changed=evidence.changed,
        counted=_count_each(evidence.checks),
        failure_counts=progress.failure_counts if evidence.checks else None,
        promises_given=evidence.promises_given,
        project=str(judged.project),
        commit=evidence.commit,
        git_tree=evidence.git_tree,
        diffs=diffs,
        if_approved=evidence.if_approved,
        left_out=evidence.left_out,
        agent=judged.record.agreed.agent,
        feedback=judged.feedback[:_MAX_FEEDBACK],
    )
    return dict(msgspec.to_builtins(entry))


def _list_relayed_notes(judged: JudgedStop) -> tuple[str, ...]:
    """Return the notes that tool calls relayed; the others have an entry of their own."""
    known = judged.record.progress.notes
    return tuple(note for note in judged.progress.notes if note not in known)


def make_baseline_entry(results: tuple[CheckResult, ...], totals: Totals | None) -> dict[str, Any]:
    """Return the results on the baseline as JSON values."""
    entry = BaselineRun(
        checks=tuple(map(_trim_result, results)), counted=_count_each(results), totals=totals
    )
    return dict(msgspec.to_builtins(entry))


def _count_each(results: Iterable[CheckResult]) -> tuple[Totals, ...]:
    return tuple(count_totals((result,)) for result in results)


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
