"""Python: pytest, ruff and mypy; unittest where there is no pytest."""

from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop

YOUTHS = "tests/test_ferry.py::test_youths_pay_half"


def test_from_red_to_green(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "python")
    assert project.detected() == {
        "test": "pytest",
        "lint:ruff": "ruff check .",
        "lint:mypy": "mypy",
    }

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    assert red == {
        "test": Came(
            "red",
            {("tests/test_ferry.py", 9, "test_youths_pay_half")},
            Counted(1, 1, (YOUTHS,)),
            "1 of 2 tests failed",
        ),
        "lint:ruff": Came("red", {("ferry.py", 3, "F401")}, reason="exit code 1"),
        "lint:mypy": Came("red", {("ferry.py", 13, "return-value")}, reason="exit code 1"),
    }
    assert green == {
        "test": Came("green", tests=Counted(2, 0)),
        "lint:ruff": GREEN,
        "lint:mypy": GREEN,
    }


def test_unittest_from_red_to_green(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "unittest")
    assert list(project.detected()) == ["test"]

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    test = "tests.test_ferry.FareTest.test_youths_pay_half"
    places = {("tests/test_ferry.py", 11, test)}
    assert red == {"test": Came("red", places, Counted(1, 1, (test,)), "1 of 2 tests failed")}
    assert green == {"test": Came("green", tests=Counted(2, 0))}


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "python")
    project.write("tests/test_ferry.py", "")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_tool_is_unrunnable(tmp_path: Path) -> None:
    project = Workshop(tmp_path, "python")
    project.without_tools()

    came = project.checked("lint:ruff", "lint:mypy")

    assert came["lint:ruff"].says == ("unrunnable", "`ruff` was not found")
    assert came["lint:mypy"].says == ("unrunnable", "`mypy` was not found")
