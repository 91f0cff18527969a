"""prd.json of snarktank's ralph, ralph-tui and iannuttall's ralph: stories become tasks.

{"project": "Dates", "userStories": [
    {"id": "US-1", "title": "Parse dates", "priority": 1, "passes": false}]}
"""

from collections.abc import Iterator
from typing import Any

from untildone.errors import UserError
from untildone.features.importers.fields import Fields
from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.plan_formats import plan_format
from untildone.features.plans.plan import Task

# Keys of the list of stories: the first that is there counts.
_STORY_LISTS = ("userStories", "stories")
# Stories without a priority come last.
_LAST_PRIORITY = 1_000_000


def recognises(path: str, _text: str) -> bool:
    return path.endswith(".json")


def read_plan(path: str, text: str) -> plan_format.ImportedPlan:
    fields = parse_json_object(path, text.encode())
    stories = list(_parse_stories(path, fields))
    stories.sort(key=lambda story: story.count("priority", _LAST_PRIORITY))
    tasks = [_build_task(story, fields.texts("qualityGates")) for story in stories]
    notes = []
    if not any(story.has("dependsOn") for story in stories):
        tasks = list(plan_format.chain_tasks(tasks))
        notes.append("no story names another: each depends on the one before")
    feature = fields.text("project") or fields.text("name")
    return plan_format.build_plan(path, tasks, feature=feature, notes=(*notes, *fields.defaults))


def _parse_stories(path: str, fields: Fields) -> Iterator[Fields]:
    """Yield the fields of each story; messages about their defaults go to those of the file."""
    values: Any = next((fields.items()[name] for name in _STORY_LISTS if fields.has(name)), None)
    if not isinstance(values, list):
        raise UserError(f"`{path}` has no `userStories`", hint="name a prd.json")
    for position, value in enumerate(values, 1):
        if not isinstance(value, dict):
            raise UserError(f"`{path}`: story {position} is not an object", hint="correct it")
        story = Fields(path, value, {})
        story.defaults = fields.defaults
        yield story


def _build_task(story: Fields, gates: tuple[str, ...]) -> tuple[str, Task]:
    """Return the id of a story and its task; the gates of the file are checks of every task."""
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
