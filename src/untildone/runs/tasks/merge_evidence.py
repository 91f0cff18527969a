"""What a task that a merge sent back is told, and the check that nothing of it is left."""

import sys
from collections.abc import Iterable, Sequence

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.text import shorten, to_one_line
from untildone.process.command import quote_argument

_OUTPUT = 2_000


def describe_conflicts(conflicts: Iterable[str], *, branch: str) -> str:
    names = ", ".join(f"`{name}`" for name in conflicts)
    return f"merging it into `{branch}` conflicts in {names}"


def describe_red_merge(results: Iterable[CheckResult], *, branch: str) -> str:
    return f"merged into `{branch}` its checks fail:\n{describe_failures(results)}"


def describe_failures(results: Iterable[CheckResult]) -> str:
    return "\n".join(
        f"- {result.name} (`{result.command}`): {result.outcome}"
        + (f", {to_one_line(result.reason)}" if result.reason else "")
        + (f"\n{shorten(result.output, _OUTPUT)}" if result.output else "")
        for result in results
        if not result.green
    )


def write_evidence(evidence: str) -> str:
    """Return what the agent reads before its task."""
    return f"This was done once, but {evidence}\n\nFix that." if evidence else ""


def make_marker_checks(conflicts: Sequence[str]) -> tuple[Check, ...]:
    """Return a check that no merge marker is left, if a merge has conflicted."""
    if not conflicts:
        return ()
    argv = (sys.executable, "-I", "-m", "untildone.runs.tasks.merge_markers", *conflicts)
    command = " ".join(map(quote_argument, argv))
    return (Check(name="merge", command=command, reason="a merge conflicted"),)
