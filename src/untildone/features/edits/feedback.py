"""Feedback on edits: servers are warmed up, and new errors are reported to the agent."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.core import edit_feedback
from untildone.core.check_results import Finding
from untildone.core.evidence import Evidence
from untildone.engine.context import Context
from untildone.engine.payload import Call, read_edit
from untildone.engine.speaker import explain_ignored
from untildone.features.edits import switch
from untildone.features.edits.diagnosis import diagnose, find_introduced, read_texts
from untildone.features.edits.server_client import ask_servers, edited_files
from untildone.worktree.listing import find_worktree

# The agent waits this long after an edit or at a stop.
_WAIT_SECONDS = 1.0


def answer_edit(context: Context, call: Call) -> str:
    path, text, _ = read_edit(call)
    project, file = locate_file(context.agent.parse_stop(call.data, context.environ), path)
    if file is None or explain_ignored(context.agent, context.environ):
        return ""
    if switch.TELL not in switch.read_modes(call.home):
        ask_servers(context, project, (file,), wait=0)
        return ""
    found = find_introduced(context, project, {file: text}, wait=_WAIT_SECONDS)
    return context.agent.add_context_after_tool(edit_feedback.format_edit(found)) if found else ""


def warm_servers(
    context: Context, project: Path, calls: Mapping[str, Iterable[Mapping[str, Any]]]
) -> tuple[Path, ...]:
    """The files edited in a round, which the servers get to know without being waited for."""
    files = edited_files(calls, project)
    ask_servers(context, project, files, wait=0)
    return files


def add_diagnostics(
    evidence: Evidence, context: Context, project: Path, files: tuple[Path, ...]
) -> Evidence:
    """Adds what the tools report within a second; no verdict depends on it."""
    project = project.resolve()
    said = diagnose(context, project, read_texts(files), wait=_WAIT_SECONDS)
    found: dict[str, list[Finding]] = {}
    for (path, _), its in said.items():
        found.setdefault(path, []).extend(its)
    return replace(
        evidence,
        diagnostics=tuple(each for its in found.values() for each in its),
        edited_files=tuple(
            edit_feedback.count_file_totals(path, its) for path, its in found.items()
        ),
    )


def locate_file(stop: Stop, path: str) -> tuple[Path, Path | None]:
    """The session's project, and the file; None if it is not a file of that project."""
    project = find_worktree(stop.project, stop.cwd).resolve()
    file = Path(path).resolve()
    return project, file if file.is_relative_to(project) and file.is_file() else None
