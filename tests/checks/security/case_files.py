"""Code with and without findings; a line with a finding ends in a comment `bad`."""

import re
import shutil
from pathlib import Path

from untildone.checks.security.engine import RULES, scan_paths

FOLDER = Path(__file__).parent / "cases"
_MARK = re.compile(r"(?:#|//) bad$")

# Which rule on which line of which file.
Found = set[tuple[str, int, str]]


def rules() -> list[str]:
    """As `language/name`."""
    return sorted(path.relative_to(RULES).with_suffix("").as_posix() for path in RULES.glob("*/*"))


def cases() -> list[str]:
    return sorted(path.parent.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*/bad.*"))


def list_marked_lines(file: Path) -> list[int]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if _MARK.search(line)]


def list_expected(project: Path, case: str) -> Found:
    """What must be found in a case and nothing else: the safe file has no mark."""
    return {
        (file.relative_to(project).as_posix(), line, case.replace("/", "-"))
        for file in project.joinpath(case).iterdir()
        for line in list_marked_lines(file)
    }


def lay_out(project: Path) -> None:
    """All cases, and JavaScript's once more under the names of its dialects."""
    shutil.copytree(FOLDER, project, dirs_exist_ok=True)
    for dialect, suffix in (("typescript", ".ts"), ("tsx", ".tsx")):
        for file in FOLDER.joinpath("javascript").rglob("*.js"):
            target = project / dialect / f"as-{suffix[1:]}" / file.parent.name / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target.with_suffix(suffix))


def scan_project(project: Path) -> Found:
    return {(one.path, one.line, one.code) for one in scan_paths((Path(),), cwd=project)}
