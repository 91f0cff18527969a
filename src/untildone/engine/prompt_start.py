"""A loop started by a prompt, before the model's first token: nothing here waits."""

from pathlib import Path
from typing import cast, get_args

from msgspec.structs import replace

from untildone.agents.events import Prompt
from untildone.core.counts import DECIDING
from untildone.core.listing import number as counted
from untildone.core.model import Bounds, Check, Reversibility, Rule
from untildone.engine.artifacts import write_task
from untildone.engine.baseline import begin_detached
from untildone.engine.context import Context
from untildone.engine.feature import used_features
from untildone.engine.prompt_options import left_in, number, options_in
from untildone.engine.request import Request, Wanted, name_checks, parse_claim
from untildone.engine.scope import Scope
from untildone.engine.start import begin
from untildone.errors import UserError
from untildone.store.loops import Record
from untildone.worktree.files import worktree_of

# by their options: the bound, and how it is written
_BOUNDS = {
    "rounds": ("rounds", "--rounds"),
    "budget": ("budget_usd", "--budget"),
    "minutes": ("minutes", "--minutes"),
    "round_minutes": ("round_minutes", "--round-minutes"),
    "stagnation": ("stagnation", "--stagnation-limit"),
}


def launched(context: Context, prompt: Prompt, wanted: Wanted) -> tuple[Record, str]:
    """The loop, and what the person is told of it."""
    slips = tuple(left_in(options_in(wanted.task)[0]))
    try:
        record = begin(context, request(context, prompt, wanted))
    except UserError as error:
        told = "; ".join((error.message, *slips))
        raise UserError(told, hint=error.hint, exit_code=error.exit_code) from None
    project = Path(record.contract.project)
    write_task(project, record.contract)
    if record.contract.checks:
        begin_detached(context, record)
    scope = Scope(event="start", contract=record.contract)
    features = used_features(context, scope)
    lines = [line for feature in features for line in feature.describe_start(context, record)]
    more = (*lines, *record.warnings)
    return record, "\n".join((summary(record), *more, *(f"untildone: {slip}" for slip in slips)))


def request(context: Context, prompt: Prompt, wanted: Wanted) -> Request:
    for feature in used_features(context, Scope(event="start", name=wanted.preset)):
        own = feature.request_from_prompt(context, prompt, wanted)
        if own:
            return own
    task, given = options_in(wanted.task, places=wanted.preset == DECIDING)
    rule = _one_of(get_args(Rule), given, "done_when")
    reversibility = _one_of(get_args(Reversibility), given, "reversibility") or "2A"
    asked = Request(
        session=prompt.session,
        project=worktree_of(prompt.project, prompt.cwd),
        preset=wanted.preset,
        task=task,
        checks=_checks(given),
        promises=tuple(given.get("promise", ())),
        claims=tuple(map(parse_claim, given.get("criterion", ()))),
        must_not=tuple(given.get("must_not", ())),
        allow=tuple(given.get("allow", ())),
        done_when=cast(Rule | None, rule),
        bounds=read_bounds(given, Bounds()),
        reversibility=cast(Reversibility, reversibility),
        clean="clean" in given,
    )
    for feature in used_features(context, Scope(event="start", options=given)):
        asked = feature.read_options(context, asked, given)
    return asked


def _checks(given: dict[str, list[str]]) -> tuple[Check, ...]:
    """With a pattern, its output decides too: the last one given is meant."""
    success, failure = (given.get(f"{kind}_pattern", [""])[-1] for kind in ("success", "failure"))
    return name_checks(tuple(given.get("check", ())), success=success, failure=failure)


def _one_of(known: tuple[str, ...], given: dict[str, list[str]], name: str) -> str | None:
    """In small letters or large; None where it is not given."""
    named = given.get(name, [""])[-1]
    found = next((each for each in known if each.casefold() == named.casefold()), None)
    if named and found is None:
        raise UserError(
            f"`--{name.replace('_', '-')} {named}` is unknown", hint=f"one of {', '.join(known)}"
        )
    return found


def read_bounds(given: dict[str, list[str]], usual: Bounds) -> Bounds:
    values: dict[str, float] = {
        field: number(given[name][-1], option)
        for name, (field, option) in _BOUNDS.items()
        if name in given
    }
    for name in {"rounds", "stagnation"} & values.keys():
        values[name] = int(values[name])
    return replace(usual, **values)


def summary(record: Record) -> str:
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
