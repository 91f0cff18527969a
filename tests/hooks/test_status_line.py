"""The status line's payload: the only place where an attended client tells what it costs."""

import os
from pathlib import Path

import pytest

from hooks.world import HookWorld
from untildone.engine import verbs


def report_totals(world: HookWorld, *totals: object) -> dict[str, object]:
    """What is known of the spend after these totals."""
    for total in totals:
        world.run_hook("StatusLine", world.payload("StatusLine", cost={"total_cost_usd": total}))
    return world.session.read_json("spend.json")


def test_what_came_before_the_loop_is_not_its_spend(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id

    assert report_totals(world, 2.5, 2.5, 3) == {"loop": loop, "last": 3.0, "spent": 0.5}


def test_a_client_begun_anew_counts_from_nothing(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id

    assert report_totals(world, 2.0, 3.0, 0.25, 0.5) == {"loop": loop, "last": 0.5, "spent": 1.5}


def test_what_the_loop_cost_in_another_session_is_counted_on(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    world.session.write_json("spend.json", {"loop": loop, "spent": 7.0})

    assert report_totals(world, 2.0, 3.0) == {"loop": loop, "last": 3.0, "spent": 8.0}


def test_the_figure_of_an_earlier_loop_is_forgotten(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    earlier = {"loop": "earlier", "last": 1.0, "spent": 7.0}
    world.session.write_json("spend.json", earlier)

    assert report_totals(world, 2.0) == {"loop": loop, "last": 2.0, "spent": 0.0}


@pytest.mark.parametrize("total", [None, "2", [], {}])
def test_a_figure_that_is_none(tmp_path: Path, total: object) -> None:
    world = HookWorld(tmp_path)
    world.start()

    assert report_totals(world, total) == {}


def read_line(world: HookWorld) -> str:
    return world.run_hook("StatusLine", world.payload("StatusLine")).stdout.decode().strip()


def test_the_line_is_right_straight_after_a_pause_and_after_the_end(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    world.session.write("released", "you asked a question")

    verbs.pause(world.context, loop)
    paused = read_line(world)
    verbs.cancel(world.context, loop)

    assert paused == f"untildone {loop} | paused | round 0"
    assert read_line(world) == f"untildone {loop} | cancelled | round 0"


def test_a_stop_that_is_judged_is_shown_while_no_check_runs(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    world.session.write("judging", str(os.getpid()))

    assert read_line(world) == f"untildone {loop} | round 0 | judging the stop"
