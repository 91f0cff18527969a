"""The checking form of a command line: what it judges stays the same, and it edits nothing.

`ruff check --fix . && prettier --write a` becomes `ruff check --no-fix . && prettier --check a`.
With the script `"lint": "eslint --fix ."` the call `npm run lint` becomes `eslint .`.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from untildone.commands.fixing_tools import WITH_VALUE, FixingTool, find_fixing_tool
from untildone.commands.package_scripts import find_plain_script
from untildone.commands.programs import find_program
from untildone.commands.shell import SHELLS, program_name
from untildone.core.late_patterns import compile_late

# A word with its quotes, or an operator; comments and blanks are neither.
_TOKEN = compile_late(
    r"""
      (?P<operator> [;&|()<>`\n]+ )
    | (?P<word> (?: [^\s;&|()<>`"'\\] | \\. | "(?:[^"\\]|\\.)*" | '[^']*' )+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_MAX_DEPTH = 5


class _Word(NamedTuple):
    """A word without its quotes, and where it stands in the text."""

    text: str
    start: int
    end: int


class _Edit(NamedTuple):
    """A part of the text to be replaced."""

    start: int
    end: int
    text: str


def make_checking_form(
    command: str, scripts: Mapping[str, str] | None = None, depth: int = 0
) -> str:
    """Return the command so that it edits nothing; the command itself if none of its tools does.

    `scripts` are those of the `package.json` in its folder: one that edits is written out.
    """
    calls = list(_split_calls(command))
    edits = [
        edit
        for call in calls
        for edit in _find_edits(call, scripts or {}, depth=depth, alone=len(calls) == 1)
    ]
    for edit in sorted(edits, reverse=True):
        command = command[: edit.start] + edit.text + command[edit.end :]
    return command


def _split_calls(command: str) -> Iterator[list[_Word]]:
    """Yield the words of each simple command."""
    words: list[_Word] = []
    for token in _TOKEN.finditer(command):
        if token["word"]:
            words.append(_Word(_unquote(token["word"]), *token.span()))
        elif words and not set(token["operator"]) <= set("<>"):
            yield words
            words = []
    if words:
        yield words


def _unquote(word: str) -> str:
    try:
        return "".join(shlex.split(word)) if re.search(r"[\"'\\]", word) else word
    except ValueError:
        return word


def _find_edits(
    call: Sequence[_Word], scripts: Mapping[str, str], *, depth: int, alone: bool
) -> Iterator[_Edit]:
    if depth > _MAX_DEPTH:
        return
    texts = [word.text for word in call]
    program = find_program(texts)
    names = [program_name(text) for text in texts]
    if program in SHELLS:
        yield from _edit_inner_text(call, scripts, depth=depth)
    elif script := find_plain_script(texts, scripts):
        form = make_checking_form(script, scripts, depth + 1)
        if form != script:
            yield _Edit(call[0].start, call[-1].end, form if alone else f"({form})")
    elif program in names:
        position = names.index(program)
        found = find_fixing_tool(program, tuple(texts[position + 1 :]))
        if found:
            yield from _edit_call(call[position:], *found)


def _edit_inner_text(
    call: Sequence[_Word], scripts: Mapping[str, str], *, depth: int
) -> Iterator[_Edit]:
    """Yield the edit of the text that `sh -c` runs."""
    for option, word in pairwise(call):
        if re.fullmatch(r"-[a-z]*c", option.text):
            form = make_checking_form(word.text, scripts, depth + 1)
            if form != word.text:
                yield _Edit(word.start, word.end, shlex.quote(form))
            return


def _edit_call(call: Sequence[_Word], tool: FixingTool, subcommand: str) -> Iterator[_Edit]:
    """Yield what turns the words of a tool, the program first, into those of its checking form."""
    texts = [word.text for word in call]
    present = set(texts)
    for position, word in enumerate(call[1:], 1):
        replacement = tool.swap.get(_name_option(word.text))
        if replacement is None:
            continue
        end = word.end
        if word.text in WITH_VALUE and position + 1 < len(call):
            end = call[position + 1].end
        if replacement and present.isdisjoint(replacement.split()):
            yield _Edit(word.start, end, replacement)
            present.update(replacement.split())
        else:
            # Together with the blanks in front of it.
            yield _Edit(call[position - 1].end, end, "")
    if tool.add and present.isdisjoint(tool.unless):
        target = call[texts.index(subcommand, 1) if subcommand else 0]
        yield _Edit(target.end, target.end, f" {tool.add}")


def _name_option(word: str) -> str:
    """Return the name of an option that is switched on: `--fix` for `--fix=true`."""
    name, _, value = word.partition("=")
    return word if value in ("false", "none", "0") else name
