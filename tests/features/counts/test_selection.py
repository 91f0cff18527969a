"""A loop of counts, from event to answer."""

from untildone.core.contract import Check
from untildone.engine.request import name_checks
from world import World, shown

# A warning by ruff's own count; the exit code says no more than that there is one.
WARNS = Check(
    name="slow",
    command="echo 'a.py:1:1: B006 mutable default'; exit 1",
    when="done",
    parser="ruff",
    replay=False,
)


def test_a_slow_check_that_only_warns_does_not_keep_it_from_being_done(world: World) -> None:
    world.start(preset="fix", checks=(*name_checks(("test -f done.txt",)), WARNS))
    world.finish()

    released = world.stop()

    assert "slow green, 1 finding" in released["systemMessage"]
    assert world.state() == ("finished", "done", 1)


def test_a_warning_that_counts_does(world: World) -> None:
    checks = (*name_checks(("test -f done.txt",)), WARNS)
    world.start(preset="fix", checks=checks, counts=("zero-warnings",))
    world.finish()

    assert "Unmet: zero-warnings, slow." in shown(world.stop())
