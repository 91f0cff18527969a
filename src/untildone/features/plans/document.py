"""A plan's file: read with all its mistakes, changed at the touched places only, written whole."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.features.plans.model import Mistake, Plan, TaskStatus
from untildone.features.plans.order import check_order

LARGEST = 64_000_000
_MARK = b"\xef\xbb\xbf"
_MOST_TOLD = 50
_PATIENCE = 60.0
_OBJECT_OF_A_KEY = re.compile(rb'"\s*:\s*\{')


class Document(Struct, frozen=True, kw_only=True):
    """`mistakes` are those of its shape: what could not be read stands in `plan` as missing."""

    path: Path
    data: bytes
    plan: Plan
    mistakes: tuple[Mistake, ...] = ()

    @property
    def text(self) -> str:
        return _text(self.path, self.data)


def read_plan(path: Path, *, whole: bool = False) -> Document:
    """`whole`: also look for keys that stand twice where that changes no order."""
    data = _bytes(path)
    plan = None if whole else _quickly(data)
    if plan is not None:
        return Document(path=path, data=data, plan=plan)
    # Imported where it is used: a plan without mistakes need not pay for it.
    from untildone.features.plans.decoding import decode_plan

    plan, mistakes = decode_plan(path.name, _text(path, data))
    return Document(path=path, data=data, plan=plan, mistakes=mistakes)


def require_order(document: Document) -> Document:
    """Refuses a plan whose tasks have no order, with everything that is wrong about it."""
    mistakes = (*document.mistakes, *check_order(document.plan.tasks))
    if mistakes:
        raise plan_error(document.path, mistakes)
    return document


def plan_error(path: Path, mistakes: tuple[Mistake, ...]) -> UserError:
    lines = [f"  {mistake}; {mistake.remedy}" for mistake in mistakes[:_MOST_TOLD]]
    if len(mistakes) > _MOST_TOLD:
        lines.append(f"  and {len(mistakes) - _MOST_TOLD} more")
    many = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    told = "\n".join((f"`{path}` has {many}", *lines))
    return UserError(told, hint="mend them, then run `untildone plan validate`")


def require_task(document: Document, name: str) -> str:
    """The id, if the plan has it."""
    if name in document.plan.tasks:
        return name
    folded = {known.casefold(): known for known in document.plan.tasks}
    near = folded.get(name.casefold())
    hint = f"did you mean `{near}`?" if near else "`untildone plan show` lists them"
    raise UserError(f"`{name}` is no task of `{document.path}`", hint=hint)


def edit_status(document: Document, name: str, status: TaskStatus, *, worker: str = "") -> str:
    """The text in which one task has this status, and the summary is right."""
    task = document.plan.tasks[require_task(document, name)]
    worker = worker if status == "in_progress" else ""
    _alone(document, name, status, worker)
    fields: dict[str, object] = {}
    if task.status != status:
        fields["status"] = status
    if task.worker != worker:
        fields["worker"] = worker
    return edit_fields(document, {name: fields} if fields else {})


def _alone(document: Document, name: str, status: TaskStatus, worker: str) -> None:
    if status != "in_progress":
        return
    for other, task in document.plan.tasks.items():
        if other != name and task.status == "in_progress" and task.worker == worker:
            raise UserError(
                f"`{other}` is already in progress" + (f" for `{worker}`" if worker else ""),
                hint=f"finish it, or run `untildone plan set-status {other} not_started`",
            )


def edit_fields(document: Document, changes: Mapping[str, Mapping[str, object]]) -> str:
    """The text with these fields of these tasks, nothing else touched but a wrong summary."""
    from untildone.features.plans.members import edited, member, members, setting
    from untildone.features.plans.rules import correct_summary

    text, plan = document.text, document.plan
    top = member(text, 0, "tasks")
    places = {found.key: found.start for found in members(text, top.start)} if top else {}
    edits = [
        setting(text, places[name], field, value)
        for name, fields in changes.items()
        for field, value in fields.items()
    ]
    tasks = plan.tasks | {
        name: replace(plan.tasks[name], **fields) for name, fields in changes.items()
    }
    summary = correct_summary(replace(plan, tasks=tasks))
    if summary is not None:
        known = member(text, 0, "summary")
        said = msgspec.json.decode(text[known.start : known.end]) if known else {}
        edits.append(setting(text, 0, "summary", {**said, **msgspec.to_builtins(summary)}))
    return edited(text, edits)


def change_plan(path: Path, edit: Callable[[Document], str]) -> Document:
    """One edit after another, whoever makes them; the plan as it is then."""
    _must_exist(path)
    with _alone_at(path):
        document = read_plan(path, whole=True)
        if document.mistakes:
            raise plan_error(path, document.mistakes)
        save_plan(path, edit(document))
    return read_plan(path)


def save_plan(path: Path, text: str) -> None:
    """Whole or not at all, where a link leads to, with the file's own mode."""
    # Imported where it is used: reading a plan need not pay for it.
    from untildone.store.files import install, stage

    target = path.resolve()
    before = target.read_bytes() if target.exists() else None
    mark = _MARK if before is not None and before.startswith(_MARK) else b""
    # JSON can name half a character, which no file can hold.
    data = mark + text.encode("utf-8", "replace")
    if data == before:
        return
    staged = stage(target, data)
    staged.chmod(0o644 if before is None else target.stat().st_mode & 0o777)
    install(staged, target, keep_previous=False)


@contextmanager
def _alone_at(path: Path) -> Iterator[None]:
    """The folder is locked: a file of ours beside the plan would be one more to explain."""
    if sys.platform == "win32":
        # Folders cannot be opened there.
        yield
        return
    from untildone.store.lock import try_lock

    folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _PATIENCE
        while not try_lock(folder):
            if time.monotonic() > deadline:
                raise UserError(
                    f"`{path}` is being changed by another program", hint="try again later"
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(folder)


def _must_exist(path: Path) -> None:
    if not path.exists():
        raise UserError(f"there is no `{path}`", hint="`untildone plan init FEATURE` writes one")
    if not path.is_file():
        raise UserError(f"`{path}` is no file", hint="name the plan's TASKS.json")


def _bytes(path: Path) -> bytes:
    _must_exist(path)
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UserError(
            f"`{path}` is larger than {LARGEST // 1_000_000} MB", hint="divide the plan"
        )
    return data.removeprefix(_MARK)


def _quickly(data: bytes) -> Plan | None:
    """None where something may be wrong: that is told by who looks closer."""
    try:
        plan = msgspec.json.decode(data, type=Plan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    # Every task, `tasks` and `summary`: one more may be a task that stands there twice.
    objects = len(_OBJECT_OF_A_KEY.findall(data))
    return plan if objects <= len(plan.tasks) + 2 else None


def _text(path: Path, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"`{path}`, line {line}: is not UTF-8", hint="save it as UTF-8 and try again"
        ) from None
