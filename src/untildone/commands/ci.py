"""Commands in the files of continuous integration, such as `.github/workflows/test.yml`.

- run: pytest                   # a command that can fail the run
- run: mypy .                   # none: its failure is ignored
  continue-on-error: true
"""

from collections.abc import Iterator

import yaml

from untildone.core.late_patterns import compile_late
from untildone.syntax.yaml_text import load_yaml
from untildone.words import words

_CI_FILE = compile_late(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|\.travis\.ya?ml"
    r"|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.woodpecker.*\.ya?ml|appveyor\.ya?ml"
    r"|\.buildkite/[^/]+\.ya?ml|Taskfile\.ya?ml"
)
_COMMAND_KEYS = words("run script before_script after_script command commands cmds")


def is_ci_file(path: str) -> bool:
    """Say whether a CI system reads the file, by its path."""
    return _CI_FILE.fullmatch(path) is not None


def find_ci_commands(text: str) -> Iterator[str]:
    """Yield the commands of the steps that can fail the run; none if the text is no YAML."""
    try:
        yield from _find_commands(load_yaml(text), seen=set())
    except (yaml.YAMLError, ValueError, RecursionError):
        return


def _find_commands(value: object, *, seen: set[int], is_command: bool = False) -> Iterator[str]:
    """Yield the texts under command keys at any depth; `is_command` says that `value` is under one.

    A YAML alias is the same object again: `seen` holds the ids of the objects walked so far.
    """
    if isinstance(value, str):
        if is_command:
            yield value
    elif id(value) not in seen:
        seen.add(id(value))
        if isinstance(value, dict):
            is_off = value.get("continue-on-error") is True or value.get("if") in (False, "false")
            for key, inner in () if is_off else value.items():
                yield from _find_commands(inner, seen=seen, is_command=key in _COMMAND_KEYS)
        elif isinstance(value, list):
            for inner in value:
                yield from _find_commands(inner, seen=seen, is_command=is_command)
