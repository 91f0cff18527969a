"""`untildone steps`, `precheck` and `rollback`: the steps of a loop and the files before each."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli import options
from untildone.cli.agent_reports import AgentReport, records_report, require_text
from untildone.cli.authority import require_user
from untildone.cli.loops import choose_loop_to_show, open_context
from untildone.core.text import pluralize
from untildone.engine.agent_verbs import AgentVerb
from untildone.errors import UserError
from untildone.features.spec import steps
from untildone.features.spec.checkpoints import Restoration

_SHOWN = 20


class Step(Struct, frozen=True, kw_only=True):
    number: int
    name: str
    done: bool


@click.group("steps")
def steps_command() -> None:
    """Name the steps of your loop, in order, and report which are done.

    \b
    untildone steps set "find the failing test" "fix the cause"
    untildone steps done 1
    untildone steps show
    """


@steps_command.command("set")
@click.argument("names", nargs=-1, required=True, metavar="STEP…")
@records_report
def set_steps(names: tuple[str, ...]) -> AgentReport:
    """Add steps; existing steps stay.

    \b
    untildone steps set "find the failing test" "fix the cause"
    """
    names = tuple(filter(str.strip, names))
    if not names:
        raise UserError("no step is named", hint="say it in words")
    return AgentReport(
        verbs=tuple(AgentVerb(verb="steps", name="set", text=name) for name in names),
        record=lambda context, loop: steps.add_steps(context, loop, names),
        done=f"{pluralize(len(names), 'step')} recorded",
    )


@steps_command.command("done")
@click.argument("step", callback=require_text)
@records_report
def complete_step(step: str) -> AgentReport:
    """Report a step as done, by its name or number.

    \b
    untildone steps done 1
    """
    folder = options.find_project(click.get_current_context().params["project"])
    return AgentReport(
        verbs=(AgentVerb(verb="steps", name="done", text=step),),
        record=lambda context, loop: steps.complete_step(context, loop, step, cwd=folder),
        done=f"done: {step}",
    )


@steps_command.command("show")
@options.loop_argument
@options.project_option
@options.json_option
def show_steps(loop: str | None, *, project: Path | None, as_json: bool) -> None:
    """Show the steps of a loop and which of them are done.

    \b
    untildone steps show --json
    """
    record = choose_loop_to_show(open_context(), loop, project)
    done = record.progress.steps_done
    entries = [
        Step(number=number, name=name, done=name in done)
        for number, name in enumerate(record.agreed.steps, 1)
    ]
    lines = [f"{step.number}. [{'x' if step.done else ' '}] {step.name}" for step in entries]
    options.print_report(
        {"loop": record.contract.id, "steps": entries},
        lines or ['there are no steps yet; `untildone steps set "STEP"…` adds them'],
        as_json=as_json,
    )


@click.command("precheck")
@click.option(
    "--evidence",
    required=True,
    callback=require_text,
    help="What you looked at, and what you found.",
)
@records_report
def precheck_command(evidence: str) -> AgentReport:
    """Record how the change could go wrong; a loop with `--reversibility 1` requires it.

    \b
    untildone precheck --evidence "old clients read the column: kept for one release"
    """
    return AgentReport(verbs=(AgentVerb(verb="precheck", text=evidence),), done="recorded")


@click.command("rollback")
@click.argument("step")
@options.loop_option
@options.project_option
@options.json_option
def rollback_command(step: str, *, loop: str | None, project: Path | None, as_json: bool) -> None:
    """Restore the files from before a step; the current files are saved first.

    Commits, branches, the index and ignored files stay as they are.

    \b
    untildone rollback 2             the files from before the second step
    untildone rollback undo-1        the files from before that rollback
    """
    context = open_context()
    record = choose_loop_to_show(context, loop, project)
    require_user(context, record, "rollback")
    restored = steps.roll_back(context, record, step, cwd=options.find_project(project))
    options.print_report(restored, _format_restored(restored), as_json=as_json)


def _format_restored(restored: Restoration) -> list[str]:
    changed = [f"  wrote {path}" for path in restored.written]
    changed += [f"  removed {path}" for path in restored.removed]
    more = [f"  and {len(changed) - _SHOWN} more"] if len(changed) > _SHOWN else []
    head = f"rolled back `{restored.root}`:"
    undo = f"to undo this: `untildone rollback {restored.saved}`"
    return [head, *changed[:_SHOWN], *more, undo]
