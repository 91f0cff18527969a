"""TypeScript: tsc, Biome, and a `vitest` that would watch if it were called as the script says."""

from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from tools import on_machine


def workshop(folder: Path, *installed: str) -> Workshop:
    project = Workshop(folder, "typescript", on_machine("node"), on_machine("npx"))
    project.install(*installed)
    return project


def test_from_red_to_green(tmp_path: Path) -> None:
    project = workshop(tmp_path, "tsc", "vitest", "biome")
    assert project.detected() == {
        "build": "npx tsc --noEmit",
        "test": "npx vitest run --passWithNoTests",
        "lint": "npx biome check .",
    }

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    debugger = ("src/fare.ts", 4, "lint/suspicious/noDebugger")
    assert red == {
        "build": Came("red", {("src/fare.ts", 6, "TS2322")}, reason="exit code 1"),
        "test": Came(
            "red",
            {("test/fare.test.ts", 9, "youths pay half")},
            Counted(1, 1, ("test/fare.test.ts > youths pay half",)),
            "1 of 2 tests failed",
        ),
        "lint": Came("red", {debugger}, reason="exit code 1"),
    }
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0)), "lint": GREEN}


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = workshop(tmp_path, "vitest")
    project.remove("test/fare.test.ts")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_tool_is_unrunnable_and_not_fetched(tmp_path: Path) -> None:
    project = workshop(tmp_path)

    assert project.checked("build")["build"].says == ("unrunnable", "`tsc` is not installed")
    assert not list(tmp_path.glob("home/.npm/_npx/*/node_modules"))
