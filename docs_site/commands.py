"""The page with every command, generated from its help."""

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from untildone.cli.main import COMMANDS, cli

_INTRODUCTION = """\
# Commands

`untildone COMMAND --help` prints the same. With commands "for the agent" an agent reports to its
[loop](concepts.md#words). There are pages about [exit codes](outcomes.md#exit-codes) and
[JSON output](json.md). This page is generated: `make commands` writes it.

| command | does |
| --- | --- |
"""


def format_page() -> str:
    root = click.Context(cli, info_name="untildone")
    rows = [
        f"| [`{name}`](#untildone-{name}) | {text} |"
        for name, (_, text) in COMMANDS.items()
        if text
    ]
    sections = [
        section
        for name, (_, text) in COMMANDS.items()
        if text
        for section in _format_command(_open_command(root, name), level=2)
    ]
    return _INTRODUCTION + "\n".join((*rows, "", "\n\n".join(sections), ""))


def _open_command(parent: click.Context, name: str) -> click.Context:
    group = parent.command
    command = group.get_command(parent, name) if isinstance(group, click.Group) else None
    if command is None:
        raise LookupError(f"{parent.command_path} has no command {name}")
    return click.Context(command, info_name=name, parent=parent)


def _format_command(context: click.Context, *, level: int) -> Iterator[str]:
    command = context.command
    yield f"{'#' * level} {context.command_path}"
    pieces = " ".join(command.collect_usage_pieces(context))
    yield f"```\n{context.command_path} {pieces}\n```"
    yield from _format_help(command.help or "")
    options = (param for param in command.params if isinstance(param, click.Option))
    records = [record for option in options if (record := option.get_help_record(context))]
    if records:
        rows = (f"| `{_escape(names)}` | {_escape(text)} |" for names, text in records)
        yield "\n".join(("| option | meaning |", "| --- | --- |", *rows))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = _open_command(context, name)
            if not inner.command.hidden:
                yield from _format_command(inner, level=level + 1)


def _format_help(text: str) -> Iterator[str]:
    """Yield its paragraphs; one that click must not wrap, marked by a backspace, is an example."""
    for paragraph in cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            example = paragraph.removeprefix("\b").strip("\n")
            yield f"For example:\n\n```\n{example}\n```"
        elif paragraph.strip():
            yield " ".join(paragraph.split())


def _escape(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", r"\|")
