"""A loop started by a prompt, before the model's first token: nothing here waits."""

from pathlib import Path

from msgspec import convert

from untildone.agents.events import Prompt
from untildone.core.counts import DECIDING_PRESET
from untildone.core.text import pluralize as counted
from untildone.engine.artifacts import write_task
from untildone.engine.baseline import start_detached_baseline
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.prompt_options import (
    convert_values,
    find_misplaced_options,
    split_options,
)
from untildone.engine.request import PromptedLoop, Request, StartOptions
from untildone.engine.scope import Scope
from untildone.engine.start import begin_loop
from untildone.engine.start_options import build_request
from untildone.errors import UserError
from untildone.store.loops import Record
from untildone.worktree.listing import find_worktree


def start_from_prompt(context: Context, prompt: Prompt, wanted: PromptedLoop) -> tuple[Record, str]:
    """Starts the loop; returns it with the notice for the user."""
    slips = tuple(find_misplaced_options(split_options(wanted.task)[0]))
    try:
        record = begin_loop(context, build_prompt_request(context, prompt, wanted))
    except UserError as error:
        message = "; ".join((error.message, *slips))
        raise UserError(message, hint=error.hint, exit_code=error.exit_code) from None
    project = Path(record.contract.project)
    write_task(project, record.contract)
    if record.contract.checks:
        start_detached_baseline(context, record)
    features = load_used_features(context, Scope(event="start", contract=record.contract))
    lines = [line for feature in features for line in feature.describe_start(context, record)]
    more = (*lines, *record.warnings)
    return record, "\n".join(
        (describe_loop(record), *more, *(f"untildone: {slip}" for slip in slips))
    )


def build_prompt_request(context: Context, prompt: Prompt, wanted: PromptedLoop) -> Request:
    for feature in load_used_features(context, Scope(event="start", name=wanted.preset)):
        own = feature.request_from_prompt(context, prompt, wanted)
        if own:
            return own
    task, given = split_options(wanted.task, paths=wanted.preset == DECIDING_PRESET)
    values = {"preset": wanted.preset, "task": task, **convert_values(given)}
    return build_request(
        context,
        convert(values, StartOptions),
        session=prompt.session,
        project=find_worktree(prompt.project, prompt.cwd),
    )


def describe_loop(record: Record) -> str:
    contract = record.contract
    claims = contract.claims if contract.done_when in ("both", "either") else ()
    promises = " or ".join(f"`{text}`" for text in contract.promises)
    criteria = [
        *(f"{check.name} (`{check.command}`)" for check in contract.checks),
        *([f"promise {promises}"] if promises else []),
        *(f"claim `{claim.name}`" for claim in claims),
        *contract.counts,
        *([counted(len(contract.todos), "TODO item")] if contract.todos else []),
    ]
    what = ", ".join(criteria) or "what the agent adds with `untildone criterion add`"
    bound = contract.bounds.rounds
    rounds = counted(bound, "round") if bound else "no bound of rounds"
    verb = "are" if len(criteria) > 1 else "is"
    place = f" in {', '.join(contract.targets)}" if contract.targets else ""
    then = f"; then {', '.join(contract.then)}" if contract.then else ""
    return (
        f"untildone: loop {contract.id} holds this session until {what} {verb} met{place};"
        f" {rounds}{then}"
    )
