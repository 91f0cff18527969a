"""Comments of a source file, each with the line of code that it is about.

`x = 1  # noqa` has the comment `# noqa` about `x = 1`; a comment on its own line is about the next.
"""

import io
import tokenize
from collections.abc import Iterator
from typing import NamedTuple

from untildone.core.late_patterns import compile_late
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
_UNPARSED = compile_late(
    r".*\.(vue|svelte|astro|toml|ini|cfg|sql|pyx|mk|dart|r|jl|pl|zig|proto|tf)"
    r"|.*/?(Dockerfile[^/]*|(GNU)?[Mm]akefile|[Jj]ustfile)"
)
_COMMENT = compile_late(r"(?:^|\s)(#|//|--\s|/\*|<!--).*")
# A line without code; `#[test]` of Rust and `#include` of C are code.
_COMMENT_LINE = compile_late(r"\s*(#(?!\[|!\[|\s*(pragma|if|include|define))|//|/\*|\*|<!--|--\s)")


class Comment(NamedTuple):
    text: str
    # The code before it on its line, else the next line of code.
    about: str


def list_comments(tree: Tree, path: str) -> tuple[Comment, ...]:
    """Return the comments of a file; none for prose. Use as a tree's fact."""
    lines = tree.text(path).splitlines()
    return tuple(
        Comment(text, _find_code(lines, line, column, text))
        for line, column, text in _find_comments(tree, path)
    )


def _find_comments(tree: Tree, path: str) -> Iterator[tuple[int, int, str]]:
    """Yield line, column and text of each comment; lines and columns begin at 0."""
    text = tree.text(path)
    language = language_of(path, text)
    if language == "python":
        yield from _find_in_python(text)
    elif root := tree.fact(parse_file, path):
        for node in find_kinds(root, _KINDS.get(language, ("comment",))):
            start = node.range().start
            yield start.line, start.column, node.text()
    elif _UNPARSED.fullmatch(path):
        for number, line in enumerate(text.splitlines()):
            if found := _COMMENT.search(line):
                yield number, found.start(1), line[found.start(1) :]


def _find_in_python(text: str) -> Iterator[tuple[int, int, str]]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0] - 1, token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        # No checker reads the rest of a file that Python cannot tokenize.
        return


def _find_code(lines: list[str], number: int, column: int, comment: str) -> str:
    """Return the code before the comment on its line, else the next line of code."""
    before = lines[number][:column].strip() if number < len(lines) else ""
    last = number + comment.count("\n")
    after = (line.strip() for line in lines[last + 1 :] if not _COMMENT_LINE.match(line))
    return before or next(filter(None, after), "")
