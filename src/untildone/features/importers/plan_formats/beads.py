"""Issues one by line, as beads and ralph-orchestrator keep them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from untildone.errors import UserError
from untildone.features.importers.formats.fields import Fields, Value
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan
from untildone.features.plans.model import Task

_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)")
_GONE = ("tombstone", "deleted")
_DONE = ("closed", "done", "completed")


def recognises(path: str, _text: str) -> bool:
    return path.endswith(".jsonl")


def plan(path: str, text: str) -> ImportedPlan:
    issues = [issue for issue in _issues(path, text) if issue.text("status") not in _GONE]
    issues.sort(key=lambda issue: issue.count("priority", 9))
    told = []
    if any(issue.text("status") == "in_progress" for issue in issues):
        told.append("what is in progress there is not started here")
    return build_plan(path, (_task(issue) for issue in issues), told=told)


def _issues(path: str, text: str) -> Iterator[Fields]:
    """By the last line of each id: some tools append what changes."""
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


def _task(issue: Fields) -> tuple[str, Task]:
    title = issue.text("title") or issue.text("id")
    said = ("description", "design", "notes")
    return issue.text("id") or title, Task(
        title=title,
        status="completed" if issue.text("status") in _DONE else "not_started",
        depends_on=tuple(_needs(issue.items())),
        acceptance_criteria=tuple(_criteria(issue.items().get("acceptance_criteria"))),
        prompt="\n\n".join(text for field in said if (text := issue.text(field))),
    )


def _needs(issue: Mapping[str, Value]) -> Iterator[str]:
    yield from (each for each in _list(issue.get("blocked_by")) if isinstance(each, str))
    for each in _list(issue.get("dependencies")):
        if isinstance(each, dict) and each.get("type", "blocks") == "blocks":
            yield str(each.get("depends_on_id", ""))


def _list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _criteria(value: object) -> Iterator[str]:
    """A text of several lines, or a list."""
    lines = value if isinstance(value, list) else str(value or "").splitlines()
    for line in lines:
        item = _ITEM.fullmatch(str(line))
        text = item["text"] if item else str(line).strip()
        if text:
            yield text
