"""Settings that moved to another file, or to the tool that replaces the former one.

`flake8.max-line-length` of `setup.cfg` that is now `ruff.line-length` of `pyproject.toml`.
"""

from collections.abc import Iterable, Iterator

from untildone.commands.ci import find_ci_commands, is_ci_file
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.invoked_scripts import find_named_checks
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.formats import Scalar
from untildone.integrity.settings.parsing import Settings, find_tool, read_settings

# The settings of flake8, and the keys of ruff for them; the second key only adds to the first.
_RUFF_KEYS = {
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
# Sections of tox, which only say what tox runs: `[tox]`, `[testenv:lint]`
_TOX_KEY = compile_late(r"(tox|testenv)\b")


def find_given_up_settings(comparison: Comparison, path: str, others: Iterable[str]) -> Settings:
    """Return the settings that other files lost and that this file may have taken over.

    A tool that had settings in this file before did not move here.
    """
    own_tools = set(map(find_tool, read_settings(comparison.old, path)))
    found: Settings = {}
    for other in others:
        if other == path or not is_changed_file(comparison, other):
            continue
        old, new = (read_settings(tree, other) for tree in (comparison.old, comparison.new))
        lost = {key: values for key, values in old.items() if key not in new}
        found.update({**_translate_to_ruff(comparison, lost), **lost})
    return {key: values for key, values in found.items() if find_tool(key) not in own_tools}


def is_changed_file(comparison: Comparison, path: str) -> bool:
    return comparison.old.entries.get(path) != comparison.new.entries.get(path)


def translate_to_flake8(comparison: Comparison, settings: Settings) -> Settings:
    """Return settings of ruff by the keys of flake8, if no check calls flake8 any more.

    Without them every setting of a replaced flake8 would look removed.
    """
    if not _has_tool(settings, "ruff") or _is_called(comparison, "flake8"):
        return {}
    found: Settings = {}
    for name, keys in _RUFF_KEYS.items():
        values = tuple(value for key in keys for value in settings.get(key, ()))
        if values:
            found[name] = values
    return found


def is_abandoned_tox(comparison: Comparison, key: str, settings: Iterable[str]) -> bool:
    """Say whether the key is one of tox, and tox has no settings left and no check calls it.

    `settings` are the keys of the file now.
    """
    if not _TOX_KEY.match(key) or any(map(_TOX_KEY.match, settings)):
        return False
    return not _is_called(comparison, "tox")


def _translate_to_ruff(comparison: Comparison, lost: Settings) -> Settings:
    """Return lost settings of flake8 by the keys of ruff, if no check calls flake8 any more."""
    if not _has_tool(lost, "flake8") or _is_called(comparison, "flake8"):
        return {}
    found: dict[str, list[Scalar]] = {}
    for name, keys in _RUFF_KEYS.items():
        for key in keys if name in lost else ():
            found.setdefault(key, []).extend(lost[name])
    for pattern, rule in _split_per_file(lost.get(_PER_FILE, ())):
        found.setdefault(f"ruff.lint.per-file-ignores.{pattern}", []).append(rule)
    return {key: tuple(values) for key, values in found.items()}


def _split_per_file(values: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield pattern and rule; the parser has split `tests/*:E501,F401` at its comma."""
    pattern = ""
    for value in map(str, values):
        before, colon, after = value.rpartition(":")
        pattern = before.strip() if colon else pattern
        yield pattern, after.strip()


def _has_tool(settings: Settings, tool: str) -> bool:
    return any(find_tool(key) == tool for key in settings)


def _is_called(comparison: Comparison, program: str) -> bool:
    """Say whether a check, a package script, a make target or CI runs the program."""
    tree = comparison.new
    ci_commands = (
        command
        for path in tree
        if is_ci_file(path)
        for command in find_ci_commands(tree.text(path))
    )
    commands = dict.fromkeys((*comparison.commands, *find_named_checks(tree), *ci_commands))
    # A call under a condition begins with `if` and the condition.
    return any(
        program in call[:4] for command in commands for call in find_deciding_calls(tree, command)
    )
