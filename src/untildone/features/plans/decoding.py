"""Decodes the JSON of a plan that may have mistakes, and reports all of them at once.

A mistake is a field of the wrong type, a missing title, or a key that appears twice in an object
(JSON readers would silently keep the last one). Rules about right values are in `plan_rules`.
"""

import json
from collections.abc import Iterator
from typing import Any, NoReturn, get_type_hints

import msgspec
from msgspec import Struct

from untildone.errors import UserError
from untildone.features.plans.plan import Mistake, Plan, Task

_Object = dict[str, Any]
# Each object in which keys appear twice, and those keys.
_RepeatedKeys = list[tuple[_Object, list[str]]]
_REMEDY = "correct it; `untildone plan init` writes a plan to compare with"


def decode_plan(path: str, text: str) -> tuple[Plan, tuple[Mistake, ...]]:
    """Return the plan and its mistakes; a field with a mistake has its default in the plan."""
    repeated: _RepeatedKeys = []
    raw = _load_json(path, text, repeated)
    raw_tasks = raw.get("tasks")
    tasks = raw_tasks if isinstance(raw_tasks, dict) else {}
    mistakes = [*_find_repeated_keys(raw, tasks, repeated)]
    if not isinstance(raw_tasks, dict):
        problem = "missing" if raw_tasks is None else "not an object of tasks by their ids"
        mistakes.append(Mistake(text=f"`tasks` is {problem}", remedy=_REMEDY))
    other_fields = {key: value for key, value in raw.items() if key != "tasks"}
    plan = Plan(
        tasks={name: _decode_task(name, value, mistakes) for name, value in tasks.items()},
        **_decode_fields(Plan, other_fields, "", mistakes),
    )
    return plan, tuple(mistakes)


def _load_json(path: str, text: str, repeated: _RepeatedKeys) -> _Object:
    """Return the JSON object and add its repeated keys to `repeated`.

    Raises UserError if the text is not JSON or not an object; `path` is for the message.
    """

    def build_object(pairs: list[tuple[str, object]]) -> _Object:
        value = dict(pairs)
        if len(value) < len(pairs):
            keys = [key for key, _ in pairs]
            # With the object itself: which task it is is known only after everything is read.
            repeated.append((value, sorted({key for key in keys if keys.count(key) > 1})))
        return value

    try:
        value = json.loads(text, object_pairs_hook=build_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        where = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        reason = str(error).partition(": line")[0].lower()
        raise UserError(
            f"`{path}`{where}: is not JSON ({reason})", hint="correct it and try again"
        ) from None
    if not isinstance(value, dict):
        raise UserError(f"`{path}` is not a JSON object", hint=_REMEDY)
    return value


def _refuse_constant(name: str) -> NoReturn:
    """Refuse `NaN` and `Infinity`, which Python reads though they are not JSON."""
    raise ValueError(f"{name} is not a number")


def _find_repeated_keys(raw: _Object, tasks: _Object, repeated: _RepeatedKeys) -> Iterator[Mistake]:
    """Yield a mistake for each repeated key, with the task that has it."""
    # By identity: two tasks may be equal.
    task_ids = {id(value): name for name, value in tasks.items()}
    for json_object, keys in repeated:
        for key in keys:
            # Here the repeated key is itself a task's id.
            if json_object is tasks:
                yield Mistake(task=key, text="appears twice", remedy="leave one of them")
                continue
            task = task_ids.get(id(json_object), "")
            where = "" if task or json_object is raw else " in a list or object inside it"
            yield Mistake(
                task=task, text=f"`{key}` appears twice{where}", remedy="leave one of them"
            )


def _decode_task(name: str, value: object, mistakes: list[Mistake]) -> Task:
    """Return the task and add its mistakes to `mistakes`."""
    if not isinstance(value, dict):
        mistakes.append(Mistake(task=name, text="is not an object", remedy=_REMEDY))
        value = {"title": name}
    if "title" not in value:
        mistakes.append(
            Mistake(task=name, text="has no title", remedy="say in `title` what it is about")
        )
    fields = _decode_fields(Task, value, name, mistakes)
    return Task(title=fields.pop("title", name), **fields)


def _decode_fields(
    struct: type[Struct], value: _Object, task: str, mistakes: list[Mistake]
) -> _Object:
    """Return the fields that have the right type and add a mistake for each other field."""
    types = get_type_hints(struct, include_extras=True)
    decoded: _Object = {}
    for field in struct.__struct_fields__:
        if field not in value:
            continue
        try:
            decoded[field] = msgspec.convert(value[field], types[field])
        except msgspec.ValidationError as error:
            # "Expected `int`, got `str` - at `$[0]`" becomes "`points[0]`: expected `int`, got …".
            reason, _, place = str(error).partition(" - at ")
            inner_path = place.strip("`").removeprefix("$")
            text = f"`{field}{inner_path}`: {reason[:1].lower()}{reason[1:]}"
            mistakes.append(Mistake(task=task, text=text, remedy=_REMEDY))
    return decoded
