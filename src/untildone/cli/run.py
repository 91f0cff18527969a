"""`untildone run`: run an agent headless and verify its work each time it returns."""

import shutil
import uuid
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from untildone.agents import COMMAND_AGENTS, NAMES
from untildone.agents.registry import find_agent
from untildone.cli import start
from untildone.cli.authority import refuse_in_check
from untildone.cli.loops import open_context
from untildone.cli.options import FILE, find_project, json_option, project_option
from untildone.cli.run_display import RunLines, open_display
from untildone.cli.session_start import run_baseline_checks
from untildone.core.contract import Speaker
from untildone.engine.context import Context
from untildone.engine.project_checks import find_configured_folder
from untildone.engine.speaker import find_calling_session
from untildone.errors import UserError
from untildone.process.command import parse_argv
from untildone.runs import run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.run_memory import RunMemory, RunOptions
from untildone.store.loops import Record

# The environment variables that replace options in CI.
_VARIABLES = {"rounds": "UNTILDONE_ROUNDS", "budget": "UNTILDONE_BUDGET"}
_NOT_FROM_START = frozenset(("argument", "task", "session", "agent", "project", "as_json"))
_CLIENT = "untildone.client"


class _RunCommand(click.Command):
    """Passes everything after `--` to the client."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            end = args.index("--")
            ctx.meta[_CLIENT] = tuple(args[end + 1 :])
            args = args[:end]
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- CLIENT OPTIONS]"]


def parse_agents(
    _context: click.Context, _parameter: click.Parameter, value: str
) -> tuple[str, ...]:
    """Return the agents of `codex,claude`."""
    return tuple(map(_check_agent, value.split(",")))


def _check_agent(name: str) -> str:
    kind, _, command = name.partition(":")
    if name in NAMES or (kind in COMMAND_AGENTS and command.strip()):
        return f"{kind}:{command.strip()}" if command else name
    known = ", ".join(f"`{known}`" for known in NAMES)
    raise UserError(
        f"`{name}` is no agent that we know", hint=f"use {known} or `acp:COMMAND`, quoted"
    )


@click.command("run", cls=_RunCommand)
@click.argument("task", required=False, default="")
@click.option(
    "--agent",
    "agents",
    callback=parse_agents,
    default="claude",
    show_default=True,
    metavar="NAME[,NAME]",
    envvar="UNTILDONE_AGENT",
    help=(
        f"The agent to run: {', '.join(NAMES)}, or `acp:COMMAND` for any that speaks ACP; of `a,b`,"
        " b goes on when a is at its limit or makes no progress."
    ),
)
@click.option(
    "--client", default="", metavar="COMMAND", help="Run this instead of the agent's program."
)
@click.option(
    "--fresh/--resume",
    default=None,
    help="Begin each round with a new conversation, or keep one; default: new when 60 % full.",
)
@click.option("--no-wait", is_flag=True, help="Pause at a usage limit instead of waiting for it.")
@click.option(
    "--plan",
    metavar="TASKS.json",
    type=FILE,
    help="Run the tasks of a plan, each in its own git worktree.",
)
@click.option(
    "-j", "--jobs", metavar="N", type=click.IntRange(1, 64), help="Run this many tasks at once."
)
@project_option
@json_option
def run_command(
    *,
    project: Path | None,
    as_json: bool,
    agents: tuple[str, ...],
    **values: Any,  # noqa: ANN401  click's own values
) -> int:
    """Run an agent headless until TASK is proved done; the exit code says how it ended.

    With `--template`, TASK is the template's argument. The options of `untildone start` apply.
    Ctrl-C pauses; `untildone continue LOOP` continues, also on another day.

    \b
    untildone run "Port the parser" --check "npm test"
    untildone run "Fix what lint says" --preset lint --budget 5 --json
    untildone run --template coverage-to 80 --fresh
    untildone run "Add paging" -- --model opus --allowedTools "Bash(npm test:*)"
    untildone run --plan TASKS.json -j 2
    untildone run "Port the parser" --agent "acp:gemini --acp"
    untildone run "Port the parser" --agent codex,claude
    """
    context = open_context(agents[0])
    refuse_in_check(context, "run")
    options = _read_run_settings(values, click.get_current_context().meta.get(_CLIENT, ()))
    require_client(context, options)
    options = replace(options, successors=agents[1:])
    for name in agents[1:]:
        require_client(open_context(name), RunOptions())
    if values["plan"] or values["jobs"]:
        # Imported here because a run of one task does not need it.
        from untildone.cli.run_plan import run_plan_tasks

        return run_plan_tasks(context, project, values, options=options, as_json=as_json)
    record = _start_loop(context, project, values)
    run_memory.write(context, record.contract.id, RunMemory(options=options))
    run_baseline_checks(context, record, detached=False)
    return drive_loop(context, record.contract.id, as_json=as_json)


def _start_loop(context: Context, project: Path | None, values: dict[str, Any]) -> Record:
    """Start the loop of one task, in a session of its own."""
    if not (values["task"] or values["template"] or values["preset"] or values["from_todos"]):
        raise UserError("no task is given", hint='say what to do: `untildone run "TASK"`')
    folder = find_configured_folder(find_project(project))
    values["argument"] = values["task"] if values["template"] else ""
    values["task"] = "" if values["template"] else values["task"]
    by: Speaker = "agent" if find_calling_session(str(context.home)) else "user"
    return start.start_loop(context, folder, values, session=str(uuid.uuid4()), by=by)


run_command.params += [
    param for param in map(copy, start.start_command.params) if param.name not in _NOT_FROM_START
]
for _param in run_command.params:
    _param.envvar = _VARIABLES.get(_param.name or "", _param.envvar)


def drive_loop(context: Context, loop: str, *, as_json: bool = False) -> int:
    """Run the loop's agent, whichever the command was opened for."""
    agent = context.loops.load(loop).agreed.agent
    context = replace(context, agent=find_agent(agent))
    with open_display(RunLines, context.environ, as_json=as_json) as show:
        return drive(context, loop, show=partial(show, "")).exit_code


def _read_run_settings(values: dict[str, Any], arguments: tuple[str, ...]) -> RunOptions:
    fresh = values["fresh"]
    return RunOptions(
        mode="auto" if fresh is None else "fresh" if fresh else "resume",
        wait=not values["no_wait"],
        client=values["client"],
        arguments=arguments,
    )


def require_client(context: Context, options: RunOptions) -> None:
    """Fail early if the client is missing."""
    client = context.agent.load_headless()
    program = parse_argv(options.client)[0] if options.client.strip() else client.PROGRAM
    if shutil.which(program, path=context.environ.get("PATH")) is None:
        raise UserError(f"`{program}` was not found", hint=client.REMEDIES["missing"])
