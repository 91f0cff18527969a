"""Java and Kotlin: Maven or Gradle, through the project's own wrapper if it has one."""

import os
from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.project_files import find_first

_MAVEN: dict[Aspect, str] = {"build": "-B test-compile", "test": "-B test"}
# A daemon would keep running after the check.
_GRADLE: dict[Aspect, str] = {
    "build": "--no-daemon classes testClasses",
    "test": "--no-daemon test",
}


def find_candidates(project: Path) -> Iterator[Candidate]:
    if file := find_first(project, "pom.xml"):
        yield from _make_candidates(file, _choose_program(project, "mvn", wrapper="mvnw"), _MAVEN)
    elif file := find_first(project, "build.gradle*", "settings.gradle*"):
        yield from _make_candidates(
            file, _choose_program(project, "gradle", wrapper="gradlew"), _GRADLE
        )


def _make_candidates(file: str, program: str, commands: dict[Aspect, str]) -> Iterator[Candidate]:
    tool = "maven" if file == "pom.xml" else "gradle"
    for aspect, words in commands.items():
        yield Candidate(
            aspect=aspect,
            tool=tool,
            command=f"{program} {words}",
            reason=f"`{file}` makes it a {tool.capitalize()} project",
        )


def _choose_program(project: Path, program: str, *, wrapper: str) -> str:
    if os.name == "nt":
        names = (
            name for name in (f"{wrapper}.cmd", f"{wrapper}.bat") if (project / name).is_file()
        )
        # Windows finds a batch file in the working directory only through `cmd`.
        return next((f"cmd /c {name}" for name in names), program)
    path = project / wrapper
    if not path.is_file():
        return program
    # Archives and checkouts from Windows lose the executable bit.
    return f"./{wrapper}" if os.access(path, os.X_OK) else f"sh {wrapper}"
