"""Says whether a text that is no code has the inputs of tests together with what they expect.

`501,400` in a new `rates.csv`, or `{"501": 400}` in a template, where a test has
`assert price(501) == 400`.
"""

from collections.abc import Iterable, Iterator

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answer_sources import read_literals
from untildone.integrity.hard_coded.asserted_pairs import find_asserted_pairs
from untildone.integrity.hard_coded.copied_answers import Pairs
from untildone.integrity.hard_coded.literals import normalize_literal
from untildone.integrity.hard_coded.specific_values import is_documented, is_literal, is_trivial
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals
from untildone.integrity.tests.inventory import may_hold_tests, read_inventory

_MIN_PAIRS = 2
# A quoted text or a number, as programs write them.
_TOKEN = compile_late(r"\"[^\"\n]*\"|'[^'\n]*'|(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")


def holds_answers(comparison: Comparison, path: str) -> bool:
    """Say whether the file got at least two pairs of the baseline's tests and little else."""
    old, new = (tree.text(path) for tree in comparison.trees)
    readings = (
        read_literals(path, new) - read_literals(path, old),
        frozenset(_list_tokens(new)).difference(_list_tokens(old)),
    )
    return any(_are_answers(comparison, path, literals) for literals in readings)


def _list_tokens(text: str) -> Iterator[str]:
    literals = map(normalize_literal, _TOKEN.findall(text))
    return (literal for literal in literals if literal is not None)


def _are_answers(comparison: Comparison, path: str, literals: frozenset[str]) -> bool:
    """Say whether most of the new literals are inputs and answers of tests."""
    known = literals & comparison.fact(SuiteLiterals).literals
    if len(known) < 2 * _MIN_PAIRS:
        return False
    pairs = [
        pair
        for pair in _find_pairs(comparison, known)
        if not is_trivial(pair[0]) and not is_documented(comparison, path, pair)
    ]
    inputs = {key for key, _ in pairs}
    tested = inputs.union(value for _, value in pairs)
    # A table that goes beyond the tests is a rule of the product.
    return len(inputs) >= _MIN_PAIRS and 2 * len(tested) >= len(_keep_values(literals))


def _find_pairs(comparison: Comparison, known: frozenset[str]) -> Pairs:
    """Return the pairs of the baseline's tests of which both literals are known."""
    paths = [path for path in comparison.old if may_hold_tests(path)]
    tests = read_inventory(comparison.old, paths).tests
    pairs = find_asserted_pairs(tests, known)
    return frozenset((key, value) for key, value in pairs if key in known and key != value)


def _keep_values(literals: Iterable[str]) -> list[str]:
    return [literal for literal in literals if is_literal(literal) and not is_trivial(literal)]
