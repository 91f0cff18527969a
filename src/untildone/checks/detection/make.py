"""Make: targets named after what they do, read from the file's text."""

import re
from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.manifest import read_text

# In the order in which make looks for them.
_FILES = ("GNUmakefile", "makefile", "Makefile")
# build clean: prepare
_RULE = re.compile(r"^(?P<targets>[\w./-][\w./ -]*?) *::?(?![=:])", re.MULTILINE)
_TARGETS: dict[Aspect, tuple[str, ...]] = {
    "build": ("build", "all"),
    "test": ("test", "check", "tests"),
    "lint": ("lint",),
}
# A first target that does something else is no build.
_OTHER = frozenset(
    {"test", "tests", "check", "lint", "format", "fmt", "help", "clean", "install", "setup"}
    | {"init", "run", "dev", "serve", "start", "deploy", "release", "docs"}
)


def candidates(project: Path) -> Iterator[Candidate]:
    names = (name for name in _FILES if (project / name).is_file())
    file = next(names, "")
    text = read_text(project / file) if file else None
    if text is None:
        return
    targets = _targets(text)
    for aspect, wanted in _TARGETS.items():
        if target := next((name for name in wanted if name in targets), ""):
            yield _candidate(aspect, f"make {target}", f"`{file}` has a target `{target}`")
        elif aspect == "build" and targets and targets[0] not in _OTHER:
            yield _candidate(aspect, "make", f"`{file}` makes `{targets[0]}` by default")


def _targets(text: str) -> list[str]:
    """Those that can be called, in the order of the file; `.PHONY` and the like are none."""
    names = (name for rule in _RULE.finditer(text) for name in rule["targets"].split())
    return [name for name in dict.fromkeys(names) if not name.startswith(".")]


def _candidate(aspect: Aspect, command: str, reason: str) -> Candidate:
    return Candidate(aspect=aspect, tool="make", command=command, reason=reason)
