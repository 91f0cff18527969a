"""Make: targets with the usual names, read from the text of the makefile."""

import re
from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate, take_until_usable
from untildone.checks.detection.project_files import read_text
from untildone.checks.detection.scripts import find_harm

# In the order in which make looks for them.
_FILES = ("GNUmakefile", "makefile", "Makefile")
# build clean: prepare
# 	cc -o build main.c
_RULE = re.compile(
    r"^(?P<targets>[\w./-][\w./ -]*)::?(?![=:])(?P<needs>[^\n#]*)[^\n]*"
    r"(?P<recipe>(?:\n(?:\t[^\n]*)?)*)",
    re.MULTILINE,
)
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
    names = (name for name in _FILES if (project / name).is_file())
    file = next(names, "")
    text = read_text(project / file) if file else None
    if text is None:
        return
    targets = _read_targets(text)
    first = next(iter(targets), "")
    for aspect, wanted in _TARGETS.items():
        named = [(f"make {name}", name, f"has a target `{name}`") for name in wanted]
        if aspect == "build" and first not in (*wanted, *_NOT_BUILD):
            named.append(("make", first, f"makes `{first}` by default"))
        yield from take_until_usable(
            Candidate(
                aspect=aspect,
                tool="make",
                command=command,
                reason=f"`{file}` {reason}",
                harm=find_harm(name, targets),
            )
            for command, name, reason in named
            if name in targets
        )


def _read_targets(text: str) -> dict[str, str]:
    """The recipe of each target, with calls of the targets it needs; without `.PHONY` etc."""
    found: dict[str, str] = {}
    for rule in _RULE.finditer(text):
        needs = "".join(f"make {name}\n" for name in rule["needs"].split())
        for name in rule["targets"].split():
            if not name.startswith("."):
                found[name] = found.get(name, "") + needs + rule["recipe"]
    return found
