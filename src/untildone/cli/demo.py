"""`untildone demo`: show a loop in a minute, without an API key or an agent."""

import sys
import tempfile
import uuid
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click
from rich.console import Console

from untildone.agents.headless import AgentText, RunEvent, Tool
from untildone.cli.demo_display import DemoDisplay
from untildone.cli.demo_environment import DemoEnvironment, open_demo_environment
from untildone.process.command import quote_argument
from untildone.process.runner import end_runs_on_signal
from untildone.runs import demo_scene, run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.run_events import Judged
from untildone.runs.run_memory import RunMemory, RunOptions
from untildone.runs.scripted_agent import Agent, Ended, ScriptEvent, Turn
from untildone.runs.scripted_client import Step, write_script

# Seconds to read a line.
_BEAT = 0.9
_VERDICTS = ["Continue", "Continue", "Finish"]


@click.command("demo")
@click.option(
    "--headless", is_flag=True, help="Print plain lines, and use `untildone run` instead of hooks."
)
@click.option("--fast", is_flag=True, hidden=True)
def demo_command(*, headless: bool, fast: bool) -> int:
    """Watch a scripted agent stop too early, be held, and be released when the work is done.

    It installs the real hooks in a temporary home and removes everything afterwards.

    \b
    untildone demo
    untildone demo --headless
    """
    console = Console(highlight=False, force_terminal=False if headless else None)
    beat = 0 if fast or not console.is_terminal else _BEAT
    return play(demo_scene.SCRIPT, DemoDisplay(console, beat=beat), headless=headless)


def play(script: Sequence[Turn], display: DemoDisplay, *, headless: bool = False) -> int:
    """Play the demo, and return 0 if the agent was held until it was done and then released."""
    machinery = "a real run" if headless else "the real hooks"
    display.print_title(f"untildone demo: a scripted agent, a broken project, and {machinery}")
    # A closed terminal must not leave the temporary folder behind.
    with end_runs_on_signal(), open_demo_environment() as demo:
        demo_scene.write_project(demo.project)
        ended = (_play_headless if headless else _play_with_hooks)(demo, script, display)
        rounds = demo.read_rounds()
        verdicts = [type(entry.verdict).__name__ for entry in rounds]
        is_done = ended == "let go" and demo.load_outcome() == "done"
        if not is_done or verdicts != _VERDICTS:
            text = ", ".join(verdicts) or "no verdict"
            display.print_end(f"the demo did not go as expected: {text}; then {ended}")
            return 1
        receipt = demo.project / ".untildone" / "receipt.md"
        display.print_receipt(receipt.read_text(encoding="utf-8"))
        report = _write_report(demo)
    display.print_end(
        f"The same as a page: {report} (all that the demo left behind)."
        " Next: run `untildone init` to install it for your agents."
    )
    return 0


def _write_report(demo: DemoEnvironment) -> Path:
    """Write the page of the loop where it outlives the demo."""
    # Imported where it is used: the template engine takes longer than the first lines of the scene.
    from untildone.report.page.render import render_loop_page

    page = render_loop_page(demo.build_view())
    with tempfile.NamedTemporaryFile(
        "w", prefix="untildone-demo-", suffix=".html", delete=False, encoding="utf-8"
    ) as file:
        file.write(page)
    return Path(file.name)


def _play_with_hooks(demo: DemoEnvironment, script: Sequence[Turn], display: DemoDisplay) -> Ended:
    def show(event: ScriptEvent) -> None:
        match event.what:
            case "edit" | "shell":
                display.say("agent", event.text, style="dim", beats=0.6)
            case "says":
                display.quote(event.text)
                judging.enter_context(display.show_spinner("untildone runs the checks"))
            case "held" | "let go":
                judging.close()
                for entry in demo.read_rounds()[-1:]:
                    display.print_verdict(entry)
            case "prompt" | "refused" | "notice":
                pass

    with ExitStack() as judging:
        agent = Agent(demo.project, settings=[demo.settings], environ=demo.environ, show=show)
        agent.begin()
        with display.show_spinner("starting the loop"):
            checks = demo_scene.list_checks(Path(sys.executable).name.removesuffix(".exe"))
            record = demo.start(agent.session, demo_scene.TASK, checks)
        display.say("you", demo_scene.TASK)
        names = " and ".join(check.name for check in checks)
        display.say("untildone", f"loop {record.contract.id}: the agent is held until {names} pass")
        ended = agent.prompt(demo_scene.TASK, script)
        agent.end()
    return ended


def _play_headless(demo: DemoEnvironment, script: Sequence[Turn], display: DemoDisplay) -> Ended:
    def show(event: RunEvent) -> None:
        match event:
            case Tool():
                display.say("agent", event.detail, style="dim", beats=0.6)
            case AgentText():
                display.quote(event.text)
            case Judged():
                display.print_verdict(demo.read_rounds()[-1])
            case _:
                pass

    # By its own path: the run is this process, whose PATH is the user's.
    record = demo.start(
        str(uuid.uuid4()), demo_scene.TASK, demo_scene.list_checks(quote_argument(sys.executable))
    )
    display.say("you", f"untildone run {quote_argument(demo_scene.TASK)}")
    steps = [Step(edits=turn.edits, says=turn.says) for turn in script]
    client = write_script(demo.project.parent / "script.json", steps)
    run_memory.write(demo.context, record.contract.id, RunMemory(options=RunOptions(client=client)))
    ended = drive(demo.context, record.contract.id, show=show)
    return "let go" if ended.outcome == "done" else "out of script"
