"""What shows a change in a project whose checks were green before: tests that fail without it."""

import sys
from typing import Any

import pytest

from endings import RECEIPT, hide_effort
from snippets import snippet
from untildone.core.check_results import CheckResult
from untildone.engine.request import name_checks
from world import ATTENDED, World, shown

pytestmark = pytest.mark.slow

CHECK = f"{sys.executable} -m pytest -q -p no:cacheprovider"
FERRY = snippet("""
    RATES = {"adult": 12}


    def fare(age):
        return RATES["adult"]
""")
TEST = snippet("""
    import ferry


    def test_adults():
        assert ferry.fare(30) == 12
""")
SENIORS = snippet("""
    import ferry


    def test_seniors():
        assert ferry.fare(70) == 6
""")
SENIOR_FARE = FERRY + "\n\ndef senior_fare(age):\n    return 6\n"
EMPTY_FARE = FERRY + "\n\ndef senior_fare(age):\n    pass\n"
OF_SENIOR_FARE = snippet("""
    from ferry import senior_fare


    def test_seniors():
        assert senior_fare(70) == 6
""")
WITH_OPTION = snippet("""
    RATES = {"adult": 12}


    def fare(age, senior=False):
        return 6 if senior else RATES["adult"]
""")
UNUSED_OPTION = WITH_OPTION.replace('6 if senior else RATES["adult"]', 'RATES["adult"]')
OF_OPTION = snippet("""
    import ferry


    def test_seniors():
        assert ferry.fare(70, senior=True) == 6
""")


def play(world: World, files: dict[str, str], **request: Any) -> str:  # noqa: ANN401  its fields
    """Change a green ferry and stop once; return what is said."""
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TEST})
    world.start(baseline="run", checks=name_checks((CHECK,)), **request)
    world.write_all(files)
    world.message = "Done.\nEXIT_SIGNAL: true"
    return shown(world.stop())


SHOWN = {
    "a test of changed behaviour": (
        {
            "ferry.py": FERRY.replace('return RATES["adult"]', "return 6 if age > 65 else 12"),
            "test_seniors.py": SENIORS,
        },
        "test_seniors.py::test_seniors",
    ),
    "a changed value": (
        {
            "ferry.py": FERRY.replace("12}", '12, "bike": 3}'),
            "test_ferry.py": TEST + "\n\ndef test_bikes():\n    assert ferry.RATES['bike'] == 3\n",
        },
        "test_ferry.py::test_bikes",
    ),
    "a new function whose result is checked": (
        {"ferry.py": SENIOR_FARE, "test_seniors.py": OF_SENIOR_FARE},
        "test_seniors.py::test_seniors",
    ),
    "a new option that has an effect": (
        {"ferry.py": WITH_OPTION, "test_seniors.py": OF_OPTION},
        "test_seniors.py::test_seniors",
    ),
    "a new module": (
        {
            "seniors.py": "class Pass:\n    def price(self):\n        return 6\n",
            "test_seniors.py": "import seniors\n\n\ndef test_seniors():\n"
            "    assert seniors.Pass().price() == 6\n",
        },
        "test_seniors.py::test_seniors",
    ),
}


@pytest.mark.parametrize(("files", "test"), SHOWN.values(), ids=SHOWN)
def test_a_test_that_fails_without_the_change_shows_it(
    world: World, files: dict[str, str], test: str
) -> None:
    told = play(world, files)

    change = world.receipt["change"]
    assert world.state() == ("finished", "done", 1)
    assert (change["fail_to_pass_names"], change["pass_to_pass"]) == ([test], 1)
    assert hide_effort(told).endswith(f"| fail-to-pass 1, pass-to-pass 1 | {RECEIPT}")
    assert world.receipt["shown_by"] == "fail-to-pass 1, pass-to-pass 1"


def test_a_name_that_the_baselines_own_code_misspelt_is_a_fault(world: World) -> None:
    bikes = "\n\ndef bike():\n    return RATES.{}('adult')\n"
    test = "from ferry import bike\n\n\ndef test_bike():\n    assert bike() == 12\n"
    world.write_all({"ferry.py": FERRY + bikes.format("gett"), "test_ferry.py": TEST})
    world.start(baseline="run", checks=name_checks((CHECK,)))
    world.write_all({"ferry.py": FERRY + bikes.format("get"), "test_bike.py": test})
    world.message = "Done.\nEXIT_SIGNAL: true"

    world.stop()

    assert world.state() == ("finished", "done", 1)
    assert world.receipt["change"]["fail_to_pass_names"] == ["test_bike.py::test_bike"]


def test_where_an_old_body_does_not_fit_functions_return_nothing(world: World) -> None:
    old = FERRY + "\n\ndef _half():\n    return 6\n\n\ndef pet(age):\n    return _half()\n"
    new = FERRY + "\n\ndef pet(age, large):\n    return 9 if large else 6\n"
    test = "from ferry import pet\n\n\ndef test_pet():\n    assert pet(1, large=True) == 9\n"
    world.write_all({"ferry.py": old, "test_ferry.py": TEST})
    world.start(baseline="run", checks=name_checks((CHECK,)))
    world.write_all({"ferry.py": new, "test_pet.py": test})
    world.message = "Done.\nEXIT_SIGNAL: true"

    world.stop()

    assert world.state() == ("finished", "done", 1)
    assert world.receipt["change"]["fail_to_pass_names"] == ["test_pet.py::test_pet"]


# Runs all tests and reports them; the first one that throws ends it.
TAP = snippet("""
    import glob
    import runpy

    print("TAP version 13")
    count = 0
    for path in sorted(glob.glob("test_*.py")):
        for name, test in runpy.run_path(path).items():
            if name.startswith("test_"):
                test()
                count += 1
                print(f"ok {count} - {name}", flush=True)
    print(f"1..{count}")
""")


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ("    assert ferry.fare(70) == 6\n", "done"),
        # The name is missing on the baseline's code, whatever it stands for.
        ("    ferry.SENIORS\n", None),
    ],
)
def test_a_test_that_ends_the_runner_shows_the_change(
    world: World, more: str, outcome: str | None
) -> None:
    senior = FERRY.replace('return RATES["adult"]', "return 6 if age > 65 else 12")
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TEST, "tap": TAP})
    world.start(baseline="run", checks=name_checks((f"{sys.executable} tap",)))
    world.write_all(
        {
            "ferry.py": f"SENIORS = 65\n{senior}",
            "test_seniors.py": f"{TEST}\n\ndef test_seniors():\n{more}",
        }
    )
    world.message = "Done.\nEXIT_SIGNAL: true"

    world.stop()

    assert world.outcome == outcome
    if outcome:
        names = ["a test of `check` that its report does not name"]
        assert world.receipt["change"]["fail_to_pass_names"] == names


OLD_PYTHON = '[project]\nname = "ferry"\nrequires-python = ">=3.8"\n'


@pytest.mark.parametrize(
    ("task", "required", "outcome"),
    [
        ("Drop Python 3.8.", ">=3.9", "done"),
        ("Fix the fares.", ">=3.9", None),
        ("Drop Python 3.8.", ">=3.8", None),
    ],
)
def test_a_version_that_the_task_asks_to_drop_needs_no_test(
    world: World, task: str, required: str, outcome: str | None
) -> None:
    world.write("pyproject.toml", OLD_PYTHON)
    manifest = OLD_PYTHON.replace(">=3.8", required)
    play(world, {"pyproject.toml": manifest, "ferry.py": FERRY + "LINES = 2\n"}, task=task)

    assert world.outcome == outcome
    if outcome == "done":
        assert world.receipt["shown_by"] == "requires Python 3.8 \u2192 3.9, pass-to-pass 1"


NOT_SHOWN = {
    "no test": ({"ferry.py": SENIOR_FARE}, "no test was added or changed"),
    "a test that passed before": (
        {"ferry.py": SENIOR_FARE, "test_more.py": TEST.replace("30", "40")},
        "the changed tests pass on the baseline's code as well",
    ),
    "an empty function that a test imports": (
        {
            "ferry.py": EMPTY_FARE,
            "test_seniors.py": "from ferry import senior_fare\n\n\n"
            "def test_seniors():\n    senior_fare(70)\n",
        },
        "the changed tests pass if the new functions return nothing",
    ),
    "a test that asks whether the name is there": (
        {
            "ferry.py": EMPTY_FARE,
            "test_seniors.py": "import ferry\n\n\n"
            "def test_seniors():\n    assert hasattr(ferry, 'senior_fare')\n",
        },
        "the changed tests pass if the new functions return nothing",
    ),
    "a test that is skipped": (
        {
            "ferry.py": FERRY.replace('return RATES["adult"]', "return 6 if age > 65 else 12"),
            "test_seniors.py": "import pytest\n\npytest.skip(allow_module_level=True)\n" + SENIORS,
        },
        "the changed tests are skipped",
    ),
    "an option without an effect": (
        {"ferry.py": UNUSED_OPTION, "test_seniors.py": OF_OPTION.replace("== 6", "== 12")},
        "the changed tests pass if the new functions return nothing",
    ),
}


@pytest.mark.parametrize(("files", "reason"), NOT_SHOWN.values(), ids=NOT_SHOWN)
def test_the_agent_is_held_once_then_the_user_is_asked(
    world: World, files: dict[str, str], reason: str
) -> None:
    feedback = play(world, files)

    asked = shown(world.stop())

    assert "no test shows your change" in feedback
    assert "Add a test that fails without your change" in feedback
    assert world.state() == ("paused", "needs-approval", 2)
    assert f"no test shows the change: {reason}. Accept it?" in asked
    assert world.concerns == ["proof:tests"]


def test_one_approval_ends_the_loop(world: World) -> None:
    play(world, {"ferry.py": SENIOR_FARE})
    world.stop()

    answer = world.prompt("/untildone:approve --all")

    assert (
        "approved the change without a test\nuntildone: done after 2 rounds: " in answer["reason"]
    )
    assert world.state() == ("finished", "done", 2)
    assert world.receipt["approvals"][0]["what"] == "proof:tests"
    assert world.receipt["shown_by"] == (
        "no test shows the change (no test was added or changed), pass-to-pass 1"
    )


def test_an_approval_of_another_tree_does_not(world: World) -> None:
    play(world, {"ferry.py": SENIOR_FARE})
    world.stop()
    world.write("ferry.py", SENIOR_FARE + "\n")

    world.prompt("/untildone:approve --all")

    assert world.state() == ("active", None, 2)


def test_without_a_user_it_is_claimed(world: World) -> None:
    world.environ[ATTENDED] = "0"
    play(world, {"ferry.py": SENIOR_FARE})

    world.stop()

    assert world.state() == ("finished", "claimed", 2)
    assert world.progress.reason == "no test shows the change: no test was added or changed"


def test_changed_files_are_enough_if_the_user_says_so(world: World) -> None:
    told = play(world, {"ferry.py": SENIOR_FARE}, proof="files")

    assert world.state() == ("finished", "done", 1)
    assert hide_effort(told).endswith(
        f"only changed files show the change, pass-to-pass 1 | {RECEIPT}"
    )


def test_a_removal_that_the_user_approved_is_a_change(world: World) -> None:
    world.write("test_old.py", "def test_old():\n    assert True\n")
    play(world, {"test_old.py": ""}, allow=("remove-test:test_old.py::test_old",))

    assert world.state() == ("finished", "done", 1)
    assert world.receipt["shown_by"] == "1 approved removal, pass-to-pass 1"


MORE_TESTS = snippet("""
    import ferry


    def test_children():
        assert ferry.fare(5) == 12


    def test_seniors():
        BODY
""")


def test_new_tests_of_unchanged_code_must_fail_once_it_does_nothing(world: World) -> None:
    told = play(world, {"test_more.py": MORE_TESTS.replace("BODY", "assert ferry.fare(70) > 1")})

    assert world.state() == ("finished", "done", 1)
    assert hide_effort(told).endswith(
        f"| 2 new tests of unchanged code, pass-to-pass 1 | {RECEIPT}"
    )


def test_a_new_test_that_checks_nothing_shows_nothing(world: World) -> None:
    play(world, {"test_more.py": MORE_TESTS.replace("BODY", "ferry.fare(70)")})
    world.stop()

    assert world.progress.reason == (
        "no test shows the change: these new tests pass if what they test returns nothing:"
        " test_more.py::test_seniors. Accept it?"
    )


def test_what_could_not_run_on_the_baseline_is_run_on_it_later(world: World) -> None:
    """The check needs a module that the agent installs: old tests that failed count then."""
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TEST.replace("12", "6")})
    world.start(checks=name_checks((CHECK,)), baseline="none")
    world.save_baseline(CheckResult(name="check", command=CHECK, outcome="unrunnable"))
    world.write("ferry.py", FERRY.replace("12", "6"))
    world.message = "EXIT_SIGNAL: true"

    told = shown(world.stop())

    assert world.state() == ("finished", "done", 1)
    assert hide_effort(told).endswith(f"| fail-to-pass 1 | {RECEIPT}")


def test_a_test_whose_edit_was_approved_is_not_called_fixed(world: World) -> None:
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TEST.replace("12", "6")})
    allow = ("edit-expected:test_ferry.py",)
    world.start(checks=name_checks((CHECK,)), baseline="run", allow=allow)
    world.write("test_ferry.py", TEST)
    world.message = "EXIT_SIGNAL: true"

    world.stop()

    assert world.state() == ("finished", "done", 1)
    assert world.receipt["shown_by"].startswith("from red to green: check")
