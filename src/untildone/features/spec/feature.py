"""Loops from a spec: score, gates, steps with checkpoints, removal of their state."""

from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.request import Request
from untildone.engine.scope import iterate_calls
from untildone.engine.stopped_loop import Answer, JudgedStop, StoppedLoop
from untildone.errors import UserError
from untildone.features.spec.announcements import announce_verdict, describe_start
from untildone.features.spec.gates import apply_gate_answer, ask_at_gate
from untildone.store.loops import Record

# Imported where they are used: most stops need no checkpoint, score or cleanup.


def _agree(context: Context, request: Request, contract: Contract) -> Contract:
    """Return the contract with its spec scored; refuse a vague spec, and 2B without git.

    The reversibility 2B (undone within five minutes) needs git for a checkpoint before each step.
    """
    from untildone.features.spec.checkpoints import require_repository
    from untildone.features.spec.scoring import apply_spec

    if contract.reversibility == "2B":
        require_repository(request.project)
    return apply_spec(context, contract) if contract.preset == "loop" else contract


def _loop_started(_: Context, record: Record) -> tuple[str, ...]:
    """Save the tree before the first step; there is nothing to tell the user."""
    from untildone.features.spec.steps import save_step_checkpoint

    save_step_checkpoint(record, cwd=Path(record.contract.project))
    return ()


def _apply_verb(contract: Contract, progress: Progress, verb: AgentVerb) -> Progress:
    """Return the progress after the agent completed a step (`done`) or added one."""
    from untildone.features.spec.steps import append_steps, mark_step_done

    # The agent saw the error when it called the verb.
    with suppress(UserError):
        if verb.name == "done":
            return mark_step_done(contract, progress, verb.text)
        # Its time is not known.
        return append_steps(contract, progress, (verb.text,), at="")
    return progress


def _gather(_: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    """Return the evidence with the question of the gate and the files edited in vain."""
    from untildone.features.spec.thrashing import find_thrashed_files

    contract, calls = loop.contract, iterate_calls(loop.calls)
    return replace(
        evidence,
        gate_question=ask_at_gate(contract, loop.progress),
        reverted_files=find_thrashed_files(calls) if contract.preset == "loop" else (),
    )


def _finish_answer(_: Context, record: Record, judged: JudgedStop, answer: Answer) -> Answer:
    """Save the tree before the next step, and return the answer with the `[LOOP]` lines."""
    if record.contract.reversibility == "2B":
        from untildone.features.spec.steps import save_step_checkpoint

        # Without it a step cannot be rolled back, which does not change the verdict.
        with suppress(UserError):
            save_step_checkpoint(record, cwd=judged.project)
    if record.contract.preset != "loop":
        return answer
    status = judged.evidence.status
    text = announce_verdict(
        record,
        judged.verdict,
        announced=judged.progress.steps_reported,
        next_step=status.next if status else "",
    )
    return replace(answer, notice=f"{answer.notice}\n{text}") if text else answer


def _loop_ended(_: Context, record: Record) -> tuple[str, ...]:
    from untildone.features.spec.cleanup import offer_deletion

    return tuple(filter(None, (offer_deletion(record),)))


def _clean_up(context: Context, loop: str) -> None:
    """Remove the state of a finished loop if the user chose so."""
    from untildone.features.spec.cleanup import remove_finished_loop

    remove_finished_loop(context, loop)


FEATURE = Feature(
    agree=_agree,
    loop_started=_loop_started,
    describe_start=describe_start,
    resume_by_prompt=apply_gate_answer,
    apply_verb=_apply_verb,
    gather=_gather,
    finish_answer=_finish_answer,
    loop_ended=_loop_ended,
    clean_up=_clean_up,
)
