"""Checks that are red with the baseline's tests although nothing got weaker."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from core.samples import contract
from integrity.trees import compare_projects
from shop import BROKEN, DONE_SIGNAL, FIXED, PYTEST, TESTS
from snippets import snippet
from untildone.core.check_results import BaselineResult, CheckResult, Tests
from untildone.core.concerns import make_concern
from untildone.core.evidence import ConcernKind, Evidence
from untildone.integrity.confirmation_inputs import ConfirmationInputs
from untildone.integrity.experiments.alternatives import find_alternative
from untildone.integrity.experiments.sandbox_files import compose_files
from untildone.sandbox.sandbox_source import SandboxFiles
from world import World

pytestmark = pytest.mark.slow

COVERED = (
    f"{sys.executable} -m coverage run --data-file=.cov --branch --include=shop.py"
    f" -m pytest -q -p no:cacheprovider"
    f" && {sys.executable} -m coverage report --data-file=.cov --fail-under=100"
)
TWO_WAYS = """\
def price(total):
    if total < 100:
        return total
    return total * 9 // 10
"""
ONE_TEST = """\
from shop import price

def test_small():
    assert price(10) == 10
"""
OLD_NAME = """\
from shop import price

def cost(total):
    return price(total)
"""
WARNS = """\
import warnings

from shop import price


def cost(total):
    warnings.warn("use price", DeprecationWarning, stacklevel=2)
    return price(total)
"""
NAMED = """\
from old import cost

def test_cost():
    assert cost(100) == 90
"""
WARNED = """\
import pytest
from old import cost

def test_cost():
    with pytest.warns(DeprecationWarning):
        assert cost(100) == 90
"""


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    return world


def test_tests_that_were_too_few_may_become_enough(world: World) -> None:
    world.write_all({"shop.py": TWO_WAYS, "test_shop.py": ONE_TEST, "conftest.py": ""})
    world.start_check(COVERED)
    world.write("test_shop.py", TESTS)

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert world.receipt["proved"] == [
        "pass-to-pass: the baseline's tests pass on the new code, "
        "and the checks pass with the current tests"
    ]


PASSED = Tests(passed=1, passing=("test_shop.py::test_small",))
WANTS_MORE = CheckResult(name="test", command="pytest --cov", outcome="red", tests=PASSED)
EVIDENCE = Evidence(baseline=(BaselineResult(name="test", outcome="red", tests=PASSED),))


def passes(_: SandboxFiles) -> bool:
    return True


def find(
    top: Path,
    current: dict[str, str],
    result: CheckResult,
    *,
    evidence: Evidence = EVIDENCE,
    passes: Callable[[SandboxFiles], bool] = passes,
) -> str:
    files = {"shop.py": TWO_WAYS, "test_shop.py": ONE_TEST}
    comparison = compare_projects(top, files, {**files, "test_shop.py": TESTS, **current})
    inputs = ConfirmationInputs(
        state_home=Path("/state"),
        contract=contract(),
        project=comparison.new.root,
        baseline_folder=top,
        comparison=comparison,
        files=compose_files(comparison, uses_current=lambda _: False),
    )
    return find_alternative(inputs, comparison, evidence, red=[result], passes=passes)


def test_current_tests_are_tried_with_the_baselines_settings(tmp_path: Path) -> None:
    tried: list[SandboxFiles] = []

    def record(files: SandboxFiles) -> bool:
        tried.append(files)
        return True

    found = find(tmp_path, {"pytest.ini": "[pytest]\n"}, WANTS_MORE, passes=record)

    assert found == "and the checks pass with the current tests"
    assert [tree.restored for tree in tried] == [("pytest.ini",)]


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(replace(WANTS_MORE, tests=None), id="no report"),
        pytest.param(replace(WANTS_MORE, outcome="no-evidence"), id="no evidence"),
        pytest.param(
            replace(WANTS_MORE, tests=Tests(passed=1, failed=1, passing=PASSED.passing)),
            id="a test fails",
        ),
        pytest.param(
            replace(WANTS_MORE, tests=Tests(passed=1, passing=("test_shop.py::test_other",))),
            id="another test ran",
        ),
        pytest.param(replace(WANTS_MORE, name="lint"), id="a check that had no tests"),
    ],
)
def test_more_tests_prove_nothing_unless_the_baselines_tests_ran_and_passed(
    tmp_path: Path, result: CheckResult
) -> None:
    assert find(tmp_path, {}, result) == ""


@pytest.mark.parametrize(
    "steers",
    [
        "def pytest_configure(config):\n    config.option.cov_fail_under = 0\n",
        "import coverage\ncoverage.Coverage.current().stop()\n",
        "def test_last(request):\n    request.config.option.cov_fail_under = 0\n",
        "def seen(request):\n    request.config.pluginmanager.get_plugin('_cov').stop()\n",
        "import os, atexit\natexit.register(os._exit, 0)\n",
    ],
)
def test_more_tests_prove_nothing_where_they_steer_their_runner(
    tmp_path: Path, steers: str
) -> None:
    assert find(tmp_path, {"conftest.py": steers}, WANTS_MORE) == ""


def test_more_tests_prove_nothing_where_something_was_lost(tmp_path: Path) -> None:
    concerns = make_concern(ConcernKind.EDIT_TEST, "test_shop.py", reason="weaker")

    assert find(tmp_path, {}, WANTS_MORE, evidence=replace(EVIDENCE, concerns=(concerns,))) == ""


def test_stricter_settings_do_not_fail_the_baselines_tests(world: World) -> None:
    world.write_all(
        {"shop.py": BROKEN, "old.py": OLD_NAME, "test_shop.py": TESTS, "test_old.py": NAMED}
    )
    world.write("pytest.ini", "[pytest]\npythonpath = .\n")
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "old.py": WARNS, "test_old.py": WARNED})
    world.write(
        "pytest.ini",
        snippet("""
            [pytest]
            pythonpath = .
            filterwarnings = error
        """),
    )

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert world.receipt["proved"] == [
        "pass-to-pass: the baseline's tests pass on the new code, with the baseline's settings"
    ]


def test_a_test_marked_as_failing_has_to_pass_once_the_mark_is_gone(world: World) -> None:
    marked = "import pytest\n" + TESTS.replace(
        "def test_large", '@pytest.mark.xfail(reason="later", strict=True)\ndef test_large'
    )
    world.write_all({"shop.py": BROKEN, "test_shop.py": marked, "conftest.py": ""})
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "test_shop.py": TESTS})

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


def test_a_mark_that_is_taken_off_with_the_claim_is_asked_about(world: World) -> None:
    marked = "import pytest\n" + TESTS.replace(
        "def test_large", '@pytest.mark.xfail(reason="later", strict=True)\ndef test_large'
    )
    world.write_all({"shop.py": BROKEN, "test_shop.py": marked, "conftest.py": ""})
    world.start_check(PYTEST)
    world.write("test_shop.py", TESTS.replace("price(100) == 90", "price(100) < 101"))

    world.stop()
    world.stop()

    assert (world.outcome, world.concerns) == (
        "needs-approval",
        ["edit-test:test_shop.py:test_large"],
    )


def test_a_hook_that_skips_only_new_tests_took_nothing_away(world: World) -> None:
    hook = snippet("""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if '{}' in item.name:
                    item.add_marker(pytest.mark.skip(reason='slow'))
    """)
    world.write_all({"shop.py": BROKEN, "test_shop.py": TESTS})
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "test_slow.py": ONE_TEST.replace("small", "slow")})
    world.write("conftest.py", hook.format("slow"))

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


def test_a_hook_that_skips_a_test_of_the_baseline_is_a_concern(world: World) -> None:
    hook = snippet("""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if 'large' in item.name:
                    item.add_marker(pytest.mark.skip(reason='slow'))
    """)
    world.write_all({"shop.py": BROKEN, "test_shop.py": TESTS})
    world.start_check(PYTEST)
    world.write("conftest.py", hook)

    world.stop()
    world.stop()

    assert world.outcome == "needs-approval"


def test_a_package_that_went_to_another_folder_is_found_there(world: World) -> None:
    world.write_all({"shop.py": BROKEN, "tests/test_shop.py": TESTS})
    world.write("pytest.ini", "[pytest]\npythonpath = .\n")
    world.start_check(PYTEST)
    (world.project / "shop.py").unlink()
    world.write("src/shop.py", FIXED)
    world.write("pytest.ini", "[pytest]\npythonpath = src\n")

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


def test_the_receipt_names_the_tests_that_were_said_in_the_words_of_now(world: World) -> None:
    world.write_all({"shop.py": BROKEN, "test_shop.py": TESTS})
    world.start_check(PYTEST)
    world.write("shop.py", FIXED.replace("price(", "cost("))
    more = "\ndef test_more():\n    assert cost(200) == 180\n"
    world.write("test_shop.py", TESTS.replace("price", "cost") + more)

    world.stop()

    assert world.outcome == "done"
    assert world.receipt["proved"] == [
        "pass-to-pass: the baseline's tests pass on the new code",
        "from the baseline, adapted to renamed names and removed marks: test_shop.py",
    ]
