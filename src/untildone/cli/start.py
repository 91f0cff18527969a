"""`untildone start`: start a loop in an agent's session."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from untildone.cli import session_start
from untildone.cli.loops import open_context
from untildone.cli.options import ANY_PATH, FOLDER, find_project, json_option, project_option
from untildone.core.contract import Speaker
from untildone.engine.artifacts import write_task
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.project_checks import find_configured_folder
from untildone.engine.request import StartOptions
from untildone.engine.start_options import OPTIONS, Kind, StartOption, build_request
from untildone.errors import UserError
from untildone.store.loops import Record

_TYPES: dict[Kind, Any] = {
    "integer": int,
    "number": float,
    "folder": FOLDER,
    "file": ANY_PATH,
}


def _add_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(OPTIONS):
        command = _click_option(option)(command)
    return command


def _click_option(option: StartOption) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    spellings = [*option.spellings[:-1], f"{option.spellings[-1]}/{option.off}".rstrip("/")]
    kind: dict[str, Any] = {"type": _TYPES.get(option.kind)}
    if option.kind == "flag":
        kind = {"is_flag": True, "default": None if option.off else False}
    elif option.kind == "choice":
        kind = {"type": click.Choice(option.choices)}
    elif option.kind == "text" and not option.repeatable:
        kind = {"default": ""}
    return click.option(
        *spellings,
        option.name,
        metavar=option.metavar,
        multiple=option.repeatable,
        show_default=option.default or None,
        help=option.help,
        **kind,
    )


@click.command("start")
@click.argument("argument", required=False, default="", metavar="[ARG]")
@_add_options
@session_start.session_option
@session_start.agent_option
@project_option
@json_option
def start_command(*, project: Path | None, as_json: bool, agent: str, **values: Any) -> None:  # noqa: ANN401  click's own values
    """Start a loop: the agent is held at each stop until the criteria are met.

    \b
    untildone start --preset test
    untildone start --template coverage-to 80
    untildone start --check "npm test" --task "Port the parser" --rounds 20
    untildone start --preset fix --zero-warnings --target src/services
    untildone start --promise "ALL PAGES WRITTEN" --then fix-tests
    untildone start --from-todos
    untildone start --check "make e2e" --criterion "docs describe it=review"
    """
    context = open_context(agent)
    folder = find_configured_folder(find_project(project))
    session, by = session_start.choose_session(context, values["session"], folder)
    record = start_loop(context, folder, values, session=session.id, by=by)
    session_start.finish_start(context, record, by, as_json=as_json)


def start_loop(
    context: Context, project: Path, values: dict[str, Any], *, session: str, by: Speaker
) -> Record:
    """Start the loop that the options describe, and print its warnings."""
    request = build_request(context, _read_options(values), session=session, project=project, by=by)
    record = begin_loop(context, request)
    for line in record.warnings:
        click.echo(line, err=True)
    write_task(project, record.contract)
    return record


def _read_options(values: dict[str, Any]) -> StartOptions:
    name, argument = values["template"], values["argument"]
    if argument and not name:
        raise UserError(
            f"`{argument}` is an argument without a template",
            hint='give a task with `--task "TEXT"`',
        )
    chosen = {option.name: values[option.name] for option in OPTIONS}
    chosen["template"] = f"{name} {argument}"
    return StartOptions(**{name: value for name, value in chosen.items() if value is not None})
