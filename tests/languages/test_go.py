"""Go: build, vet and test."""

from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from tools import cache, tool


def workshop(folder: Path) -> Workshop:
    # Its standard library is compiled once a machine, not once a test.
    kept = str(cache() / "go-build")
    return Workshop(folder, "go", tool("go"), GOCACHE=kept, GOTOOLCHAIN="local")


def test_from_red_to_green(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    assert project.detected() == {
        "build": "go build ./...",
        "test": "go test ./...",
        "lint": "go vet ./...",
    }

    red = project.checked()
    project.apply("mended")
    green = project.checked()

    assert red == {
        "build": GREEN,
        "test": Came(
            "red",
            {("fares/fare_test.go", 13, "TestYouthsPayHalf")},
            Counted(1, 1, ("ferry/fares::TestYouthsPayHalf",)),
            "1 of 2 tests failed",
        ),
        "lint": Came("red", {("fares/fare.go", 14, "")}, reason="exit code 1"),
    }
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0)), "lint": GREEN}


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    project.remove("fares/fare_test.go")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_tool_is_unrunnable(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    project.without_tools()

    assert project.checked("build")["build"].says == ("unrunnable", "`go` was not found")
