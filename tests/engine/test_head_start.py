"""The confirmation is prepared while the checks run, and only used if it is still true."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from shop import DONE_SIGNAL, PYTEST
from snippets import snippet
from untildone.core.evidence import Evidence
from untildone.core.sandbox_trial import ALL_WALLS
from untildone.engine.check_run import CheckSite
from untildone.engine.stop_confirmation import StopConfirmation
from world import ATTENDED, World, shown

pytestmark = pytest.mark.slow

FERRY = "def fare(age):\n    return 12\n"
HALVED = "def fare(age):\n    return 6 if age < 18 else 12\n"
TESTS = snippet("""
    import time
    from ferry import fare

    def test_adults():
        time.sleep(4)
        assert fare(40) == 12
""")
MORE_TESTS = f"{TESTS}\ndef test_youths():\n    assert fare(15) == 6\n"
_started: list[tuple[float, list[str]]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        _started.append((time.monotonic(), [str(word) for word in arguments[1]]))  # type: ignore[attr-defined]


sys.addaudithook(_note)


class Runs:
    """The runs of pytest since this was made: where each was, and when it began."""

    def __init__(self) -> None:
        self._first = len(_started)

    def _list(self) -> Iterator[tuple[str, float]]:
        for began, argv in _started[self._first :]:
            if "pytest" in argv:
                yield "sandbox" if "enter" in argv else "project", began

    @property
    def places(self) -> list[str]:
        return [place for place, _ in self._list()]

    @property
    def seconds_apart(self) -> float:
        """From the first run to the second."""
        (_, first), (_, second), *_ = self._list()
        return second - first


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    world.environ = {ATTENDED: "1"}
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TESTS, "conftest.py": ""})
    return world


def start(world: World, check: str = PYTEST) -> None:
    world.start_check(check)
    world.set_walls(*ALL_WALLS)


def test_the_baselines_tests_run_beside_the_check(world: World) -> None:
    start(world)
    world.write_all({"ferry.py": HALVED, "test_ferry.py": MORE_TESTS})
    runs = Runs()
    answer = world.stop()

    assert "fail-to-pass 1, pass-to-pass 1" in shown(answer)
    # The check, the baseline's tests on the new code, the new tests on the baseline's code.
    assert runs.places == ["project", "sandbox", "sandbox"]
    assert runs.seconds_apart < 4


def test_a_red_check_ends_the_runs_beside_it(world: World) -> None:
    start(world)
    world.write_all({"ferry.py": FERRY.replace("12", "13"), "test_ferry.py": MORE_TESTS})
    answer = world.stop()

    assert "check red, 0 passed, 2 failed" in answer["reason"]


def test_a_check_that_was_red_is_confirmed_afterwards(world: World) -> None:
    world.write("ferry.py", FERRY.replace("12", "13"))
    start(world)
    world.write("ferry.py", FERRY)
    runs = Runs()
    world.stop()

    assert (world.outcome, runs.places) == ("done", ["project", "sandbox"])
    assert runs.seconds_apart > 4


@pytest.mark.parametrize(
    ("changed", "still_true"),
    [
        pytest.param("", True, id="nothing"),
        pytest.param("project/ferry.py", False, id="the product"),
        pytest.param("project/new.py", False, id="a new file"),
        pytest.param("state/loops/{loop}/baseline/tree/test_ferry.py", False, id="the baseline"),
        pytest.param("project/dist/out.py", True, id="an ignored folder"),
    ],
)
def test_what_was_prepared_is_used_only_if_nothing_changed(
    world: World, changed: str, still_true: bool
) -> None:
    world.write("dist/out.py", "")
    world.write(".gitignore", "dist/\n")
    world.git("init", "-q")
    start(world, "true")
    site = make_site(world)
    confirmation = StopConfirmation(site, asks_for_tests=True)
    confirmation.prepare(Evidence(), world.contract, begins_runs=False)
    if changed:
        (world.folder / changed.format(loop=world.loop)).write_text("# new\n", encoding="utf-8")

    assert confirmation.take_over(site, asks_for_tests=True) is still_true


def make_site(world: World) -> CheckSite:
    return CheckSite(
        project=world.project,
        logs=None,
        session=world.session,
        deadline=time.monotonic() + 60,
        shared_folder=world.folder / "shared",
        state_home=world.state_folder,
        loop_folder=world.loop_folder,
        baseline_digest=world.progress.baseline_tree_digest,
        abandoned=Event(),
    )


def test_a_run_is_repeated_if_a_setting_changed_beside_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    settings = home / ".config" / "git" / "ignore"
    settings.parent.mkdir(parents=True)
    settings.write_text("*.log\n", encoding="utf-8")
    start(world)
    touching = f"\ndef test_setting():\n    open({str(settings)!r}, 'w').close()\n"
    world.write_all({"ferry.py": HALVED, "test_ferry.py": MORE_TESTS + touching})
    runs = Runs()
    world.stop()

    assert runs.places.count("sandbox") > 2
