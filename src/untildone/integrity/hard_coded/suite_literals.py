"""Selects test files of the baseline by their literals, which are found without parsing.

A suite may have thousands of files; only those that share literals with the change are parsed: for
a new `if total == 501: return 400` those with 501 and 400.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.literals import normalize_literal
from untildone.integrity.hard_coded.specific_values import is_large_number

_LITERAL = compile_late(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`"
    r"|(?<![\w.])-?\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\b(?:[Tt]rue|[Ff]alse)\b"
)
_NUMBER = compile_late(r"-?\d")
_CALL = compile_late(r"\b(\w+)\(")
# The slash of the key '1/FR'.
_SEPARATORS = compile_late(r"[^\w.]+")


class SuiteLiterals:
    """The literals of each test file of the baseline."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._read = comparison.old.text

    @cached_property
    def _literals(self) -> dict[str, frozenset[str]]:
        """The literals by path of the test file; Rust files may hold tests beside the product."""
        return {
            path: frozenset(_list_literals(self._read(path)))
            for path in self._comparison.old
            if self._comparison.role(path) == "test" or path.endswith(".rs")
        }

    @cached_property
    def literals(self) -> frozenset[str]:
        """All literals of the baseline's tests."""
        return frozenset().union(*self._literals.values())

    def find_files_with_answers(self, answers: Sequence[Answer]) -> list[str]:
        """Return the test files that have an answer and one of its inputs.

        A large number is so telling that it counts without its input.
        """
        large_numbers = [answer.value for answer in answers if is_large_number(answer.value)]
        return [
            path
            for path in (self._literals if answers else ())
            if self._has_value(path, large_numbers)
            or any(self._has_pair(path, answer) for answer in answers)
        ]

    def read_tests_calling(
        self, functions: Iterable[str], new_literals: frozenset[str], *, min_literals: int
    ) -> list[str]:
        """Return the texts of test files that call one of the functions and have a new literal.

        It is empty if these files together have fewer than `min_literals` of the new literals.
        """
        if len(new_literals) < min_literals:
            return []
        names = frozenset(functions)
        shared_literals = {
            path: new_literals & literals
            for path, literals in self._literals.items()
            if new_literals & literals and not names.isdisjoint(_CALL.findall(self._read(path)))
        }
        count = len(frozenset[str]().union(*shared_literals.values()))
        return list(map(self._read, shared_literals)) if count >= min_literals else []

    def _has_pair(self, path: str, answer: Answer) -> bool:
        """Say whether the file has the answer and one of its keys, or a part of the key '1/FR'."""
        if not self._has_value(path, (answer.value,)):
            return False
        parts = (part for key in answer.keys for part in _SEPARATORS.split(key.strip("'")) if part)
        forms = (form for part in parts for form in (f"'{part}'", normalize_literal(part) or ""))
        return self._has_value(path, (*answer.keys, *forms))

    def _has_value(self, path: str, values: Iterable[str]) -> bool:
        """Say whether the file has one of the values."""
        # A string of several lines, which `_LITERAL` does not match, is looked for in the text.
        literals, text = self._literals[path], self._read(path)
        return any(
            value in literals or (not _NUMBER.match(value) and value.strip("'") in text)
            for value in values
        )


def _list_literals(text: str) -> Iterator[str]:
    """Yield the literals of a source text; of -3 also 3, since `a -3` may be a subtraction."""
    for token in set(_LITERAL.findall(text)):
        for form in (token, token.removeprefix("-")):
            if (literal := normalize_literal(form)) is not None:
                yield literal
