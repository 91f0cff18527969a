"""A plan's file as it was read: its bytes, the plan in them and the mistakes."""

import re
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.errors import UserError
from untildone.features.plans.order import find_order_mistakes
from untildone.features.plans.plan import Mistake, Plan

LARGEST = 64_000_000
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_LISTED = 50
_OBJECT_OF_A_KEY = re.compile(rb'"\s*:\s*\{')
PLAN_FILE = "TASKS.json"
_SHIPSPEC = Path(".shipspec", "planning")


class Document(Struct, frozen=True, kw_only=True):
    """`mistakes` name the fields that could not be read; `plan` has their defaults."""

    path: Path
    data: bytes
    plan: Plan
    mistakes: tuple[Mistake, ...] = ()

    @property
    def text(self) -> str:
        return _decode(self.path, self.data)


def read_plan(path: Path, *, whole: bool = False) -> Document:
    """`whole` also looks for repeated keys that do not change the order of tasks."""
    data = _read_bytes(path)
    plan = None if whole else _decode_quickly(data)
    if plan is not None:
        return Document(path=path, data=data, plan=plan)
    # Imported where it is used: a plan without mistakes need not pay for it.
    from untildone.features.plans.decoding import decode_plan

    plan, mistakes = decode_plan(path.name, _decode(path, data))
    return Document(path=path, data=data, plan=plan, mistakes=mistakes)


def require_order(document: Document) -> Document:
    """Raises UserError, with every mistake, if the tasks cannot be put in order."""
    mistakes = (*document.mistakes, *find_order_mistakes(document.plan.tasks))
    if mistakes:
        raise make_plan_error(document.path, mistakes)
    return document


def make_plan_error(path: Path, mistakes: tuple[Mistake, ...]) -> UserError:
    lines = [f"  {mistake}; {mistake.remedy}" for mistake in mistakes[:_MOST_LISTED]]
    if len(mistakes) > _MOST_LISTED:
        lines.append(f"  and {len(mistakes) - _MOST_LISTED} more")
    many = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    message = "\n".join((f"`{path}` has {many}", *lines))
    return UserError(message, hint="fix them, then run `untildone plan validate`")


def require_task(document: Document, name: str) -> str:
    """The id, if the plan has it."""
    if name in document.plan.tasks:
        return name
    known = {task.casefold(): task for task in document.plan.tasks}
    close = known.get(name.casefold())
    hint = f"did you mean `{close}`?" if close else "`untildone plan show` lists them"
    raise UserError(f"`{name}` is not a task of `{document.path}`", hint=hint)


def require_file(path: Path) -> None:
    if not path.exists():
        raise UserError(f"there is no `{path}`", hint="`untildone plan init FEATURE` writes one")
    if not path.is_file():
        raise UserError(f"`{path}` is not a file", hint="name the plan's TASKS.json")


def _read_bytes(path: Path) -> bytes:
    require_file(path)
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UserError(
            f"`{path}` is larger than {LARGEST // 1_000_000} MB", hint="divide the plan"
        )
    return data.removeprefix(BYTE_ORDER_MARK)


def _decode_quickly(data: bytes) -> Plan | None:
    """None if something may be wrong: `decode_plan` finds out what."""
    try:
        plan = msgspec.json.decode(data, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # One for each task, `tasks` and `summary`: one more may be a task that appears twice.
    objects = len(_OBJECT_OF_A_KEY.findall(data))
    return plan if objects <= len(plan.tasks) + 2 else None


def _decode(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"`{path}`, line {line}: is not UTF-8", hint="save it as UTF-8 and try again"
        ) from None


def find_plan(folder: Path) -> Path:
    """The only plan of the folder's project; raises UserError if there are several."""
    for place in (folder, *folder.parents):
        found = list_plans(place)
        if len(found) > 1:
            listed = ", ".join(f"`{path}`" for path in found)
            raise UserError(f"there are several plans: {listed}", hint="name one with `--plan`")
        if found:
            return found[0]
        # The top of the repository; running git would be slower.
        if (place / ".git").exists():
            break
    raise UserError(
        f"there is no plan in `{folder}`", hint="`untildone plan init FEATURE` writes one"
    )


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
