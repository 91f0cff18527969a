"""Interprets a test symbolically: unrolls rows, enters helpers, leaves out dead code."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from ast_grep_py import SgNode

from untildone.integrity.tests.assertion_calls import normalize_name, read_assertions, read_raised
from untildone.integrity.tests.conditions import read_condition
from untildone.integrity.tests.control_flow import (
    bind_parameters,
    fails_test,
    is_caught,
    is_unawaited,
    may_be_helper,
    record_change,
    swallows_failure,
)
from untildone.integrity.tests.model import EXACT, NOTHING, PARTIAL, Assertion
from untildone.integrity.tests.values import (
    UNKNOWN,
    Value,
    Variables,
    bind,
    evaluate,
    merge_bounded,
)
from untildone.syntax.nodes import (
    BLOCKS,
    CALLS,
    CLOSURES,
    FUNCTIONS,
    MEMBERS,
    find_below,
    get_value,
    list_arguments,
    list_parts,
    read_call_path,
    read_callee,
    read_literal,
    unwrap,
)

_MAX_CALL_DEPTH = 5
_MAX_ROWS = 400
_MAX_STATEMENTS = 60_000
# Whether the next statement runs: always, perhaps or never.
Completion: TypeAlias = Literal["on", "perhaps", "never"]

_SKIP_CALLS = frozenset(
    (
        *("skip", "skipTest", "xfail", "importorskip", "Skip", "Skipf", "SkipNow", "todo"),
        *("pending", "assumeTrue", "assumeFalse", "assumeThat", "assumingThat", "SkipTest", "exit"),
    )
)
_SKIP_RECEIVERS = frozenset(
    (
        *("pytest", "self", "t", "this", "ctx", "context", "unittest", "test", "b"),
        *("Assumptions", "Assume"),
    )
)
_END_KINDS = frozenset(
    (
        *("return_statement", "return_expression", "continue_statement", "break_statement"),
        *("raise_statement", "throw_statement", "continue_expression", "break_expression"),
    )
)
_RETURN_KINDS = frozenset(("return_statement", "return_expression"))
_LOOP_KINDS = frozenset(
    ("for_statement", "for_in_statement", "for_expression", "enhanced_for_statement")
)
_BINDING_KINDS = frozenset(
    (
        *("assignment", "augmented_assignment", "variable_declarator", "short_var_declaration"),
        *("assignment_statement", "var_spec", "const_spec", "let_declaration", "const_item"),
        *("assignment_expression", "static_item", "named_expression"),
    )
)
_CHOICE_KINDS = frozenset(
    (
        *("match_statement", "switch_statement", "match_expression", "switch_expression"),
        *("expression_switch_statement", "conditional_expression", "ternary_expression"),
        *("binary_expression", "boolean_operator"),
    )
)


class Interpreter:
    """Collects the assertions and skips of one test.

    `functions` are helpers that it may enter. `intercept` sees each call first and returns True
    if it handled it. The `limit` of a statement is the highest strength of its assertions.
    """

    def __init__(
        self,
        functions: Mapping[str, SgNode],
        taken: Callable[["Interpreter", SgNode, Variables, int], bool] | None = None,
    ) -> None:
        self.functions = dict(functions)
        self.intercept = taken
        self.assertions: list[Assertion] = []
        self.marks: set[str] = set()
        self.returned: list[Value] = []
        self._call_stack: list[str] = []
        self._steps = 0

    def run_block(self, node: SgNode, variables: Variables, limit: int = EXACT) -> Completion:
        result: Completion = "on"
        for each in (
            list_parts(node) if node.kind() in BLOCKS or node.kind() in _CONTAINER_KINDS else [node]
        ):
            after = self.run_statement(each, variables, limit)
            if after == "never":
                return "never"
            if after == "perhaps":
                limit, result = min(limit, PARTIAL), "perhaps"
        return result

    def run_statement(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        self._steps += 1
        if self._steps > _MAX_STATEMENTS:
            return "on"
        return _HANDLERS.get(node.kind(), Interpreter._run_parts)(self, node, variables, limit)

    def _skip(self, _node: SgNode, _names: Variables, _limit: int) -> Completion:
        return "on"

    def _run_parts(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        bounded = min(limit, PARTIAL) if node.kind() in _CHOICE_KINDS else limit
        if node.kind() == "binary_expression" and read_literal(list_parts(node)[0]) in (
            "false",
            "0.0",
            "null",
        ):
            return "on"
        for each in list_parts(node):
            self.run_statement(each, variables, bounded)
        return "on"

    def _add(self, assertions: list[Assertion], limit: int) -> None:
        for each in assertions:
            if (strength := min(each.strength, limit)) > NOTHING:
                calls = each.calls.union(*map(self._list_calls_of_helper, each.calls))
                self.assertions.append(
                    Assertion(strength, each.actual, each.expected, calls, each.tolerance)
                )

    def _list_calls_of_helper(self, name: str) -> frozenset[str]:
        """Return the functions a helper calls: they are tested by whoever calls the helper."""
        helper = self.functions.get(name)
        calls = find_below(helper, CALLS) if helper is not None else ()
        return frozenset(read_callee(each)[1] for each in calls) - {""}

    def _run_assert(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        self._add(read_condition(list_parts(node)[0], variables), limit)
        return "on"

    def _define(self, node: SgNode, _names: Variables, _limit: int) -> Completion:
        name = node.field("name")
        if name is not None:
            self.functions[name.text()] = node
        return "on"

    def _run_decorated(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        return self.run_statement(list_parts(node)[-1], variables, limit)

    def _run_end(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        for each in list_parts(node):
            self.run_expression(each, variables, limit)
            if node.kind() in _RETURN_KINDS:
                self.returned.append(evaluate(each, variables))
        return "never"

    def _run_binding(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        left = node.field("left") or node.field("name") or node.field("pattern")
        right = node.field("right") or node.field("value")
        if left is None or right is None:
            return "on"
        after = self.run_expression(right, variables, limit)
        held = evaluate(right, variables)
        if node.kind() == "augmented_assignment":
            whole = merge_bounded(evaluate(left, variables), held)
            held = Value(whole.literals, whole.calls, whole.known)
        sides = list_parts(right) if right.kind() == "expression_list" else [right]
        if left.kind() == "expression_list" and len(sides) == 1:
            held = evaluate(sides[0], variables)
        if left.kind() == "expression_list" and len(list_parts(left)) == 1:
            left = list_parts(left)[0]
            held = evaluate(sides[0], variables)
        bind(left, held, variables)
        return after

    def _run_loop(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        body = node.field("body")
        clause = next((each for each in list_parts(node) if each.kind() == "range_clause"), node)
        left = clause.field("left") or clause.field("pattern") or clause.field("name")
        right = clause.field("right") or clause.field("value")
        if body is None:
            return "on"
        if left is None or right is None:
            return self.run_block(body, variables, limit)
        held = evaluate(right, variables)
        rows = self.rows(held)
        if left.kind() == "expression_list" and held.entries:
            rows = list(held.entries[:_MAX_ROWS])
        elif left.kind() == "expression_list":
            left = list_parts(left)[-1]
        for row in rows:
            bind(left, row, variables)
            self.run_block(body, variables, limit)
        return "on"

    def rows(self, held: Value) -> list[Value]:
        """Return the rows that a loop iterates over; an unknown value is one row."""
        if held.rows is None:
            return [Value(held.literals, held.calls, held.known, held.fields)]
        return list(held.rows[:_MAX_ROWS])

    def _run_if(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        start, test = node.field("initializer"), node.field("condition")
        then, other = node.field("consequence"), node.field("alternative")
        if start is not None:
            self.run_statement(start, variables, limit)
        if test is None or then is None:
            return self._run_parts(node, variables, limit)
        constant = read_literal(unwrap(test))
        if constant in ("true", "1.0"):
            return self.run_block(then, variables, limit)
        if constant in ("false", "0.0", "null"):
            return self.run_block(other, variables, limit) if other is not None else "on"
        if fails_test(then):
            self._add(read_condition(test, variables, negated=True), limit)
            if other is not None:
                self._run_branch(other, variables, limit)
            return "on"
        after = self._run_branch(then, variables, min(limit, PARTIAL))
        if other is not None:
            self._run_branch(other, variables, min(limit, PARTIAL))
        return "on" if after == "on" else "perhaps"

    def _run_branch(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        if node.kind() in ("else_clause", "elif_clause"):
            if node.kind() == "elif_clause":
                return self._run_if(node, variables, limit)
            node = list_parts(node)[-1]
        return self.run_block(node, dict(variables), limit)

    def _run_try(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        body = node.field("body") or next(iter(list_parts(node)), None)
        if body is None:
            return "on"
        handlers = [
            each for each in list_parts(node) if each.kind() in ("except_clause", "catch_clause")
        ]
        others = [
            each for each in list_parts(node) if each.kind() in ("else_clause", "finally_clause")
        ]
        if any(fails_test(each) for each in (body, *others)):
            kinds = [each for handler in handlers for each in list_parts(handler)[:-1]]
            self._add(list(read_raised(evaluate(body, variables), kinds, variables)), limit)
        swallowed = any(swallows_failure(each) for each in handlers)
        after = self.run_block(body, variables, NOTHING if swallowed else limit)
        for each in (*handlers, *others):
            self.run_block(list_parts(each)[-1], dict(variables), limit)
        return "on" if handlers else after

    def _run_with(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        body = node.field("body")
        if body is None:
            return "on"
        for item in find_below(node, frozenset(("with_item",))):
            call = next(find_below(item, CALLS), None)
            name = normalize_name(read_callee(call)[1]) if call is not None else ""
            if call is not None and name in (
                "raises",
                "warns",
                "assertraises",
                "assertraisesregex",
            ):
                assertions = read_raised(evaluate(body, variables), list_arguments(call), variables)
                self._add(list(assertions), limit)
            elif name == "suppress":
                limit = NOTHING
            elif call is not None:
                self.run_expression(call, variables, limit)
        return self.run_block(body, variables, limit)

    def _run_expression_statement(
        self, node: SgNode, variables: Variables, limit: int
    ) -> Completion:
        held = list_parts(node)[0] if list_parts(node) else node
        if is_unawaited(held):
            limit = NOTHING
        return self.run_statement(held, variables, limit) if held is not node else "on"

    def run_expression(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        node = unwrap(node)
        if node.kind() not in CALLS:
            if node.kind() in MEMBERS:
                self._add(read_assertions(node, variables) or [], limit)
            elif node.kind() in _CHOICE_KINDS or node.kind() in ("if_expression", "unsafe_block"):
                return self.run_statement(node, variables, limit)
            return "on"
        if self.intercept is not None and self.intercept(self, node, variables, limit):
            return "on"
        held, name = read_callee(node)
        if name in _SKIP_CALLS and (held is None or held.text() in _SKIP_RECEIVERS):
            self.marks.add(f"`{read_call_path(node)}`")
            return "never"
        if name in self.functions and may_be_helper(held):
            return self._enter_helper(name, node, variables, limit)
        assertions = read_assertions(node, variables)
        if assertions is not None:
            self._add(assertions, limit)
        else:
            self._run_call(node, variables, limit)
        return "on"

    def _run_call(self, node: SgNode, variables: Variables, limit: int) -> None:
        """Run the callbacks of a call that asserts nothing itself, and record what it changes."""
        held, name = read_callee(node)
        if name in ("setTimeout", "setImmediate", "catch_unwind", "nextTick") or is_caught(node):
            limit = NOTHING
        rows = [UNKNOWN]
        if held is not None and name in ("forEach", "map", "each", "for_each"):
            rows = self.rows(evaluate(held, variables))
        for each in list_arguments(node):
            if each.kind() in CLOSURES:
                for row in rows:
                    self.run_closure(each, row, variables, limit)
        if held is not None and held.kind() in CALLS:
            self.run_expression(held, variables, limit)
        record_change(node, held, variables)

    def run_closure(
        self, node: SgNode, row: Value, variables: Variables, limit: int = EXACT
    ) -> Completion:
        inside = dict(variables)
        bind_parameters(node, [row], inside)
        body = node.field("body")
        return self.run_block(body, inside, limit) if body is not None else "on"

    def _enter_helper(
        self, name: str, call: SgNode, variables: Variables, limit: int
    ) -> Completion:
        function = self.functions[name]
        body = function.field("body")
        if body is None or name in self._call_stack or len(self._call_stack) >= _MAX_CALL_DEPTH:
            return "on"
        inside = dict(variables)
        given = list_arguments(call)
        bind_parameters(function, [evaluate(get_value(each), variables) for each in given], inside)
        for each in given:
            if each.kind() == "keyword_argument":
                inside[list_parts(each)[0].text()] = evaluate(get_value(each), variables)
            elif each.kind() in CLOSURES:
                self.run_closure(each, UNKNOWN, variables, limit)
        self._call_stack.append(name)
        self.run_block(body, inside, limit)
        self._call_stack.pop()
        return "on"


_CONTAINER_KINDS = frozenset(("module", "program", "source_file", "class_body"))
_HANDLERS: dict[str, Callable[[Interpreter, SgNode, Variables, int], Completion]] = {
    **dict.fromkeys(_BINDING_KINDS, Interpreter._run_binding),
    **dict.fromkeys(_LOOP_KINDS, Interpreter._run_loop),
    **dict.fromkeys(_END_KINDS, Interpreter._run_end),
    **dict.fromkeys(FUNCTIONS, Interpreter._define),
    **dict.fromkeys(("if_statement", "if_expression"), Interpreter._run_if),
    **dict.fromkeys(("try_statement", "try_with_resources_statement"), Interpreter._run_try),
    **dict.fromkeys((*CALLS, *MEMBERS, "await_expression", "await"), Interpreter.run_expression),
    **dict.fromkeys((*CLOSURES, "class_definition", "class_declaration"), Interpreter._skip),
    **dict.fromkeys(BLOCKS, Interpreter.run_block),
    "assert_statement": Interpreter._run_assert,
    "with_statement": Interpreter._run_with,
    "decorated_definition": Interpreter._run_decorated,
    "expression_statement": Interpreter._run_expression_statement,
}
