"""Rust: tests that a macro writes row by row, and macros that assert, as plain functions."""

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
    """With the tests in place of the macro's calls; the macros themselves are left standing."""
    if "macro_rules!" not in text:
        return text
    names = Counter(_RULES.findall(text))
    # Of two that are called alike the latter counts.
    macros = [each for each in _macros(text) if names[each.name] == 1]
    for each in reversed(macros):
        if _ARGUMENTS.fullmatch(each.pattern) and "assert" in each.body:
            text = text[: each.end] + _function(each) + text[each.end :]
    for each in macros:
        if "#[test]" in each.body:
            text = _with_rows(text, each)
    return text


def _macros(text: str) -> Iterator[_Macro]:
    """Those of one rule: of several nobody can tell by their looks which one is meant."""
    for found in _RULES.finditer(text):
        inside, end = _bracketed(text, found.end())
        at = len(inside) - len(inside.lstrip())
        pattern, behind = _bracketed(inside, at)
        arrow = _ARROW.match(inside, behind)
        if arrow is not None and not _OWN.fullmatch(found[1]):
            body, last = _bracketed(inside, arrow.end())
            if not inside[last:].strip(" ;\n\t"):
                yield _Macro(found[1], pattern, body, end)


def _bracketed(text: str, at: int) -> tuple[str, int]:
    """What stands between the bracket here and its other one, and where that ends."""
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


def _function(macro: _Macro) -> str:
    names = [name for name, _ in _ARGUMENT.findall(macro.pattern)]
    given = ", ".join(f"{name}: T" for name in names)
    body = re.sub(r"\$(\w+)", r"\1", macro.body)
    return f"\nfn {macro.name}({given}) {{ {body} }}\n"


def _with_rows(text: str, macro: _Macro) -> str:
    row, test = _repetition(macro.pattern), _repetition(macro.body)
    if row is None or test is None:
        return text
    parts: list[str] = []
    end = 0
    for call in re.finditer(rf"^[ \t]*{macro.name}!\s*(?=[({{\[])", text, re.M):
        rows, last = _bracketed(text, call.end())
        # An attribute counts for all that the call writes.
        if not text[: call.start()].rstrip().endswith("]"):
            parts += text[end : call.start()], *_written(row, test, rows)
            end = last
    return "".join((*parts, text[end:]))


def _repetition(text: str) -> str | None:
    """Of `$( … )*`, if there is one and none inside of it."""
    at = text.find("$(")
    inside, end = _bracketed(text, at + 1) if at >= 0 else ("", 0)
    return inside if "$(" not in inside and _REPEATED.match(text, end) else None


def _written(row: str, test: str, rows: str) -> Iterator[str]:
    names = [name for name, _ in _ARGUMENT.findall(row)]
    pieces = re.split(r"(\$\w+)", test)
    for found in re.finditer(_matching(row), _COMMENT.sub(r"\1", rows)):
        held = {
            f"${name}": given.strip() for name, given in zip(names, found.groups(), strict=True)
        }
        yield "".join((*(held.get(piece, piece) for piece in pieces), "\n"))


def _matching(row: str) -> str:
    parts = re.split(r"\$\w+\s*:\s*(\w+)", row)
    said = [r"\s*".join(map(re.escape, re.findall(r"\w+|[^\w\s]", part))) for part in parts[::2]]
    kinds = [r"(\w+)" if kind == "ident" else rf"({_TOKENS}+)" for kind in parts[1::2]]
    between = [part for pair in zip(said, (*kinds, ""), strict=True) for part in pair if part]
    return r"\s*".join(between)
