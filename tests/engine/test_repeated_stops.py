"""A stop of an unchanged tree repeats no run: the checks are known on it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shop import DONE_SIGNAL, FIXED, PYTEST, SHOP
from world import ATTENDED, World

pytestmark = pytest.mark.slow

FERRY = "def fare(age):\n    return 6 if age < 18 else 12\n"
RAISED = FERRY.replace("6 if age < 18 else 12", "12")
TESTS = "from ferry import fare\n\ndef test_youths():\n    assert fare(15) == 6\n"
_started: list[list[str]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _started.append([str(word) for word in arguments[1]])  # type: ignore[attr-defined]


sys.addaudithook(_note)


@contextmanager
def count_runs() -> Iterator[list[str]]:
    """Yield a list that gets for each run of pytest where it was: `project` or `sandbox`."""
    before, counted = len(_started), list[str]()
    yield counted
    runs = [argv for argv in _started[before:] if "pytest" in argv]
    counted.extend("sandbox" if "enter" in argv else "project" for argv in runs)


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    world.environ = {ATTENDED: "1"}
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TESTS, "conftest.py": ""})
    return world


def change_expectation(world: World) -> None:
    world.start_check(PYTEST)
    world.write("ferry.py", RAISED)
    world.write("test_ferry.py", TESTS.replace("== 6", "== 12"))


def test_the_second_stop_runs_only_what_an_approval_needs(world: World) -> None:
    change_expectation(world)
    with count_runs() as first:
        world.stop()
    with count_runs() as second:
        world.stop()

    # The baseline's tests fail twice, and those of now pass: then an approval needs one more run,
    # which shows that the new expectation fails without the change.
    assert first == ["project", "sandbox", "sandbox", "sandbox"]
    assert second == ["sandbox"]
    world.prompt("/untildone:approve")
    assert world.outcome == "done"


def test_an_unshown_change_is_asked_about_without_another_run(world: World) -> None:
    world.start_check(PYTEST)
    world.write("ferry.py", f"{FERRY}\n# more\n")
    with count_runs() as first:
        world.stop()
    with count_runs() as second:
        world.stop()

    assert (first, second) == (["project", "sandbox"], [])
    assert world.concerns == ["proof:tests"]


def test_runs_are_made_again_once_the_tree_has_changed(world: World) -> None:
    change_expectation(world)
    world.stop()
    world.write("ferry.py", f"{RAISED}\n# more\n")
    with count_runs() as second:
        world.stop()

    assert second[:2] == ["project", "sandbox"]


def test_altered_records_of_runs_are_not_believed(world: World) -> None:
    change_expectation(world)
    world.stop()
    record = world.loop_folder / "baseline" / "confirming_runs.json"
    record.write_text(record.read_text("utf-8").replace('"red"', '"green"'), encoding="utf-8")
    with count_runs() as second:
        world.stop()

    assert second[:2] == ["project", "sandbox"]
    assert world.outcome == "needs-approval"


def test_a_done_loop_made_each_run_once(world: World) -> None:
    world.write_all(SHOP)
    world.start_check(PYTEST)
    world.write("shop.py", FIXED)
    with count_runs() as runs:
        world.stop()

    assert (runs, world.outcome) == (["project", "sandbox"], "done")


def test_runs_beside_a_changed_environment_are_not_remembered(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    change_expectation(world)
    settings = home / ".coveragerc"
    settings.write_text("[run]\nplugins = quiet\n", encoding="utf-8")
    world.stop()
    assert f"environment:{settings}" in world.concerns
    settings.unlink()
    with count_runs() as second:
        world.stop()

    assert second[:2] == ["project", "sandbox"]
