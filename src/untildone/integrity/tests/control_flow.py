"""Says which statements of a test fail it, and which hide that it failed.

`t.Error(…)` in `if got != 3 { t.Error(…) }` fails the test; `except Exception: pass` hides that an
assertion failed.
"""

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.syntax import nodes
from untildone.words import words

# `t.Errorf(…)`, `fail("no error")`, `panic!()`
_FAILING_CALLS = words("Error Errorf Fatal Fatalf Fail FailNow fail panic unreachable")
# Python's and Java's types whose handler catches what a failed assertion raises.
_CATCH_ALL = words("AssertionError BaseException Exception")
_JAVA_CATCH_ALL = words("AssertionError Throwable Error AssertionFailedError")
# A handler with one of these checks the error or fails the test itself.
_RERAISES = compile_late(r"raise|throw|assert|expect|fail|reject|done\(")
_TYPE_NAMES = words("identifier type_identifier")


def fails_test(block: SgNode) -> bool:
    """Whether running this block always fails the test."""
    return any(map(_statement_fails_test, nodes.list_parts(block)))


def _statement_fails_test(statement: SgNode) -> bool:
    """Whether a statement is `raise …`, `assert False`, `t.Fatal()` or a block with one of them."""
    kind, parts = statement.kind(), nodes.list_parts(statement)
    if kind in ("raise_statement", "throw_statement"):
        # `raise unittest.SkipTest` skips it.
        return "Skip" not in statement.text()
    if kind in nodes.BLOCKS:
        return fails_test(statement)
    if kind == "assert_statement":
        return nodes.read_literal(parts[0]) in ("false", "0.0")
    call = nodes.unwrap(parts[0]) if kind == "expression_statement" and parts else statement
    return call.kind() in nodes.CALLS and nodes.read_callee(call)[1] in _FAILING_CALLS


def swallows_failure(handler: SgNode) -> bool:
    """Whether this handler hides a failed assertion: `except Exception: pass`, `catch (e) {}`.

    `except ValueError: pass` does not catch one, and a handler that raises again does not hide it.
    """
    *heads, body = nodes.list_parts(handler)
    types = {name.text() for head in heads for name in nodes.find_below(head, _TYPE_NAMES)}
    is_java = any(head.kind() == "catch_formal_parameter" for head in heads)
    if is_java and not types & _JAVA_CATCH_ALL:
        return False
    if handler.kind() == "except_clause" and types and not types & _CATCH_ALL:
        return False
    return not _RERAISES.search(body.text())


def asserts_promise(node: SgNode) -> bool:
    """Whether the expression is an assertion on a promise: `expect(load()).resolves.toBe(1)`.

    Unless something awaits it, the test may pass before the promise is rejected.
    """
    if node.kind() not in nodes.CALLS:
        return False
    receiver, name = nodes.read_callee(node)
    text = receiver.text() if receiver is not None else ""
    is_on_promise = text.endswith((".resolves", ".rejects", ".resolves.not", ".rejects.not"))
    return is_on_promise or (name == "rejects" and text == "assert")


def is_caught(call: SgNode) -> bool:
    """Whether `.catch(…)` follows the call, so that a rejected promise fails nothing."""
    above = call.parent()
    while above is not None and above.kind() in nodes.MEMBERS | nodes.CALLS:
        if above.kind() in nodes.CALLS and nodes.read_callee(above)[1] == "catch":
            return True
        above = above.parent()
    return False
