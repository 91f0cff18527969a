"""Describes answers that a Python function returns for the inputs of the tests alone.

The function is run with the inputs of the tests and with similar ones. If `price(501)` of a test
gives the new literal 400, and neither 500 nor 502 gives a new result, 400 is not computed.
"""

import ast
import re
from collections.abc import Mapping

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answer_sources import find_answer_sources, read_literals
from untildone.integrity.hard_coded.literals import normalize_literal
from untildone.integrity.hard_coded.specific_values import is_documented, is_trivial
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals
from untildone.integrity.hard_coded.varied_inputs import TreeCopies, find_special_inputs
from untildone.syntax.parsing import parse_expression

_MIN_ANSWERS = 2
_MAX_SHOWN = 3


def describe_special_inputs(
    copies: TreeCopies, path: str, new_literals: Mapping[str, frozenset[str]], suite: SuiteLiterals
) -> str:
    """Return a description of new literals that the function gives for test inputs only, else "".

    `new_literals` are those of each changed file of the product.
    """
    comparison = copies.comparison
    if not path.endswith(".py") or path not in comparison.old:
        return ""
    functions = list_functions(comparison, path)
    answers = new_literals[path].union(
        *(
            new_literals[source]
            if source in new_literals
            else _find_new_literals(comparison, source)
            for source in find_answer_sources(comparison, path)
        )
    )
    tests = suite.read_tests_calling(functions, answers, min_literals=_MIN_ANSWERS)
    special = find_special_inputs(copies, path, functions=functions, tests=tests) if tests else {}
    shown, count = [], 0
    for call, result in special.items():
        literals = _list_literals_of(result)
        key = normalize_literal(repr(call.arguments[0])) or ""
        documented = any(is_documented(comparison, path, (key, literal)) for literal in literals)
        if literals and literals <= answers and not documented:
            shown.append(f"{result} for {', '.join(map(repr, call.arguments))}")
            # `[90, 80]` counts as two answers, `[0, 1]` as one.
            count += max(1, sum(not is_trivial(literal) for literal in literals))
    if count < _MIN_ANSWERS:
        return ""
    return (
        f"`{path}` returns {'; '.join(shown[:_MAX_SHOWN])}, and nothing like it for similar inputs"
    )


def list_functions(comparison: Comparison, path: str) -> list[str]:
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
