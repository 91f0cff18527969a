"""Concerns are reported, shown, approved by the user, and bound to the content at that time."""

from pathlib import Path

import pytest

from shop import BROKEN, DONE_SIGNAL, FIXED, PYTEST, SHOP, TESTS
from untildone.core.contract import Bounds, Check
from untildone.engine import verbs
from untildone.engine.approval import ALL, approve
from untildone.engine.concern_diffs import load_concern_diffs, read_baseline_file
from untildone.engine.grants import Grant
from untildone.errors import UserError
from world import World, shown

FEWER = TESTS.partition("def test_large")[0]
GONE = "remove-test:tests/test_shop.py::test_large"


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    world.write_all(SHOP)
    return world


def pause_with_concern(world: World) -> None:
    """The only failing test was removed, and the concern about it was reported twice."""
    world.start_check(PYTEST)
    world.write("tests/test_shop.py", FEWER)
    world.stop()
    world.stop()


def test_a_removed_test_is_asked_about_and_its_change_is_shown(world: World) -> None:
    pause_with_concern(world)

    assert (world.outcome, world.concerns) == ("needs-approval", [GONE])
    (asked,) = world.receipt["lost"]
    assert asked["id"] == GONE
    assert asked["change"].splitlines()[-2:] == [
        "-def test_large():",
        "-    assert price(100) == 90",
    ]


def test_an_approval_ends_a_green_loop_at_once(world: World) -> None:
    pause_with_concern(world)

    given = approve(world.context, world.record, ())

    assert (given.left, given.goes_on, given.done, world.outcome) == ((), False, True, "done")
    assert world.receipt["change"]["approved_removals"] == ["tests/test_shop.py::test_large"]
    (approval,) = world.receipt["approvals"]
    assert (approval["by"], approval["what"]) == ("user", given.approved[0])
    assert approval["covers"] == [given.approved[0]]


def test_what_is_open_at_a_bound_is_asked_there(world: World) -> None:
    world.start(checks=(Check(name="check", command=PYTEST),), bounds=Bounds(rounds=1))
    world.write("tests/test_shop.py", FEWER)
    first, *summary = world.stop()["systemMessage"].splitlines()

    assert world.outcome == "out-of-rounds"
    assert ("%" in first, "fixed" in summary[0]) == (False, False)
    assert summary[1:] == [
        "Blocks: 1 test no longer runs: `test_large`",
        f"Go on: `untildone approve --loop {world.loop}` if that was intended; else"
        f" `untildone continue {world.loop} --rounds +N` has the agent undo it",
    ]
    assert approve(world.context, world.record, ()).done
    assert world.outcome == "done"


def test_the_agent_is_told_of_what_was_open_at_a_bound(world: World) -> None:
    world.start(checks=(Check(name="check", command=PYTEST),), bounds=Bounds(rounds=1))
    world.write("tests/test_shop.py", FEWER)
    world.stop()
    verbs.resume(world.context, world.loop, Grant(rounds=5))

    assert GONE in shown(world.stop())
    assert world.outcome is None


def test_an_approval_does_not_hold_for_what_was_changed_since_the_question(world: World) -> None:
    pause_with_concern(world)
    world.write("tests/test_shop.py", "def test_small():\n    pass\n")

    given = approve(world.context, world.record, (ALL,))
    world.stop()

    assert (given.done, given.goes_on, world.outcome) == (False, True, None)
    assert world.concerns


def test_what_the_user_brought_in_can_be_approved_before_it_is_asked_about(world: World) -> None:
    world.start_check(PYTEST)
    world.write_all({"tests/test_shop.py": FEWER, "shop.py": FIXED})

    given = approve(world.context, world.record, (ALL,))
    world.stop()

    assert [each.partition("#")[0] for each in given.approved] == [GONE]
    assert (given.goes_on, world.outcome) == (False, "done")


def test_without_any_difference_there_is_nothing_to_approve(world: World) -> None:
    world.start_check(PYTEST)

    with pytest.raises(UserError, match="asks for no approval"):
        approve(world.context, world.record, (ALL,))


def test_a_file_of_the_baseline_can_be_restored(world: World) -> None:
    pause_with_concern(world)

    assert read_baseline_file(world.context, world.record, "tests/test_shop.py") == TESTS.encode()
    with pytest.raises(UserError, match=r"there was no file `other\.py` in the baseline"):
        read_baseline_file(world.context, world.record, "other.py")


def test_without_a_baseline_concerns_are_shown_without_their_changes(
    world: World, tmp_path: Path
) -> None:
    pause_with_concern(world)
    (reported,) = world.context.loops.read_rounds(world.loop)[-1].concerns or ()
    baseline = world.loop_folder / "baseline"
    baseline.rename(tmp_path / "elsewhere")

    assert load_concern_diffs(world.context, world.record, (reported,), project=world.project) == {}
    with pytest.raises(UserError, match="nothing is kept of the baseline"):
        read_baseline_file(world.context, world.record, "shop.py")


def test_a_test_that_vanished_behind_a_new_one_is_found_by_the_replay(world: World) -> None:
    rows = "import pytest, shop\n@pytest.mark.parametrize('total', shop.TOTALS)\n"
    each = f"{rows}def test_total(total):\n    assert shop.price(total) < 100\n"
    world.write_all({"shop.py": f"TOTALS = [5, 100]\n{BROKEN}", "tests/test_shop.py": each})
    world.start_check(PYTEST)
    other = "def test_other():\n    assert shop.price(1) == 1\n"
    world.write_all({"shop.py": f"TOTALS = [5]\n{BROKEN}", "tests/test_shop.py": each + other})

    world.stop()

    assert (world.outcome, world.concerns != []) == (None, True)
