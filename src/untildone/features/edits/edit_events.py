"""Tells the agent which errors its edits introduced: after each edit, and at a stop of a loop.

Language servers are slow at first, so they are also made to open edited files in advance.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain, starmap
from pathlib import Path

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.core.check_results import FileTotals, Finding
from untildone.core.edit_feedback import list_findings, summarize_findings
from untildone.core.evidence import Evidence
from untildone.core.totals import name_severity_counts
from untildone.engine.context import Context
from untildone.engine.payload import Call, read_edit
from untildone.engine.speaker import explain_ignored
from untildone.engine.stopped_loop import StoppedLoop
from untildone.features.edits import switch
from untildone.features.edits.diagnosis import diagnose, find_introduced, read_texts
from untildone.features.edits.server_client import ask_servers, list_edited_files
from untildone.worktree.listing import find_worktree

# The agent waits this long after an edit or at a stop.
_WAIT_SECONDS = 1.0


def answer_edit(context: Context, call: Call) -> str:
    """Return what the agent reads after an edit: the errors that the edit introduced.

    Without the mode `tell` the reply is empty, and the servers only open the file.
    """
    # A hook has already ignored edits whose earlier text is not known.
    path, text_before, _ = read_edit(call)
    project, file = locate_file(context.agent.parse_stop(call.data, context.environ), path)
    if file is None or explain_ignored(context.agent, context.environ):
        return ""
    if switch.TELL not in switch.read_modes(call.home):
        ask_servers(context, project, (file,), wait=0)
        return ""
    errors = find_introduced(context, project, {file: text_before}, wait=_WAIT_SECONDS)
    return context.agent.add_context_after_tool(format_edit(errors)) if errors else ""


def warm_servers(context: Context, loop: StoppedLoop) -> None:
    """Let the servers open the files edited in this round, without waiting for an answer."""
    ask_servers(context, loop.project, list_edited_files(loop.calls, loop.project), wait=0)


def add_diagnostics(context: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    """Return the evidence with what tools report within a second; no verdict depends on it."""
    files = list_edited_files(loop.calls, loop.project)
    if not files:
        return evidence
    reports = diagnose(context, loop.project.resolve(), read_texts(files), wait=_WAIT_SECONDS)
    by_file: dict[str, list[Finding]] = {}
    for (path, _), findings in reports.items():
        by_file.setdefault(path, []).extend(findings)
    return replace(
        evidence,
        diagnostics=tuple(chain.from_iterable(by_file.values())),
        edited_files=tuple(starmap(count_file_totals, by_file.items())),
    )


def locate_file(stop: Stop, path: str) -> tuple[Path, Path | None]:
    """Return the session's project, and the file; None if it is not a file of that project."""
    project = find_worktree(stop.project, stop.cwd).resolve()
    file = Path(path).resolve()
    return project, file if file.is_relative_to(project) and file.is_file() else None


def format_edit(findings: Collection[Finding]) -> str:
    """Return the feedback to the agent right after an edit."""
    return (
        f"[untildone] This edit brought {summarize_findings(findings)}:\n{list_findings(findings)}"
    )


def count_file_totals(path: str, findings: Iterable[Finding]) -> FileTotals:
    """Return how many findings of each severity the file has."""
    counts = Counter(finding.severity for finding in findings)
    return FileTotals(path=path, **name_severity_counts(counts))
