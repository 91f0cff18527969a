"""Finds changed files from which a module may take answers, and lists the values in them.

If a new `rates.json` contains `{"FR": 90}` and `shop.py` contains `open("rates.json")`, the JSON
file is an answer source of `shop.py`, with the literals `'FR'` and `90`.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded import literals
from untildone.syntax.parsing import parse_source

DATA_SUFFIXES = (".json", ".yaml", ".yml", ".toml", ".csv", ".tsv", ".ini", ".txt")
# The line `north pole,90` has the words `north`, `pole`, `90` and the cells `north pole`, `90`.
_WORD = compile_late(r"[^\s,;:=|\[\]{}\"']+")
_CELL = compile_late(r"[^,;:\t=|\n\[\]{}\"']+")


def find_answer_sources(comparison: Comparison, path: str) -> list[str]:
    """Return the changed modules and data files that the module at `path` seems to use.

    It seems to use `data/rates.json` if its text has the word `rates` or `data`.
    """
    words = set(re.findall(r"\w+", comparison.new.text(path)))
    return [
        source
        for source in comparison.changes.edited_or_added
        if source != path
        and source.endswith((".py", *DATA_SUFFIXES))
        and comparison.role(source) in ("product", "document")
        and not words.isdisjoint((PurePosixPath(source).stem, PurePosixPath(source).parent.name))
    ]


def read_literals(path: str, text: str) -> frozenset[str]:
    """Return the literals of a Python or JSON file, or the cells and words of other data."""
    if path.endswith((".py", ".json")):
        return frozenset(literals.list_literals(parse_source(text, literals.detect_language(path))))
    cells = (*_WORD.findall(text), *map(str.strip, _CELL.findall(text)))
    return frozenset(literals.normalize_literal(cell) or f"'{cell}'" for cell in cells if cell)


def read_values(path: str, text: str) -> Iterator[object]:
    """Yield the strings and numbers of the file as Python values: 90 for the literal `90`."""
    for literal in sorted(read_literals(path, text)):
        if literal.startswith("'"):
            yield literal[1:-1]
        elif re.fullmatch(r"-?\d+", literal):
            yield int(literal)
        elif re.fullmatch(r"-?\d+\.\d+", literal):
            yield float(literal)
