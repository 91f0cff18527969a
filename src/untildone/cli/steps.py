"""`untildone steps`: the agent names the steps of its loop and reports which are done."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.agent_verbs import record_verb, require_text
from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.cli.options import (
    json_option,
    loop_argument,
    loop_option,
    print_json,
    project_option,
)
from untildone.cli.project import find_project
from untildone.core.text import pluralize
from untildone.engine.agent_verbs import AgentVerb
from untildone.errors import UserError
from untildone.features.spec import steps


class Step(Struct, frozen=True, kw_only=True):
    number: int
    name: str
    done: bool


class Steps(Struct, frozen=True, kw_only=True):
    """What `steps show --json` prints."""

    loop: str
    steps: tuple[Step, ...]


@click.group("steps")
def command() -> None:
    """The steps of a loop, in order.

    \b
    untildone steps set "find the failing test" "fix the cause"
    untildone steps done 1
    untildone steps show
    """


@command.command("set")
@click.argument("names", nargs=-1, required=True, metavar="STEP…")
@loop_option
@project_option
def set_steps(names: tuple[str, ...], *, loop: str | None, project: Path | None) -> None:
    """Add steps; existing steps stay.

    \b
    untildone steps set "find the failing test" "fix the cause"
    """
    steps_given = tuple(filter(str.strip, names))
    if not steps_given:
        raise UserError("no step is named", hint="say it in words")
    record_verb(
        (loop, project),
        tuple(AgentVerb(verb="steps", name="set", text=name) for name in steps_given),
        lambda context, named: steps.add_steps(context, named, steps_given),
        done=f"{pluralize(len(steps_given), 'step')} recorded",
    )


@command.command("done")
@click.argument("step", callback=require_text)
@loop_option
@project_option
def step_done(step: str, *, loop: str | None, project: Path | None) -> None:
    """Report a step as done, by its name or number.

    \b
    untildone steps done 1
    """
    record_verb(
        (loop, project),
        (AgentVerb(verb="steps", name="done", text=step),),
        lambda context, named: steps.complete_step(context, named, step, cwd=find_project(project)),
        done=f"done: {step}",
    )


@command.command("show")
@loop_argument
@project_option
@json_option
def show(loop: str | None, *, project: Path | None, as_json: bool) -> None:
    """Show the steps of a loop and which of them are done.

    \b
    untildone steps show --json
    """
    record = choose_loop_to_show(open_context(), loop, project)
    names = record.agreed.steps
    done = record.progress.steps_done
    known = tuple(
        Step(number=place, name=name, done=name in done) for place, name in enumerate(names, 1)
    )
    if as_json:
        print_json(Steps(loop=record.contract.id, steps=known))
        return
    for step in known:
        click.echo(f"{step.number}. [{'x' if step.done else ' '}] {step.name}")
    if not known:
        click.echo('there are no steps yet; `untildone steps set "STEP"…` adds them')
