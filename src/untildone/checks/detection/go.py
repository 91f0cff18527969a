"""Go: build, vet and test of all packages, of one module or of a workspace of several."""

from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.project_files import read_text
from untildone.core.late_patterns import compile_late

_COMMANDS: dict[Aspect, str] = {"build": "go build", "test": "go test", "lint": "go vet"}
_USE = compile_late(r"(?m)^[ \t]*use\s*(?:\((?P<several>[^)]*)\)|(?P<one>\S+))")
_COMMENT = compile_late(r"//.*")


def find_candidates(project: Path) -> Iterator[Candidate]:
    reason, modules = "`go.work` names its modules", _read_workspace(project)
    if not modules and (project / "go.mod").is_file():
        reason, modules = "`go.mod` makes it a Go module", (".",)
    for aspect, command in _COMMANDS.items() if modules else ():
        packages = " ".join(f"./{folder}/...".replace("/./", "/") for folder in modules)
        yield Candidate(aspect=aspect, tool="go", command=f"{command} {packages}", reason=reason)


def _read_workspace(project: Path) -> tuple[str, ...]:
    text = _COMMENT.sub("", read_text(project / "go.work") or "")
    lists = [use["several"] or use["one"] for use in _USE.finditer(text)]
    folders = (
        word.strip('"`').removeprefix("./") or "."
        for folder_list in lists
        for word in folder_list.split()
    )
    return tuple(folder for folder in folders if (project / folder / "go.mod").is_file())
