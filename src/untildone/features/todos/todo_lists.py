"""The TODO items of a session: in the agent's own list and in files of the project."""

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
_POSTPONED = re.compile(r"^[\W_]*(?:optional|future|later|backlog)\b", re.IGNORECASE)
# The last call that wrote the list, for clients that store it nowhere.
TODO_CALL_FILE = "todos.json"
_LARGEST = 1_000_000
_MOST_FILES = 200
_SHOWN = 5
_LONGEST = 700
_LONGEST_ITEM = 200
_MOST_ITEMS = 1_000
_FINISHED = ("completed", "done")
_DROPPED = ("deleted", "cancelled")


def load_todos(context: Context, project: Path, session: Session) -> tuple[Todo, ...]:
    found = [
        *_read_client_lists(context, session),
        *_convert_items(context, session.read_json(TODO_CALL_FILE)),
    ]
    for name in TODO_FILES:
        found += parse_check_boxes(_read_text(project / name))
    state = _decode_json(_read_text(project / TODO_STATE_FILE))
    found += _convert_items(context, state.get("todos") if isinstance(state, dict) else None)
    return tuple(found)


def parse_check_boxes(text: str) -> tuple[Todo, ...]:
    """The check-box items of a Markdown text, without code blocks and postponed sections."""
    boxes = list_boxes(skip_sections(parse_lines(text), _POSTPONED))[:_MOST_ITEMS]
    return tuple(
        Todo(text=" ".join(box.text.split())[:_LONGEST_ITEM], done=box.checked) for box in boxes
    )


def _read_text(path: Path) -> str:
    try:
        return read_bounded(path, _LARGEST).decode("utf-8-sig", "replace")
    except (OSError, DamagedFileError):
        return ""


def _read_client_lists(context: Context, session: Session) -> Iterator[Todo]:
    if not session.known:
        return
    for place in map(Path, context.agent.list_todo_paths(session.id, context.environ)):
        files = sorted(place.glob("*.json"), key=_sort_key) if place.is_dir() else [place]
        for file in files[:_MOST_FILES]:
            yield from _convert_items(context, _decode_json(_read_text(file)))


def _sort_key(path: Path) -> tuple[int, str]:
    return int(path.stem) if path.stem.isdecimal() else 0, path.stem


def _decode_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _convert_items(context: Context, value: object) -> Iterator[Todo]:
    for text, status in context.agent.parse_todo_items(value) or ():
        if text.strip() and status not in _DROPPED:
            yield Todo(text=to_one_line(text), done=status in _FINISHED)


def remember_todo_call(
    context: Context, session: Session, calls: Iterable[dict[str, object]]
) -> None:
    """Saves the last call that wrote the whole list."""
    written = [call for call in calls if context.agent.parse_todo_items(call) is not None]
    if written:
        kept = {key: written[-1].get(key) for key in ("tool_name", "tool_input")}
        session.write_json(TODO_CALL_FILE, kept)


def require_todos(context: Context, project: Path, session: str) -> tuple[str, ...]:
    """The unfinished items; raises UserError if there is none."""
    left = find_unfinished(load_todos(context, project, context.session(session)))
    if not left:
        raise UserError(
            "there is no unfinished TODO item",
            hint=f"write `- [ ] what is to do` into `{TODO_FILES[0]}`",
        )
    return left


def format_todo_task(items: tuple[str, ...]) -> str:
    """The task of a loop that is about these items."""
    lines = "\n".join(f"- [ ] {text}" for text in items)
    return f"Finish these, and mark each as done in its list when it is:\n{lines}"


def build_reminder(context: Context, prompt: Prompt, session: Session) -> str:
    """A short reminder for the agent, or an empty text."""
    project = Path(prompt.project or prompt.cwd)
    known = load_todos(context, project, session)
    left = find_unfinished(known)
    if not left or not _is_reminder_enabled(context):
        return ""
    rest = f"; and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    shown = shorten("; ".join(left[:_SHOWN]), _LONGEST)
    return (
        f"[untildone] {pluralize(len(left), 'TODO item')} of {len(known)} unfinished:"
        f" {shown}{rest}. The prompt comes first; go on with these"
        " where they belong to it, and mark what is done."
    )


def _is_reminder_enabled(context: Context) -> bool:
    # Imported where it is used: TOML is read only if there is something to remind of.
    from untildone.config.proposals import load_user_settings

    try:
        return load_user_settings(context.home / "config.toml").recall_todos
    except UserError:
        # `doctor` reports a mistake there; a prompt must not fail because of it.
        return True
