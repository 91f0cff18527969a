"""Finds and reads a plan's file, `TASKS.json`.

A plan is in the project's folder or in `.shipspec/planning/FEATURE/`. `read_plan` returns a
Document: the bytes, the plan in them and the mistakes. The `require_…` functions raise UserError.
"""

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.errors import UserError
from untildone.features.plans.order import find_order_mistakes
from untildone.features.plans.plan import Mistake, Plan

LARGEST_BYTES = 64_000_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_LISTED_MISTAKES = 50
# `"TASK-001": {`, `"summary": {`
_OBJECT_OF_A_KEY = re.compile(rb'"\s*:\s*\{')
_OBJECT_OF_THE_SUMMARY = re.compile(rb'"summary"\s*:\s*\{')
PLAN_FILE = "TASKS.json"
_SHIPSPEC_FOLDER = Path(".shipspec", "planning")


class Document(Struct, frozen=True, kw_only=True):
    """A plan's file as it was read; `plan` has the default of each field with a mistake."""

    path: Path
    data: bytes
    plan: Plan
    mistakes: tuple[Mistake, ...] = ()

    @property
    def text(self) -> str:
        """The file's text; raises UserError if it is not UTF-8."""
        return _decode_text(self.path, self.data)


def read_plan(path: Path, *, all_mistakes: bool = False) -> Document:
    """Return the plan and its mistakes; raises UserError if the file is missing or not JSON.

    The quick way, unless `all_mistakes`, may miss a key that appears twice within a task, which
    is harmless for reading; an edit needs to know of it.
    """
    data = _read_bytes(path)
    plan = None if all_mistakes else _decode_quickly(data)
    if plan is not None:
        return Document(path=path, data=data, plan=plan)
    # Imported where it is used: a plan without mistakes need not pay for it.
    from untildone.features.plans.decoding import decode_plan

    plan, mistakes = decode_plan(path.name, _decode_text(path, data))
    return Document(path=path, data=data, plan=plan, mistakes=mistakes)


def require_order(document: Document) -> Document:
    """Return the document; raises UserError, with every mistake, if its tasks have no order."""
    mistakes = (*document.mistakes, *find_order_mistakes(document.plan.tasks))
    if mistakes:
        raise make_plan_error(document.path, mistakes)
    return document


def make_plan_error(path: Path, mistakes: tuple[Mistake, ...]) -> UserError:
    """Return an error that lists the mistakes with their remedies, one in a line."""
    lines = [f"  {mistake}; {mistake.remedy}" for mistake in mistakes[:_MAX_LISTED_MISTAKES]]
    if len(mistakes) > _MAX_LISTED_MISTAKES:
        lines.append(f"  and {len(mistakes) - _MAX_LISTED_MISTAKES} more")
    number = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    message = "\n".join((f"`{path}` has {number}", *lines))
    return UserError(message, hint="fix them, then run `untildone plan validate`")


def require_task(document: Document, name: str) -> str:
    """Return the id if the plan has such a task; raises UserError if not."""
    if name in document.plan.tasks:
        return name
    # `task-001` instead of `TASK-001`
    same_letters = {task.casefold(): task for task in document.plan.tasks}
    similar = same_letters.get(name.casefold())
    hint = f"did you mean `{similar}`?" if similar else "`untildone plan show` lists them"
    raise UserError(f"`{name}` is not a task of `{document.path}`", hint=hint)


def require_file(path: Path) -> None:
    """Raise UserError if there is no file at the path."""
    if not path.exists():
        raise UserError(f"there is no `{path}`", hint="`untildone plan init FEATURE` writes one")
    if not path.is_file():
        raise UserError(f"`{path}` is not a file", hint="name the plan's TASKS.json")


def _read_bytes(path: Path) -> bytes:
    """Return the content without a byte order mark; raises UserError if it is too large."""
    require_file(path)
    with path.open("rb") as file:
        data = file.read(LARGEST_BYTES + 1)
    if len(data) > LARGEST_BYTES:
        raise UserError(
            f"`{path}` is larger than {LARGEST_BYTES // 1_000_000} MB", hint="divide the plan"
        )
    return data.removeprefix(BYTE_ORDER_MARK)


def _decode_quickly(data: bytes) -> Plan | None:
    """Return the plan, or None if it may have a mistake: `decode_plan` then finds out which."""
    try:
        plan = msgspec.json.decode(data, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # A key has an object as its value once for each task, for `tasks` and, if there, `summary`.
    # One more may be a task that appears twice, of which this decoder keeps only the last.
    objects = len(_OBJECT_OF_A_KEY.findall(data))
    has_summary = _OBJECT_OF_THE_SUMMARY.search(data) is not None
    return plan if objects <= len(plan.tasks) + 1 + has_summary else None


def _decode_text(path: Path, data: bytes) -> str:
    """Return the text; raises UserError, with the line, if it is not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"`{path}`, line {line}: is not UTF-8", hint="save it as UTF-8 and try again"
        ) from None


def find_plan(folder: Path) -> Path:
    """Return the nearest plan, in the folder or above it up to the top of the repository.

    Raises UserError if there is none, or if one of these folders has several.
    """
    for place in (folder, *folder.parents):
        plans = list_plans(place)
        if len(plans) > 1:
            listed = ", ".join(f"`{path}`" for path in plans)
            raise UserError(f"there are several plans: {listed}", hint="name one with `--plan`")
        if plans:
            return plans[0]
        # The top of the repository; running git would be slower.
        if (place / ".git").exists():
            break
    raise UserError(
        f"there is no plan in `{folder}`", hint="`untildone plan init FEATURE` writes one"
    )


def list_plans(folder: Path) -> list[Path]:
    """Return the plan in the folder, then those that ShipSpec keeps in it."""
    planned = sorted((folder / _SHIPSPEC_FOLDER).glob(f"*/{PLAN_FILE}"))
    return [path for path in (folder / PLAN_FILE, *planned) if path.is_file()]


def find_named_plan(project: Path, name: str) -> Path:
    """Return the plan whose file, folder or feature has this name; the only plan without one."""
    if not name:
        return find_plan(project)
    for path in (project / name, project / name / PLAN_FILE):
        if path.is_file():
            return path
    matches = [
        path
        for path in list_plans(project)
        if name in (path.parent.name, read_plan(path).plan.feature)
    ]
    if len(matches) == 1:
        return matches[0]
    raise UserError(f"`{name}` is not a plan of `{project}`", hint="name its TASKS.json")
