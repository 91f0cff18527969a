"""What was lost is asked about, shown, approved by the person, and bound to what is there."""

import json
from pathlib import Path
from typing import Any

import pytest

from integrity.test_confirmation import BROKEN, MENDED, TESTS, World, world
from untildone.engine.approval import ALL, approve
from untildone.engine.concern_diffs import load_concern_diffs, read_baseline_file
from untildone.errors import UserError
from untildone.store.loops import Record

__all__ = ["world"]
FEWER = TESTS.partition("def test_large")[0]
GONE = "remove-test:tests/test_shop.py::test_large"


def record(world: World) -> Record:
    return world.here.loops.load(world.loop)


def receipt(world: World) -> dict[str, Any]:
    text = (world.here.loops.get_folder(world.loop) / "receipt.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def paused(world: World) -> None:
    """The only failing test is taken out, and that was told twice."""
    world.start()
    world.write(tests__test_shop_py=FEWER)
    world.stop()
    world.stop()


def test_a_removed_test_is_asked_about_and_its_change_is_shown(world: World) -> None:
    paused(world)

    assert (world.outcome, world.lost) == ("needs-approval", [GONE])
    (asked,) = receipt(world)["lost"]
    assert asked["id"] == GONE
    assert asked["change"].splitlines()[-2:] == [
        "-def test_large():",
        "-    assert price(100) == 90",
    ]


def test_with_the_approval_the_loop_goes_on_and_is_done(world: World) -> None:
    paused(world)

    given = approve(world.here, record(world), (GONE,))
    world.stop()

    assert (given.left, given.goes_on, world.outcome) == ((), True, "done")
    (approval,) = receipt(world)["approvals"]
    assert (approval["by"], approval["what"]) == ("user", given.approved[0])
    assert approval["covers"] == [given.approved[0]]


def test_an_approval_does_not_hold_for_what_is_changed_afterwards(world: World) -> None:
    paused(world)
    approve(world.here, record(world), (ALL,))

    world.write(tests__test_shop_py="def test_small():\n    pass\n")
    world.stop()

    assert world.outcome is None
    assert world.lost


def test_what_the_person_brought_in_can_be_approved_before_it_is_asked_about(world: World) -> None:
    world.start()
    world.write(tests__test_shop_py=FEWER, shop_py=MENDED)

    given = approve(world.here, record(world), (ALL,))
    world.stop()

    assert [each.partition("#")[0] for each in given.approved] == [GONE]
    assert (given.goes_on, world.outcome) == (False, "done")


def test_without_any_difference_there_is_nothing_to_approve(world: World) -> None:
    world.start()

    with pytest.raises(UserError, match="asks for no approval"):
        approve(world.here, record(world), (ALL,))


def test_a_file_of_the_start_can_be_restored(world: World) -> None:
    paused(world)

    assert read_baseline_file(world.here, record(world), "tests/test_shop.py") == TESTS.encode()
    with pytest.raises(UserError, match=r"there was no file `other\.py` in the baseline"):
        read_baseline_file(world.here, record(world), "other.py")


def test_where_the_start_is_gone_the_losses_are_shown_without_their_changes(
    world: World, tmp_path: Path
) -> None:
    paused(world)
    (told,) = world.here.loops.read_rounds(world.loop)[-1].concerns or ()
    baseline = world.here.loops.get_folder(world.loop) / "baseline"
    baseline.rename(tmp_path / "elsewhere")

    (shown,) = load_concern_diffs(world.here, record(world), (told,), project=world.project)
    assert (shown.id, shown.change) == (told.id, "")
    with pytest.raises(UserError, match="nothing is kept of the start"):
        read_baseline_file(world.here, record(world), "shop.py")


def test_a_test_that_vanished_behind_a_new_one_is_found_by_the_replay(world: World) -> None:
    rows = "import pytest, shop\n@pytest.mark.parametrize('total', shop.TOTALS)\n"
    each = f"{rows}def test_total(total):\n    assert shop.price(total) < 100\n"
    world.write(shop_py=f"TOTALS = [5, 100]\n{BROKEN}", tests__test_shop_py=each)
    world.start()
    other = "def test_other():\n    assert shop.price(1) == 1\n"
    world.write(shop_py=f"TOTALS = [5]\n{BROKEN}", tests__test_shop_py=each + other)

    world.stop()

    assert (world.outcome, world.lost != []) == (None, True)
