"""A loop started by a prompt, before the model's first token: nothing here waits."""

from pathlib import Path
from typing import cast, get_args

from untildone.agents.events import Prompt
from untildone.checks import security
from untildone.checks.tree import worktree_of
from untildone.errors import UserError
from untildone.judge.baseline import begin_detached
from untildone.judge.context import Context
from untildone.judge.counting import counts_named, targets_in
from untildone.judge.options import number, options_in
from untildone.judge.papers import write_task
from untildone.judge.specs import told_at_start
from untildone.judge.speech import PLANNED, Wanted
from untildone.judge.start import Request, begin, named
from untildone.judge.templates import known
from untildone.judge.todos import listed, todos_wanted
from untildone.loop.counts import DECIDING
from untildone.loop.listing import number as counted
from untildone.loop.model import Bounds, Reversibility, Rule
from untildone.store.loops import Record

_RULES: dict[str, Rule] = {
    "checks": "checks",
    "promise": "promise",
    "both": "both",
    "either": "either",
}


def launched(context: Context, prompt: Prompt, wanted: Wanted) -> tuple[Record, str]:
    """The loop, and what the person is told of it."""
    record = begin(context, request(context, prompt, wanted))
    project = Path(record.contract.project)
    write_task(project, record.contract)
    if record.contract.checks:
        begin_detached(context, record)
    return record, "\n".join((summary(record), *told_at_start(context, record), *record.warnings))


def request(context: Context, prompt: Prompt, wanted: Wanted) -> Request:
    if wanted.preset in PLANNED:
        return _planned(context, prompt, wanted)
    task, given = options_in(wanted.task, places=wanted.preset == DECIDING)
    rule = given.get("done_when", [""])[-1]
    if rule and rule not in _RULES:
        raise UserError(f"`--done-when {rule}` is unknown", hint=f"one of {', '.join(_RULES)}")
    project = worktree_of(prompt.project, prompt.cwd)
    todos = todos_wanted(context, project, prompt.session, given)
    return Request(
        session=prompt.session,
        project=project,
        preset=wanted.preset,
        task=task or listed(todos if "from_todos" in given else ()),
        checks=named(tuple(given.get("check", ()))),
        also=(security.command(project),) if "zero_security" in given else (),
        promises=tuple(given.get("promise", ())),
        done_when=_RULES.get(rule),
        bounds=_bounds(given),
        reversibility=_reversibility(given),
        clean="clean" in given,
        counts=counts_named(given),
        zero_errors="no_zero_errors" not in given,
        targets=targets_in(project, given.get("target", ())),
        todos=todos,
        then=known(context, project, tuple(given.get("then", ()))),
    )


def _planned(context: Context, prompt: Prompt, wanted: Wanted) -> Request:
    """`implement-task TASK [PLAN]`, `implement-feature [PLAN]`: a plan by its file or feature."""
    from untildone.judge.tasks import BOUNDS, Asked, task_request

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
        bounds=_bounds(given),
    )
    return task_request(context, asked)


def _reversibility(given: dict[str, list[str]]) -> Reversibility:
    named = given.get("reversibility", ["2A"])[-1].upper()
    found = next((each for each in get_args(Reversibility) if each == named), None)
    if found is None:
        raise UserError(
            f"`--reversibility {named}` is unknown",
            hint=f"one of {', '.join(get_args(Reversibility))}",
        )
    return cast(Reversibility, found)


def _bounds(given: dict[str, list[str]]) -> Bounds:
    values = {name: texts[-1] for name, texts in given.items()}
    bounds = Bounds()
    return Bounds(
        rounds=int(number(values.get("rounds", str(bounds.rounds)), "--rounds")),
        budget_usd=number(values.get("budget", str(bounds.budget_usd)), "--budget"),
        minutes=number(values.get("minutes", "0"), "--minutes"),
        stagnation=int(number(values["stagnation"], "--stagnation-limit"))
        if "stagnation" in values
        else None,
    )


def summary(record: Record) -> str:
    contract = record.contract
    criteria = [
        *(f"{check.name} (`{check.command}`)" for check in contract.checks),
        *(f"promise `{text}`" for text in contract.promises),
        *(f"claim `{claim.name}`" for claim in contract.claims),
        *contract.counts,
        *([counted(len(contract.todos), "TODO item")] if contract.todos else []),
    ]
    what = ", ".join(criteria) or "what the agent adds with `untildone criterion add`"
    rounds = f"{contract.bounds.rounds} rounds" if contract.bounds.rounds else "no bound of rounds"
    place = f" in {', '.join(contract.targets)}" if contract.targets else ""
    then = f"; then {', '.join(contract.then)}" if contract.then else ""
    return (
        f"untildone: loop {contract.id} holds this session until {what} is met{place};"
        f" {rounds}{then}"
    )
