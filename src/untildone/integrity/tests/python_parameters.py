"""Values of the parameters of a pytest function: rows of `parametrize`, results of fixtures."""

import re

from ast_grep_py import SgNode

from untildone.integrity.tests.evaluation import evaluate
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.values import UNKNOWN, Value, Variables
from untildone.syntax import nodes

# Decorators and marks that skip a test or expect it to fail.
SKIP_MARK = re.compile(r"\b(skip\w*|xfail|expectedFailure|importorskip|todo)\b", re.IGNORECASE)


def bind_fixtures(node: SgNode, interpreter: Interpreter, variables: Variables) -> None:
    """Bind each parameter that names a fixture to what the fixture returns or yields."""
    parameters = node.field("parameters")
    for parameter in nodes.list_parts(parameters) if parameters is not None else ():
        name = parameter.text().partition(":")[0].strip()
        fixture = interpreter.functions.get(name)
        body = fixture.field("body") if fixture is not None else None
        if fixture is None or body is None or name in variables:
            continue
        # A fixture that requests its own name means the one that it overrides.
        others = {key: other for key, other in interpreter.functions.items() if key != name}
        inside, known = Interpreter(others), dict(variables)
        bind_fixtures(fixture, inside, known)
        inside.run_block(body, known)
        interpreter.skips |= {f"{mark} in `{name}`" for mark in inside.skips}
        yields = map(nodes.list_parts, nodes.find_below(body, frozenset(("yield",))))
        yielded = [evaluate(parts[0], known) for parts in yields if parts]
        if results := (*inside.returned, *yielded):
            variables[name] = results[0]


def read_parametrize(decorator: SgNode, variables: Variables) -> list[Variables] | None:
    """Return the rows of `parametrize`, each as bindings; None for another decorator."""
    call = next(nodes.find_below(decorator, frozenset(("call",))), None)
    if call is None or nodes.read_callee(call)[1] not in ("parametrize", "expand", "data"):
        return None
    arguments = nodes.list_arguments(call)
    keyed = map(nodes.list_parts, (each for each in arguments if each.kind() == "keyword_argument"))
    by_keyword = {parts[0].text(): parts[-1] for parts in keyed}
    plain = [each for each in arguments if each.kind() != "keyword_argument"]
    heads = plain[0] if plain else by_keyword.get("argnames")
    rows = plain[1] if len(plain) > 1 else by_keyword.get("argvalues")
    if heads is None or rows is None:
        return None
    labels = _read_labels(heads)
    return [_bind_row(labels, row) for row in _read_rows(rows, variables)]


def _read_labels(node: SgNode) -> list[str]:
    """Read the names of `"total, want"` or of a list of texts."""
    texts = (nodes.read_literal(each) or "" for each in (node, *nodes.list_parts(node)))
    parts = (part.strip() for text in texts for part in text.removeprefix('"').split(","))
    return [part for part in parts if part]


def _read_rows(node: SgNode, variables: Variables) -> list[Value]:
    """Return the rows of a table without those that are skipped by `param(…, marks=skip)`."""
    if node.kind() not in ("list", "tuple", "set"):
        rows = evaluate(node, variables).rows
        return [UNKNOWN] if rows is None else list(rows)
    return [
        evaluate(row, variables)
        for row in nodes.list_parts(node)
        if not ("param" in row.text() and SKIP_MARK.search(row.text()))
    ]


def _bind_row(labels: list[str], row: Value) -> Variables:
    """Return the parameters with the cells of a row; `param(3)` is the 3 of a single parameter."""
    if len(labels) == 1:
        return {labels[0]: row.rows[0] if row.rows and len(row.rows) == 1 else row}
    return {label: row.fields.get(str(position), row) for position, label in enumerate(labels)}
