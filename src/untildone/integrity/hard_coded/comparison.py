"""Finds new code that returns hard-coded answers for the inputs of the tests.

Where a test has `assert price(501) == 400`, a new branch `if total == 501: return 400` is
suspected, unless the task or the documents name the pair. So are answers that are encoded, looked
up by a hash or kept in a data file.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain

from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded import copied_answers
from untildone.integrity.hard_coded.answers import Answer, find_answers
from untildone.integrity.hard_coded.asserted_pairs import find_asserted_pairs, normalize_asserted
from untildone.integrity.hard_coded.encoded_answers import describe_encoding
from untildone.integrity.hard_coded.input_dependence import find_computing_functions
from untildone.integrity.hard_coded.literals import (
    READ_LANGUAGES,
    detect_language,
    find_literal_pairs,
    list_literals,
    parse_with_json,
)
from untildone.integrity.hard_coded.specific_values import (
    has_many_digits,
    has_same_digits,
    is_documented,
    is_large_number,
    is_literal,
    is_specific,
    is_specific_string,
    is_trivial,
    rejects_one_negative,
)
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals
from untildone.integrity.hard_coded.varied_inputs import TreeCopies
from untildone.integrity.tests.inventory import read_inventory
from untildone.integrity.tests.model import Test

# Code that reads documentation or source can take its answers from docstrings, so that their
# literals count as well.
_READS_CODE = compile_late(
    r"__doc__|getdoc|getsource|getcomments|__file__|__code__|co_consts|doctest|\bast\b"
)


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each changed file of the product that is suspected."""
    paths = [
        path
        for path in comparison.changes.edited_or_added
        if comparison.role(path) == "product" and detect_language(path) in READ_LANGUAGES
    ]
    # Copies of both trees, in which functions are run with other inputs; closing deletes them.
    with closing(TreeCopies(comparison)) as copies:
        search = _Search(copies, paths)
        for path in paths:
            if reason := search.describe_suspicion(path):
                reason = f"suspected: {reason}"
                yield comparison.make_concern(ConcernKind.HARD_CODED, path, reason=reason)


class _Search:
    """Finds what the new answers and literals of the changed files have in common with the tests.

    The branch `if total == 501: return 400` is an answer with the key 501 and the value 400. What
    all files need, such as the assertions of the tests, is read once in the beginning.
    """

    def __init__(self, copies: TreeCopies, paths: Sequence[str]) -> None:
        self._copies = copies
        self._comparison = comparison = copies.comparison
        self._suite = SuiteLiterals(comparison)
        self._new_answers = {path: _find_new_answers(comparison, path) for path in paths}
        self._new_literals = _find_new_literals(comparison, paths)
        suspicious = list(filter(_is_suspicious, chain(*self._new_answers.values())))
        values = frozenset(answer.value for answer in suspicious)
        # Test files are parsed only if they contain a suspicious answer with its input.
        files = self._suite.find_files_with_answers(suspicious)
        with_answers = frozenset(path for path in files if detect_language(path) in READ_LANGUAGES)
        # By changed file: the test files that share a specific literal with it.
        self._related_tests = _find_related_tests(comparison, self._new_literals)
        # Read once for all files: dozens of them may share a literal with every test.
        readable = sorted(with_answers.union(*self._related_tests.values()))
        self._tests = read_inventory(comparison.old, readable).tests
        self._asserted_pairs = find_asserted_pairs(
            (test for test in self._tests if test.path in with_answers), values
        )
        # Tables of test data that no assertion leads to have pairs too.
        tables = (find_literal_pairs(comparison.old, path, values) for path in with_answers)
        self._expected_pairs = self._asserted_pairs.union(*chain.from_iterable(tables))
        # The functions that computed their result from the input in the baseline.
        self._computing_in_baseline = frozenset(
            chain.from_iterable(find_computing_functions(comparison.old, path) for path in paths)
        )

    def describe_suspicion(self, path: str) -> str:
        """Return the first reason why the file is suspected; "" if there is none.

        The last kind of evidence is found by running the file's functions with varied inputs.
        """
        answers, new_literals = self._new_answers[path], self._new_literals[path]
        return (
            describe_encoding(
                self._comparison,
                path,
                answers=answers,
                new_literals=new_literals,
                suite_literals=self._suite.literals,
            )
            or copied_answers.describe_copied_answers(
                self._copies,
                path,
                answers=answers,
                expected=self._expected_pairs,
                computing_in_baseline=self._computing_in_baseline,
            )
            or self._describe_known_result(path)
            or self._describe_literal_pair(path)
            or copied_answers.describe_special_inputs(
                self._copies, path, self._new_literals, self._suite
            )
        )

    def _describe_known_result(self, path: str) -> str:
        """Describe a large number of a test that a branch of a computing function returns.

        Unlike a copied answer it need not be returned for the very input of the test.
        """
        expected = {
            value for key, value in self._asserted_pairs if is_literal(key) and not is_trivial(key)
        }
        for answer in self._new_answers[path]:
            value = answer.value
            # A value that is its own key, `{1200: 1200}`, is no result.
            is_result = answer.function_computes and value not in answer.keys
            is_expected = value in expected and is_large_number(value)
            if is_result and is_expected and not is_documented(self._comparison, path, (value,)):
                result = f"{value} (line {answer.line})"
                where = f"a hard-coded result inside a computation: {result}"
                return f"`{path}` has {where}, which a test expects"
        return ""

    def _describe_literal_pair(self, path: str) -> str:
        """Describe a test input and its expected value that are both new literals of the file.

        They need not stand in one branch or table entry.
        """
        for test in (test for test in self._tests if test.path in self._related_tests[path]):
            for actual, expected in _list_shared_literals(test, self._new_literals[path]):
                inputs = [key for key in actual if _is_telling_input(key, expected)]
                if inputs and not is_documented(self._comparison, path, (inputs[0], expected[0])):
                    pair = f"the input {inputs[0]} of `{test.name}` and its answer {expected[0]}"
                    return f"`{path}` contains {pair}"
        return ""


def _is_telling_input(key: str, expected: list[str]) -> bool:
    """Say whether it is no coincidence that the product has this input of a test."""
    if key in expected:
        return False
    # A string that only a test would have, or the expected date in another notation, 3.4.2024 for
    # 2024-04-03: code that converts dates contains neither.
    return is_specific_string(key) or any(has_same_digits(key, value) for value in expected)


def _list_shared_literals(
    test: Test, new_literals: frozenset[str]
) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the new literals on both sides of assertions: [501], [400] of `price(501) == 400`."""
    for assertion in test.assertions:
        actual, expected = (
            [literal for literal in map(normalize_asserted, side) if literal in new_literals]
            for side in (assertion.actual, assertion.expected)
        )
        if expected:
            yield actual, expected


def _find_new_answers(comparison: Comparison, path: str) -> list[Answer]:
    """Return the answers that the file did not have in the baseline.

    Folded ones, whose value is an expression such as `90 * MINUTE`, are common, so they count only
    with a specific key.
    """
    old = {(answer.keys, answer.value) for answer in find_answers(comparison.old, path)}
    return [
        answer
        for answer in find_answers(comparison.new, path)
        if (answer.keys, answer.value) not in old
        and (not answer.is_folded or any(map(is_specific, answer.keys)))
    ]


def _find_new_literals(comparison: Comparison, paths: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return, for each file, the literals that it did not have in the baseline.

    Those of docstrings count if any of the files may read them.
    """
    docstrings = any(_READS_CODE.search(comparison.new.text(path)) for path in paths)
    new_literals = {}
    for path in paths:
        old, new = (
            frozenset(list_literals(tree.fact(parse_with_json, path), docstrings=docstrings))
            for tree in comparison.trees
        )
        new_literals[path] = new - old
    return new_literals


def _is_suspicious(answer: Answer) -> bool:
    """Say whether the answer is worth looking for in the tests: unlike `if n == 0: return 1`.

    A trivial key such as 0 may be in any code. `true` and `false` count nevertheless, as a second
    pair beside a telling one, and so does -1 of `if n == -1: raise ValueError`.
    """
    return is_large_number(answer.value) or any(
        key in ("true", "false") or not is_trivial(key) or rejects_one_negative(key, answer.value)
        for key in answer.keys
    )


def _find_related_tests(
    comparison: Comparison, new_literals: Mapping[str, frozenset[str]]
) -> dict[str, set[str]]:
    """Return, for each changed file, the test files that have one of its specific new literals."""
    strings = {
        path: [
            literal.strip("'")
            for literal in literals
            if is_specific_string(literal) or has_many_digits(literal)
        ]
        for path, literals in new_literals.items()
    }
    related: dict[str, set[str]] = {path: set() for path in new_literals}
    tests = (path for path in comparison.old if comparison.role(path) == "test")
    for test in tests if any(strings.values()) else ():
        text = comparison.old.text(test)
        for path in new_literals:
            if any(string in text for string in strings[path]):
                related[path].add(test)
    return related
