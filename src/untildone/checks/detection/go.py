"""Go: build, vet and test of all packages."""

from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate

_COMMANDS: dict[Aspect, str] = {
    "build": "go build ./...",
    "test": "go test ./...",
    "lint": "go vet ./...",
}


def candidates(project: Path) -> Iterator[Candidate]:
    if not (project / "go.mod").is_file():
        return
    for aspect, command in _COMMANDS.items():
        yield Candidate(
            aspect=aspect, tool="go", command=command, reason="`go.mod` makes it a Go module"
        )
