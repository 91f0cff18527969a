"""Rust macros that write tests or assertions, expanded to plain functions."""

import re
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

_RULES = re.compile(r"^[ \t]*macro_rules!\s*(\w+)\s*(?=[({\[])", re.M)
_COMMENT = re.compile(r"(\"(?:[^\"\\]|\\.)*\")|//[^\n]*|/\*.*?\*/", re.DOTALL)
_ARROW = re.compile(r"\s*=>\s*(?=[({\[])")
_CLOSES = {"(": ")", "[": "]", "{": "}"}
# $left:expr, $right:expr $(,)?
_ARGUMENTS = re.compile(r"(?:\s*\$\w+\s*:\s*\w+\s*,?)+\s*(?:\$\(,\)\?\s*)?")
_ARGUMENT = re.compile(r"\$(\w+)\s*:\s*(\w+)")
# )* or ),* behind what is repeated, and a comma that may follow it
_REPEATED = re.compile(r"\s*([,;]?)\s*[*+]\s*(?:\$\([,;]\)\?\s*)?")
_OWN = re.compile(r"(debug_)?assert(_eq|_ne)?|panic|matches|unreachable")
_TOKENS = r"(?:\"(?:[^\"\\]|\\.)*\"|\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]|=(?!>)|[^,;\"()\[\]{}=])"


class _Macro(Struct, frozen=True):
    name: str
    pattern: str
    body: str
    end: int


def expand_macros(text: str) -> str:
    """Return the text with the tests in place of the macros' calls; the macros stay."""
    if "macro_rules!" not in text:
        return text
    names = Counter(_RULES.findall(text))
    # Of two macros of the same name the later one counts, so neither is expanded.
    macros = [macro for macro in _find_macros(text) if names[macro.name] == 1]
    for macro in reversed(macros):
        if _ARGUMENTS.fullmatch(macro.pattern) and "assert" in macro.body:
            text = text[: macro.end] + _write_function(macro) + text[macro.end :]
    for macro in macros:
        if "#[test]" in macro.body:
            text = _expand_rows(text, macro)
    return text


def _find_macros(text: str) -> Iterator[_Macro]:
    """Yield the macros with a single rule: of several it is unknown which one applies."""
    for found in _RULES.finditer(text):
        inside, end = _read_brackets(text, found.end())
        at = len(inside) - len(inside.lstrip())
        pattern, behind = _read_brackets(inside, at)
        arrow = _ARROW.match(inside, behind)
        if arrow is not None and not _OWN.fullmatch(found[1]):
            body, last = _read_brackets(inside, arrow.end())
            if not inside[last:].strip(" ;\n\t"):
                yield _Macro(found[1], pattern, body, end)


def _read_brackets(text: str, at: int) -> tuple[str, int]:
    """Return the text between the bracket at `at` and its partner, and the end of that."""
    waiting: list[str] = []
    for place in range(at, len(text)):
        sign = text[place]
        if sign in _CLOSES:
            waiting.append(_CLOSES[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
        if not waiting:
            return text[at + 1 : place], place + 1
    return "", at


def _write_function(macro: _Macro) -> str:
    names = [name for name, _ in _ARGUMENT.findall(macro.pattern)]
    parameters = ", ".join(f"{name}: T" for name in names)
    body = re.sub(r"\$(\w+)", r"\1", macro.body)
    return f"\nfn {macro.name}({parameters}) {{ {body} }}\n"


def _expand_rows(text: str, macro: _Macro) -> str:
    row, test = _read_repetition(macro.pattern), _read_repetition(macro.body)
    if row is None or test is None:
        return text
    parts: list[str] = []
    end = 0
    for call in re.finditer(rf"^[ \t]*{macro.name}!\s*(?=[({{\[])", text, re.M):
        rows, last = _read_brackets(text, call.end())
        # An attribute counts for all that the call writes.
        if not text[: call.start()].rstrip().endswith("]"):
            parts += text[end : call.start()], *_write_tests(row, test, rows)
            end = last
    return "".join((*parts, text[end:]))


def _read_repetition(text: str) -> str | None:
    """Return the content of `$( … )*`, if there is one without another inside."""
    at = text.find("$(")
    inside, end = _read_brackets(text, at + 1) if at >= 0 else ("", 0)
    return inside if "$(" not in inside and _REPEATED.match(text, end) else None


def _write_tests(row: str, test: str, rows: str) -> Iterator[str]:
    names = [name for name, _ in _ARGUMENT.findall(row)]
    pieces = re.split(r"(\$\w+)", test)
    for found in re.finditer(_make_row_pattern(row), _COMMENT.sub(r"\1", rows)):
        values = {
            f"${name}": value.strip() for name, value in zip(names, found.groups(), strict=True)
        }
        yield "".join((*(values.get(piece, piece) for piece in pieces), "\n"))


def _make_row_pattern(row: str) -> str:
    parts = re.split(r"\$\w+\s*:\s*(\w+)", row)
    texts = [r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", part))) for part in parts[::2]]
    kinds = [r"(\w+)" if kind == "ident" else rf"({_TOKENS}+)" for kind in parts[1::2]]
    between = [part for pair in zip(texts, (*kinds, ""), strict=True) for part in pair if part]
    return r"\s*".join(between)
