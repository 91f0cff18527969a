"""What is known at a stop before any check is run: the person, the words, the spend."""

from pathlib import Path

from untildone.agents.events import Stop
from untildone.core import agent_message
from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments
from untildone.core.evidence import Evidence, Turn
from untildone.core.progress import Progress
from untildone.engine.context import Context, tree_of
from untildone.engine.speaker import ignored, tail
from untildone.features.budget.spend import measure_spend
from untildone.store.loops import Record
from untildone.store.sessions import Session


def before_checks(context: Context, record: Record, progress: Progress, stop: Stop) -> Evidence:
    """What costs nothing to know."""
    contract = record.contract
    session = context.session_of(record)
    said = _said(stop, contract)
    return Evidence(
        ignore_reason=ignored(context.agent, context.environ),
        broken_seal=session.explain_index_damage()
        or context.loops.explain_broken_seal(contract.id),
        turn=turn(context, session, stop, contract),
        prompt=stop.prompt,
        background=stop.background,
        promises_given=said,
        signalled=progress.signalled or agent_message.has_signal(stop.message),
        blocked=progress.blocked or agent_message.find_blocked_reason(stop.message),
        spend_usd=measure_spend(context, record, stop),
        minutes=progress.active_seconds / 60,
        round_minutes=progress.round_seconds / 60,
        cap_reached=bool(stop.cap) and progress.idle_holds >= stop.cap,
        gate_question=_gate(contract, progress),
        status=agent_message.parse_status_block(stop.message)
        if "LOOP_STATUS" in stop.message
        else None,
    )


def _said(stop: Stop, contract: Contract) -> tuple[str, ...]:
    if not contract.promises:
        return ()
    return agent_message.find_promises(stop.message, contract.promises, task=contract.task)


def _gate(contract: Contract, progress: Progress) -> str:
    contract = apply_amendments(contract, progress.amendments)
    if not contract.gated:
        return ""
    # Imported where it is used: hardly any loop has gates.
    from untildone.core.spec.gates import ask_at_gate

    return ask_at_gate(contract, progress)


def root(contract: Contract, cwd: str) -> Path:
    """The worktree the agent works in, if it is one of the contract's repository."""
    project = Path(contract.project)
    if not cwd or Path(cwd) == project:
        return project
    from untildone.worktree import files

    top, own = files.find_worktree_root(Path(cwd)), files.find_worktree_root(project)
    if top and own and top != own and files.is_same_repository(top, own):
        return top / project.relative_to(own)
    return project


def turn(context: Context, session: Session, stop: Stop, contract: Contract) -> Turn:
    if stop.plan_mode:
        return "plan"
    recent = tail(stop.transcript)
    if context.agent.find_failure(recent):
        return "failed"
    # Nobody types into an unattended run: what its transcript has in the queue is its own prompt.
    if stop.attended and context.agent.has_queued_input(recent):
        return "queued"
    prompt = session.read_json("prompt.json")
    if prompt.get("kind") != "other" or prompt.get("id") != stop.prompt:
        return "agent"
    unchanged = prompt.get("tree") == tree_of(root(contract, stop.cwd))
    return "question" if unchanged else "agent"
