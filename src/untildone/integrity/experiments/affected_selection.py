"""Which tests run first in a sandbox, or alone: those that the change affects."""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from untildone.checks.affected_tests import (
    AffectedTests,
    ProjectFiles,
    Suspects,
    gather_suspects,
    select_affected_tests,
)
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.evidence import Evidence
from untildone.core.time_limits import find_time_limit, is_slow
from untildone.integrity.experiments.trial import Trial


def select_affected(
    checks: Iterable[Check], evidence: Evidence, trial: Trial, project: ProjectFiles
) -> Iterator[AffectedTests]:
    """Yield a run of the affected tests of each check that is slow, or that these may confirm.

    `project` has the files of the sandbox.
    """
    changed = trial.comparison.changes.list_paths() if trial.comparison else ()
    for check in checks:
        past = trial.load_past_runs(check)
        if check.confirm == "affected" or is_slow(past):
            suspects = _add_baseline(gather_suspects(changed, past), check, evidence)
            limit = find_time_limit(check.timeout, past)
            affected = select_affected_tests(check, suspects, project)
            if affected:
                yield replace(affected, check=replace(affected.check, timeout=limit))


def _add_baseline(suspects: Suspects, check: Check, evidence: Evidence) -> Suspects:
    """Return the suspects with the tests that failed in the baseline, and with all that ran."""
    tests = {result.name: result.tests for result in evidence.baseline or ()}.get(check.name)
    if tests is None:
        return suspects
    known = frozenset((*tests.passing, *tests.failing))
    return replace(suspects, failed=suspects.failed.union(tests.failing), known=known)


def describe_extent(check: Check, affected: CheckResult | None, whole: CheckResult | None) -> str:
    """Say for the receipt what confirmed a check whose affected tests are enough, as configured.

    `affected` is the run of its affected tests if that was all, `whole` its run in the project.
    """
    if affected is None:
        return (
            f"`{check.name}` was confirmed by a full run: its affected tests could not be selected,"
            " or did not settle it alone"
        )
    count = f" ({_count(affected)} of {_count(whole)})" if whole and whole.tests else ""
    return f"`{check.name}` was confirmed by its affected tests only{count}, as configured"


def _count(result: CheckResult) -> str:
    return f"{result.tests.executed if result.tests else 0:,}"
