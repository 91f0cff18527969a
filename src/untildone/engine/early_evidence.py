"""The evidence known before any check runs: whose turn it is, the message, background work."""

from pathlib import Path, PurePath

from untildone.core import agent_message
from untildone.core.contract import Contract
from untildone.core.evidence import Evidence, Turn
from untildone.engine.context import Context, fingerprint_project
from untildone.engine.feature import Feature
from untildone.engine.payload import EDITING
from untildone.engine.scope import Calls, iterate_calls
from untildone.engine.speaker import explain_ignored, read_tail
from untildone.engine.stopped_loop import StoppedLoop
from untildone.store.sessions import Session

_MOST_WRITTEN = 50


def gather_evidence(context: Context, loop: StoppedLoop, features: tuple[Feature, ...]) -> Evidence:
    """The evidence known without running anything, with what each feature adds."""
    stop, progress, contract = loop.stop, loop.progress, loop.contract
    session = context.session_of(loop.record)
    message = stop.message
    evidence = Evidence(
        ignore_reason=explain_ignored(context.agent, context.environ),
        broken_seal=session.explain_index_damage()
        or context.loops.explain_broken_seal(contract.id),
        turn=_find_turn(context, session, loop),
        prompt=stop.prompt,
        background=stop.background,
        promises_given=agent_message.find_promises(message, contract.promises, task=contract.task),
        signalled=progress.signalled or agent_message.has_signal(message),
        blocked=progress.blocked or agent_message.find_blocked_reason(message),
        minutes=progress.active_seconds / 60,
        round_minutes=progress.round_seconds / 60,
        cap_reached=bool(stop.cap) and progress.idle_holds >= stop.cap,
        status=agent_message.parse_status_block(message) if "LOOP_STATUS" in message else None,
        written_files=_list_written_files(loop.calls, contract.project),
    )
    for feature in features:
        evidence = feature.gather(context, loop, evidence)
    return evidence


def find_project_root(contract: Contract, cwd: str) -> Path:
    """The project in the worktree the agent works in, if that is of the same repository."""
    project = Path(contract.project)
    if not cwd or Path(cwd) == project:
        return project
    from untildone.worktree import listing

    top, own = listing.find_worktree_root(Path(cwd)), listing.find_worktree_root(project)
    if top and own and top != own and listing.is_same_repository(top, own):
        return top / project.relative_to(own)
    return project


def _find_turn(context: Context, session: Session, loop: StoppedLoop) -> Turn:
    """Whose turn it is: a question of the user and queued input are not the agent's to finish."""
    stop = loop.stop
    if stop.plan_mode:
        return "plan"
    recent = read_tail(stop.transcript)
    if context.agent.find_failure(recent):
        return "failed"
    # Nobody types into an unattended run: what its transcript has in the queue is its own prompt.
    if stop.attended and context.agent.has_queued_input(recent):
        return "queued"
    prompt = session.read_json("prompt.json")
    if prompt.get("kind") != "other" or prompt.get("id") != stop.prompt:
        return "agent"
    unchanged = prompt.get("tree") == fingerprint_project(loop.project)
    return "question" if unchanged else "agent"


def _list_written_files(calls: Calls, project: str) -> tuple[str, ...]:
    """The files that the agent's own tools wrote, as seen from the project."""
    inputs = (
        call.get("tool_input", call)
        for call in iterate_calls(calls)
        if call.get("tool_name") in EDITING
    )
    paths = dict.fromkeys(
        str(fields.get("file_path") or fields.get("notebook_path") or "")
        for fields in inputs
        if isinstance(fields, dict)
    )
    return tuple(_make_relative(path, project) for path in paths)[:_MOST_WRITTEN]


def _make_relative(path: str, project: str) -> str:
    try:
        return PurePath(path).relative_to(project).as_posix()
    except ValueError:
        return path
