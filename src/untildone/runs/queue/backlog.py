"""A backlog as a file: one JSON object a line, or the issues that `gh issue list --json` prints."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import fields, replace

from untildone.engine.request import StartOptions
from untildone.errors import UserError
from untildone.runs.queue.values import NewTask

_EXAMPLE = '{"task": "Port the parser", "checks": ["make test"]}'
_OF_TASK = frozenset(field.name for field in fields(NewTask)) - {
    "options",
    "source",
    "configuration",
    "plan",
    "after_new",
}
# Paths of the machine where it is added, and what belongs to a session.
LOCAL_OPTIONS = frozenset(("oracle", "security_rules", "todos", "from_todos", "clean", "then"))
_OF_LOOP = frozenset(field.name for field in fields(StartOptions)) - LOCAL_OPTIONS


def read_backlog(path: Path, defaults: NewTask) -> tuple[NewTask, ...]:
    """Return the tasks of a file; what one does not say comes from `defaults`."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UserError(f"`{path}` is not UTF-8", hint="convert it first") from None
    entries = list(_parse_entries(path, text))
    if not entries:
        raise UserError(f"`{path}` has no task", hint=f"write one object a line: `{_EXAMPLE}`")
    return tuple(_make_task(f"{path}:{place}", entry, defaults) for place, entry in entries)


def _parse_entries(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    """Yield each object with its line, or its place in a list."""
    try:
        if text.lstrip().startswith("["):
            yield from enumerate(json.loads(text), 1)
            return
        number = 0
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield number, json.loads(line)
    except ValueError as error:
        raise UserError(
            f"`{path}` is no JSON: {error}", hint=f"write one object a line: `{_EXAMPLE}`"
        ) from None


def _make_task(place: str, entry: object, defaults: NewTask) -> NewTask:
    if not isinstance(entry, dict):
        raise UserError(f"`{place}` is no object", hint=f"write it like `{_EXAMPLE}`")
    if "title" in entry:
        return _read_issue(place, entry, defaults)
    unknown = sorted(set(entry) - _OF_TASK - _OF_LOOP - {"task"})
    if unknown:
        raise UserError(
            f"`{place}` has `{unknown[0]}`, which no task has",
            hint=f"known are {', '.join(sorted(_OF_TASK | _OF_LOOP))}",
        )
    own = {name: value for name, value in entry.items() if name in _OF_TASK}
    loop = {name: value for name, value in entry.items() if name in _OF_LOOP}
    try:
        given = msgspec.convert({**msgspec.to_builtins(defaults), **own}, NewTask)
        options = msgspec.convert({**msgspec.to_builtins(defaults.options), **loop}, StartOptions)
    except msgspec.ValidationError as error:
        raise UserError(f"`{place}`: {error}", hint=f"write it like `{_EXAMPLE}`") from None
    return _require_task(place, replace(given, options=options))


def _read_issue(place: str, entry: dict[str, Any], defaults: NewTask) -> NewTask:
    """Return the task of an exported issue; its labels are not those of workers."""
    title, body = str(entry["title"]), str(entry.get("body") or "")
    source = str(entry.get("url") or entry.get("number") or "")
    options = replace(defaults.options, task=f"{title}\n\n{body}".strip())
    return _require_task(place, replace(defaults, options=options, source=source))


def _require_task(place: str, task: NewTask) -> NewTask:
    options = task.options
    if not (options.task.strip() or options.template.strip() or options.preset):
        raise UserError(f"`{place}` has no task", hint=f"write it like `{_EXAMPLE}`")
    return task
