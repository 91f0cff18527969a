"""Loads the TODO items of a session, and reminds the agent of unfinished ones.

Items come from the agent's own list, which its client stores or the agent wrote by a tool call,
and from files of the project with check boxes, such as TODO.md.
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from untildone.agents.events import Prompt
from untildone.core.criteria import find_unfinished
from untildone.core.evidence import Todo
from untildone.core.text import pluralize, shorten, to_one_line
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.markdown import list_boxes, parse_lines, skip_sections
from untildone.store.durable_files import DamagedFileError, read_bounded
from untildone.store.sessions import Session

# Files in a project where people and other tools keep a todo list.
TODO_FILES = ("TODO.md", "fix_plan.md", ".ralph/fix_plan.md")
# A file of other tools that holds the client's list under `todos`.
TODO_STATE_FILE = ".claude/todo_state.json"
# Headings whose items are not part of the task.
_POSTPONED_HEADING = re.compile(r"^[\W_]*(?:optional|future|later|backlog)\b", re.IGNORECASE)
# The last call that wrote the list, for clients that store it nowhere.
TODO_CALL_FILE = "todos.json"
_MAX_BYTES = 1_000_000
# Of a folder in which the client stores one file for each item.
_MAX_CLIENT_FILES = 200
_MAX_REMINDED_ITEMS = 5
_MAX_REMINDER_CHARACTERS = 700
_MAX_ITEM_CHARACTERS = 200
_MAX_ITEMS = 1_000
_FINISHED_STATUSES = ("completed", "done")
_DROPPED_STATUSES = ("deleted", "cancelled")


def load_todos(context: Context, project: Path, session: Session) -> tuple[Todo, ...]:
    """Return the items of every list of the session and the project, finished ones too."""
    items = [
        *_read_client_lists(context, session),
        *_convert_items(context, session.read_json(TODO_CALL_FILE)),
    ]
    for name in TODO_FILES:
        items += parse_check_boxes(_read_text(project / name))
    state = _decode_json(_read_text(project / TODO_STATE_FILE))
    items += _convert_items(context, state.get("todos") if isinstance(state, dict) else None)
    return tuple(items)


def parse_check_boxes(text: str) -> tuple[Todo, ...]:
    """Return the check-box items of a Markdown text, without those under "Later" and the like."""
    boxes = list_boxes(skip_sections(parse_lines(text), _POSTPONED_HEADING))[:_MAX_ITEMS]
    return tuple(
        Todo(text=" ".join(box.text.split())[:_MAX_ITEM_CHARACTERS], done=box.checked)
        for box in boxes
    )


def _read_text(path: Path) -> str:
    """Return the file's text; empty if it is missing, unreadable or too large."""
    try:
        return read_bounded(path, _MAX_BYTES).decode("utf-8-sig", "replace")
    except (OSError, DamagedFileError):
        return ""


def _read_client_lists(context: Context, session: Session) -> Iterator[Todo]:
    """Yield the items in the files where the client stores its list."""
    # Without the session's id the list cannot be found.
    if not session.known:
        return
    for place in map(Path, context.agent.list_todo_paths(session.id, context.environ)):
        files = sorted(place.glob("*.json"), key=_make_sort_key) if place.is_dir() else [place]
        for file in files[:_MAX_CLIENT_FILES]:
            yield from _convert_items(context, _decode_json(_read_text(file)))


def _make_sort_key(path: Path) -> tuple[int, str]:
    """Return a key that sorts `2.json` before `10.json`."""
    return int(path.stem) if path.stem.isdecimal() else 0, path.stem


def _decode_json(text: str) -> object:
    """Return the JSON value, or None if the text is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _convert_items(context: Context, value: object) -> Iterator[Todo]:
    """Yield the items of a list in the client's format, without those that were dropped."""
    for text, status in context.agent.parse_todo_items(value) or ():
        if text.strip() and status not in _DROPPED_STATUSES:
            yield Todo(text=to_one_line(text), done=status in _FINISHED_STATUSES)


def remember_todo_call(
    context: Context, session: Session, calls: Iterable[dict[str, object]]
) -> None:
    """Save the last call that wrote the whole list, if there is one."""
    list_calls = [call for call in calls if context.agent.parse_todo_items(call) is not None]
    if list_calls:
        last_call = {key: list_calls[-1].get(key) for key in ("tool_name", "tool_input")}
        session.write_json(TODO_CALL_FILE, last_call)


def require_todos(context: Context, project: Path, session: str) -> tuple[str, ...]:
    """Return the unfinished items; raises UserError if there is none."""
    unfinished = find_unfinished(load_todos(context, project, context.session(session)))
    if not unfinished:
        raise UserError(
            "there is no unfinished TODO item",
            hint=f"write `- [ ] what is to do` into `{TODO_FILES[0]}`",
        )
    return unfinished


def format_todo_task(items: tuple[str, ...]) -> str:
    """Return the text of a task that is to finish these items."""
    lines = "\n".join(f"- [ ] {text}" for text in items)
    return f"Finish these, and mark each as done in its list when it is:\n{lines}"


def build_reminder(context: Context, prompt: Prompt, session: Session) -> str:
    """Return a reminder of the unfinished items for the agent; empty if there is none."""
    project = Path(prompt.project or prompt.cwd)
    items = load_todos(context, project, session)
    unfinished = find_unfinished(items)
    if not unfinished or not _is_reminder_enabled(context):
        return ""
    hidden = len(unfinished) - _MAX_REMINDED_ITEMS
    hidden_note = f"; and {hidden} more" if hidden > 0 else ""
    listed = shorten("; ".join(unfinished[:_MAX_REMINDED_ITEMS]), _MAX_REMINDER_CHARACTERS)
    return (
        f"[untildone] {pluralize(len(unfinished), 'TODO item')} of {len(items)} unfinished:"
        f" {listed}{hidden_note}. The prompt comes first; go on with these"
        " where they belong to it, and mark what is done."
    )


def _is_reminder_enabled(context: Context) -> bool:
    """Say whether the user's settings allow the reminder; they do by default."""
    # Imported where it is used: TOML is read only if there is something to remind of.
    from untildone.config.proposals import load_user_settings

    try:
        return load_user_settings(context.home / "config.toml").recall_todos
    except UserError:
        # `doctor` reports a mistake there; a prompt must not fail because of it.
        return True
