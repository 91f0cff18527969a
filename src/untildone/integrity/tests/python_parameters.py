"""Values of the parameters of a pytest function: rows of `parametrize`, results of fixtures.

With `@pytest.mark.parametrize("total, want", [(10, 9)])` above `def test_price(shop, total, want)`
the values are 10 for `total`, 9 for `want`, and for `shop` what the fixture `shop` returns.
"""

import re

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.integrity.tests.bindings import bind_row
from untildone.integrity.tests.evaluation import evaluate
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.values import UNKNOWN, Value, Variables
from untildone.syntax import nodes

# Decorators and marks that skip a test or expect it to fail.
SKIP_MARK = compile_late(r"\b(skip\w*|xfail|expectedFailure|importorskip|todo)\b", re.IGNORECASE)


def bind_fixtures(function: SgNode, interpreter: Interpreter, variables: Variables) -> None:
    """Bind each parameter that names a fixture to what the fixture returns or yields.

    The interpreter gets the skips of the fixtures: "`pytest.skip` in `shop`".
    """
    parameters = function.field("parameters")
    for parameter in nodes.list_parts(parameters) if parameters is not None else ():
        name = parameter.text().partition(":")[0].strip()
        fixture = interpreter.functions.get(name)
        body = fixture.field("body") if fixture is not None else None
        if fixture is None or body is None or name in variables:
            continue
        # A fixture that requests its own name means the one that it overrides.
        others = {key: other for key, other in interpreter.functions.items() if key != name}
        fixture_interpreter, fixture_variables = Interpreter(others), dict(variables)
        bind_fixtures(fixture, fixture_interpreter, fixture_variables)
        fixture_interpreter.run_block(body, fixture_variables)
        interpreter.skips |= {f"{mark} in `{name}`" for mark in fixture_interpreter.skips}
        yields = map(nodes.list_parts, nodes.find_below(body, frozenset(("yield",))))
        yielded = [evaluate(parts[0], fixture_variables) for parts in yields if parts]
        if results := (*fixture_interpreter.returned, *yielded):
            variables[name] = results[0]


def read_parametrize(decorator: SgNode, variables: Variables) -> list[Variables] | None:
    """Return the rows of `parametrize`, each as bindings; None for another decorator."""
    call = next(nodes.find_below(decorator, frozenset(("call",))), None)
    if call is None or nodes.read_callee(call)[1] not in ("parametrize", "expand", "data"):
        return None
    positional: list[SgNode] = []
    by_keyword: dict[str, SgNode] = {}
    for argument in nodes.list_arguments(call):
        if keyword := nodes.read_keyword(argument):
            by_keyword[keyword] = nodes.get_value(argument)
        else:
            positional.append(argument)
    heading = positional[0] if positional else by_keyword.get("argnames")
    table = positional[1] if len(positional) > 1 else by_keyword.get("argvalues")
    if heading is None or table is None:
        return None
    names = _read_names(heading)
    return [bind_row(names, row) for row in _read_rows(table, variables)]


def _read_names(node: SgNode) -> list[str]:
    """Return the parameters of `"total, want"` or `["total", "want"]`."""
    texts = (nodes.read_literal(text) or "" for text in (node, *nodes.list_parts(node)))
    parts = (part.strip() for text in texts for part in text.removeprefix('"').split(","))
    return [part for part in parts if part]


def _read_rows(table: SgNode, variables: Variables) -> list[Value]:
    """Return the rows of a table without those that are skipped by `param(…, marks=skip)`."""
    if table.kind() not in ("list", "tuple", "set"):
        rows = evaluate(table, variables).rows
        return [UNKNOWN] if rows is None else list(rows)
    return [
        evaluate(row, variables)
        for row in nodes.list_parts(table)
        if not ("param" in row.text() and SKIP_MARK.search(row.text()))
    ]
