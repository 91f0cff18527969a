"""The demo on the terminal: who says what, and the result of each stop."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from untildone.core.check_results import CheckResult
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Round
from untildone.core.verdict import Continue, Finish

_WIDTH = 88
_SPEAKER = 11
_STYLES = {"you": "bold", "agent": "bold cyan", "untildone": "bold magenta"}


class DemoDisplay:
    """Prints line by line; `beat` is the time in seconds to read one."""

    def __init__(self, console: Console, *, beat: float = 0) -> None:
        self._console = console
        self._beat = beat
        self._utf8 = console.encoding.lower().startswith("utf")
        self._last = ""

    def print_title(self, text: str) -> None:
        self._console.print(Text(text, style="dim"), soft_wrap=True)

    def say(self, speaker: str, text: str, *, style: str = "", beats: float = 1) -> None:
        """Print a line of the speaker; a new one, except untildone, begins a new paragraph."""
        label = speaker if speaker != self._last else ""
        if label and speaker != "untildone":
            self._console.print()
        line = Text.assemble((f"  {label:<{_SPEAKER}}", _STYLES[speaker]), (text, style))
        self._console.print(line, soft_wrap=True)
        self._last = speaker
        time.sleep(self._beat * beats)

    def quote(self, text: str) -> None:
        self.say("agent", f"“{text}”" if self._utf8 else f'"{text}"')

    @contextmanager
    def show_spinner(self, text: str) -> Iterator[None]:
        """Show a spinner, if the output is a terminal."""
        if not self._console.is_terminal:
            yield
            return
        with self._console.status(Text(text, style="dim")):
            yield

    def print_verdict(self, entry: Round) -> None:
        match entry.verdict:
            case Continue():
                self.say("untildone", f"not done: held, round {entry.number}", style="bold red")
            case Finish(outcome="done"):
                text = f"done: released, round {entry.number}"
                self.say("untildone", text, style="bold green")
            case other:
                self.say("untildone", f"{type(other).__name__.lower()}: {other.reason}")
        for result in entry.checks:
            self._print_result(result)
        time.sleep(self._beat)

    def _print_result(self, result: CheckResult) -> None:
        mark = ("✓" if result.green else "✗") if self._utf8 else ("+" if result.green else "x")
        style = "green" if result.green else "red"
        self.say(
            "untildone",
            f"{mark} {result.name:<5} {_describe_result(result)}",
            style=style,
            beats=0.6,
        )

    def print_receipt(self, text: str) -> None:
        self._console.print()
        receipt = Text(text.strip())
        if self._console.is_terminal:
            width = min(self._console.width, _WIDTH)
            self._console.print(Panel(receipt, title="receipt", width=width, border_style="green"))
        else:
            self._console.print(receipt, soft_wrap=True)

    def print_end(self, text: str) -> None:
        self._console.print()
        self._console.print(Text(text), soft_wrap=True)


def _describe_result(result: CheckResult) -> str:
    """Return the result, and the one line that says why."""
    if result.green:
        return summarize_result(result)
    if result.outcome == "no-evidence":
        # A gate that looks only at the exit code would take this for a pass.
        return result.reason + (" (although it exits 0)" if result.exit_code == 0 else "")
    lines = result.output.strip().splitlines() or [result.reason]
    reason = result.findings[0].text if result.findings else lines[-1]
    return f"{summarize_result(result)}: {reason}"
