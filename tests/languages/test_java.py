"""Java: Maven, from code that does not compile over a failing test to green."""

import shlex
from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from tools import maven


def workshop(folder: Path) -> Workshop:
    program, *options = shlex.split(maven())
    project = Workshop(folder, "java", shlex.quote(program))
    project.write(".mvn/maven.config", "\n".join(options))
    return project


def test_from_red_to_green(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    assert project.detected() == {"build": "mvn -B test-compile", "test": "mvn -B test"}

    broken = project.checked("build")
    project.apply("compiling")
    red = project.checked()
    project.apply("mended")
    green = project.checked()

    fares = "src/main/java/ferry/Fares.java"
    test = "ferry.FaresTest.youthsPayHalf"
    places = {("src/test/java/ferry/FaresTest.java", 15, test)}
    assert broken == {"build": Came("red", {(fares, 10, "")}, reason="exit code 1")}
    assert red == {
        "build": GREEN,
        "test": Came("red", places, Counted(1, 1, (test,)), "1 of 2 tests failed"),
    }
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0))}


def test_without_tests_there_is_no_evidence(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    project.apply("mended")
    project.remove("src/test/java/ferry/FaresTest.java")

    assert project.checked("test")["test"].says == ("no-evidence", "no test was run")


def test_a_missing_tool_is_unrunnable(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    project.without_tools()

    assert project.checked("build")["build"].says == ("unrunnable", "`mvn` was not found")
