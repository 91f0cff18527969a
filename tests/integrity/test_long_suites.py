"""Confirming runs of checks that take long: the affected tests first, or these alone."""

import sys
from typing import Any

import pytest

from shop import BROKEN, DONE_SIGNAL, FIXED, SHOP, TESTS
from snippets import snippet
from untildone.core.check_results import CheckResult
from untildone.engine.baseline_results import open_history
from world import World

pytestmark = pytest.mark.slow

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
OTHER_TESTS = "def test_other():\n    pass\n"
# Passes the weakened tests only.
WEAKENED = TESTS.replace("== 90", "== 100")


class LongSuite:
    """A project with a check that took long in the past.

    `runs` are its runs: for what the session says that it runs, and what it is called with.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        world.message = DONE_SIGNAL
        self.log = world.folder / "runs"
        # Only a sandbox has a file of this name.
        recorder = snippet(f"""
            def pytest_configure(config):
                arguments = " ".join(config.args).replace(str(config.rootpath), ".")
                is_sandbox = any(config.rootpath.glob(".untildone/{"?" * 32}"))
                whole = "confirming" if arguments == "." else "affected"
                with open({str(self.log)!r}, "a") as log:
                    print(whole if is_sandbox else "check", arguments, file=log)
        """)
        world.write_all({**SHOP, "conftest.py": recorder, "tests/test_other.py": OTHER_TESTS})

    def start(self, command: str = PYTEST, *, seconds: float = 20, **settings: Any) -> None:  # noqa: ANN401  any field of a check
        """Start a loop whose check was seen to take so long."""
        self.world.start_check(command, **settings)
        self.world.set_walls("tree", "home", "processes", "network")
        self.log.write_text("", encoding="utf-8")
        (check,) = self.world.contract.checks
        result = CheckResult(name="check", command=command, outcome="red", seconds=seconds)
        open_history(self.world.context, self.world.contract).store(check, "earlier", result)

    @property
    def runs(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def suite(world: World) -> LongSuite:
    return LongSuite(world)


IN_PROJECT = "check ."
WHOLE = "confirming ."
AFFECTED = "affected tests/test_shop.py"


def test_affected_tests_that_fail_spare_the_whole_run(suite: LongSuite) -> None:
    suite.start()
    suite.world.write_all({"shop.py": BROKEN, "tests/test_shop.py": WEAKENED})

    suite.world.stop()

    assert suite.world.outcome is None
    assert suite.world.concerns == ["edit-expected:tests/test_shop.py:test_large"]
    # In the project; then only the affected tests, of the baseline, now, and of the baseline.
    assert suite.runs == [IN_PROJECT, AFFECTED, AFFECTED, AFFECTED]


def test_affected_tests_that_pass_are_followed_by_the_whole_run(suite: LongSuite) -> None:
    suite.start()
    suite.world.write("shop.py", FIXED)

    suite.world.stop()

    assert (suite.world.outcome, suite.runs) == ("done", [IN_PROJECT, AFFECTED, WHOLE])
    assert suite.world.receipt["proved"] == [
        "pass-to-pass: the baseline's tests pass on the new code"
    ]


def test_a_quick_check_is_confirmed_as_a_whole(suite: LongSuite) -> None:
    suite.start(seconds=9)
    suite.world.write("shop.py", FIXED)

    suite.world.stop()

    assert (suite.world.outcome, suite.runs) == ("done", [IN_PROJECT, WHOLE])


@pytest.mark.parametrize(
    ("added", "runs_alone"),
    [
        pytest.param({}, 1, id="the sandbox has the current tree"),
        pytest.param({"tests/test_new.py": OTHER_TESTS}, 2, id="it lacks a new test"),
    ],
)
def test_tests_that_fail_only_alone_accuse_nobody(
    suite: LongSuite, added: dict[str, str], runs_alone: int
) -> None:
    """`test_shop` leans on `test_first`, which ran before it."""
    suite.world.write_all(
        {
            "tests/state.py": "seen = []\n",
            "tests/test_first.py": "import state\ndef test_first(): state.seen.append(1)\n",
            "tests/test_shop.py": TESTS.replace(
                "def test_large():", "import state\n\ndef test_large():\n    assert state.seen"
            ),
        }
    )
    suite.start()
    suite.world.write_all({"shop.py": FIXED, **added})

    suite.world.stop()

    assert (suite.world.outcome, suite.world.concerns) == ("done", [])
    assert suite.runs == [IN_PROJECT, *[AFFECTED] * runs_alone, WHOLE]


def test_affected_tests_alone_confirm_a_check_if_the_user_says_so(suite: LongSuite) -> None:
    suite.start(seconds=1, confirm="affected")
    suite.world.write("shop.py", FIXED)

    suite.world.stop()

    assert (suite.world.outcome, suite.runs) == ("done", [IN_PROJECT, AFFECTED])
    assert suite.world.receipt["proved"] == [
        "pass-to-pass: the baseline's affected tests pass on the new code",
        "`check` was confirmed by its affected tests only (2 of 3), as configured",
    ]


def test_without_affected_tests_the_whole_run_confirms_and_is_named(suite: LongSuite) -> None:
    suite.start(f"{PYTEST} && true", confirm="affected")
    suite.world.write("shop.py", FIXED)

    suite.world.stop()

    assert (suite.world.outcome, suite.runs) == ("done", [IN_PROJECT, WHOLE])
    assert suite.world.receipt["proved"] == [
        "pass-to-pass: the baseline's tests pass on the new code",
        "`check` was confirmed by a full run: its affected tests could not be selected, or did not"
        " settle it alone",
    ]


def test_a_check_confirmed_by_affected_tests_still_runs_whole_in_the_project(
    suite: LongSuite,
) -> None:
    """Where no test was changed, the confirming run of a slow check would be its only one."""
    other = "from values import VALUE\ndef test_other(): assert VALUE == 1\n"
    suite.world.write_all({"values.py": "VALUE = 1\n", "tests/test_other.py": other})
    suite.start(confirm="affected", when="done")
    suite.world.write_all({"shop.py": FIXED, "values.py": "VALUE = 2\n"})

    suite.world.stop()

    assert (suite.world.outcome, suite.runs) == (None, [IN_PROJECT])


@pytest.mark.parametrize(
    ("confirm", "concerns"),
    [("full", []), ("affected", ["edit-expected:tests/data/small.json"])],
)
def test_affected_tests_disprove_concerns_only_about_files_that_they_are_in(
    suite: LongSuite, confirm: str, concerns: list[str]
) -> None:
    """No name leads from the file to the test that reads it, so that runs only with all others."""
    reads = snippet("""
        import json
        from pathlib import Path
        from shop import price

        def test_other():
            assert price(10) == json.loads(Path("tests/data/small.json").read_text())["small"]
    """)
    suite.world.write_all({"tests/data/small.json": '{"small": 10}', "tests/test_other.py": reads})
    suite.start(confirm=confirm)
    changed = '{"small": 10.0}'
    suite.world.write_all({"shop.py": FIXED, "tests/data/small.json": changed})

    suite.world.stop()

    assert suite.world.concerns == concerns
