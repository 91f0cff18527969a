"""Values of the right kind that still mean nothing: ranges, patterns, names of parsers."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from untildone.checks.parsers import PARSERS
from untildone.checks.patterns import GROUPS, explain_invalid, list_groups
from untildone.config.model import CheckSettings, Milestone, Template
from untildone.config.type_validation import (
    ConfigProblem,
    KeyPath,
    find_type_problems,
    make_problem,
)

_DAY = 86_400
_MOST = 1_000_000
Told = TypeVar("Told", bound=Struct)


def find_value_problems(own: Mapping[str, Any]) -> Iterator[ConfigProblem]:
    """Only in what is of the right kind: the rest was told already."""
    for place, check in _each(own, "checks", CheckSettings):
        yield from _check(check, place)
    for place, template in _each(own, "templates", Template):
        yield from _template(template, place)
    for place, milestone in _each(own, "milestones", Milestone):
        yield from _milestone(milestone, place)
    for place, folder in _items(own, "security_rules"):
        if isinstance(folder, str):
            yield from _inside(folder, place)


def _each(own: Mapping[str, Any], key: str, kind: type[Told]) -> Iterator[tuple[KeyPath, Told]]:
    kinds = {field.name: field.type for field in fields(kind)}
    for place, value in _items(own, key):
        if isinstance(value, dict):
            part = {
                name: item
                for name, item in value.items()
                if name in kinds and not any(find_type_problems(item, kinds[name]))
            }
            yield place, msgspec.convert(part, kind)


def _items(own: Mapping[str, Any], key: str) -> Iterator[tuple[KeyPath, object]]:
    value = own.get(key)
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for name, item in items:
        yield (key, name), item


def _check(check: CheckSettings, place: KeyPath) -> Iterator[ConfigProblem]:
    if not place[-1]:
        yield ConfigProblem(place, "the name of a check is empty")
    if not check.command.strip():
        yield ConfigProblem((*place, "command"), "`command` is missing or empty")
    if not 0 < check.timeout <= _DAY:
        allowed = f"seconds above 0, at most {_DAY}"
        yield make_problem((*place, "timeout"), check.timeout, allowed)
    yield from _inside(check.cwd, (*place, "cwd"))
    if check.parser and check.parser not in PARSERS:
        yield make_problem(
            (*place, "parser"), check.parser, ", ".join(f"`{name}`" for name in PARSERS)
        )
    if not check.replay and not check.replay_reason.strip():
        yield ConfigProblem((*place, "replay"), "`replay = false` needs a `replay_reason`")
    for key in ("success_pattern", "failure_pattern", "pattern"):
        if reason := explain_invalid(getattr(check, key)):
            yield ConfigProblem((*place, key), f"`{key}` is no regular expression: {reason}")
        elif key == "pattern" and check.pattern:
            yield from _groups(check.pattern, (*place, key))


def _groups(pattern: str, place: KeyPath) -> Iterator[ConfigProblem]:
    named = list_groups(pattern)
    strange = ", ".join(f"`{name}`" for name in named if name not in GROUPS)
    if strange or "text" not in named:
        what = f"names the group {strange}" if strange else "names no group `text`"
        listed = ", ".join(f"`(?P<{name}>…)`" for name in GROUPS)
        yield ConfigProblem(place, f"`pattern` {what}; allowed: {listed}")


def _inside(folder: str, place: KeyPath) -> Iterator[ConfigProblem]:
    """On every system alike: the file travels with the repository."""
    parts = (*PurePosixPath(folder).parts, *PureWindowsPath(folder).parts)
    if ".." in parts or PurePosixPath(folder).is_absolute() or PureWindowsPath(folder).anchor:
        yield make_problem(place, folder, "a folder below the file's own")


def _template(template: Template, place: KeyPath) -> Iterator[ConfigProblem]:
    for key in ("rounds", "budget", "minutes", "round_minutes", "stagnation_limit"):
        value = getattr(template, key)
        if value is not None and not 0 <= value <= _MOST:
            yield make_problem((*place, key), value, f"0, which is no bound, to {_MOST}")
    if template.rounds == 0 and template.budget == 0:
        yield ConfigProblem(
            (*place, "rounds"), "`rounds` and `budget` are both 0: a loop needs a bound"
        )
    for key in ("checks", "commands", "promises", "criteria", "must_not"):
        if not all(text.strip() for text in getattr(template, key)):
            yield ConfigProblem((*place, key), f"`{key}` holds an empty text")


def _milestone(milestone: Milestone, place: KeyPath) -> Iterator[ConfigProblem]:
    if not milestone.on:
        yield ConfigProblem((*place, "on"), "`on` is missing or empty")
    if bool(milestone.run.strip()) == bool(milestone.notify.strip()):
        yield ConfigProblem(place, "a milestone has either `run` or `notify`")
