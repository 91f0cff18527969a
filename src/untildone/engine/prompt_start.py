"""A loop started by a prompt, before the model's first token: nothing here waits."""

from pathlib import Path
from typing import cast, get_args

from msgspec.structs import replace

from untildone.agents.events import Prompt
from untildone.checks import security
from untildone.core.counts import DECIDING
from untildone.core.listing import number as counted
from untildone.core.model import Bounds, Check, Reversibility, Rule
from untildone.engine.artifacts import write_task
from untildone.engine.baseline import begin_detached
from untildone.engine.context import Context
from untildone.engine.phrases import PLANNED, Wanted
from untildone.engine.prompt_options import left_in, number, options_in
from untildone.engine.start import Request, begin, named
from untildone.errors import UserError
from untildone.features.counts.start import counts_named, targets_in
from untildone.features.spec.start import told_at_start
from untildone.features.templates.templates import Plan, claim, known, plan
from untildone.features.todos.lists import listed, todos_wanted
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
    more = (*told_at_start(context, record), *record.warnings)
    return record, "\n".join((summary(record), *more, *(f"untildone: {slip}" for slip in slips)))


def request(context: Context, prompt: Prompt, wanted: Wanted) -> Request:
    if wanted.preset in PLANNED:
        return _planned(context, prompt, wanted)
    task, given = options_in(wanted.task, places=wanted.preset == DECIDING)
    rule = cast(Rule | None, _one_of(get_args(Rule), given, "done_when"))
    reversibility = _one_of(get_args(Reversibility), given, "reversibility") or "2A"
    project = worktree_of(prompt.project, prompt.cwd)
    todos = todos_wanted(context, project, prompt.session, given)
    template = _template(context, project, given)
    return Request(
        session=prompt.session,
        project=project,
        preset=wanted.preset,
        task=task or template.task or listed(todos if "from_todos" in given else ()),
        checks=_checks(given) or template.checks,
        also=(security.make_check(project),) if "zero_security" in given else (),
        promises=tuple(given.get("promise", ())) or template.promises,
        claims=tuple(map(claim, given.get("criterion", ()))) or template.claims,
        must_not=tuple(given.get("must_not", ())) or template.must_not,
        allow=tuple(given.get("allow", ())),
        done_when=rule or template.done_when,
        bounds=_bounds(given, template.bounds),
        reversibility=cast(Reversibility, reversibility),
        clean="clean" in given,
        counts=counts_named(given),
        zero_errors="no_zero_errors" not in given,
        targets=targets_in(project, given.get("target", ())),
        todos=todos,
        then=known(context, project, tuple(given.get("then", ()))),
    )


def _template(context: Context, project: Path, given: dict[str, list[str]]) -> Plan:
    """`--template "coverage-to 80"`; what is given beside it stands before what it says."""
    name, _, argument = given.get("template", [""])[-1].strip().partition(" ")
    if not name:
        return Plan()
    return plan(context, project, name, argument.strip(), checks="check" not in given)


def _checks(given: dict[str, list[str]]) -> tuple[Check, ...]:
    """With a pattern, its output decides too: the last one given is meant."""
    success, failure = (given.get(f"{kind}_pattern", [""])[-1] for kind in ("success", "failure"))
    return named(tuple(given.get("check", ())), success=success, failure=failure)


def _planned(context: Context, prompt: Prompt, wanted: Wanted) -> Request:
    """`implement-task TASK [PLAN]`, `implement-feature [PLAN]`: a plan by its file or feature."""
    from untildone.features.plans.task_loops import BOUNDS, Asked, task_request

    text, given = options_in(wanted.task)
    words = text.split()
    task = words.pop(0) if wanted.preset == "implement-task" and words else ""
    if wanted.preset == "implement-task" and not task:
        raise UserError("no task is named", hint="`/untildone:implement-task TASK-001`")
    if len(words) > 1:
        raise UserError(
            f"`{words[1]}` is one word too many",
            hint=f"`/untildone:{wanted.preset}` takes one plan, by its file or feature",
        )
    given.setdefault("rounds", [str(BOUNDS.rounds)])
    asked = Asked(
        session=prompt.session,
        project=worktree_of(prompt.project, prompt.cwd),
        plan=words[0] if words else "",
        task=task,
        bounds=_bounds(given, Bounds()),
    )
    return task_request(context, asked)


def _one_of(known: tuple[str, ...], given: dict[str, list[str]], name: str) -> str | None:
    """In small letters or large; None where it is not given."""
    named = given.get(name, [""])[-1]
    found = next((each for each in known if each.casefold() == named.casefold()), None)
    if named and found is None:
        raise UserError(
            f"`--{name.replace('_', '-')} {named}` is unknown", hint=f"one of {', '.join(known)}"
        )
    return found


def _bounds(given: dict[str, list[str]], usual: Bounds) -> Bounds:
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
