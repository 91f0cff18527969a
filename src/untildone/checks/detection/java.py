"""Java and Kotlin: Maven or Gradle, by the project's own wrapper where it has one."""

import os
from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.manifest import find_first

_MAVEN: dict[Aspect, str] = {"build": "-B test-compile", "test": "-B test"}
# A daemon would outlive the check.
_GRADLE: dict[Aspect, str] = {
    "build": "--no-daemon classes testClasses",
    "test": "--no-daemon test",
}


def candidates(project: Path) -> Iterator[Candidate]:
    if file := find_first(project, "pom.xml"):
        yield from _candidates(file, _wrapped(project, "mvn", wrapper="mvnw"), _MAVEN)
    elif file := find_first(project, "build.gradle*", "settings.gradle*"):
        yield from _candidates(file, _wrapped(project, "gradle", wrapper="gradlew"), _GRADLE)


def _candidates(file: str, program: str, commands: dict[Aspect, str]) -> Iterator[Candidate]:
    tool = "maven" if file == "pom.xml" else "gradle"
    for aspect, words in commands.items():
        yield Candidate(
            aspect=aspect,
            tool=tool,
            command=f"{program} {words}",
            reason=f"`{file}` makes it a {tool.capitalize()} project",
        )


def _wrapped(project: Path, program: str, *, wrapper: str) -> str:
    if os.name == "nt":
        names = (
            name for name in (f"{wrapper}.cmd", f"{wrapper}.bat") if (project / name).is_file()
        )
        # A batch file is found from the check's folder only by its own interpreter.
        return next((f"cmd /c {name}" for name in names), program)
    path = project / wrapper
    if not path.is_file():
        return program
    # An archive or a checkout from Windows loses the right to execute it.
    return f"./{wrapper}" if os.access(path, os.X_OK) else f"sh {wrapper}"
