"""Comments of a source file, each with the line of code that it is about."""

import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_source

_KINDS = {
    "rust": ("line_comment", "block_comment"),
    "java": ("line_comment", "block_comment"),
    "kotlin": ("line_comment", "multiline_comment"),
    "scala": ("comment", "block_comment"),
    "swift": ("comment", "multiline_comment"),
}
_MARKED_BY_TEXT = re.compile(
    r".*\.(vue|svelte|astro|toml|ini|cfg|sql|pyx|mk|dart|r|jl|pl|zig|proto|tf)"
    r"|.*/?(Dockerfile[^/]*|(GNU)?[Mm]akefile|[Jj]ustfile)"
)
_MARK = re.compile(r"(?:^|\s)(#|//|--\s|/\*|<!--).*")
_COMMENT_LINE = re.compile(r"\s*(#(?!\[|!\[|\s*(pragma|if|include|define))|//|/\*|\*|<!--|--\s)")


class Comment(NamedTuple):
    line: int
    text: str
    # What is written before it, else the next line of code.
    about: str


def list_comments(path: str, text: str) -> Iterator[Comment]:
    """Nothing for prose; by text where no parser of the language is at hand."""
    lines = text.splitlines()
    for line, column, comment in _found(path, text):
        yield Comment(line, comment, _about(lines, line, column, comment.count("\n")))


def _found(path: str, text: str) -> Iterator[tuple[int, int, str]]:
    spoken = language_of(path, text)
    if spoken == "python":
        yield from _python(text)
    elif spoken:
        for node in find_kinds(parse_source(text, spoken), _KINDS.get(spoken, ("comment",))):
            start = node.range().start
            yield start.line, start.column, node.text()
    elif _MARKED_BY_TEXT.fullmatch(path):
        yield from _by_text(text)


def _python(text: str) -> Iterator[tuple[int, int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0] - 1, token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        # The rest of a file that Python cannot read is read by nobody.
        return


def _by_text(text: str) -> Iterator[tuple[int, int, str]]:
    for number, line in enumerate(text.splitlines()):
        if found := _MARK.search(line):
            yield number, found.start(1), line[found.start(1) :]


def _about(lines: list[str], line: int, column: int, height: int) -> str:
    before = lines[line][:column].strip() if line < len(lines) else ""
    if before:
        return before
    after = (each for each in lines[line + height + 1 :] if each.strip())
    return next((each.strip() for each in after if not _COMMENT_LINE.match(each)), "")
