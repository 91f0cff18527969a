"""Reports that a run is asked to write where we say, without changing the person's command."""

import re
import shlex
from pathlib import Path

from untildone.checks.command import programs
from untildone.checks.inventory import Inventory
from untildone.checks.parsers import junit

_LARGEST = 64_000_000
_OWN_REPORT = re.compile(r"--junit-?xml")


def can_report(command: str) -> bool:
    """Whether the command's own runner writes a report when it is asked by its environment."""
    return "pytest" in programs(command) and not _OWN_REPORT.search(command)


def asking(command: str, path: Path, folder: Path, environ: dict[str, str]) -> dict[str, str]:
    """The environment with the wish in it; the path is new for every run and not to be guessed."""
    if not can_report(command):
        return environ
    # In this family a case names its file, so that its id is the one pytest itself prints.
    options = f"--junitxml={shlex.quote(str(path))} -o junit_family=xunit1"
    if (folder / ".pytest_cache" / "v" / "cache" / "lastfailed").is_file():
        # What is still broken shows early, and the whole run still decides.
        options += " --failed-first"
    return {**environ, "PYTEST_ADDOPTS": f"{environ.get('PYTEST_ADDOPTS', '')} {options}".strip()}


def written(path: Path) -> Inventory | None:
    """What the run reported; nothing where it wrote no report, or none that can be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return junit.inventory(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
