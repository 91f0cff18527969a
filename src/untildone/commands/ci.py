"""Commands in the files of continuous integration."""

import re
from collections.abc import Iterator

import yaml

_FILE = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|\.travis\.ya?ml"
    r"|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.woodpecker.*\.ya?ml|appveyor\.ya?ml"
    r"|\.buildkite/[^/]+\.ya?ml|Taskfile\.ya?ml"
)
_COMMAND_KEYS = frozenset(
    ("run", "script", "before_script", "after_script", "command", "commands", "cmds")
)


def is_ci_file(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


def find_ci_commands(text: str) -> Iterator[str]:
    """Yield the commands of the steps that can fail the run."""
    try:
        yield from _find_step_commands(yaml.safe_load(text), set())
    except (yaml.YAMLError, ValueError, RecursionError):
        return


def _find_step_commands(value: object, seen: set[int]) -> Iterator[str]:
    # A YAML alias is the same object again.
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict):
        cannot_fail = value.get("continue-on-error") is True or value.get("if") in (False, "false")
        for key, inner in () if cannot_fail else value.items():
            yield from (_find_command_texts if key in _COMMAND_KEYS else _find_step_commands)(
                inner, seen
            )
    elif isinstance(value, list):
        for inner in value:
            yield from _find_step_commands(inner, seen)


def _find_command_texts(value: object, seen: set[int]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and id(value) not in seen:
        seen.add(id(value))
        for inner in value:
            yield from _find_command_texts(inner, seen)
    elif isinstance(value, dict):
        yield from _find_step_commands(value, seen)
