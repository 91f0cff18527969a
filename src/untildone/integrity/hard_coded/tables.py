"""Files of the change that a module takes its answers from: data it reads, modules it imports."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.syntax import literal, literals

DATA = (".json", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".ini", ".txt")
_WORD = re.compile(r"[^\s,;:=|\[\]{}\"']+")
_CELL = re.compile(r"[^,;:\t=|\n\[\]{}\"']+")


def tables(comparison: Comparison, path: str) -> list[str]:
    """By their own name or their folder's in the module's text."""
    said = set(re.findall(r"\w+", comparison.new.text(path)))
    return [
        each
        for each in (*comparison.changes.edited, *comparison.changes.added)
        if each != path
        and each.endswith((".py", *DATA))
        and comparison.role(each) in ("product", "document")
        and said.intersection(_names(each))
    ]


def _names(path: str) -> tuple[str, str]:
    place = PurePosixPath(path)
    return place.stem, place.parent.name


def entries(path: str, text: str) -> frozenset[str]:
    if path.endswith(".py"):
        return frozenset(literals(text, "python"))
    if path.endswith(".json"):
        return frozenset(literals(text, "json"))
    cells = (*_WORD.findall(text), *map(str.strip, _CELL.findall(text)))
    return frozenset(literal(cell) or f"'{cell}'" for cell in cells if cell)


def values(path: str, text: str) -> Iterator[object]:
    """The same as Python has them."""
    for each in sorted(entries(path, text)):
        if each.startswith("'"):
            yield each[1:-1]
        elif re.fullmatch(r"-?\d+", each):
            yield int(each)
        elif re.fullmatch(r"-?\d+\.\d+", each):
            yield float(each)
