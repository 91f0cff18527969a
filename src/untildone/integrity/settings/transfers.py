"""Settings that one file takes over from another, or one tool from the tool it succeeds."""

import re
from collections.abc import Iterable, Iterator

from untildone.commands.ci import find_ci_commands, is_ci_file
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.named_checks import find_named_checks
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import Scalar, Settings, parse_settings, tool_of

# What flake8 is told, and where ruff is told the same; the second place only adds to the first.
_SUCCEEDED = {
    "flake8.select": ("ruff.lint.select", "ruff.lint.extend-select"),
    "flake8.extend-select": ("ruff.lint.select", "ruff.lint.extend-select"),
    "flake8.ignore": ("ruff.lint.ignore", "ruff.lint.extend-ignore"),
    "flake8.extend-ignore": ("ruff.lint.ignore", "ruff.lint.extend-ignore"),
    "flake8.exclude": ("ruff.exclude", "ruff.extend-exclude"),
    "flake8.extend-exclude": ("ruff.exclude", "ruff.extend-exclude"),
    "flake8.max-line-length": ("ruff.line-length",),
    "flake8.max-complexity": ("ruff.lint.mccabe.max-complexity",),
}
_PER_FILE = "flake8.per-file-ignores"
# Their settings say what to start: where nothing starts them, nothing is started less.
_STARTERS = re.compile(r"(tox|testenv)\b")


def find_given_up_settings(compared: Comparison, path: str, others: Iterable[str]) -> Settings:
    """What other files of the start said, and no longer do, of tools this file is new to."""
    own = {tool_of(key) for key in parse_settings(path, compared.old.text(path))}
    found: Settings = {}
    for other in others:
        if other == path or compared.old.entries.get(other) == compared.new.entries.get(other):
            continue
        now = parse_settings(other, compared.new.text(other))
        gone = {
            key: values
            for key, values in parse_settings(other, compared.old.text(other)).items()
            if key not in now
        }
        found.update({**_in_new_words(compared, gone), **gone})
    return {key: values for key, values in found.items() if tool_of(key) not in own}


def translate_to_former_tool(compared: Comparison, settings: Settings) -> Settings:
    """As the tool that came before would be told it."""
    if not _names(settings, "ruff") or _is_called(compared, "flake8"):
        return {}
    found: Settings = {}
    for name, places in _SUCCEEDED.items():
        said = [value for place in places for value in settings.get(place, ())]
        if said:
            found[name] = tuple(said)
    return found


def is_abandoned_tool(compared: Comparison, key: str, settings: Iterable[str]) -> bool:
    """The tool has no settings any more, and no check starts it."""
    if not _STARTERS.match(key) or any(map(_STARTERS.match, settings)):
        return False
    return not _is_called(compared, "tox")


def _in_new_words(compared: Comparison, gone: Settings) -> Settings:
    if not _names(gone, "flake8") or _is_called(compared, "flake8"):
        return {}
    found: dict[str, list[Scalar]] = {}
    for name, places in _SUCCEEDED.items():
        for place in places if name in gone else ():
            found.setdefault(place, []).extend(gone[name])
    for pattern, rule in _by_file(gone.get(_PER_FILE, ())):
        found.setdefault(f"ruff.lint.per-file-ignores.{pattern}", []).append(rule)
    return {key: tuple(values) for key, values in found.items()}


def _by_file(values: Iterable[object]) -> Iterator[tuple[str, str]]:
    """`tests/*:E501,F401` was taken apart at its comma."""
    pattern = ""
    for each in map(str, values):
        before, colon, after = each.rpartition(":")
        pattern = before.strip() if colon else pattern
        yield pattern, after.strip()


def _names(settings: Settings, tool: str) -> bool:
    return any(tool_of(key) == tool for key in settings)


def _is_called(compared: Comparison, program: str) -> bool:
    tree = compared.new
    of_ci = (
        each for path in tree if is_ci_file(path) for each in find_ci_commands(tree.text(path))
    )
    commands = dict.fromkeys((*compared.commands, *find_named_checks(tree), *of_ci))
    return any(
        program in call[:4] for command in commands for call in find_deciding_calls(tree, command)
    )
