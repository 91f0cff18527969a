"""Which of the start's tests could know what is new: told by their text, before any is parsed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.syntax import Answer, literal

_WRITTEN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`"
    r"|(?<![\w.])-?\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\b(?:[Tt]rue|[Ff]alse)\b"
)
_NUMBER = re.compile(r"-?\d")
_CALLED = re.compile(r"\b(\w+)\(")
_PARTS = re.compile(r"[^\w.]+")


class Suite:
    """A suite has thousands of tests, and hardly one of them has to do with a change."""

    def __init__(self, comparison: Comparison) -> None:
        self._both = comparison

    @cached_property
    def _literals(self) -> dict[str, frozenset[str]]:
        """Rust keeps tests in the code."""
        places = [
            path
            for path in self._both.old
            if self._both.role(path) == "test" or path.endswith(".rs")
        ]
        return {path: frozenset(_written(self._text(path))) for path in places}

    @cached_property
    def literals(self) -> frozenset[str]:
        return frozenset().union(*self._literals.values())

    def beside(self, found: Sequence[Answer], *, singled: Sequence[str]) -> list[str]:
        """Those that have an answer together with one of its inputs, or one that stands alone."""
        return [
            path
            for path in (self._literals if found else ())
            if self._has(path, singled) or any(self._pair(path, each) for each in found)
        ]

    def calling(self, functions: Iterable[str], new: frozenset[str], *, fewest: int) -> list[str]:
        """The texts of those that call one of these and have something of what is new."""
        wanted = frozenset(functions)
        having = [
            path
            for path, known in (self._literals if len(new) >= fewest else {}).items()
            if new & known and not wanted.isdisjoint(_CALLED.findall(self._text(path)))
        ]
        seen = frozenset[str]().union(*(self._literals[path] & new for path in having))
        return [self._text(path) for path in having] if len(seen) >= fewest else []

    def _pair(self, path: str, answer: Answer) -> bool:
        if not self._has(path, (answer.value,)):
            return False
        parts = (part for key in answer.keys for part in _PARTS.split(key.strip("'")))
        joined = (each for part in parts if part for each in (f"'{part}'", literal(part) or ""))
        return self._has(path, answer.keys) or self._has(path, joined)

    def _has(self, path: str, values: Iterable[str]) -> bool:
        """A text of several lines is no token, nor is the name of an error."""
        known = self._literals[path]
        return any(
            each in known or (not _NUMBER.match(each) and each.strip("'") in self._text(path))
            for each in values
        )

    def _text(self, path: str) -> str:
        return self._both.old.text(path)


def _written(text: str) -> Iterator[str]:
    for token in set(_WRITTEN.findall(text)):
        for each in (token, token.removeprefix("-")):
            if (value := literal(each)) is not None:
                yield value
