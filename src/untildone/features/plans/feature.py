"""The feature "plans": loops on the tasks of a TASKS.json, which update their task's status.

It answers the prompts `implement-task` and `implement-feature`, reads markers in the agent's
messages and a verifier's reports, and writes the status when a loop starts or ends.
"""

from contextlib import AbstractContextManager, suppress

from msgspec import DecodeError
from msgspec.json import decode

from untildone.agents.events import Prompt
from untildone.core.contract import Bounds, Contract
from untildone.core.plan_task import PLANNED
from untildone.core.progress import Progress
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.request import PromptedLoop, Request
from untildone.errors import UserError
from untildone.store.loops import Record

# Imported where they are used: a stop needs only what the agent's message reports.


def _request_from_prompt(context: Context, prompt: Prompt, loop: PromptedLoop) -> Request | None:
    """Return the request for `implement-task TASK [PLAN]` or `implement-feature [PLAN]`.

    PLAN is the plan's file or feature. None if the prompt starts another kind of loop.
    """
    if loop.preset not in PLANNED:
        return None
    from untildone.engine.prompt_options import convert_values, split_options
    from untildone.engine.start_options import apply_bounds
    from untildone.features.plans.task_loops import BOUNDS, TaskChoice, build_task_request
    from untildone.worktree.listing import find_worktree

    text, options = split_options(loop.task)
    words = text.split()
    task = words.pop(0) if loop.preset == "implement-task" and words else ""
    if loop.preset == "implement-task" and not task:
        raise UserError("no task is named", hint="`/untildone:implement-task TASK-001`")
    if len(words) > 1:
        raise UserError(
            f"`{words[1]}` is one word too many",
            hint=f"`/untildone:{loop.preset}` takes one plan, by its file or feature",
        )
    choice = TaskChoice(
        session=prompt.session,
        project=find_worktree(prompt.project, prompt.cwd),
        plan=words[0] if words else "",
        task=task,
        bounds=apply_bounds(Bounds(rounds=BOUNDS.rounds), convert_values(options)),
    )
    return build_task_request(context, choice)


def _reserve(context: Context, contract: Contract) -> AbstractContextManager[None]:
    """Return a lock on the plan's tasks, held while the loop on one of them is recorded."""
    from untildone.features.plans.task_loops import reserve_task

    return reserve_task(context, contract)


def _loop_started(_: Context, record: Record) -> tuple[str, ...]:
    """Mark the loop's task as in progress; return a notice if that fails."""
    from untildone.features.plans.task_loops import write_status

    return write_status(record.contract, "in_progress")


def _read_message(contract: Contract, progress: Progress, message: str) -> Progress:
    """Return the progress after the verifier's markers in the agent's last message."""
    from untildone.features.plans.verifier_reports import read_markers

    return read_markers(contract, progress, message)


def _apply_verb(contract: Contract, progress: Progress, verb: AgentVerb) -> Progress:
    """Return the progress after an `untildone verify` that a sandboxed shell relayed."""
    from untildone.features.plans.verifier_reports import VerifierReport, apply_report

    # The agent saw the error when it called the verb.
    with suppress(DecodeError, UserError):
        if verb.verb == "verify":
            return apply_report(contract, progress, decode(verb.text, type=VerifierReport))
    return progress


def _loop_ended(_: Context, record: Record) -> tuple[str, ...]:
    """Write how the loop ended into its task's status; return a notice if that fails."""
    from untildone.features.plans.task_loops import mark_outcome

    return mark_outcome(record)


FEATURE = Feature(
    request_from_prompt=_request_from_prompt,
    reserve=_reserve,
    loop_started=_loop_started,
    read_message=_read_message,
    apply_verb=_apply_verb,
    loop_ended=_loop_ended,
)
