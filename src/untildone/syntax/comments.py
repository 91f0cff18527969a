"""Comments of a source file, each with the line of code that it is about.

`x = 1  # noqa` has the comment `# noqa` about `x = 1`; a comment on its own line is about the next.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file
from untildone.worktree.contents import Tree

# Kinds of comments in the grammars that have others than `comment`.
_KINDS = {
    "rust": ("line_comment", "block_comment"),
    "java": ("line_comment", "block_comment"),
    "kotlin": ("line_comment", "multiline_comment"),
    "scala": ("comment", "block_comment"),
    "swift": ("comment", "multiline_comment"),
}
# Files without a parser, of which every line is searched for a comment.
_UNPARSED = re.compile(
    r".*\.(vue|svelte|astro|toml|ini|cfg|sql|pyx|mk|dart|r|jl|pl|zig|proto|tf)"
    r"|.*/?(Dockerfile[^/]*|(GNU)?[Mm]akefile|[Jj]ustfile)"
)
_COMMENT = re.compile(r"(?:^|\s)(#|//|--\s|/\*|<!--).*")
# A line without code; `#[test]` of Rust and `#include` of C are code.
_COMMENT_LINE = re.compile(r"\s*(#(?!\[|!\[|\s*(pragma|if|include|define))|//|/\*|\*|<!--|--\s)")


class Comment(NamedTuple):
    text: str
    # The code before it on its line, else the next line of code.
    about: str


class _Position(NamedTuple):
    """A comment and where it begins, both counted from 0."""

    line: int
    column: int
    text: str


def list_comments(tree: Tree, path: str) -> tuple[Comment, ...]:
    """Return the comments of a file; none for prose. Use as a tree's fact."""
    lines = tree.text(path).splitlines()
    found = _find_comments(tree, path)
    return tuple(Comment(comment.text, _find_code(lines, comment)) for comment in found)


def _find_comments(tree: Tree, path: str) -> Iterator[_Position]:
    text = tree.text(path)
    language = language_of(path, text)
    if language == "python":
        yield from _find_in_python(text)
    elif root := tree.fact(parse_file, path):
        for node in find_kinds(root, _KINDS.get(language, ("comment",))):
            start = node.range().start
            yield _Position(start.line, start.column, node.text())
    elif _UNPARSED.fullmatch(path):
        for number, line in enumerate(text.splitlines()):
            if found := _COMMENT.search(line):
                yield _Position(number, found.start(1), line[found.start(1) :])


def _find_in_python(text: str) -> Iterator[_Position]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield _Position(token.start[0] - 1, token.start[1], token.string)
    except (tokenize.TokenError, SyntaxError):
        # No checker reads the rest of a file that Python cannot tokenize.
        return


def _find_code(lines: list[str], comment: _Position) -> str:
    """Return the code before the comment on its line, else the next line of code."""
    before = lines[comment.line][: comment.column].strip() if comment.line < len(lines) else ""
    if before:
        return before
    last = comment.line + comment.text.count("\n")
    after = (line for line in lines[last + 1 :] if line.strip())
    return next((line.strip() for line in after if not _COMMENT_LINE.match(line)), "")
