"""Tells functions that compute their result from the input from those that look it up.

`return total * 0.9` depends on the parameter `total`; `return ANSWERS[total]` does not, and neither
does `return 90`.
"""

from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.integrity.hard_coded.literals import parse_with_json
from untildone.syntax.parsing import find_kinds
from untildone.worktree.contents import Tree

FUNCTION_KINDS = (
    *("function_definition", "function_declaration", "method_declaration", "method_definition"),
    *("function_item", "arrow_function", "function_expression"),
)
NAME_KINDS = ("identifier", "simple_identifier")
# Statements that give variables a value: `net = total * 2`, `for row in rows`.
_BINDING_KINDS = (
    *("assignment", "augmented_assignment", "variable_declarator", "short_var_declaration"),
    *("assignment_statement", "assignment_expression", "let_declaration", "for_in_statement"),
    *("augmented_assignment_expression", "for_statement", "for_expression", "for_in_clause"),
)
# What separates the variables of such a statement from the expression: =, +=, :=, in, of
_BINDING_OPERATOR = compile_late(r"(?<![=!<>])[-+*/|]?:?=(?![=>])|\b(in|of)\b|:=")
# ANSWERS[total], answers.get(total, 0)
_TABLE_LOOKUP = compile_late(r"\b\w+(\[[\w.]+\]|\.(get|has|contains_key|getOrDefault)\(&?\w+\b)")
_NAME = compile_late(r"\w+")


def find_computing_functions(tree: Tree, path: str) -> Iterator[str]:
    """Yield the names of the file's functions whose result depends on their input."""
    for node in find_kinds(tree.fact(parse_with_json, path), FUNCTION_KINDS):
        name = node.field("name")
        if name is not None and depends_on_input(node):
            yield name.text()


def depends_on_input(function: SgNode) -> bool:
    """Say whether a returned value is computed from the parameters or from the object (`self`)."""
    body = function.field("body")
    if body is None:
        return False
    input_names = _find_input_names(function, body)
    returns = find_kinds(body, ("return_statement", "return_expression"))
    # In Rust the last expression of a function is its result.
    last_statement = [child for child in body.children() if child.is_named()][-1:]
    results = (_TABLE_LOOKUP.sub("", node.text()) for node in (*returns, *last_statement))
    return any(input_names.intersection(_NAME.findall(result)) for result in results)


def _find_input_names(function: SgNode, body: SgNode) -> set[str]:
    """Return the parameters, and the variables that are computed from them.

    Of `def price(total): net = total * 2` they are `total` and `net`; the object counts as well.
    """
    names = {"this", "self"}
    parameters = function.field("parameters") or function.field("parameter")
    if parameters is not None:
        names |= {node.text() for node in find_kinds(parameters, NAME_KINDS)}
    bindings = find_kinds(body, _BINDING_KINDS)
    for binding in sorted(bindings, key=lambda node: node.range().start.line):
        text = _TABLE_LOOKUP.sub("", binding.text())
        variables, _, expression = _BINDING_OPERATOR.sub("\0", text, count=1).partition("\0")
        # The body of a loop, `for x in rows {` and what follows, is no part of the expression.
        if names.intersection(_NAME.findall(expression.partition("{\n")[0])):
            names.update(_NAME.findall(variables))
    return names
