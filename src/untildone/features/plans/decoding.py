"""Decodes a plan and reports every field of the wrong type and every repeated key."""

import json
from collections.abc import Iterator
from typing import Any, NoReturn, get_type_hints

import msgspec
from msgspec import Struct

from untildone.errors import UserError
from untildone.features.plans.plan import Mistake, Plan, Task

_Object = dict[str, Any]
_REMEDY = "correct it; `untildone plan init` writes a plan to compare with"


def decode_plan(path: str, text: str) -> tuple[Plan, tuple[Mistake, ...]]:
    """What can be read of the plan, and the mistakes; a field with a mistake has its default."""
    repeated: list[tuple[_Object, list[str]]] = []
    raw = _load(path, text, repeated)
    known = raw.get("tasks")
    tasks = known if isinstance(known, dict) else {}
    mistakes = [*_find_repeated(raw, tasks, repeated)]
    if not isinstance(known, dict):
        kind = "missing" if known is None else "not an object of tasks by their ids"
        mistakes.append(Mistake(text=f"`tasks` is {kind}", remedy=_REMEDY))
    rest = {key: value for key, value in raw.items() if key != "tasks"}
    plan = Plan(
        tasks={name: _decode_task(name, value, mistakes) for name, value in tasks.items()},
        **_decode_fields(Plan, rest, "", mistakes),
    )
    return plan, tuple(mistakes)


def _load(path: str, text: str, repeated: list[tuple[_Object, list[str]]]) -> _Object:
    def note_repeated(pairs: list[tuple[str, object]]) -> _Object:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            # Kept with the object: its place is known only after everything is read.
            repeated.append((found, sorted({name for name in names if names.count(name) > 1})))
        return found

    try:
        value = json.loads(text, object_pairs_hook=note_repeated, parse_constant=_refuse_constant)
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
    raise ValueError(f"{name} is not a number")


def _find_repeated(
    raw: _Object, tasks: _Object, repeated: list[tuple[_Object, list[str]]]
) -> Iterator[Mistake]:
    """A mistake for each repeated key, with the task that has it."""
    owners = {id(value): name for name, value in tasks.items()}
    for found, keys in repeated:
        for key in keys:
            if found is tasks:
                yield Mistake(task=key, text="appears twice", remedy="leave one of them")
                continue
            task = owners.get(id(found), "")
            where = "" if task or found is raw else " in a list or object inside it"
            yield Mistake(
                task=task, text=f"`{key}` appears twice{where}", remedy="leave one of them"
            )


def _decode_task(name: str, value: object, mistakes: list[Mistake]) -> Task:
    """The task; its mistakes are added to `mistakes`."""
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
    kind: type[Struct], value: _Object, task: str, mistakes: list[Mistake]
) -> _Object:
    """The fields that have the right type."""
    types = get_type_hints(kind, include_extras=True)
    found: _Object = {}
    for field in kind.__struct_fields__:
        if field not in value:
            continue
        try:
            found[field] = msgspec.convert(value[field], types[field])
        except msgspec.ValidationError as error:
            reason, _, place = str(error).partition(" - at ")
            inner = place.strip("`").removeprefix("$")
            text = f"`{field}{inner}`: {reason[:1].lower()}{reason[1:]}"
            mistakes.append(Mistake(task=task, text=text, remedy=_REMEDY))
    return found
