"""Tells functions that compute their result from the input from those that look it up.

`return total * 0.9` depends on the parameter `total`; `return ANSWERS[total]` does not, and neither
does `return 90`.
"""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.integrity.hard_coded.literals import parse_with_json
from untildone.syntax.parsing import find_kinds
from untildone.worktree.contents import Tree

FUNCTION_KINDS = (
    *("function_definition", "function_declaration", "method_declaration", "method_definition"),
    *("function_item", "arrow_function", "function_expression"),
)
NAME_KINDS = ("identifier", "simple_identifier")
_BINDING_KINDS = (
    *("assignment", "augmented_assignment", "variable_declarator", "short_var_declaration"),
    *("assignment_statement", "assignment_expression", "let_declaration", "for_in_statement"),
    *("augmented_assignment_expression", "for_statement", "for_expression", "for_in_clause"),
)
_BINDING_SIGN = re.compile(r"(?<![=!<>])[-+*/|]?:?=(?![=>])|\b(in|of)\b|:=")
# ANSWERS[total], answers.get(total, 0)
_TABLE_LOOKUP = re.compile(r"\b\w+(\[[\w.]+\]|\.(get|has|contains_key|getOrDefault)\(&?\w+\b)")
_NAME = re.compile(r"\w+")


def find_computing_functions(tree: Tree, path: str) -> Iterator[str]:
    """Yield the names of functions whose result depends on their input."""
    for node in find_kinds(tree.fact(parse_with_json, path), FUNCTION_KINDS):
        name = node.field("name")
        if name is not None and depends_on_input(node):
            yield name.text()


def depends_on_input(function: SgNode) -> bool:
    """Whether a returned value depends on the parameters or on the object."""
    body = function.field("body")
    if body is None:
        return False
    names = _list_input_names(function, body)
    returned = find_kinds(body, ("return_statement", "return_expression"))
    last = [child for child in body.children() if child.is_named()][-1:]
    texts = (_TABLE_LOOKUP.sub("", node.text()) for node in (*returned, *last))
    return any(names.intersection(_NAME.findall(text)) for text in texts)


def _list_input_names(function: SgNode, body: SgNode) -> set[str]:
    """Return the parameters and the variables that are computed from them."""
    parameters = function.field("parameters") or function.field("parameter")
    names = {"this", "self"}
    if parameters is not None:
        names |= {each.text() for each in find_kinds(parameters, NAME_KINDS)}
    bindings = find_kinds(body, _BINDING_KINDS)
    for binding in sorted(bindings, key=lambda node: node.range().start.line):
        text = _TABLE_LOOKUP.sub("", binding.text())
        targets, _, source = _BINDING_SIGN.sub("\0", text, count=1).partition("\0")
        if names.intersection(_NAME.findall(source.partition("{\n")[0])):
            names.update(_NAME.findall(targets))
    return names
