"""ShipSpec: a pointer to the state of a loop on a task, a feature or a plan's large tasks.

The first version has one file in `.claude`, the second a pointer and a state with the prompt
below its fields, the third the same in JSON with the prompt in `TASKS.json`.
"""

import re

from untildone.errors import UserError
from untildone.features.importers.fields import Fields
from untildone.features.importers.file_parsing import parse_front_matter, parse_json_object
from untildone.features.importers.formats.loop_format import ImportedLoop, Source, read_rest

_LOOPS = ("task-loop", "feature-retry", "planning-refine")
PATHS = (
    ".shipspec/active-loop.local.json",
    ".shipspec/active-loop.local.md",
    *(f".claude/shipspec-{loop}.local.md" for loop in _LOOPS),
    *(f".shipspec/planning/*/{loop}.local.{kind}" for loop in _LOOPS for kind in ("json", "md")),
)
# A state without a pointer to it is over.
AT_STOPS = PATHS[:5]
_PROMISES = {
    "task-loop": ("<task-loop-complete>VERIFIED</task-loop-complete>",),
    "feature-retry": (
        "<feature-task-complete>VERIFIED</feature-task-complete>",
        "<feature-complete>APPROVED</feature-complete>",
        "<feature-complete>APPROVED_WITH_WARNINGS</feature-complete>",
    ),
    "planning-refine": ("<planning-refine-complete>",),
}
_PROMPT_PROMISE = re.compile(
    r"(?m)^## Completion Promise\s*\n+(?:<promise>)?(?P<text>\S.*?)(?:</promise>)?$"
)


def read(source: Source) -> ImportedLoop:
    fields, body = _parse_fields(source)
    name = source.path.rpartition("/")[2]
    if "active-loop" in name:
        return _follow_pointer(source, fields)
    loop = next((loop for loop in _LOOPS if loop in name), _LOOPS[0])
    feature = fields.text("feature")
    task = fields.text("task_id") or fields.text("current_task_id")
    prompt = body or _find_prompt(source, feature, task)
    own = _PROMPT_PROMISE.search(prompt)
    counter = "task_attempt" if loop == "feature-retry" else "iteration"
    usual = 3 if loop == "planning-refine" else 5
    bound = "max_task_attempts" if loop == "feature-retry" else "max_iterations"
    return ImportedLoop(
        task=prompt or _describe_loop(loop, feature, task, fields.texts("large_tasks")),
        counter_file=source.path,
        promises=(*_PROMISES[loop], *((own["text"].strip(),) if own else ())),
        **read_rest(fields, counter_key=counter, rounds_key=bound, rounds=usual),
    )


def _parse_fields(source: Source) -> tuple[Fields, str]:
    if source.path.endswith(".json"):
        return parse_json_object(source.path, source.data), ""
    return parse_front_matter(source.path, source.data)


def _follow_pointer(source: Source, fields: Fields) -> ImportedLoop:
    path = fields.text("state_path")
    data = source.read_other_file(path) if path and "active-loop" not in path else None
    if data is None:
        raise fields.make_error(
            "state_path",
            f"`{path}` is not a file of the project" if path else "is missing",
            hint="name the state file itself",
        )
    return read(Source(path=path, data=data, read_other_file=source.read_other_file))


def _find_prompt(source: Source, feature: str, task: str) -> str:
    path = f".shipspec/planning/{feature}/TASKS.json"
    data = source.read_other_file(path) if feature and task else None
    if data is None:
        return ""
    try:
        return parse_json_object(path, data).group("tasks").group(task).text("prompt")
    except UserError:
        # A broken plan does not end the loop: the task's id is enough to go on.
        return ""


def _describe_loop(loop: str, feature: str, task: str, large: tuple[str, ...]) -> str:
    what = f"`{task}` of " if task else ""
    plan = f"`.shipspec/planning/{feature}/`" if feature else "the plan"
    if loop == "planning-refine":
        tasks = f" ({', '.join(large)})" if large else ""
        return f"Split the tasks over 5 points{tasks} of {plan} into smaller ones."
    return f"Implement {what}{plan} and verify its acceptance criteria."
