"""Functions of the product that need more arguments now, and tests that only follow them.

If `check(version)` became `check(version, strict)`, the baseline's `check(v)` no longer compiles. A
test that now says `check(v, false)`, and kept every other line, is as good as the baseline's.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.syntax.definitions import Definition, read_definitions
from untildone.syntax.languages import language_of_tests

# Calls with too few arguments are no error in JavaScript.
_STRICT_LANGUAGES = frozenset(("python", "go", "rust", "java"))
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
# Python's parameters that a call may leave out, or never gives.
_OPTIONAL = compile_late(r"[^=]+=|\*|/$|self$|cls$")
# Lines by which a test could end early or hide a failure.
_EXIT = compile_late(
    r"\b(return|continue|break|goto|skip\w*|exit|recover|except|catch|try|xfail|pass)\b",
    re.IGNORECASE,
)
# Of longer tests the lines are not compared: that may take seconds.
_MAX_LINES = 3_000


def find_grown_functions(comparison: Comparison) -> frozenset[str]:
    """Return the names of functions that need more arguments than in the baseline.

    Use as a comparison's fact.
    """
    return frozenset(_find_grown(comparison))


def _find_grown(comparison: Comparison) -> Iterator[str]:
    for path in comparison.changes.edited:
        if comparison.role(path) != "product" or language_of_tests(path) not in _STRICT_LANGUAGES:
            continue
        old, new = (tree.fact(read_definitions, path) for tree in comparison.trees)
        before = {each.name: each for each in old if each.is_function}
        for definition in new:
            previous = before.get(definition.name)
            if previous and definition.is_function and _needs_more(previous, definition):
                yield definition.name.partition("#")[0].rpartition(".")[2]


def _needs_more(old: Definition, new: Definition) -> bool:
    before, after = _list_required(old), _list_required(new)
    return len(after) > len(before)


def _list_required(definition: Definition) -> list[str]:
    """Return the parameters that every call has to give."""
    name = re.escape(definition.name.partition("#")[0].rpartition(".")[2])
    opening = re.search(rf"\b{name}\s*(<[^()]*>)?\(", definition.header)
    if opening is None:
        return []
    inside = _read_brackets(definition.header[opening.end() :])
    parameters = (part.strip() for part in _split_at_commas(inside))
    return [part for part in parameters if part and not _OPTIONAL.match(part)]


def _read_brackets(text: str) -> str:
    """Return the text up to the bracket that closes what was open before it."""
    depth = 1
    for position, character in enumerate(text):
        depth += _BRACKETS.get(character, 0)
        if depth == 0:
            return text[:position]
    return text


def _split_at_commas(text: str) -> Iterator[str]:
    """Yield the parts between commas that stand in no brackets."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        depth += _BRACKETS.get(character, 0)
        if character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    yield text[start:]


def only_adds_arguments(old_text: str, new_text: str, functions: frozenset[str]) -> bool:
    """Say whether a test kept its lines, but for new arguments of these functions and new lines.

    New lines may not end a test that the baseline has.
    """
    old, new = old_text.splitlines(), new_text.splitlines()
    if not functions or max(len(old), len(new)) > _MAX_LINES:
        return False
    has_grown = False
    matcher = SequenceMatcher(a=old, b=new)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        lines = dict(enumerate(new[new_start:new_end], new_start))
        if not _drop_grown_lines(old[start:end], lines, functions):
            return False
        has_grown = has_grown or len(lines) < new_end - new_start
        if any(_EXIT.search(line) and _find_head(new, at) in old for at, line in lines.items()):
            return False
    return has_grown


def _drop_grown_lines(old: list[str], lines: dict[int, str], functions: frozenset[str]) -> bool:
    """Remove from the new lines what the old ones became; return False if one is missing."""
    for line in filter(str.strip, old):
        found = (at for at, new in lines.items() if _has_more_arguments(line, new, functions))
        if (grown := next(found, None)) is None:
            return False
        del lines[grown]
    return True


def _has_more_arguments(old: str, new: str, functions: frozenset[str]) -> bool:
    """Say whether the lines differ only by arguments that were added to a call of a function."""
    pairs = enumerate(zip(old, new, strict=False))
    start = next((at for at, (was, now) in pairs if was != now), min(len(old), len(new)))
    # `f(a)` and `f(a, b)` begin alike up to the bracket.
    if not new.endswith(old[start:]) or len(new) <= len(old):
        return False
    calls = re.finditer(rf"\b({'|'.join(map(re.escape, functions))})\(", old[:start])
    added = new[start : len(new) - len(old[start:])]
    before = (old[call.end() : start] for call in calls)
    is_inside = any(_read_brackets(text) == text for text in before)
    return is_inside and not re.search(r"[;{}]", added)


def _find_head(lines: list[str], position: int) -> str:
    """Return the first line of the function that a line stands in; a brace, if it is in none."""
    return next((line for line in reversed(lines[:position]) if line[:1].strip()), "")
