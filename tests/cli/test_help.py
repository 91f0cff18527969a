"""The help of every command, and where its data is described."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import click
import pytest

from untildone.cli.main import cli

JSON = Path(__file__).parents[2] / "docs" / "json.md"
Named: TypeAlias = tuple[str, click.Command]


def every_command(group: click.Group = cli, path: str = "untildone") -> Iterator[Named]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from every_command(command, f"{path} {name}")
        elif command is not None and not command.hidden:
            yield f"{path} {name}", command


EVERY = [pytest.param(path, command, id=path) for path, command in every_command()]


@pytest.mark.parametrize(("path", "command"), EVERY)
def test_help_has_an_example_and_a_word_on_each_option(path: str, command: click.Command) -> None:
    options = [param for param in command.params if isinstance(param, click.Option)]

    assert f"\n{path}" in inspect.cleandoc(command.help or "")
    assert [option.name for option in options if not (option.help or option.hidden)] == []


@pytest.mark.parametrize(("path", "command"), EVERY)
def test_the_data_of_each_command_is_described(path: str, command: click.Command) -> None:
    prints = any("--json" in param.opts for param in command.params)
    described = JSON.read_text(encoding="utf-8")

    assert not prints or f"`{path.removeprefix('untildone ')} --json`" in described
