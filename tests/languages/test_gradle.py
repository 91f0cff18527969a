"""Java: Gradle, from code that does not compile over a failing test to green."""

from pathlib import Path

from languages.workshop import GREEN, Came, Counted, Workshop
from tools import on_machine

JARS = "'/usr/share/java/junit4.jar', '/usr/share/java/hamcrest-core.jar'"
BUILD = f"apply plugin: 'java'\ndependencies {{\n    testCompile files({JARS})\n}}\n"


def workshop(folder: Path) -> Workshop:
    # It would look for its home where the user's is.
    home = str(folder / "gradle")
    project = Workshop(folder, "java", on_machine("gradle"), GRADLE_USER_HOME=home)
    project.remove("pom.xml")
    project.write("build.gradle", BUILD)
    project.write(".gitignore", ".gradle\nbuild\n")
    return project


def test_from_red_to_green(tmp_path: Path) -> None:
    project = workshop(tmp_path)
    assert project.detected() == {
        "build": "gradle --no-daemon classes testClasses",
        "test": "gradle --no-daemon test",
    }

    broken = project.checked("build")
    project.apply("compiling")
    red = project.checked("test")
    project.apply("mended")
    green = project.checked()

    fares = "src/main/java/ferry/Fares.java"
    test = "ferry.FaresTest > youthsPayHalf"
    places = {("src/test/java/ferry/FaresTest.java", 15, test)}
    assert broken == {"build": Came("red", {(fares, 10, "")}, reason="exit code 1")}
    assert red == {"test": Came("red", places, Counted(1, 1, (test,)), "1 of 2 tests failed")}
    assert green == {"build": GREEN, "test": Came("green", tests=Counted(2, 0))}
