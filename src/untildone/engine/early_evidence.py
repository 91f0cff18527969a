"""The evidence about a stop that is known before any check runs.

It comes from the event, the transcript and the agent's last message: whose turn it is, what the
agent promises or reports, what still runs in the background, which files it wrote.
"""

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

_MAX_WRITTEN_FILES = 50


def gather_evidence(context: Context, loop: StoppedLoop, features: tuple[Feature, ...]) -> Evidence:
    """Return the evidence known without running anything, with what each feature adds."""
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
        unattended=not stop.attended,
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
    """Return the project's folder in the worktree where the agent works.

    That may be another worktree of the same repository than the loop was started in: a loop of
    `/repo/app` whose agent works in `/repo-fix` is judged in `/repo-fix/app`.
    """
    project = Path(contract.project)
    if not cwd or Path(cwd) == project:
        return project
    from untildone.worktree import listing

    agent_root = listing.find_worktree_root(Path(cwd))
    project_root = listing.find_worktree_root(project)
    if not agent_root or not project_root or agent_root == project_root:
        return project
    if listing.is_same_repository(agent_root, project_root):
        return agent_root / project.relative_to(project_root)
    return project


def _find_turn(context: Context, session: Session, loop: StoppedLoop) -> Turn:
    """Return why the agent stopped: in all cases but "agent" it is not expected to go on.

    "plan": it waits for a plan's approval; "failed": the model's service failed; "queued": the
    user has typed more; "question": it has answered the user's question and changed no file.
    """
    stop = loop.stop
    if stop.plan_mode:
        return "plan"
    recent = read_tail(stop.transcript)
    if context.agent.find_failure(recent):
        return "failed"
    # Nobody types into an unattended run: what its transcript has in the queue is its own prompt.
    if stop.attended and context.agent.list_queued_input(recent):
        return "queued"
    prompt = session.read_json("prompt.json")
    if prompt.get("kind") != "question" or prompt.get("id") != stop.prompt:
        return "agent"
    unchanged = prompt.get("tree") == fingerprint_project(loop.project)
    return "question" if unchanged else "agent"


def _list_written_files(calls: Calls, project: str) -> tuple[str, ...]:
    """Return the files that the agent's editing tools wrote, relative to the project."""
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
    return tuple(_make_relative(path, project) for path in paths)[:_MAX_WRITTEN_FILES]


def _make_relative(path: str, project: str) -> str:
    """Return the path relative to the project; as it is if it is outside."""
    try:
        return PurePath(path).relative_to(project).as_posix()
    except ValueError:
        return path
