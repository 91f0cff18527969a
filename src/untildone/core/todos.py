"""Lists of things to do: check boxes in a text, and which items a loop leaves unfinished."""

import re
from collections.abc import Iterator

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence, Todo

# Where people and other tools keep such a list in a project.
TODO_FILES = ("TODO.md", "fix_plan.md", ".ralph/fix_plan.md")
# As the client's own list is written, in `todos`.
TODO_STATE_FILE = ".claude/todo_state.json"
# - [ ] write it      3. [x] test it      * [~] half of it
_BOX = r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<mark>[ xX/~])\](?:[ \t]+(?P<text>.*))?"
_HEADING = r"[ \t]*(?P<level>#{1,6})[ \t]+(?P<title>.*)"
_FENCE = r"[ \t]*(?P<fence>`{3,}|~{3,})"
# What stands below these is not asked for now.
_LATER = r"(?i)[\W_]*(?:optional|future|later|backlog)\b"
_LONGEST = 200
_MOST = 1_000
_NAMED = "todo"


def parse_check_boxes(text: str) -> tuple[Todo, ...]:
    """The items of a Markdown list; neither those in code nor those put off."""
    found = (re.fullmatch(_BOX, line) for line in _asked_for(text))
    return tuple(
        Todo(text=_plain(box["text"]), done=box["mark"] in "xX")
        for box in found
        if box and _plain(box["text"])
    )[:_MOST]


def _asked_for(text: str) -> Iterator[str]:
    fence = ""
    put_off = 0
    for line in text.splitlines():
        opened = re.match(_FENCE, line)
        if opened or fence:
            fence = _fence(fence, opened)
            continue
        heading = re.fullmatch(_HEADING, line)
        if heading and (not put_off or len(heading["level"]) <= put_off):
            put_off = len(heading["level"]) if re.match(_LATER, heading["title"]) else 0
        if not put_off:
            yield line


def _fence(fence: str, found: re.Match[str] | None) -> str:
    """The fence that is open behind this line."""
    if not fence:
        return found["fence"] if found else ""
    return "" if found and found["fence"].startswith(fence) else fence


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())[:_LONGEST]


def find_unfinished(todos: tuple[Todo, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.text for each in todos if not each.done))


def find_unmet_todos(contract: Contract, evidence: Evidence) -> tuple[str, ...]:
    """By name: what is not finished, and what was on the list at the start and is gone from it."""
    if not contract.todos:
        return ()
    known = {each.text for each in evidence.todos}
    gone = tuple(text for text in contract.todos if text not in known)
    return tuple(f"{_NAMED} `{text}`" for text in find_unfinished(evidence.todos)) + tuple(
        f"{_NAMED} `{text}` (removed from the list, not finished)" for text in gone
    )
