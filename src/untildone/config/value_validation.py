"""Which values are of the right type but invalid: ranges, patterns, names of parsers."""

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from untildone.checks.parsers import PARSERS
from untildone.checks.patterns import GROUPS, explain_invalid, list_groups
from untildone.config.key_lines import KeyPath, list_items
from untildone.config.schema import QUIET_HOURS, Milestone, Template
from untildone.config.type_validation import ConfigProblem, find_type_problems, make_problem
from untildone.core.contract import CheckSettings

_SECONDS_OF_A_DAY = 86_400
_LARGEST_BOUND = 1_000_000
Entry = TypeVar("Entry", bound=Struct)


def find_value_problems(settings: Mapping[str, Any]) -> Iterator[ConfigProblem]:
    """Yield invalid values; those of the wrong type are left to `find_type_problems`."""
    checks = dict(_convert_entries(settings, "checks", CheckSettings))
    for path, check in checks.items():
        yield from _validate_check(check, path)
    yield from _validate_order({str(path[-1]): check for path, check in checks.items()})
    for path, template in _convert_entries(settings, "templates", Template):
        yield from _validate_template(template, path)
    for path, milestone in _convert_entries(settings, "milestones", Milestone):
        yield from _validate_milestone(milestone, path)
    notify = settings.get("notify")
    if isinstance(notify, dict):
        yield from _validate_notify(notify)
    for number, folder in list_items(settings.get("security_rules")):
        if isinstance(folder, str):
            yield from _validate_folder(folder, ("security_rules", number))


def _convert_entries(
    settings: Mapping[str, Any], key: str, kind: type[Entry]
) -> Iterator[tuple[KeyPath, Entry]]:
    """Yield the entries as structs, without the values of the wrong type."""
    types = {field.name: field.type for field in fields(kind)}
    for name, value in list_items(settings.get(key)):
        if isinstance(value, dict):
            valid = {
                field: item
                for field, item in value.items()
                if field in types and not any(find_type_problems(item, types[field]))
            }
            yield (key, name), msgspec.convert(valid, kind)


def _validate_check(check: CheckSettings, path: KeyPath) -> Iterator[ConfigProblem]:
    if not path[-1]:
        yield ConfigProblem(path, "the name of a check is empty")
    if not check.command.strip() and not check.skip:
        yield ConfigProblem((*path, "command"), "`command` is missing or empty")
    if check.timeout is not None and not 0 < check.timeout <= _SECONDS_OF_A_DAY:
        allowed = f"seconds above 0, at most {_SECONDS_OF_A_DAY}"
        yield make_problem((*path, "timeout"), check.timeout, allowed)
    yield from _validate_folder(check.cwd, (*path, "cwd"))
    if check.parser and check.parser not in PARSERS:
        names = ", ".join(f"`{name}`" for name in PARSERS)
        yield make_problem((*path, "parser"), check.parser, names)
    if not check.replay and not check.replay_reason.strip():
        yield ConfigProblem((*path, "replay"), "`replay = false` needs a `replay_reason`")
    for key in ("success_pattern", "failure_pattern", "pattern"):
        if reason := explain_invalid(getattr(check, key)):
            yield ConfigProblem((*path, key), f"`{key}` is not a regular expression: {reason}")
        elif key == "pattern" and check.pattern:
            yield from _validate_groups(check.pattern, (*path, key))


def _validate_order(checks: Mapping[str, CheckSettings]) -> Iterator[ConfigProblem]:
    """Yield a problem for each `after` that names no check of the file, and for circles."""
    for name, check in checks.items():
        for other in check.after:
            if other not in checks or other == name:
                allowed = ", ".join(f"`{known}`" for known in checks if known != name)
                yield make_problem(("checks", name, "after"), other, allowed or "no other check")
    try:
        TopologicalSorter({name: check.after for name, check in checks.items()}).prepare()
    except CycleError as error:
        circle = list(map(str, error.args[1]))
        text = f"the checks come after each other: {' → '.join(circle)}"
        yield ConfigProblem(("checks", circle[0], "after"), text)


def _validate_groups(pattern: str, path: KeyPath) -> Iterator[ConfigProblem]:
    groups = list_groups(pattern)
    unknown = ", ".join(f"`{name}`" for name in groups if name not in GROUPS)
    if unknown or "text" not in groups:
        problem = f"names the group {unknown}" if unknown else "names no group `text`"
        allowed = ", ".join(f"`(?P<{name}>…)`" for name in GROUPS)
        yield ConfigProblem(path, f"`pattern` {problem}; allowed: {allowed}")


def _validate_folder(folder: str, path: KeyPath) -> Iterator[ConfigProblem]:
    """Refuse a folder outside, by the rules of all systems, because the file is shared."""
    parts = (*PurePosixPath(folder).parts, *PureWindowsPath(folder).parts)
    if ".." in parts or PurePosixPath(folder).is_absolute() or PureWindowsPath(folder).anchor:
        yield make_problem(path, folder, "a folder below the file's own")


def _validate_template(template: Template, path: KeyPath) -> Iterator[ConfigProblem]:
    for key in ("rounds", "budget", "minutes", "round_minutes", "stagnation_limit"):
        value = getattr(template, key)
        if value is not None and not 0 <= value <= _LARGEST_BOUND:
            yield make_problem((*path, key), value, f"0, which is no bound, to {_LARGEST_BOUND}")
    if template.rounds == 0 and template.budget == 0:
        text = "`rounds` and `budget` are both 0: a loop needs a bound"
        yield ConfigProblem((*path, "rounds"), text)
    for key in ("checks", "commands", "promises", "criteria", "must_not"):
        if not all(text.strip() for text in getattr(template, key)):
            yield ConfigProblem((*path, key), f"`{key}` holds an empty text")


def _validate_milestone(milestone: Milestone, path: KeyPath) -> Iterator[ConfigProblem]:
    if not milestone.on:
        yield ConfigProblem((*path, "on"), "`on` is missing or empty")
    if bool(milestone.run.strip()) == bool(milestone.notify.strip()):
        yield ConfigProblem(path, "a milestone has either `run` or `notify`")


def _validate_notify(notify: Mapping[str, Any]) -> Iterator[ConfigProblem]:
    for number, address in list_items(notify.get("to")):
        if isinstance(address, str) and not address.strip():
            yield ConfigProblem(("notify", "to", number), "`to` holds an empty text")
    quiet = notify.get("quiet")
    if isinstance(quiet, str) and quiet and not QUIET_HOURS.fullmatch(quiet):
        yield make_problem(("notify", "quiet"), quiet, "two times such as `22:00-07:00`")
