"""Settings and suppressions of tools that no check runs are lines of the receipt."""

from shop import DONE_SIGNAL, FIXED, PYTEST, SHOP
from world import World

LINE = "settings of ruff were loosened; no check runs it"


def test_loosened_settings_of_a_linter_beside_pytest_are_told_only(world: World) -> None:
    world.message = DONE_SIGNAL
    world.write_all({**SHOP, "ruff.toml": 'lint.select = ["E", "F"]\n'})
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "ruff.toml": 'lint.select = ["E"]\n'})

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert LINE in world.receipt["proved"]


def test_suppressions_that_no_check_reads_are_told_only(world: World) -> None:
    world.message = DONE_SIGNAL
    world.write_all(SHOP)
    world.start_check(PYTEST)
    world.write_all({"shop.py": f"import os  # noqa: F401\n{FIXED}"})

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert "suppressions were added that no check reads: F401" in world.receipt["proved"]
