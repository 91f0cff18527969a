"""`untildone demo`: the whole thing in a minute, without key or agent."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from untildone.cli.stage import Stage
from untildone.cli.theatre import Theatre, theatre
from untildone.loop.model import Continue, Finish, Round
from untildone.process import ending_with_us
from untildone.runs import scene
from untildone.runs.scripted import Agent, Ended, Happened, Turn

# Seconds a person gets to read a line.
_BEAT = 0.9


@click.command("demo")
@click.option("--headless", is_flag=True, help="Plain lines, without colours and pauses.")
@click.option("--fast", is_flag=True, hidden=True)
def command(*, headless: bool, fast: bool) -> int:
    """Watch a scripted agent stop too early, be held, and be released when the work is done.

    The hooks are the real ones, installed in a home of their own; nothing is left behind.
    """
    console = Console(highlight=False, force_terminal=False if headless else None)
    beat = 0 if fast or not console.is_terminal else _BEAT
    return perform(scene.SCRIPT, Stage(console, beat=beat))


def perform(script: Sequence[Turn], stage: Stage) -> int:
    """0 if the agent was held while it was not done, and let go when it was."""
    stage.title("untildone demo: a scripted agent, a broken project, and the real hooks")
    # A closed terminal must not leave the theatre behind.
    with ending_with_us(), theatre() as place:
        scene.write(place.project)
        ended = _played(place, script, stage)
        rounds = place.rounds()
        if ended != "let go" or not _as_it_should(rounds):
            verdicts = ", ".join(type(entry.verdict).__name__ for entry in rounds) or "no verdict"
            stage.end(f"the scene did not go as it should: {verdicts}; then {ended}")
            return 1
        receipt = place.project / ".untildone" / "receipt.md"
        stage.receipt(receipt.read_text(encoding="utf-8"))
    stage.end("Nothing is left behind. Next: `untildone init` installs it for Claude Code.")
    return 0


def _played(place: Theatre, script: Sequence[Turn], stage: Stage) -> Ended:
    def show(happened: Happened) -> None:
        _show(happened, place, stage, judging)

    with ExitStack() as judging:
        agent = Agent(place.project, settings=[place.settings], environ=place.environ, show=show)
        agent.begin()
        with stage.working("starting the loop"):
            checks = scene.checks(Path(sys.executable).name.removesuffix(".exe"))
            record = place.start(agent.session, scene.TASK, checks)
        stage.says("you", scene.TASK)
        names = " and ".join(check.name for check in checks)
        stage.says("untildone", f"loop {record.contract.id}: the agent is held until {names} pass")
        ended = agent.prompt(scene.TASK, script)
        agent.end()
    return ended


def _show(happened: Happened, place: Theatre, stage: Stage, judging: ExitStack) -> None:
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


def _as_it_should(rounds: tuple[Round, ...]) -> bool:
    match [entry.verdict for entry in rounds]:
        case [Continue(), Continue(), Finish(outcome="done")]:
            return True
        case _:
            return False
