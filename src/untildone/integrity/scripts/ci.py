"""Commands of a continuous-integration file."""

import re
from collections.abc import Iterator

import yaml

_FILE = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|\.travis\.ya?ml"
    r"|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.woodpecker.*\.ya?ml|appveyor\.ya?ml"
    r"|\.buildkite/[^/]+\.ya?ml|Taskfile\.ya?ml"
)
_COMMANDS = frozenset(
    ("run", "script", "before_script", "after_script", "command", "commands", "cmds")
)


def is_ci(path: str) -> bool:
    return _FILE.fullmatch(path) is not None


def ci_commands(text: str) -> Iterator[str]:
    try:
        yield from _of(yaml.safe_load(text), set())
    except (yaml.YAMLError, ValueError, RecursionError):
        return


def _of(value: object, seen: set[int]) -> Iterator[str]:
    """What an alias stands for is looked at once."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, dict) and not _passed_over(value):
        for key, inner in value.items():
            yield from _texts(inner, seen) if key in _COMMANDS else _of(inner, seen)
    elif isinstance(value, list):
        for inner in value:
            yield from _of(inner, seen)


def _passed_over(step: dict[object, object]) -> bool:
    return step.get("continue-on-error") is True or step.get("if") in (False, "false")


def _texts(value: object, seen: set[int]) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and id(value) not in seen:
        seen.add(id(value))
        for each in value:
            yield from _texts(each, seen)
    elif isinstance(value, dict):
        yield from _of(value, seen)
