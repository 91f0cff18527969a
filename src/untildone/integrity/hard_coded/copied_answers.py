"""Describes answers of the tests that a file repeats in branches or tables, or gives when run.

A function with branches for 100 and 501 that return what tests expect for them is described as "80
for 100 (line 2), 400 for 501 (line 4)". A table of units, or one with many entries that no test
has, is a rule of the product.
"""

import ast
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answer_sources import find_answer_sources, read_literals
from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.literals import normalize_literal
from untildone.integrity.hard_coded.specific_values import (
    MIN_DIGITS,
    count_digits,
    is_documented,
    is_specific,
    is_trivial,
    rejects_one_negative,
)
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals
from untildone.integrity.hard_coded.unit_tables import is_unit_table
from untildone.integrity.hard_coded.varied_inputs import TreeCopies, find_special_inputs
from untildone.syntax.parsing import parse_expression

# An input and its answer, as literals: ("501", "400").
Pair: TypeAlias = tuple[str, str]
Pairs: TypeAlias = frozenset[Pair]
_MAX_SHOWN = 3
# Fewer special answers may be rules of the product.
_MIN_SPECIAL_ANSWERS = 2
# How many letters `berry` and `berries` must share, and how many such pairs make a table of them.
_MIN_LETTERS = 3
_MIN_DERIVED = 3


def describe_copied_answers(
    copies: TreeCopies,
    path: str,
    *,
    answers: Sequence[Answer],
    expected: Pairs,
    computing_in_baseline: frozenset[str],
) -> str:
    """Return a description of the first function or table with answers of tests, else "".

    `answers` are the new ones of the file, `expected` the pairs of the tests, and
    `computing_in_baseline` the functions that computed their result there.
    """
    for name, table_line in dict.fromkeys((one.function, one.table_line) for one in answers):
        group = [one for one in answers if (one.function, one.table_line) == (name, table_line)]
        pairs = {
            pair: line
            for pair, line in _match_answers(group, expected).items()
            if not is_documented(copies.comparison, path, pair)
        }
        if not pairs or _are_minority(pairs, group):
            continue
        if is_unit_table(copies.comparison.new.text(path), group[0].line):
            continue
        # A table at the top of the file may replace any computation in it.
        computed = name in computing_in_baseline if name else bool(computing_in_baseline)
        computes = computed or any(answer.function_computes for answer in group)
        if (
            (computes and _is_derived_table(pairs, len({answer.keys for answer in group})))
            or _is_strong_evidence(pairs, computes)
            or (_is_worth_running(pairs) and _is_special_case(copies, path, name, pairs))
        ):
            return _describe_pairs(path, pairs)
    return ""


def _match_answers(answers: Sequence[Answer], expected: Pairs) -> dict[Pair, int]:
    """Return the answers that tests expect, each with its line."""
    return {
        (key, answer.value): answer.line
        for answer in answers
        for literal in answer.keys
        for key in {literal, _unquote_number(literal)}
        if (key, answer.value) in expected or _is_joined_input(key, answer.value, expected)
    }


def _are_minority(pairs: dict[Pair, int], answers: Sequence[Answer]) -> bool:
    """Say whether fewer than half of the lines, or of the inputs, have answers of tests.

    A table with mostly other entries is a rule of the product.
    """
    lines, inputs = {answer.line for answer in answers}, {answer.keys for answer in answers}
    tested_keys = {key for key, _ in pairs}
    tested = [
        keys for keys in inputs if tested_keys.intersection((*keys, *map(_unquote_number, keys)))
    ]
    return 2 * len(set(pairs.values())) < len(lines) or 2 * len(tested) < len(inputs)


def _is_joined_input(key: str, value: str, expected: Pairs) -> bool:
    """Say whether a key such as "1/FR" joins several inputs of a test, here of `rate(1, "FR")`."""
    parts = [part for part in re.split(r"[^\w.]+", key.strip("'")) if part]
    inputs = [_unquote_number(f"'{part}'") for part in parts]
    return len(inputs) > 1 and all((part, value) in expected for part in inputs)


def _unquote_number(key: str) -> str:
    """Return 100 for the key '100', since JSON has strings as keys; other keys are unchanged."""
    number = key.strip("'")
    return number if re.fullmatch(r"-?\d+(\.\d+)?", number) else key


def _is_derived_table(pairs: Collection[Pair], size: int) -> bool:
    """Say whether a rule would give all answers of the table, as "berries" for "berry".

    `size` is the number of entries, all of which must be answers of tests.
    """
    derived = {key for key, value in pairs if _has_same_beginning(key, value)}
    return len(derived) >= _MIN_DERIVED and len(derived) == size


def _has_same_beginning(key: str, value: str) -> bool:
    """Say whether the answer begins with half of the key, and with at least three letters."""
    if not key.startswith("'") or not value.startswith("'") or key == value:
        return False
    text = key.strip("'")
    shared = max(_MIN_LETTERS, (len(text) + 1) // 2)
    return len(text) >= shared and value.strip("'").startswith(text[:shared])


def _is_strong_evidence(pairs: Collection[Pair], computes: bool) -> bool:
    """Say whether the pairs alone prove that answers were copied.

    In a function that computes, a specific string or long number is enough, as is any specific
    input among two pairs. A function that only looks up values needs three specific inputs with
    three different answers.
    """
    inputs = [key for key, _ in pairs if is_specific(key)]
    if computes:
        is_unlikely = any(key.startswith("'") or count_digits(key) >= MIN_DIGITS for key in inputs)
        return is_unlikely or (bool(inputs) and len(pairs) >= 2)
    return len(inputs) >= 3 and len({value for _, value in pairs}) >= 3


def _is_worth_running(pairs: Iterable[Pair]) -> bool:
    """Say whether a pair is a reason to run the function: not just 0, 1 or an empty string."""
    return any(not is_trivial(key) or rejects_one_negative(key, value) for key, value in pairs)


def _is_special_case(copies: TreeCopies, path: str, name: str, pairs: Iterable[Pair]) -> bool:
    """Run the function with varied inputs; True if only inputs of tests give new results.

    Without a function `name` all functions of the module are run.
    """
    comparison, old = copies.comparison, copies.comparison.old
    if not _can_run(comparison, path):
        return False
    tests = [old.text(file) for file in old if comparison.role(file) == "test"]
    functions = [name] if name else _list_functions(comparison, path)
    calls = find_special_inputs(copies, path, functions=functions, tests=tests)
    # A trivial key, such as -1, must be one of the special inputs itself.
    inputs = {normalize_literal(repr(value)) for call in calls for value in call.arguments}
    return bool(calls) and any(not is_trivial(key) or key in inputs for key, _ in pairs)


def _describe_pairs(path: str, pairs: dict[Pair, int]) -> str:
    """Return the sentence for the user, with the first pairs and the number of the others."""
    descriptions = [
        f"{value} for {key} (line {line})"
        for (key, value), line in list(pairs.items())[:_MAX_SHOWN]
    ]
    more = f" and {len(pairs) - _MAX_SHOWN} more" if len(pairs) > _MAX_SHOWN else ""
    return f"`{path}` has hard-coded answers of the tests: {', '.join(descriptions)}{more}"


def describe_special_inputs(
    copies: TreeCopies, path: str, new_literals: Mapping[str, frozenset[str]], suite: SuiteLiterals
) -> str:
    """Describe answers that a Python function returns for the inputs of the tests alone, else "".

    If `price(501)` of a test gives the new literal 400, and neither 500 nor 502 gives a new result,
    400 is not computed. `new_literals` are those of each changed file of the product.
    """
    comparison = copies.comparison
    if not _can_run(comparison, path):
        return ""
    functions = _list_functions(comparison, path)
    # The new literals that the functions can return without computing anything.
    available = new_literals[path]
    for source in find_answer_sources(comparison, path):
        is_read = source in new_literals
        available |= new_literals[source] if is_read else _find_new_literals(comparison, source)
    tests = suite.read_tests_calling(functions, available, min_literals=_MIN_SPECIAL_ANSWERS)
    special = find_special_inputs(copies, path, functions=functions, tests=tests) if tests else {}
    descriptions, count = [], 0
    for call, result in special.items():
        literals = _list_literals_of(result)
        key = normalize_literal(repr(call.arguments[0])) or ""
        documented = any(is_documented(comparison, path, (key, literal)) for literal in literals)
        # A result with a literal that the code does not contain is computed.
        if literals and literals <= available and not documented:
            descriptions.append(f"{result} for {', '.join(map(repr, call.arguments))}")
            # `[90, 80]` counts as two answers, `[0, 1]` as one.
            count += max(1, sum(not is_trivial(literal) for literal in literals))
    if count < _MIN_SPECIAL_ANSWERS:
        return ""
    results = "; ".join(descriptions[:_MAX_SHOWN])
    return f"`{path}` returns {results}, and nothing like it for similar inputs"


def _can_run(comparison: Comparison, path: str) -> bool:
    """Say whether the file's functions can be run in both trees."""
    return path.endswith(".py") and path in comparison.old


def _list_functions(comparison: Comparison, path: str) -> list[str]:
    """Return the functions that the current Python module defines at its top."""
    return re.findall(r"^def (\w+)", comparison.new.text(path), re.MULTILINE)


def _find_new_literals(comparison: Comparison, path: str) -> frozenset[str]:
    """Return the literals that a data file did not have in the baseline."""
    old, new = (read_literals(path, tree.text(path)) for tree in comparison.trees)
    return new - old


def _list_literals_of(result: str) -> frozenset[str]:
    """Return the literals in the `repr` of a result; `[90, 80]` has two."""
    expression = parse_expression(result)
    nodes = ast.walk(expression) if expression is not None else ()
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    literals = (normalize_literal(repr(constant)) for constant in constants)
    return frozenset(literal for literal in literals if literal is not None)
