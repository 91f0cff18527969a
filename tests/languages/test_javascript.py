"""JavaScript: jest by the project's own script, ESLint and Prettier."""

from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from tools import on_machine


def workshop(folder: Path, *installed: str) -> Workshop:
    project = Workshop(folder, "javascript", on_machine("node"), on_machine("npm"))
    project.install(*installed)
    return project


def test_from_red_to_green(tmp_path: Path) -> None:
    project = workshop(tmp_path, "jest", "eslint", "prettier")
    assert project.detected() == {
        "test": "npm test",
        "lint:eslint": "npx eslint . --max-warnings=0",
        "lint:prettier": "npx prettier --check .",
    }

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    youths = "fare \u203a youths pay half"
    assert red == {
        "test": Came(
            "red",
            {("test/fare.test.js", 9, youths)},
            Counted(1, 1, (f"test/fare.test.js \u203a {youths}",)),
            "1 of 2 tests failed",
        ),
        "lint:eslint": Came(
            "red",
            {("src/fare.js", 4, "prefer-const"), ("src/fare.js", 6, "no-undef")},
            reason="exit code 1",
        ),
        "lint:prettier": Came("red", {("src/fare.js", 0, "unformatted")}, reason="exit code 1"),
    }
    assert green == {
        "test": Came("green", tests=Counted(2, 0)),
        "lint:eslint": GREEN,
        "lint:prettier": GREEN,
    }


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = workshop(tmp_path, "jest")
    project.remove("test/fare.test.js")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_tool_is_unrunnable(tmp_path: Path) -> None:
    project = workshop(tmp_path)

    assert project.checked("test")["test"].says == ("unrunnable", "`jest` was not found")
