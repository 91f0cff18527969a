"""How the sandboxes of a loop are walled is tried out on its baseline."""

import socket
import sys
from collections.abc import Iterator
from threading import Event

import pytest

from snippets import snippet
from untildone.core.check_results import CheckResult, Tests
from untildone.core.sandbox_trial import ALL_WALLS, WallTrial
from untildone.engine.request import name_checks
from untildone.engine.sandbox_trial import start_detached_trial, try_sandboxes, wait_for_trial
from world import CHECK, World

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
ASKS_SERVER = snippet("""
    import socket

    def test_server():
        socket.create_connection(("127.0.0.1", PORT), 5)

    def test_fare():
        import ferry
        assert ferry.fare() == 12
""")


@pytest.fixture
def port() -> Iterator[int]:
    """A server of the user, such as a database."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_all_walls_stand_where_the_checks_need_nothing_else(world: World) -> None:
    world.start(checks=name_checks(("test -f page.txt || true",)), baseline="run")

    assert try_sandboxes(world.context, world.loop) == WallTrial(works=True, walls=ALL_WALLS)
    assert world.progress.sandbox == WallTrial(works=True, walls=ALL_WALLS)


@pytest.mark.slow
def test_a_wall_that_hides_a_server_is_left_out_and_named(world: World, port: int) -> None:
    world.write_all(
        {
            "test_ferry.py": ASKS_SERVER.replace("PORT", str(port)),
            "ferry.py": "def fare():\n    return 6\n",
        }
    )
    world.start(checks=name_checks((PYTEST,)), baseline="run")
    try_sandboxes(world.context, world.loop)
    world.write("ferry.py", "def fare():\n    return 12\n")

    world.stop(last_assistant_message="Done.")

    assert world.state() == ("finished", "done", 1)
    assert world.receipt["sandbox"] == (
        "walls of the sandbox: tree, home, tmp, processes; left out: network, since behind it"
        " `check` fails test_ferry.py::test_server"
    )


@pytest.mark.slow
def test_without_a_trial_it_is_tried_out_when_the_sandbox_is_red(world: World, port: int) -> None:
    world.write_all(
        {
            "test_ferry.py": ASKS_SERVER.replace("PORT", str(port)),
            "ferry.py": "def fare():\n    return 6\n",
        }
    )
    world.start(checks=name_checks((PYTEST,)), baseline="run")
    world.write("ferry.py", "def fare():\n    return 12\n")

    world.stop(last_assistant_message="Done.")

    assert world.state() == ("finished", "done", 1)
    assert "left out: network" in world.receipt["sandbox"]


def test_a_check_that_passes_nothing_is_not_tried(world: World) -> None:
    world.start()

    assert try_sandboxes(world.context, world.loop) is None
    assert world.progress.sandbox is None


def test_without_results_of_the_baseline_nothing_is_tried(world: World) -> None:
    world.start(baseline="none", checks=name_checks(("true",)))

    # The process that should have run the checks is gone.
    assert try_sandboxes(world.context, world.loop, starter=0) is None
    assert world.progress.sandbox is None


def test_it_waits_for_the_checks_on_the_baseline(world: World) -> None:
    world.start(baseline="none")
    green = CheckResult(name="check", command=CHECK, outcome="green", tests=Tests(passed=1))

    start_detached_trial(world.context, world.record)
    world.save_baseline(green)
    progress = wait_for_trial(world.context, world.record, Event(), deadline=float("inf"))

    assert progress.sandbox is not None
    assert (progress.sandbox.works, world.session.has("trial")) == (False, False)
