"""ShipSpec: a loop on one task, on a feature, or on the large tasks of a plan.

Its three versions keep the state of a loop in different files:

    1  .claude/shipspec-task-loop.local.md: fields, the prompt below them
    2  .shipspec/active-loop.local.md, a pointer (`state_path: …`) to a state file like that of 1
    3  .shipspec/active-loop.local.json, a pointer to a JSON state; the prompt is in `TASKS.json`
"""

import re

from untildone.errors import UserError
from untildone.features.importers.fields import Fields
from untildone.features.importers.file_parsing import parse_front_matter, parse_json_object
from untildone.features.importers.formats import loop_format

# The kinds of loops, which are in the names of their files, and what ends each.
_PROMISES = {
    "task-loop": ("<task-loop-complete>VERIFIED</task-loop-complete>",),
    "feature-retry": (
        "<feature-task-complete>VERIFIED</feature-task-complete>",
        "<feature-complete>APPROVED</feature-complete>",
        "<feature-complete>APPROVED_WITH_WARNINGS</feature-complete>",
    ),
    "planning-refine": ("<planning-refine-complete>",),
}
_STATE_FILES = tuple(
    f".shipspec/planning/*/{kind}.local.{ending}" for kind in _PROMISES for ending in ("json", "md")
)
PATHS = (
    ".shipspec/active-loop.local.json",
    ".shipspec/active-loop.local.md",
    *(f".claude/shipspec-{kind}.local.md" for kind in _PROMISES),
    *_STATE_FILES,
)
# The loop of a state file to which no pointer leads is over.
AT_STOPS = tuple(path for path in PATHS if path not in _STATE_FILES)
# A promise in the prompt itself:
# ## Completion Promise
# <promise>TASK-001 done</promise>
_PROMPT_PROMISE = re.compile(
    r"(?m)^## Completion Promise\s*\n+(?:<promise>)?(?P<text>\S.*?)(?:</promise>)?$"
)


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    if source.path.endswith(".json"):
        fields, body = parse_json_object(source.path, source.data), ""
    else:
        fields, body = parse_front_matter(source.path, source.data)
    name = source.path.rpartition("/")[2]
    if "active-loop" in name:
        return _follow_pointer(source, fields)
    kind = next((kind for kind in _PROMISES if kind in name), "task-loop")
    feature = fields.text("feature")
    task = fields.text("task_id") or fields.text("current_task_id")
    prompt = body or _find_prompt(source, feature, task)
    prompt_promises = [text.strip() for text in _PROMPT_PROMISE.findall(prompt)[:1]]
    is_retry = kind == "feature-retry"
    plan_file = "" if body or kind == "planning-refine" else _find_plan_file(source, feature)
    return loop_format.ImportedLoop(
        task=prompt or _describe_loop(kind, feature, task, fields.texts("large_tasks")),
        counter_file=source.path,
        promises=(*_PROMISES[kind], *prompt_promises),
        active=fields.flag("active", True),
        plan_file=plan_file,
        plan_task=task if plan_file and not is_retry else "",
        **loop_format.read_shared_fields(
            fields,
            counter_key="task_attempt" if is_retry else "iteration",
            rounds_key="max_task_attempts" if is_retry else "max_iterations",
            rounds=3 if kind == "planning-refine" else 5,
        ),
    )


def _follow_pointer(source: loop_format.Source, fields: Fields) -> loop_format.ImportedLoop:
    """Return the loop of the state file that the pointer names; another pointer is refused."""
    path = fields.text("state_path")
    data = source.read_other_file(path) if path and "active-loop" not in path else None
    if data is None:
        raise fields.make_error(
            "state_path",
            f"`{path}` is not a file of the project" if path else "is missing",
            hint="name the state file itself",
        )
    return read_loop(
        loop_format.Source(path=path, data=data, read_other_file=source.read_other_file)
    )


def _find_plan_file(source: loop_format.Source, feature: str) -> str:
    """Return the path of the feature's plan; empty if there is none in the project."""
    path = f".shipspec/planning/{feature}/TASKS.json"
    return path if feature and source.read_other_file(path) is not None else ""


def _find_prompt(source: loop_format.Source, feature: str, task: str) -> str:
    """Return the prompt of a task in the feature's `TASKS.json`; empty if there is none."""
    path = _find_plan_file(source, feature)
    data = source.read_other_file(path) if path and task else None
    if data is None:
        return ""
    try:
        return parse_json_object(path, data).group("tasks").group(task).text("prompt")
    except UserError:
        # A broken plan does not end the loop: the task's id is enough to go on.
        return ""


def _describe_loop(kind: str, feature: str, task: str, large_tasks: tuple[str, ...]) -> str:
    """Return the text of the task for a loop without a prompt."""
    plan = f"`.shipspec/planning/{feature}/`" if feature else "the plan"
    if kind == "planning-refine":
        tasks = f" ({', '.join(large_tasks)})" if large_tasks else ""
        return f"Split the tasks over 5 points{tasks} of {plan} into smaller ones."
    subject = f"`{task}` of {plan}" if task else plan
    return f"Implement {subject} and verify its acceptance criteria."
