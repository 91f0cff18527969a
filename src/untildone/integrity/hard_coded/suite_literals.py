"""Literals of the baseline tests, found by their text alone, before a file is parsed.

A suite may have thousands of files; only those that share literals with a change are parsed.
"""

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
        self._read = comparison.old.text

    @cached_property
    def _literals(self) -> dict[str, frozenset[str]]:
        """By path of the test file; Rust files may hold tests beside the product."""
        return {
            path: frozenset(_list_literals(self._read(path)))
            for path in self._comparison.old
            if self._comparison.role(path) == "test" or path.endswith(".rs")
        }

    @cached_property
    def literals(self) -> frozenset[str]:
        """All literals of the baseline's tests."""
        return frozenset().union(*self._literals.values())

    def find_files_with_answers(
        self, answers: Sequence[Answer], *, singled: Sequence[str]
    ) -> list[str]:
        """Return test files with an answer and one of its inputs.

        A value of `singled` is so telling that it counts without its input.
        """
        return [
            path
            for path in (self._literals if answers else ())
            if self._has(path, singled) or any(self._has_pair(path, answer) for answer in answers)
        ]

    def list_texts_calling(
        self, functions: Iterable[str], new: frozenset[str], *, fewest: int
    ) -> list[str]:
        """Return the texts of files that call one of the functions and have a new literal.

        Empty if these files together have fewer than `fewest` of the new literals.
        """
        if len(new) < fewest:
            return []
        names = frozenset(functions)
        paths = [
            path
            for path, literals in self._literals.items()
            if new & literals and not names.isdisjoint(_CALL.findall(self._read(path)))
        ]
        seen = frozenset[str]().union(*(new & self._literals[path] for path in paths))
        return [self._read(path) for path in paths] if len(seen) >= fewest else []

    def _has_pair(self, path: str, answer: Answer) -> bool:
        """Whether the file has the answer and one of its keys, or a part of a key like '1/FR'."""
        if not self._has(path, (answer.value,)):
            return False
        parts = (part for key in answer.keys for part in _SEPARATORS.split(key.strip("'")) if part)
        joined = (form for part in parts for form in (f"'{part}'", normalize_literal(part) or ""))
        return self._has(path, answer.keys) or self._has(path, joined)

    def _has(self, path: str, values: Iterable[str]) -> bool:
        """Whether the file has one of the values; texts of several lines are no single token."""
        literals, text = self._literals[path], self._read(path)
        return any(
            value in literals or (not _NUMBER.match(value) and value.strip("'") in text)
            for value in values
        )


def _list_literals(text: str) -> Iterator[str]:
    """Yield the literals of a text; of -3 also 3, since `a -3` may be a subtraction."""
    for token in set(_LITERAL.findall(text)):
        for form in (token, token.removeprefix("-")):
            if (literal := normalize_literal(form)) is not None:
                yield literal
