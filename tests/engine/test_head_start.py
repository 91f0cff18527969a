"""The confirmation is prepared while the checks run, and only used if it is still true."""

import sys
import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace

from shop import DONE_SIGNAL, PYTEST
from snippets import snippet
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.contract import Check
from untildone.core.evidence import Evidence
from untildone.core.sandbox_trial import ALL_WALLS
from untildone.engine.check_run import CheckSite
from untildone.engine.stop_confirmation import StopConfirmation
from world import ATTENDED, World, shown

pytestmark = pytest.mark.slow

FERRY = "def fare(age):\n    return 12\n"
HALVED = "def fare(age):\n    return 6 if age < 18 else 12\n"
# In the project it waits until a run in a sandbox has begun; no sandbox shows the folder `signs`.
TESTS = snippet("""
    import time
    from pathlib import Path
    from ferry import fare

    SIGNS = Path({signs!r})

    def test_adults():
        for _ in range({seconds} * 10 if SIGNS.exists() else 0):
            if (SIGNS / "begun").exists():
                (SIGNS / "seen").touch()
                break
            time.sleep(0.1)
        assert fare(40) == 12
""")
YOUTHS = "\ndef test_youths():\n    assert fare(15) == 6\n"


class Ferry:
    """A project, and where its check and the runs in sandboxes leave signs."""

    def __init__(self, world: World, signs: Path) -> None:
        self.world = world
        self.signs = signs
        self.places: list[str] = []
        self.tests = TESTS.format(signs=str(signs), seconds=20)
        world.write_all({"ferry.py": FERRY, "test_ferry.py": self.tests, "conftest.py": ""})

    def start(self, command: str = PYTEST) -> None:
        """Start a loop whose check is quick, however busy the machine is."""
        self.signs.mkdir()
        (self.signs / "begun").touch()
        checks = (Check(name="check", command=command),)
        self.world.start(baseline="none", checks=checks, task="")
        results = run_checks(checks, RunOptions(project=self.world.project))
        self.world.save_baseline(*(replace(result, seconds=1.0) for result in results))
        self.world.set_walls(*ALL_WALLS)

    def stop(self) -> dict[str, Any]:
        """Return the answer; `places` has where pytest ran, `signs` whether it ran beside."""
        for sign in self.signs.iterdir():
            sign.unlink()
        self.places.clear()
        _ferries.append(self)
        try:
            return dict(self.world.stop())
        finally:
            _ferries.remove(self)

    @property
    def ran_beside(self) -> bool:
        """Whether a run in a sandbox had begun before the check in the project ended."""
        return (self.signs / "seen").exists()

    def note(self, command: str) -> None:
        if "-m pytest" in command:
            self.places.append("sandbox" if " enter " in command else "project")
            if " enter " in command:
                (self.signs / "begun").touch()


_ferries: list[Ferry] = []


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen":
        for ferry in _ferries:
            ferry.note(" ".join(map(str, arguments[1])))


sys.addaudithook(_note)


@pytest.fixture
def ferry(world: World, tmp_path: Path) -> Ferry:
    world.message = DONE_SIGNAL
    world.environ = {ATTENDED: "1"}
    return Ferry(world, tmp_path / "signs")


def test_the_baselines_tests_run_beside_the_check(ferry: Ferry) -> None:
    ferry.start()
    ferry.world.write_all({"ferry.py": HALVED, "test_ferry.py": ferry.tests + YOUTHS})
    answer = ferry.stop()

    assert "fail-to-pass 1, pass-to-pass 1" in shown(answer)
    # The check, the baseline's tests on the new code, the new tests on the baseline's code.
    assert (ferry.places, ferry.ran_beside) == (["project", "sandbox", "sandbox"], True)


def test_an_edited_expectation_is_asked_about_as_before(ferry: Ferry) -> None:
    ferry.start()
    edited = ferry.tests.replace("== 12", "== 13")
    ferry.world.write_all({"ferry.py": FERRY.replace("12", "13"), "test_ferry.py": edited})
    ferry.stop()

    assert ferry.ran_beside
    assert ferry.world.concerns == ["edit-expected:test_ferry.py:test_adults"]
    # The changed test runs on the baseline's code, as a run could have settled the concern. Then
    # the baseline's tests fail twice, and those of now pass.
    assert ferry.places == ["project", *4 * ["sandbox"]]


def test_a_red_check_ends_the_runs_beside_it(ferry: Ferry) -> None:
    ferry.start()
    ferry.world.write_all({"ferry.py": HALVED.replace("12", "13"), "test_new.py": "import nothing"})
    answer = ferry.stop()

    assert "check red" in answer["reason"]
    assert ferry.world.outcome is None


def test_a_check_that_was_red_is_confirmed_afterwards(ferry: Ferry) -> None:
    ferry.tests = TESTS.format(signs=str(ferry.signs), seconds=3)
    ferry.world.write_all(
        {"ferry.py": "def fare(age):\n    return 13\n", "test_ferry.py": ferry.tests}
    )
    ferry.start()
    ferry.world.write("ferry.py", FERRY)
    ferry.stop()

    assert ferry.world.outcome == "done"
    assert (ferry.places, ferry.ran_beside) == (["project", "sandbox"], False)


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
    ferry: Ferry, changed: str, still_true: bool
) -> None:
    world = ferry.world
    world.write("dist/out.py", "")
    world.write(".gitignore", "dist/\n")
    world.git("init", "-q")
    ferry.start("true")
    site = make_site(world)
    confirmation = StopConfirmation(site, asks_for_tests=True)
    confirmation.prepare(Evidence(), world.contract, begins_runs=False)
    if changed:
        (world.folder / changed.format(loop=world.loop)).write_text("# new\n", encoding="utf-8")

    assert confirmation.take_over(site, asks_for_tests=True) is still_true


def test_runs_are_not_begun_beside_checks_that_write_into_the_project(ferry: Ferry) -> None:
    ferry.world.write(".gitignore", "report.txt\n")
    ferry.world.git("init", "-q")
    ferry.start(f"sh -c '{PYTEST} && date +%N > report.txt'")
    ran_beside = []
    for number in range(2):
        ferry.world.write("ferry.py", f"{HALVED}# {number}\n")
        ferry.stop()
        ran_beside.append(ferry.ran_beside)

    assert ran_beside == [True, False]


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
    ferry: Ferry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "home" / ".config" / "git" / "ignore"
    settings.parent.mkdir(parents=True)
    settings.write_text("*.log\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    ferry.start()
    touching = f"\ndef test_setting():\n    open({str(settings)!r}, 'w').close()\n"
    ferry.world.write_all({"ferry.py": HALVED, "test_ferry.py": ferry.tests + YOUTHS + touching})
    ferry.stop()

    assert ferry.ran_beside
    assert ferry.places.count("sandbox") > 2
