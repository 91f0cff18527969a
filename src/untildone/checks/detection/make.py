"""Make: targets with the usual names, read from the text of the makefile."""

from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate, take_until_usable
from untildone.checks.detection.project_files import read_text
from untildone.checks.detection.script_harm import find_harm
from untildone.commands.makefiles import MAKEFILES, parse_makefile

_TARGETS: dict[Aspect, tuple[str, ...]] = {
    "build": ("build", "all"),
    "test": ("test", "check", "tests"),
    "lint": ("lint",),
}
# Default targets that are no build.
_NOT_BUILD = frozenset(
    {"test", "tests", "check", "lint", "format", "fmt", "help", "clean", "install", "setup"}
    | {"init", "run", "dev", "serve", "start", "deploy", "release", "docs"}
)


def find_candidates(project: Path) -> Iterator[Candidate]:
    file = next((name for name in MAKEFILES if (project / name).is_file()), "")
    text = read_text(project / file) if file else None
    if text is None:
        return
    # Each target with its recipe and with calls of the targets it needs; no `.PHONY`, no `%.o`.
    targets = {
        name: "\n".join((*(f"make {needed}" for needed in target.prerequisites), *target.lines))
        for name, target in parse_makefile(text).targets.items()
        if not name.startswith(".") and "%" not in name
    }
    default = next(iter(targets), "")
    for aspect, names in _TARGETS.items():
        commands = [(f"make {name}", name, f"has a target `{name}`") for name in names]
        if aspect == "build" and default not in (*names, *_NOT_BUILD):
            commands.append(("make", default, f"makes `{default}` by default"))
        yield from take_until_usable(
            Candidate(
                aspect=aspect,
                tool="make",
                command=command,
                reason=f"`{file}` {reason}",
                harm=find_harm(name, targets),
            )
            for command, name, reason in commands
            if name in targets
        )
