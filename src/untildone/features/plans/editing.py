"""Changes the text of a plan's file: a task's status, fields of tasks, the summary.

An edit replaces only the members that change, so that formatting, order and unknown fields stay.
`change_plan` reads the file under a lock, applies an edit and replaces the file atomically.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from untildone.errors import UserError
from untildone.features.plans.plan import Plan, TaskStatus
from untildone.features.plans.plan_file import (
    BYTE_ORDER_MARK,
    Document,
    make_plan_error,
    read_plan,
    require_file,
    require_task,
)
from untildone.features.plans.plan_rules import correct_summary
from untildone.json_edit import edits
from untildone.json_edit.scan import Node, decode_node, scan_value

_LOCK_SECONDS = 60.0


def change_plan(path: Path, edit: Callable[[Document], str]) -> Document:
    """Replace the file with the text that `edit` returns; return the plan afterwards.

    A lock lets one process at a time do so. Raises UserError if the file has a mistake.
    """
    require_file(path)
    with _lock_folder(path):
        document = read_plan(path, all_mistakes=True)
        if document.mistakes:
            raise make_plan_error(path, document.mistakes)
        save_plan(path, edit(document))
    return read_plan(path)


def edit_status(document: Document, name: str, status: TaskStatus, *, worker: str = "") -> str:
    """Return the plan's text with this status of one task, and a correct summary.

    Only a task in progress has a worker; a worker has one task in progress at a time.
    """
    task = document.plan.tasks[require_task(document, name)]
    worker = worker if status == "in_progress" else ""
    if status == "in_progress":
        _require_free_worker(document.plan, name, worker)
    new_values = {"status": status, "worker": worker}
    fields = {key: value for key, value in new_values.items() if getattr(task, key) != value}
    return edit_fields(document, {name: fields} if fields else {})


def _require_free_worker(plan: Plan, name: str, worker: str) -> None:
    """Raise UserError if the worker has another task than this one in progress."""
    for other, task in plan.tasks.items():
        if other != name and task.status == "in_progress" and task.worker == worker:
            raise UserError(
                f"`{other}` is already in progress" + (f" for `{worker}`" if worker else ""),
                hint=f"finish it, or run `untildone plan set-status {other} not_started`",
            )


def edit_fields(document: Document, changes: Mapping[str, Mapping[str, object]]) -> str:
    """Return the plan's text with these fields, by task, and a correct summary."""
    text, plan = document.text, document.plan
    root, tasks = scan_tasks(text)
    changed_members = [
        set_member(text, scan_value(text, tasks[name].start, depth=1), field, value)
        for name, fields in changes.items()
        for field, value in fields.items()
    ]
    changed = {name: replace(plan.tasks[name], **fields) for name, fields in changes.items()}
    summary = correct_summary(replace(plan, tasks=plan.tasks | changed))
    if summary is not None:
        node = root.get_child("summary")
        # Fields of the summary that we do not know are kept.
        old = decode_node(text, node) if node else {}
        old_fields = old if isinstance(old, dict) else {}
        new_fields = {**old_fields, **msgspec.to_builtins(summary)}
        changed_members.append(set_member(text, root, "summary", new_fields))
    return edits.apply_edits(text, changed_members)


def scan_tasks(text: str) -> tuple[Node, dict[str, Node]]:
    """Return where the plan's object and each task's object are in the text."""
    root = scan_value(text, depth=2)
    node = root.get_child("tasks")
    return root, dict(zip(node.keys, node.children, strict=True)) if node else {}


def set_member(text: str, container: Node, key: str, value: object) -> edits.Edit:
    """Return the edit that replaces the member of that key, or appends it.

    The container has a member already: a plan has `tasks`, a task has a title.
    """
    style = find_style(text)
    if key in container.keys:
        return edits.replace_child(text, container, container.keys.index(key), value, style=style)
    gap = find_member_gap(text, container.starts[-1])
    return edits.append_text(
        container, edits.format_member(key, value, gap=gap, style=style), gap=gap
    )


def find_member_gap(text: str, member_start: int) -> str:
    """Return the line break and indentation before a member, a space if it begins no line."""
    gap = edits.find_gap(text, member_start)
    return gap if "\n" in gap else " "


def find_style(text: str) -> edits.Style:
    """Return the file's indentation, two spaces if it has none; lists stay on one line."""
    indentation = re.search(r"\n([ \t]+)\"", text)
    return edits.Style(unit=indentation[1] if indentation else "  ", lists_on_one_line=True)


def save_plan(path: Path, text: str) -> None:
    """Replace the file atomically, or the file that a link leads to, and keep its mode."""
    # Imported where it is used: reading a plan need not pay for it.
    from untildone.store.durable_files import install, stage

    target = path.resolve()
    before = target.read_bytes() if target.exists() else None
    mark = BYTE_ORDER_MARK if before is not None and before.startswith(BYTE_ORDER_MARK) else b""
    # JSON can contain half of a surrogate pair (`"\ud83d"`), which cannot be encoded.
    data = mark + text.encode("utf-8", "replace")
    if data == before:
        return
    staged = stage(target, data)
    staged.chmod(0o644 if before is None else target.stat().st_mode & 0o777)
    install(staged, target, keep_previous=False)


@contextmanager
def _lock_folder(path: Path) -> Iterator[None]:
    """Lock the plan's folder; raises UserError if another process keeps it locked.

    A lock file beside the plan would have to be ignored by git.
    """
    if sys.platform == "win32":
        # A folder cannot be opened on Windows, so it is not locked there.
        yield
        return
    from untildone.store.lock import try_lock

    folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
        while not try_lock(folder):
            if time.monotonic() > deadline:
                raise UserError(
                    f"`{path}` is being changed by another program", hint="try again later"
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(folder)
