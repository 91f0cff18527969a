"""Rust macros that write tests or assertions, expanded to plain functions.

macro_rules! cases { ($($name:ident: $x:expr,)*) => { $(#[test] fn $name() { check($x) })* } }
cases! { one: 1, two: 2, }      // becomes the tests `one` and `two`
"""

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from untildone.core.late_patterns import compile_late

_MACRO_HEAD = compile_late(r"^[ \t]*macro_rules!\s*(\w+)\s*(?=[({\[])", re.M)
_COMMENT = compile_late(r"(\"(?:[^\"\\]|\\.)*\")|//[^\n]*|/\*.*?\*/", re.DOTALL)
_ARROW = compile_late(r"\s*=>\s*(?=[({\[])")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
# $left:expr, $right:expr $(,)?
_PARAMETERS = compile_late(r"(?:\s*\$\w+\s*:\s*\w+\s*,?)+\s*(?:\$\(,\)\?\s*)?")
_PARAMETER = compile_late(r"\$(\w+)\s*:\s*(\w+)")
# )* or ),* behind what is repeated, and a comma that may follow it
_REPETITION_END = compile_late(r"\s*([,;]?)\s*[*+]\s*(?:\$\([,;]\)\?\s*)?")
_STANDARD_MACRO = compile_late(r"(debug_)?assert(_eq|_ne)?|panic|matches|unreachable")
_EXPRESSION = (
    r"(?:\"(?:[^\"\\]|\\.)*\"|\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]|=(?!>)|[^,;\"()\[\]{}=])"
)


class _Macro(Struct, frozen=True):
    name: str
    # What its arguments look like: `$left:expr, $right:expr`
    pattern: str
    body: str
    # Where its definition ends in the text.
    end: int


def expand_macros(text: str) -> str:
    """Return the text with the tests in place of the macros' calls; the macros stay."""
    if "macro_rules!" not in text:
        return text
    names = Counter(_MACRO_HEAD.findall(text))
    # Of two macros of the same name the later one counts, so neither is expanded.
    macros = [macro for macro in _find_macros(text) if names[macro.name] == 1]
    for macro in reversed(macros):
        if _PARAMETERS.fullmatch(macro.pattern) and "assert" in macro.body:
            text = text[: macro.end] + _write_function(macro) + text[macro.end :]
    for macro in macros:
        if "#[test]" in macro.body:
            text = _expand_rows(text, macro)
    return text


def _find_macros(text: str) -> Iterator[_Macro]:
    """Yield the macros with a single rule: of several it is unknown which one applies."""
    for found in _MACRO_HEAD.finditer(text):
        inside, end = _read_brackets(text, found.end())
        pattern, pattern_end = _read_brackets(inside, len(inside) - len(inside.lstrip()))
        arrow = _ARROW.match(inside, pattern_end)
        if arrow is not None and not _STANDARD_MACRO.fullmatch(found[1]):
            body, body_end = _read_brackets(inside, arrow.end())
            if not inside[body_end:].strip(" ;\n\t"):
                yield _Macro(found[1], pattern, body, end)


def _read_brackets(text: str, start: int) -> tuple[str, int]:
    """Return the text between the bracket at `start` and its partner, and where that ends."""
    expected: list[str] = []
    for position in range(start, len(text)):
        character = text[position]
        if character in _CLOSING:
            expected.append(_CLOSING[character])
        elif expected and character == expected[-1]:
            expected.pop()
        if not expected:
            return text[start + 1 : position], position + 1
    return "", start


def _write_function(macro: _Macro) -> str:
    """Return a function with the macro's name, parameters and body."""
    names = [name for name, _ in _PARAMETER.findall(macro.pattern)]
    parameters = ", ".join(f"{name}: T" for name in names)
    body = re.sub(r"\$(\w+)", r"\1", macro.body)
    return f"\nfn {macro.name}({parameters}) {{ {body} }}\n"


def _expand_rows(text: str, macro: _Macro) -> str:
    """Replace each call of the macro by one test for every row of its arguments."""
    row, test = _read_repetition(macro.pattern), _read_repetition(macro.body)
    if row is None or test is None:
        return text
    parts: list[str] = []
    end = 0
    for call in re.finditer(rf"^[ \t]*{macro.name}!\s*(?=[({{\[])", text, re.M):
        rows, call_end = _read_brackets(text, call.end())
        # `#[cfg(windows)]` above the call is for all tests that it writes: such a call stays.
        if not text[: call.start()].rstrip().endswith("]"):
            parts += text[end : call.start()], *_write_tests(row, test, rows)
            end = call_end
    return "".join((*parts, text[end:]))


def _read_repetition(text: str) -> str | None:
    """Return the content of `$( … )*`, if there is one without another inside."""
    start = text.find("$(")
    inside, end = _read_brackets(text, start + 1) if start >= 0 else ("", 0)
    return inside if "$(" not in inside and _REPETITION_END.match(text, end) else None


def _write_tests(row: str, test: str, rows: str) -> Iterator[str]:
    """Yield the text of `test` for each of the `rows`, which look like `row`."""
    names = [name for name, _ in _PARAMETER.findall(row)]
    pieces = re.split(r"(\$\w+)", test)
    for found in re.finditer(_make_row_pattern(row), _COMMENT.sub(r"\1", rows)):
        values = {
            f"${name}": value.strip() for name, value in zip(names, found.groups(), strict=True)
        }
        yield "".join((*(values.get(piece, piece) for piece in pieces), "\n"))


def _make_row_pattern(row: str) -> str:
    """Return the regular expression of a row: of `$name:ident: $x:expr,` with two groups."""
    parts = re.split(r"\$\w+\s*:\s*(\w+)", row)
    texts = [r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", part))) for part in parts[::2]]
    kinds = [r"(\w+)" if kind == "ident" else rf"({_EXPRESSION}+)" for kind in parts[1::2]]
    pieces = [part for pair in zip(texts, (*kinds, ""), strict=True) for part in pair if part]
    return r"\s*".join(pieces)
