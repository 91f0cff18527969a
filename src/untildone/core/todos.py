"""Todo lists: check boxes in Markdown, and the items a loop leaves unfinished."""

import re
from collections.abc import Iterator

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence, Todo

# Files in a project where people and other tools keep a todo list.
TODO_FILES = ("TODO.md", "fix_plan.md", ".ralph/fix_plan.md")
# A file of other tools that holds the client's list under `todos`.
TODO_STATE_FILE = ".claude/todo_state.json"
# - [ ] write it      3. [x] test it      * [~] half of it
_BOX = r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<mark>[ xX/~])\](?:[ \t]+(?P<text>.*))?"
_HEADING = r"[ \t]*(?P<level>#{1,6})[ \t]+(?P<title>.*)"
_FENCE = r"[ \t]*(?P<fence>`{3,}|~{3,})"
# Headings whose items are not part of the task.
_POSTPONED = r"(?i)[\W_]*(?:optional|future|later|backlog)\b"
_MAX_LENGTH = 200
_MAX_ITEMS = 1_000
_PREFIX = "todo"


def parse_check_boxes(text: str) -> tuple[Todo, ...]:
    """The check-box items of a Markdown text, without code blocks and postponed sections."""
    found = (re.fullmatch(_BOX, line) for line in _iterate_task_lines(text))
    return tuple(
        Todo(text=_clean(box["text"]), done=box["mark"] in "xX")
        for box in found
        if box and _clean(box["text"])
    )[:_MAX_ITEMS]


def _iterate_task_lines(text: str) -> Iterator[str]:
    fence = ""
    put_off = 0
    for line in text.splitlines():
        opened = re.match(_FENCE, line)
        if opened or fence:
            fence = _update_fence(fence, opened)
            continue
        heading = re.fullmatch(_HEADING, line)
        if heading and (not put_off or len(heading["level"]) <= put_off):
            put_off = len(heading["level"]) if re.match(_POSTPONED, heading["title"]) else 0
        if not put_off:
            yield line


def _update_fence(fence: str, found: re.Match[str] | None) -> str:
    """The code fence that is still open after this line."""
    if not fence:
        return found["fence"] if found else ""
    return "" if found and found["fence"].startswith(fence) else fence


def _clean(text: str | None) -> str:
    return " ".join((text or "").split())[:_MAX_LENGTH]


def find_unfinished(todos: tuple[Todo, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.text for each in todos if not each.done))


def find_unmet_todos(contract: Contract, evidence: Evidence) -> tuple[str, ...]:
    """Items that are unfinished, and items of the contract that are gone from the list."""
    if not contract.todos:
        return ()
    known = {each.text for each in evidence.todos}
    gone = tuple(text for text in contract.todos if text not in known)
    return tuple(f"{_PREFIX} `{text}`" for text in find_unfinished(evidence.todos)) + tuple(
        f"{_PREFIX} `{text}` (removed from the list, not finished)" for text in gone
    )
