"""What README and docs show exists: commands, their options, linked pages."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from untildone.cli.main import cli

ROOT = Path(__file__).parents[1]
# The page of commands is generated from what it is compared with.
GENERATED = "commands.md"
PAGES = [
    pytest.param(page, id=page.name)
    for page in (ROOT / "README.md", *ROOT.glob("docs/*.md"))
    if page.name != GENERATED
]
# The command up to where another program's arguments, a comment or the next column begin.
_TYPED = re.compile(r"\buntildone (?P<words>[a-z][a-z-]*(?: (?!-- |[|#&;]|  )[^\s`]+)*)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
# Lines that a command prints.
_OUTPUT = ("error: ", "note: ")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")


def read_commands(page: Path) -> Iterator[list[str]]:
    for code in _CODE.findall(page.read_text(encoding="utf-8")):
        for line in _QUOTED.sub("TEXT", code).splitlines():
            if line.startswith(_OUTPUT):
                continue
            yield from (found["words"].split() for found in _TYPED.finditer(line))


def meant(words: list[str]) -> tuple[click.Command | None, list[str]]:
    """The command, and what follows it."""
    command: click.Command | None = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        # `set\\|done`: the first of several, in a table
        name, words = words[0].partition("\\|")[0], words[1:]
        command = command.get_command(click.Context(command), name)
    return command, words


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_options_that_are_shown_exist(page: Path) -> None:
    unknown = []
    for words in read_commands(page):
        command, rest = meant(words)
        params = command.params if command else []
        known = {name for param in params for name in (*param.opts, *param.secondary_opts)}
        given = {word.strip("[],.;:)").partition("=")[0] for word in rest if word[:1] in "-["}
        if command is None or {name for name in given if name.startswith("-")} - known:
            unknown.append(" ".join(words))

    assert unknown == []


@pytest.mark.parametrize("page", PAGES)
def test_linked_pages_exist(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []
