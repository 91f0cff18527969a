"""The status in 80 columns: nothing that the user has to type is cut, everything else may be."""

import click
import pytest
from msgspec.structs import replace

from report.test_status_text import LOOP, NOW
from untildone.cli.status_display import render_loop, render_table
from untildone.cli.terminal_text import Display
from untildone.core.check_results import Totals
from untildone.report.columns import measure_columns
from untildone.report.status import LoopStatus

TERMINAL = Display(width=80)
QUESTION = (
    "1 check setting changed: `tests/a_long_path/to/setup.cfg`. Intended?"
    " `untildone approve --loop 1f2e`, or undo it."
)
DIFF = ("  setup.cfg", "  -    branch = true", "  +    branch = false")
ASKED = replace(LOOP, status="paused", outcome="needs-approval", questions=(QUESTION, *DIFF))


def render(loop: LoopStatus, display: Display) -> list[str]:
    lines = render_loop(loop, display, now=NOW, with_project=True)
    return "\n".join(lines).splitlines()


def test_a_question_is_wrapped_and_its_diff_keeps_its_indentation() -> None:
    assert render(ASKED, TERMINAL)[3:9] == [
        "  you       1 check setting changed: `tests/a_long_path/to/setup.cfg`. Intended?",
        "            `untildone approve --loop 1f2e`, or undo it.",
        "              setup.cfg",
        "              -    branch = true",
        "              +    branch = false",
        "  spend     unknown USD",
    ]
    assert render(ASKED, Display())[3] == f"  you       {QUESTION}"


@pytest.mark.parametrize("width", [10, 40, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    wide = replace(
        LOOP,
        task="漢字" * 400,
        project="/" + "x" * 400,
        unmet=("y" * 400,),
        totals=Totals(errors=10**9, passed=10**9),
    )

    lines = render(wide, Display(width=width))

    # The head, the labels and the bars are as wide as they are.
    assert max(map(measure_columns, lines)) <= max(width, 34)


def test_what_is_needed_of_many_loops_is_listed_below_the_table() -> None:
    loops = [replace(ASKED, id=f"1f2{number}") for number in range(8)]

    lines = list(render_table(loops, TERMINAL, now=NOW, with_projects=False, hidden=1))

    assert lines[9:12] == [
        "and 1 older finished loop: `untildone history`",
        "",
        "needed from you",
    ]
    assert (lines[12].splitlines()[0][:34], lines[-1]) == (
        "  1f20  paused (needs-approval): 1",
        "  and 2 more loops",
    )


def test_colours_say_nothing_that_the_text_does_not() -> None:
    coloured = Display(width=80, has_colour=True)

    painted = "\n".join(render_loop(ASKED, coloured, now=NOW, with_project=False))
    plain = "\n".join(render_loop(ASKED, TERMINAL, now=NOW, with_project=False))

    assert "\x1b[33m" in painted
    assert click.unstyle(painted) == plain
