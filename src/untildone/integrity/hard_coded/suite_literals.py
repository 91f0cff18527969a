"""Literals of the baseline tests, found by their text alone, before a file is parsed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.literals import normalize_literal

_LITERAL = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`"
    r"|(?<![\w.])-?\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\b(?:[Tt]rue|[Ff]alse)\b"
)
_NUMBER = re.compile(r"-?\d")
_CALL = re.compile(r"\b(\w+)\(")
_SEPARATORS = re.compile(r"[^\w.]+")


class SuiteLiterals:
    """Selects the few test files of a large suite that may have to do with a change."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    @cached_property
    def _literals(self) -> dict[str, frozenset[str]]:
        """By path of the test file; Rust files may hold tests beside the product."""
        places = [
            path
            for path in self._comparison.old
            if self._comparison.role(path) == "test" or path.endswith(".rs")
        ]
        return {path: frozenset(_list_literals(self._read(path))) for path in places}

    @cached_property
    def literals(self) -> frozenset[str]:
        return frozenset().union(*self._literals.values())

    def find_files_with_answers(
        self, found: Sequence[Answer], *, singled: Sequence[str]
    ) -> list[str]:
        """Return files with an answer and one of its inputs, or with a value of `singled`."""
        return [
            path
            for path in (self._literals if found else ())
            if self._has(path, singled) or any(self._has_pair(path, each) for each in found)
        ]

    def list_texts_calling(
        self, functions: Iterable[str], new: frozenset[str], *, fewest: int
    ) -> list[str]:
        """Return the texts of files that call one of the functions and have a new literal."""
        wanted = frozenset(functions)
        having = [
            path
            for path, known in (self._literals if len(new) >= fewest else {}).items()
            if new & known and not wanted.isdisjoint(_CALL.findall(self._read(path)))
        ]
        seen = frozenset[str]().union(*(self._literals[path] & new for path in having))
        return [self._read(path) for path in having] if len(seen) >= fewest else []

    def _has_pair(self, path: str, answer: Answer) -> bool:
        if not self._has(path, (answer.value,)):
            return False
        parts = (part for key in answer.keys for part in _SEPARATORS.split(key.strip("'")))
        joined = (
            each for part in parts if part for each in (f"'{part}'", normalize_literal(part) or "")
        )
        return self._has(path, answer.keys) or self._has(path, joined)

    def _has(self, path: str, values: Iterable[str]) -> bool:
        """Whether the file has one of the values; texts of several lines are no single token."""
        known = self._literals[path]
        return any(
            each in known or (not _NUMBER.match(each) and each.strip("'") in self._read(path))
            for each in values
        )

    def _read(self, path: str) -> str:
        return self._comparison.old.text(path)


def _list_literals(text: str) -> Iterator[str]:
    for token in set(_LITERAL.findall(text)):
        for each in (token, token.removeprefix("-")):
            if (value := normalize_literal(each)) is not None:
                yield value
