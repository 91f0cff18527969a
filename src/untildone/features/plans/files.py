"""Where a project keeps its plan."""

from collections.abc import Iterator
from pathlib import Path

from untildone.errors import UserError

PLAN_FILE = "TASKS.json"
_SHIPSPEC = Path(".shipspec", "planning")


def find_plan(folder: Path) -> Path:
    """The one plan of the project a folder belongs to; several are listed, none is guessed."""
    for place in _upward(folder):
        found = list_plans(place)
        if len(found) > 1:
            listed = ", ".join(f"`{path}`" for path in found)
            raise UserError(f"there are several plans: {listed}", hint="name one with `--plan`")
        if found:
            return found[0]
    raise UserError(
        f"there is no plan in `{folder}`", hint="`untildone plan init FEATURE` writes one"
    )


def _upward(folder: Path) -> Iterator[Path]:
    """To the top of the repository, without asking git: this is to be quick."""
    for place in (folder, *folder.parents):
        yield place
        if (place / ".git").exists():
            return


def list_plans(folder: Path) -> list[Path]:
    below = sorted((folder / _SHIPSPEC).glob(f"*/{PLAN_FILE}"))
    return [path for path in (folder / PLAN_FILE, *below) if path.is_file()]
