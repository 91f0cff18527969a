"""Finds the plan of a project."""

from collections.abc import Iterator
from pathlib import Path

from untildone.errors import UserError
from untildone.features.plans.document import read_plan

PLAN_FILE = "TASKS.json"
_SHIPSPEC = Path(".shipspec", "planning")


def find_plan(folder: Path) -> Path:
    """The only plan of the folder's project; raises UserError if there are several."""
    for place in _walk_up(folder):
        found = list_plans(place)
        if len(found) > 1:
            listed = ", ".join(f"`{path}`" for path in found)
            raise UserError(f"there are several plans: {listed}", hint="name one with `--plan`")
        if found:
            return found[0]
    raise UserError(
        f"there is no plan in `{folder}`", hint="`untildone plan init FEATURE` writes one"
    )


def _walk_up(folder: Path) -> Iterator[Path]:
    """Up to the top of the repository; looks for `.git` because running git is slower."""
    for place in (folder, *folder.parents):
        yield place
        if (place / ".git").exists():
            return


def list_plans(folder: Path) -> list[Path]:
    below = sorted((folder / _SHIPSPEC).glob(f"*/{PLAN_FILE}"))
    return [path for path in (folder / PLAN_FILE, *below) if path.is_file()]


def find_named_plan(project: Path, name: str) -> Path:
    """By its file, its folder or its feature; without a name the only plan there is."""
    if not name:
        return find_plan(project)
    for path in (project / name, project / name / PLAN_FILE):
        if path.is_file():
            return path
    found = [
        path
        for path in list_plans(project)
        if name in (path.parent.name, read_plan(path).plan.feature)
    ]
    if len(found) == 1:
        return found[0]
    raise UserError(f"`{name}` is not a plan of `{project}`", hint="name its TASKS.json")
