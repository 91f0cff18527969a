"""prd.json of snarktank's ralph, ralph-tui and iannuttall's ralph: stories by priority."""

from collections.abc import Iterator
from typing import Any

from untildone.errors import UserError
from untildone.features.importers.fields import Fields
from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.plan_formats.plan_format import (
    ImportedPlan,
    build_plan,
    chain_tasks,
)
from untildone.features.plans.plan import Task

_LISTS = ("userStories", "stories")
_LAST = 1_000_000


def recognises(path: str, _text: str) -> bool:
    return path.endswith(".json")


def read(path: str, text: str) -> ImportedPlan:
    fields = parse_json_object(path, text.encode())
    stories = sorted(_parse_stories(path, fields), key=lambda story: story.count("priority", _LAST))
    found = [_build_task(story, fields.texts("qualityGates")) for story in stories]
    notes = []
    if not any(story.has("dependsOn") for story in stories):
        found = chain_tasks(found)
        notes.append("no story names another: each depends on the one before")
    feature = fields.text("project") or fields.text("name")
    return build_plan(path, found, feature=feature, notes=(*notes, *fields.defaults))


def _parse_stories(path: str, fields: Fields) -> Iterator[Fields]:
    values: Any = next((fields.items()[name] for name in _LISTS if fields.has(name)), None)
    if not isinstance(values, list):
        raise UserError(f"`{path}` has no `userStories`", hint="name a prd.json")
    for position, value in enumerate(values, 1):
        if not isinstance(value, dict):
            raise UserError(f"`{path}`: story {position} is not an object", hint="correct it")
        story = Fields(path, value, {})
        story.defaults = fields.defaults
        yield story


def _build_task(story: Fields, gates: tuple[str, ...]) -> tuple[str, Task]:
    title = story.text("title") or story.text("description") or story.text("id")
    done = story.flag("passes", False) or story.text("status") in ("done", "completed")
    texts = (story.text("description"), story.text("notes"))
    return story.text("id") or title, Task(
        title=title,
        status="completed" if done else "not_started",
        depends_on=story.texts("dependsOn"),
        acceptance_criteria=story.texts("acceptanceCriteria"),
        prompt="\n\n".join(text for text in texts if text),
        checks=gates,
    )
