"""Changed files from which a module may take answers: data it reads, modules it imports."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.literals import (
    detect_language,
    list_literals,
    normalize_literal,
)
from untildone.syntax.parsing import parse_source

DATA_SUFFIXES = (".json", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".ini", ".txt")
_WORD = re.compile(r"[^\s,;:=|\[\]{}\"']+")
_CELL = re.compile(r"[^,;:\t=|\n\[\]{}\"']+")


def find_answer_sources(comparison: Comparison, path: str) -> list[str]:
    """Return the changed files whose name or folder occurs in the module's text."""
    names = set(re.findall(r"\w+", comparison.new.text(path)))
    return [
        source
        for source in comparison.changes.edited_or_added
        if source != path
        and source.endswith((".py", *DATA_SUFFIXES))
        and comparison.role(source) in ("product", "document")
        and not names.isdisjoint((PurePosixPath(source).stem, PurePosixPath(source).parent.name))
    ]


def list_entries(path: str, text: str) -> frozenset[str]:
    """Return the literals of a module, or the cells and words of a data file, as literals."""
    if path.endswith((".py", ".json")):
        return frozenset(list_literals(parse_source(text, detect_language(path))))
    cells = (*_WORD.findall(text), *map(str.strip, _CELL.findall(text)))
    return frozenset(normalize_literal(cell) or f"'{cell}'" for cell in cells if cell)


def list_values(path: str, text: str) -> Iterator[object]:
    """Yield the entries as Python values."""
    for entry in sorted(list_entries(path, text)):
        if entry.startswith("'"):
            yield entry[1:-1]
        elif re.fullmatch(r"-?\d+", entry):
            yield int(entry)
        elif re.fullmatch(r"-?\d+\.\d+", entry):
            yield float(entry)
