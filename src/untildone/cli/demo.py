"""`untildone demo`: the whole thing in a minute, without key or agent."""

import sys
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from untildone.agents.headless import AgentText, RunEvent, Tool
from untildone.cli.demo_display import DemoDisplay
from untildone.cli.demo_environment import DemoEnvironment, open_demo_environment
from untildone.core.progress import Round
from untildone.core.verdict import Continue, Finish
from untildone.process.command import quote_argument
from untildone.process.runner import end_runs_on_signal
from untildone.runs import demo_scene, memory
from untildone.runs.events import Judged
from untildone.runs.memory import RunMemory, RunOptions
from untildone.runs.outer_loop import drive
from untildone.runs.scripted_agent import Agent, Ended, ScriptEvent, Turn
from untildone.runs.scripted_client import Step, write_script

# Seconds a person gets to read a line.
_BEAT = 0.9


@click.command("demo")
@click.option(
    "--headless", is_flag=True, help="Plain lines, and `untildone run` in the place of hooks."
)
@click.option("--fast", is_flag=True, hidden=True)
def command(*, headless: bool, fast: bool) -> int:
    """Watch a scripted agent stop too early, be held, and be released when the work is done.

    The hooks are the real ones, installed in a home of their own; nothing is left behind.

    \b
    untildone demo
    untildone demo --headless
    """
    console = Console(highlight=False, force_terminal=False if headless else None)
    beat = 0 if fast or not console.is_terminal else _BEAT
    return play(demo_scene.SCRIPT, DemoDisplay(console, beat=beat), headless=headless)


def play(script: Sequence[Turn], stage: DemoDisplay, *, headless: bool = False) -> int:
    """0 if the agent was held while it was not done, and let go when it was."""
    means = "a real run" if headless else "the real hooks"
    stage.title(f"untildone demo: a scripted agent, a broken project, and {means}")
    # A closed terminal must not leave the theatre behind.
    with end_runs_on_signal(), open_demo_environment() as place:
        demo_scene.write_project(place.project)
        ended = (_play_headless if headless else _play_with_hooks)(place, script, stage)
        rounds = place.rounds()
        if ended != "let go" or not _is_expected(rounds):
            verdicts = ", ".join(type(entry.verdict).__name__ for entry in rounds) or "no verdict"
            stage.end(f"the scene did not go as it should: {verdicts}; then {ended}")
            return 1
        receipt = place.project / ".untildone" / "receipt.md"
        stage.receipt(receipt.read_text(encoding="utf-8"))
    stage.end("Nothing is left behind. Next: `untildone init` installs it for Claude Code.")
    return 0


def _play_with_hooks(place: DemoEnvironment, script: Sequence[Turn], stage: DemoDisplay) -> Ended:
    def show(happened: ScriptEvent) -> None:
        _show(happened, place, stage, judging)

    with ExitStack() as judging:
        agent = Agent(place.project, settings=[place.settings], environ=place.environ, show=show)
        agent.begin()
        with stage.working("starting the loop"):
            checks = demo_scene.list_checks(Path(sys.executable).name.removesuffix(".exe"))
            record = place.start(agent.session, demo_scene.TASK, checks)
        stage.says("you", demo_scene.TASK)
        names = " and ".join(check.name for check in checks)
        stage.says("untildone", f"loop {record.contract.id}: the agent is held until {names} pass")
        ended = agent.prompt(demo_scene.TASK, script)
        agent.end()
    return ended


def _play_headless(place: DemoEnvironment, script: Sequence[Turn], stage: DemoDisplay) -> Ended:
    def show(happening: RunEvent) -> None:
        match happening:
            case Tool():
                stage.says("agent", happening.detail, style="dim", beats=0.6)
            case AgentText():
                stage.quotes(happening.text)
            case Judged():
                stage.verdict(place.rounds()[-1])
            case _:
                pass

    # Its own path: the run is this very process, whose variables are the person's.
    record = place.start(
        str(uuid.uuid4()), demo_scene.TASK, demo_scene.list_checks(quote_argument(sys.executable))
    )
    stage.says("you", f"untildone run {quote_argument(demo_scene.TASK)}")
    steps = [Step(edits=turn.edits, says=turn.says) for turn in script]
    client = write_script(place.project.parent / "script.json", steps)
    memory.write(place.context, record.contract.id, RunMemory(how=RunOptions(client=client)))
    ended = drive(place.context, record.contract.id, show=show)
    return "let go" if ended.outcome == "done" else "out of script"


def _show(
    happened: ScriptEvent, place: DemoEnvironment, stage: DemoDisplay, judging: ExitStack
) -> None:
    match happened.what:
        case "edit" | "shell":
            stage.says("agent", happened.text, style="dim", beats=0.6)
        case "says":
            stage.quotes(happened.text)
            judging.enter_context(stage.working("untildone runs the checks"))
        case "held" | "let go":
            judging.close()
            rounds = place.rounds()
            if rounds:
                stage.verdict(rounds[-1])
        case "prompt" | "refused" | "notice":
            pass


def _is_expected(rounds: tuple[Round, ...]) -> bool:
    match [entry.verdict for entry in rounds]:
        case [Continue(), Continue(), Finish(outcome="done")]:
            return True
        case _:
            return False
