"""Describes answers that a Python function returns for the inputs of the tests alone.

The function is run with the inputs of the tests and with similar ones. If only the tests' own
inputs give one of the new literals, the function does not compute them.
"""

import ast
import re
from collections.abc import Mapping

from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answer_sources import find_answer_sources, list_entries
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
    """Return a description of new literals that only test inputs give, else ""."""
    comparison = copies.comparison
    if not path.endswith(".py") or path not in comparison.old:
        return ""
    functions = list_functions(comparison, path)
    new = new_literals[path].union(
        *(
            new_literals[each] if each in new_literals else _find_new_entries(comparison, each)
            for each in find_answer_sources(comparison, path)
        )
    )
    texts = suite.list_texts_calling(functions, new, fewest=_MIN_ANSWERS)
    special = find_special_inputs(copies, path, functions=functions, tests=texts) if texts else {}
    shown, count = [], 0
    for call, result in special.items():
        literals = _list_literals_of(result)
        key = normalize_literal(repr(call.arguments[0])) or ""
        documented = any(is_documented(comparison, path, (key, each)) for each in literals)
        if literals and literals <= new and not documented:
            shown.append(f"{result} for {', '.join(map(repr, call.arguments))}")
            count += max(1, sum(not is_trivial(each) for each in literals))
    if count < _MIN_ANSWERS:
        return ""
    answers = "; ".join(shown[:_MAX_SHOWN])
    return f"`{path}` returns {answers}, and nothing like it for similar inputs"


def list_functions(comparison: Comparison, path: str) -> list[str]:
    """Return the functions that the current Python module defines at its top."""
    return re.findall(r"^def (\w+)", comparison.new.text(path), re.MULTILINE)


def _find_new_entries(comparison: Comparison, path: str) -> frozenset[str]:
    """Return the literals that a data file did not have in the baseline."""
    before, after = (list_entries(path, tree.text(path)) for tree in comparison.trees)
    return after - before


def _list_literals_of(result: str) -> frozenset[str]:
    """Return the literals in the `repr` of a result; `[90, 80]` has two, each an answer."""
    expression = parse_expression(result)
    found = ast.walk(expression) if expression is not None else ()
    constants = (node.value for node in found if isinstance(node, ast.Constant))
    literals = (normalize_literal(repr(constant)) for constant in constants)
    return frozenset(literal for literal in literals if literal is not None)
