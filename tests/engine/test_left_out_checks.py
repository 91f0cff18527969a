"""Checks that a loop goes on without: left out by the user, or without their tool."""

import pytest

from untildone.core.contract import Check
from untildone.errors import UserError
from world import World, shown

TEST = Check(name="test", command="test -f done.txt", detected=True)
LINT = Check(name="lint:mypy", command="no-such-linter .", detected=True)
# Its tool is missing, but only a run shows that.
HIDDEN = Check(name="lint:hidden", command="cd . && no-such-linter .", detected=True)
MISSING = (
    "`lint:mypy` cannot be run: `no-such-linter` is not installed; the loop goes on without it;"
    " `--without lint:mypy` leaves it out"
)


def read_receipt(world: World) -> str:
    return world.read(".untildone/receipt.md")


def test_a_missing_tool_is_told_at_the_start_and_does_not_pause_the_loop(world: World) -> None:
    record = world.start(checks=(TEST, LINT))

    held = world.stop()
    world.finish()
    world.stop()

    assert record.warnings == (MISSING,)
    assert "- lint:mypy: left out, as it cannot run: `no-such-linter` was not found" in shown(held)
    assert "Unmet: test." in shown(held)
    assert world.state() == ("finished", "done", 2)
    assert "## Left out\n- lint:mypy: `no-such-linter` was not found" in read_receipt(world)


def test_what_only_a_run_shows_is_told_to_the_agent_first(world: World) -> None:
    world.start(checks=(TEST, HIDDEN))
    world.finish()

    held = world.stop()
    world.stop()

    assert "Make it runnable if that is part of the work; otherwise it is left out." in shown(held)
    assert world.state() == ("finished", "done", 2)
    assert world.progress.reason == (
        "every check passes; `lint:hidden` could not run and was left out"
    )


def test_a_check_that_the_user_asked_for_pauses_the_loop(world: World) -> None:
    named = Check(name="lint:mypy", command="no-such-linter .")
    record = world.start(checks=(TEST, named))
    world.finish()

    world.stop()
    world.stop()

    assert "the loop pauses without it; `--without lint:mypy`" in record.warnings[0]
    assert world.state() == ("paused", "unrunnable", 2)


def test_the_last_check_is_never_left_out(world: World) -> None:
    world.start(checks=(LINT,))

    world.stop()
    world.stop()

    assert world.state() == ("paused", "unrunnable", 2)


def test_a_tool_that_is_installed_meanwhile_counts_again(world: World) -> None:
    world.start(checks=(TEST, Check(name="lint", command="./lint", detected=True)))
    world.finish()
    world.write("lint", "#!/bin/sh\nexit 1\n").chmod(0o755)

    held = world.stop()

    assert "Unmet: lint." in shown(held)


def test_what_the_user_leaves_out_is_in_the_receipt(world: World) -> None:
    world.start(checks=(TEST, LINT), without=("lint",))
    world.finish()
    world.stop()

    assert [check.name for check in world.contract.checks] == ["test"]
    assert "## Left out\n- lint:mypy: `--without`" in read_receipt(world)


@pytest.mark.parametrize(
    ("without", "message"),
    [
        (("typo",), "`--without typo` names no check of this loop"),
        (("lint", "test"), "`--without` leaves no check"),
    ],
)
def test_a_name_must_fit_and_a_check_must_be_left(
    world: World, without: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        world.start(checks=(TEST, LINT), without=without)


def test_an_agent_may_leave_out_nothing(world: World) -> None:
    with pytest.raises(UserError, match="`--without` can only be given by the user"):
        world.start(checks=(TEST, LINT), without=("lint",), by="agent")


def test_a_slash_command_leaves_out_a_check(world: World) -> None:
    world.write("Makefile", "test:\n\ttrue\nlint:\n\ttrue\n")

    world.prompt("/untildone:ship do it --without lint")
    world.follow_session()

    assert [check.name for check in world.contract.checks] == ["test"]
