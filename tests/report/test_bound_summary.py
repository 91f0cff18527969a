"""The summary that a user reads when a loop reaches a bound."""

from typing import Any

import pytest

from core.samples import contract, failing, finding, result
from untildone.core.check_results import CheckResult
from untildone.core.contract import Bounds
from untildone.core.progress import Progress, Round
from untildone.core.verdict import Continue, Outcome
from untildone.report.bound_summary import summarize_bound
from untildone.store.loops import Record
from world import World


def make_record(outcome: Outcome = "out-of-rounds") -> Record:
    return Record(contract=contract(), progress=Progress(outcome=outcome), generation=1)


def make_round(number: int, *checks: CheckResult, **more: Any) -> Round:  # noqa: ANN401  any field
    return Round(number=number, at="", verdict=Continue(cause="unmet"), checks=checks, **more)


def test_it_says_what_was_tried_what_blocks_and_how_to_go_on() -> None:
    rounds = (
        make_round(1, fixed=2, written_files=("a.py",), tree="t"),
        make_round(
            2, failing("t1"), result("red", "lint", findings=(finding(),)), fixed=2, tree="t"
        ),
    )

    assert summarize_bound(make_record(), rounds) == (
        "Tried: round 1: fixed 2, wrote a.py; round 2: no file was written",
        "Blocks: test, red, 1 passed, 1 failed: t1; lint, red, 1 finding: unused import",
        "Go on: `untildone continue a1 --rounds +N`, after a look at what blocks",
    )


def test_where_no_check_is_red_the_unmet_criteria_block() -> None:
    assert summarize_bound(make_record("stagnated"), (make_round(1, unmet=("docs",)),))[1] == (
        "Blocks: not met: docs"
    )
    assert (
        "the agent has not reported the task as done"
        in summarize_bound(make_record(), (make_round(1),))[1]
    )


def test_what_a_command_changed_is_work_too() -> None:
    rounds = (make_round(1, tree="t"), make_round(2, tree="u"), make_round(3, tree="u"))

    assert summarize_bound(make_record(), (make_round(1, tree="t", changed=True),))[0] == (
        "Tried: round 1: files were changed by commands"
    )
    assert summarize_bound(make_record(), rounds)[0] == (
        "Tried: round 1: no file was written; round 2: files were changed by commands;"
        " round 3: no file was written"
    )


@pytest.mark.parametrize(
    ("outcome", "rounds"), [("paused", (make_round(1),)), ("out-of-rounds", ())]
)
def test_nothing_is_summarized_elsewhere(outcome: Outcome, rounds: tuple[Round, ...]) -> None:
    assert summarize_bound(make_record(outcome), rounds) == ()


def test_it_is_on_the_screen_when_the_rounds_are_used_up(world: World) -> None:
    world.start(bounds=Bounds(rounds=1))

    notice = world.stop()["systemMessage"]

    assert notice.splitlines()[1:] == [
        "Tried: round 1: no file was written",
        "Blocks: check, red",
        f"Go on: `untildone continue {world.loop} --rounds +N`, after a look at what blocks",
    ]
