"""Starts a loop that a prompt asks for, by a slash command or a phrase.

It runs in the prompt hook, before the model sees the prompt, so nothing here waits: the checks run
on the baseline in a detached process.
"""

from pathlib import Path

from msgspec import convert

from untildone.agents.events import Prompt
from untildone.core.counts import DECIDING_PRESET
from untildone.core.plan_task import PLANNED
from untildone.core.stagnation import describe_stagnation_limit
from untildone.core.text import pluralize
from untildone.engine.active_time import record_turn
from untildone.engine.artifacts import write_task
from untildone.engine.baseline_results import start_detached_baseline
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.loop_start import begin_loop
from untildone.engine.prompt_options import convert_values, find_misplaced_options, split_options
from untildone.engine.request import PromptedLoop, Request, StartOptions
from untildone.engine.scope import Scope
from untildone.engine.session_events import write_reminder
from untildone.engine.start_options import build_request
from untildone.errors import UserError
from untildone.store.loops import Record
from untildone.worktree.listing import find_worktree


def answer_loop_request(
    context: Context, prompt: Prompt, prompted_loop: PromptedLoop, *, by_user: bool
) -> str:
    """Start the loop and return the hook's answer.

    If no user asks (a scheduled prompt, or a phrase in an unattended run), no loop is started and
    the agent is told how to start one itself.
    """
    if not by_user or not (prompted_loop.explicit or prompt.attended):
        notice = (
            "untildone: no loop was started;"
            f" `/untildone:{prompted_loop.preset}` in a session starts one"
        )
        return context.agent.pass_prompt(
            prompt, context=_propose_to_agent(prompted_loop), notice=notice
        )
    try:
        record, notice = _start_loop(context, prompt, prompted_loop)
    except UserError as error:
        if prompted_loop.explicit:
            raise
        # A phrase may be just a way of speaking: the prompt is passed on to the agent.
        notice = f"untildone: no loop was started: {error.message}; {error.hint}"
        return context.agent.pass_prompt(prompt, context="", notice=notice)
    session = context.session(prompt.session)
    record_turn(session, record.progress, prompt=prompt.prompt, kind="start")
    return context.agent.pass_prompt(prompt, context=write_reminder(record), notice=notice)


def _propose_to_agent(prompted_loop: PromptedLoop) -> str:
    """Return the text that tells the agent by which command it can start this loop."""
    if prompted_loop.preset in PLANNED:
        command = "`untildone plan start` (with the task's id, where it is about one)"
    else:
        command = (
            f"`untildone start --preset {prompted_loop.preset}`"
            " (with `--task`, and `--check COMMAND` where none is found)"
        )
    return (
        "[untildone] This asks for work until it is proved done, but nobody who could start a loop"
        f" is here. You may start one yourself: {command}; you are then held until its checks"
        " pass, within its bounds."
    )


def _start_loop(
    context: Context, prompt: Prompt, prompted_loop: PromptedLoop
) -> tuple[Record, str]:
    """Start the loop; return it with the notice for the user.

    Options that ended up in the task by mistake are mentioned in the notice or in the error.
    """
    mistakes = tuple(find_misplaced_options(_split_task(prompted_loop)[0]))
    try:
        record = begin_loop(context, _build_request(context, prompt, prompted_loop))
    except UserError as error:
        message = "; ".join((error.message, *mistakes))
        raise UserError(message, hint=error.hint, exit_code=error.exit_code) from None
    write_task(Path(record.contract.project), record.contract)
    if record.contract.checks:
        start_detached_baseline(context, record)
    features = load_used_features(context, Scope(event="start", contract=record.contract))
    lines = [line for feature in features for line in feature.describe_start(context, record)]
    notes = (*lines, *record.warnings, *(f"untildone: {mistake}" for mistake in mistakes))
    return record, "\n".join((describe_loop(record), *notes))


def _build_request(context: Context, prompt: Prompt, prompted_loop: PromptedLoop) -> Request:
    """Return the request of the feature that owns the preset, else one from the task's options."""
    for feature in load_used_features(context, Scope(event="start", name=prompted_loop.preset)):
        request = feature.request_from_prompt(context, prompt, prompted_loop)
        if request:
            return request
    task, texts = _split_task(prompted_loop)
    values = {"preset": prompted_loop.preset, "task": task, **convert_values(texts)}
    return build_request(
        context,
        convert(values, StartOptions),
        session=prompt.session,
        project=find_worktree(prompt.project, prompt.cwd),
    )


def _split_task(prompted_loop: PromptedLoop) -> tuple[str, dict[str, list[str]]]:
    """Return task and options; in a sentence of the user's, options stand at its ends only."""
    return split_options(
        prompted_loop.task,
        paths=prompted_loop.preset == DECIDING_PRESET,
        anywhere=prompted_loop.explicit,
    )


def describe_loop(record: Record) -> str:
    """Return the line that tells the user what the loop holds the session for, and how long."""
    contract = record.contract
    claims = contract.claims if contract.done_when in ("both", "either") else ()
    promises = " or ".join(f"`{text}`" for text in contract.promises)
    criteria = [
        *(f"{check.name} (`{check.command}`)" for check in contract.checks),
        *([f"promise {promises}"] if promises else []),
        *(f"claim `{claim.name}`" for claim in claims),
        *contract.counts,
        *([pluralize(len(contract.todos), "TODO item")] if contract.todos else []),
    ]
    what = ", ".join(criteria) or "what the agent adds with `untildone criterion add`"
    max_rounds = contract.bounds.rounds
    rounds = pluralize(max_rounds, "round") if max_rounds else "no bound of rounds"
    patience = describe_stagnation_limit(contract)
    verb = "are" if len(criteria) > 1 else "is"
    place = f" in {', '.join(contract.targets)}" if contract.targets else ""
    then = f"; then {', '.join(contract.then)}" if contract.then else ""
    # The headline of a task says where in the plan the agent is.
    headline = next(iter(contract.task.splitlines()), "")
    task = f" ({headline})" if contract.plan and headline else ""
    return (
        f"untildone: loop {contract.id}{task} holds this session until {what} {verb} met{place};"
        f" {rounds}{patience}{then}"
    )
