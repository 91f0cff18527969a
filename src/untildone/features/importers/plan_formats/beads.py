"""beads and ralph-orchestrator: one issue per line."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from untildone.errors import UserError
from untildone.features.importers.fields import Fields, Value
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan
from untildone.features.plans.plan import Task

_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)")
_DELETED = ("tombstone", "deleted")
_DONE = ("closed", "done", "completed")
_TEXTS = ("description", "design", "notes")


def recognises(path: str, _text: str) -> bool:
    return path.endswith(".jsonl")


def read(path: str, text: str) -> ImportedPlan:
    issues = [issue for issue in _parse_issues(path, text) if issue.text("status") not in _DELETED]
    issues.sort(key=lambda issue: issue.count("priority", 9))
    notes = []
    if any(issue.text("status") == "in_progress" for issue in issues):
        notes.append("tasks in progress there are not started here")
    return build_plan(path, (_build_task(issue) for issue in issues), notes=notes)


def _parse_issues(path: str, text: str) -> Iterator[Fields]:
    """The last line of each id counts: some tools append changes."""
    found: dict[str, Fields] = {}
    for position, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = msgspec.json.decode(line.encode("utf-8", "replace"), type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            raise UserError(
                f"`{path}`, line {position}: is not a JSON object", hint="correct or remove it"
            ) from None
        issue = Fields(path, value, {})
        found[issue.text("id") or f"line {position}"] = issue
    yield from found.values()


def _build_task(issue: Fields) -> tuple[str, Task]:
    title = issue.text("title") or issue.text("id")
    return issue.text("id") or title, Task(
        title=title,
        status="completed" if issue.text("status") in _DONE else "not_started",
        depends_on=tuple(_list_dependencies(issue.items())),
        acceptance_criteria=tuple(_parse_criteria(issue.items().get("acceptance_criteria"))),
        prompt="\n\n".join(text for field in _TEXTS if (text := issue.text(field))),
    )


def _list_dependencies(issue: Mapping[str, Value]) -> Iterator[str]:
    yield from (name for name in _as_list(issue.get("blocked_by")) if isinstance(name, str))
    for dependency in _as_list(issue.get("dependencies")):
        if isinstance(dependency, dict) and dependency.get("type", "blocks") == "blocks":
            yield str(dependency.get("depends_on_id", ""))


def _as_list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _parse_criteria(value: object) -> Iterator[str]:
    """From a list, or a text of several lines."""
    lines = value if isinstance(value, list) else str(value or "").splitlines()
    for line in lines:
        item = _ITEM.fullmatch(str(line))
        text = item["text"] if item else str(line).strip()
        if text:
            yield text
