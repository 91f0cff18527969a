"""The nodes of Python's own syntax trees."""

import ast
from collections.abc import Sequence


def list_nodes(top: ast.AST) -> Sequence[ast.AST]:
    """Return the node and all below it in the order of `ast.walk`, in less than half of its time.

    Contexts such as `ast.Load` are left out: they say nothing and are a third of all nodes.
    """
    found = [top]
    # The list grows while it is read.
    for node in found:
        found += list_children(node)
    return found


def list_children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly below, without contexts."""
    children: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            children += [item for item in value if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            children.append(value)
    return children
