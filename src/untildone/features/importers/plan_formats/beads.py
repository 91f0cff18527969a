"""beads and ralph-orchestrator: one issue per line, as JSON; each becomes a task.

{"id": "bd-1", "title": "Parse dates", "status": "open", "priority": 1, "blocked_by": ["bd-2"]}
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from untildone.errors import UserError
from untildone.features.importers.fields import Fields
from untildone.features.importers.plan_formats.plan_format import ImportedPlan, build_plan
from untildone.features.plans.plan import Task

# An item of a list: "- Parse dates", "2. Parse dates", "- [x] Parse dates".
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)")
_DELETED = ("tombstone", "deleted")
# Issues without a priority come last; beads has 0 to 4.
_LAST_PRIORITY = 9
_DONE = ("closed", "done", "completed")
_PROMPT_FIELDS = ("description", "design", "notes")


def recognises(path: str, _text: str) -> bool:
    return path.endswith(".jsonl")


def read_plan(path: str, text: str) -> ImportedPlan:
    issues = [issue for issue in _parse_issues(path, text) if issue.text("status") not in _DELETED]
    issues.sort(key=lambda issue: issue.count("priority", _LAST_PRIORITY))
    notes = []
    if any(issue.text("status") == "in_progress" for issue in issues):
        notes.append("tasks in progress there are not started here")
    return build_plan(path, (_build_task(issue) for issue in issues), notes=notes)


def _parse_issues(path: str, text: str) -> Iterator[Fields]:
    """Yield the issues; of lines with the same id the last counts: some tools append changes."""
    issues: dict[str, Fields] = {}
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
        issues[issue.text("id") or f"line {position}"] = issue
    yield from issues.values()


def _build_task(issue: Fields) -> tuple[str, Task]:
    """Return the id of an issue and its task."""
    title = issue.text("title") or issue.text("id")
    return issue.text("id") or title, Task(
        title=title,
        status="completed" if issue.text("status") in _DONE else "not_started",
        depends_on=tuple(_list_dependencies(issue)),
        acceptance_criteria=tuple(_parse_criteria(issue.items().get("acceptance_criteria"))),
        prompt="\n\n".join(text for field in _PROMPT_FIELDS if (text := issue.text(field))),
    )


def _list_dependencies(issue: Fields) -> Iterator[str]:
    """Yield the ids of the issues that block this one: in ralph-orchestrator, then in beads."""
    yield from issue.texts("blocked_by")
    dependencies = issue.items().get("dependencies")
    for dependency in dependencies if isinstance(dependencies, list) else ():
        if isinstance(dependency, dict) and dependency.get("type", "blocks") == "blocks":
            yield str(dependency.get("depends_on_id", ""))


def _parse_criteria(value: object) -> Iterator[str]:
    """Yield the criteria of a list, or of a text with one per line, without their bullets."""
    lines = value if isinstance(value, list) else str(value or "").splitlines()
    for line in lines:
        item = _ITEM.fullmatch(str(line))
        text = item["text"] if item else str(line).strip()
        if text:
            yield text
