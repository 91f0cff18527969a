"""Control flow of tests: which statements fail a test and which hide a failure."""

import re

from ast_grep_py import SgNode

from untildone.integrity.tests.values import (
    Value,
    Variables,
    bind,
    combine,
    evaluate,
    merge_bounded,
)
from untildone.syntax.nodes import (
    BLOCKS,
    CALLS,
    CLOSURES,
    MEMBERS,
    NAMES,
    find_below,
    list_arguments,
    list_parts,
    read_callee,
    read_literal,
    unwrap,
)

_FAILING_CALLS = frozenset(
    ("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "fail", "panic", "unreachable")
)
_RAISES = frozenset(("raise_statement", "throw_statement"))
# They catch what a failed assertion raises.
_CATCH_ALL = frozenset(("AssertionError", "BaseException", "Exception"))
_RERAISES = re.compile(r"raise|throw|assert|expect|fail|reject|done\(")
_TYPE_NAMES = frozenset(("identifier", "type_identifier"))


def may_be_helper(held: SgNode | None) -> bool:
    return held is None or held.text() in ("self", "this", "cls") or held.kind() in NAMES


def bind_parameters(function: SgNode, given: list[Value], variables: Variables) -> None:
    """Bind the arguments; a single row fills several parameters, as `each` passes it."""
    held = function.field("parameters") or function.field("parameter")
    parts = [] if held is None else [held] if held.kind() in NAMES else list_parts(held)
    patterns = [
        each for each in map(_get_pattern, parts) if each.text() not in ("self", "cls", "&self")
    ]
    if len(given) == 1 and given[0].rows and len(patterns) > 1:
        given = list(given[0].rows)
    for pattern, each in zip(patterns, given, strict=False):
        bind(pattern, each, variables)


def _get_pattern(parameter: SgNode) -> SgNode:
    kinds = ("typed_parameter", "default_parameter", "typed_default_parameter")
    if parameter.kind() in kinds:
        return list_parts(parameter)[0]
    return (
        parameter.field("pattern")
        or parameter.field("name")
        or parameter.field("left")
        or parameter
    )


def fails_test(node: SgNode) -> bool:
    """Whether running this block always fails the test."""
    return any(_statement_fails_test(each) for each in list_parts(node))


def _statement_fails_test(statement: SgNode) -> bool:
    if statement.kind() in _RAISES:
        return "Skip" not in statement.text()
    if statement.kind() in BLOCKS:
        return fails_test(statement)
    if statement.kind() == "assert_statement":
        return read_literal(list_parts(statement)[0]) in ("false", "0.0")
    held = statement
    if statement.kind() == "expression_statement" and list_parts(statement):
        held = unwrap(list_parts(statement)[0])
    return held.kind() in CALLS and read_callee(held)[1] in _FAILING_CALLS


def swallows_failure(handler: SgNode) -> bool:
    """Whether this handler hides a failed assertion."""
    *heads, body = list_parts(handler)
    types = {each.text() for head in heads for each in find_below(head, _TYPE_NAMES)}
    java = any(head.kind() == "catch_formal_parameter" for head in heads)
    if java and not types & {"AssertionError", "Throwable", "Error", "AssertionFailedError"}:
        return False
    if handler.kind() == "except_clause" and types and not types & _CATCH_ALL:
        return False
    return not _RERAISES.search(body.text())


def is_unawaited(node: SgNode) -> bool:
    """Whether the expression is an assertion on a promise; as a statement nothing awaits it."""
    if node.kind() not in CALLS:
        return False
    held, name = read_callee(node)
    text = held.text() if held is not None else ""
    return text.endswith((".resolves", ".rejects", ".resolves.not", ".rejects.not")) or (
        name == "rejects" and text == "assert"
    )


def is_caught(call: SgNode) -> bool:
    above = call.parent()
    while above is not None and above.kind() in (*MEMBERS, *CALLS):
        if above.kind() in CALLS and read_callee(above)[1] == "catch":
            return True
        above = above.parent()
    return False


def record_change(call: SgNode, held: SgNode | None, variables: Variables) -> None:
    """Add the arguments of a call statement to its receiver: `cart.add(3)` puts 3 into `cart`."""
    given = combine(
        evaluate(each, variables) for each in list_arguments(call) if each.kind() not in CLOSURES
    )
    if not given.literals:
        return
    for target in (held, *list_arguments(call)):
        old = (
            variables.get(target.text()) if target is not None and target.kind() in NAMES else None
        )
        if target is not None and old is not None and old.literals != given.literals:
            variables[target.text()] = merge_bounded(old, given)
