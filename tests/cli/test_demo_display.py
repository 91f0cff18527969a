"""The demo's lines on a terminal."""

import io

from rich.console import Console

from untildone.cli.demo_display import DemoDisplay
from untildone.core.progress import Round
from untildone.core.verdict import Pause


def terminal() -> tuple[DemoDisplay, io.StringIO]:
    file = io.StringIO()
    return DemoDisplay(Console(file=file, force_terminal=True, color_system=None, width=40)), file


def test_the_receipt_stands_in_a_frame() -> None:
    stage, shown = terminal()

    stage.print_receipt("# Receipt\n")

    assert shown.getvalue().splitlines()[2].strip("│ ") == "# Receipt"


def test_a_sign_of_work_goes_when_the_work_is_done() -> None:
    stage, shown = terminal()

    with stage.show_spinner("runs the checks"):
        pass

    assert "runs the checks" in shown.getvalue()


def test_a_pause_is_reported_with_its_reason() -> None:
    stage, shown = terminal()

    stage.print_verdict(
        Round(number=1, at="", verdict=Pause(outcome="stagnated", reason="nothing moved"))
    )

    assert shown.getvalue() == "  untildone  pause: nothing moved\n"
