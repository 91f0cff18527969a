"""Runs the statements of a test symbolically and collects its assertions and skips.

The rows of a table run one after another, calls of helpers run the helper's statements, and what
follows a `return` does not run. An assertion in a branch that may not run, or below a handler that
hides its failure, counts less than it says: the `limit` of a statement is the highest strength of
the assertions in it.
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.integrity.tests import control_flow
from untildone.integrity.tests.assertion_calls import read_assertions, read_raised
from untildone.integrity.tests.assertion_names import normalize_name
from untildone.integrity.tests.conditions import read_condition
from untildone.integrity.tests.evaluation import evaluate
from untildone.integrity.tests.model import EXACT, NOTHING, PARTIAL, Assertion
from untildone.integrity.tests.patterns import bind
from untildone.integrity.tests.values import UNKNOWN, Value, Variables, merge
from untildone.syntax import nodes
from untildone.words import words

_MAX_CALL_DEPTH = 5
_MAX_ROWS = 400
_MAX_STATEMENTS = 60_000
# Whether the next statement runs: always, perhaps or never.
Completion: TypeAlias = Literal["on", "perhaps", "never"]
# Sees each call first and returns True if it handled it.
Intercept: TypeAlias = Callable[["Interpreter", SgNode, Variables, int], bool]

_TRUE = ("true", "1.0")
_FALSE = ("false", "0.0", "null")
_SKIP_CALLS = words("""
    skip skipTest xfail importorskip Skip Skipf SkipNow todo pending assumeTrue assumeFalse
    assumeThat assumingThat SkipTest exit
""")
_SKIP_RECEIVERS = words("pytest self t this ctx context unittest test b Assumptions Assume")
_RAISING_CONTEXTS = words("raises warns assertraises assertraisesregex")
_DETACHED_CALLS = words("setTimeout setImmediate catch_unwind nextTick")
_LOOPING_CALLS = words("forEach map each for_each")

_RETURN_KINDS = words("return_statement return_expression")
_END_KINDS = _RETURN_KINDS | words("""
    continue_statement break_statement raise_statement throw_statement continue_expression
    break_expression
""")
_LOOP_KINDS = words("for_statement for_in_statement for_expression enhanced_for_statement")
_BINDING_KINDS = words("""
    assignment augmented_assignment variable_declarator short_var_declaration assignment_statement
    var_spec const_spec let_declaration const_item assignment_expression static_item
    named_expression
""")
_CHOICE_KINDS = words("""
    match_statement switch_statement match_expression switch_expression expression_switch_statement
    conditional_expression ternary_expression binary_expression boolean_operator
""")
_SEQUENTIAL_KINDS = nodes.BLOCKS | words("module program source_file class_body")
# They run when they are called.
_SKIPPED_KINDS = nodes.CLOSURES | words("class_definition class_declaration")


class Interpreter:
    """Collects the assertions and skips of one test; `functions` are helpers that it may enter."""

    def __init__(self, functions: Mapping[str, SgNode], intercept: Intercept | None = None) -> None:
        self.functions = dict(functions)
        self.intercept = intercept
        self.assertions: list[Assertion] = []
        self.marks: set[str] = set()
        self.returned: list[Value] = []
        self._call_stack: list[str] = []
        self._steps = 0

    def run_block(
        self, block: SgNode | None, variables: Variables, limit: int = EXACT
    ) -> Completion:
        """Run statements one after another until one of them ends the block."""
        result: Completion = "on"
        if block is None:
            return result
        for statement in nodes.list_parts(block) if block.kind() in _SEQUENTIAL_KINDS else [block]:
            after = self.run_statement(statement, variables, limit)
            if after == "never":
                return "never"
            if after == "perhaps":
                limit, result = min(limit, PARTIAL), "perhaps"
        return result

    def run_statement(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        """Run one statement; the assertions in it count at most as much as `limit`."""
        self._steps += 1
        if self._steps > _MAX_STATEMENTS or node.kind() in _SKIPPED_KINDS:
            return "on"
        return _HANDLERS.get(node.kind(), Interpreter._run_parts)(self, node, variables, limit)

    def _run_parts(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        parts = nodes.list_parts(node)
        if node.kind() == "binary_expression" and nodes.read_literal(parts[0]) in _FALSE:
            return "on"
        limit = min(limit, PARTIAL) if node.kind() in _CHOICE_KINDS else limit
        for part in parts:
            self.run_statement(part, variables, limit)
        return "on"

    def _add(self, assertions: list[Assertion], limit: int) -> None:
        for assertion in assertions:
            if (strength := min(assertion.strength, limit)) > NOTHING:
                calls = assertion.calls.union(*map(self._list_calls_of_helper, assertion.calls))
                self.assertions.append(replace(assertion, strength=strength, calls=calls))

    def _list_calls_of_helper(self, name: str) -> frozenset[str]:
        """Return the functions a helper calls: they are tested by whoever calls the helper."""
        helper = self.functions.get(name)
        calls = nodes.find_below(helper, nodes.CALLS) if helper is not None else ()
        return frozenset(nodes.read_callee(call)[1] for call in calls) - {""}

    def _run_assert(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        self._add(read_condition(nodes.list_parts(node)[0], variables), limit)
        return "on"

    def _define(self, node: SgNode, _variables: Variables, _limit: int) -> Completion:
        if name := nodes.read_name(node):
            self.functions[name] = node
        return "on"

    def _run_decorated(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        return self.run_statement(nodes.list_parts(node)[-1], variables, limit)

    def _run_end(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        for part in nodes.list_parts(node):
            self.run_expression(part, variables, limit)
            if node.kind() in _RETURN_KINDS:
                self.returned.append(evaluate(part, variables))
        return "never"

    def _run_binding(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        left = node.field("left") or node.field("name") or node.field("pattern")
        right = node.field("right") or node.field("value")
        if left is None or right is None:
            return "on"
        after = self.run_expression(right, variables, limit)
        value = evaluate(right, variables)
        if node.kind() == "augmented_assignment":
            merged = merge(evaluate(left, variables), value)
            value = Value(merged.literals, merged.calls, merged.known)
        if left.kind() == "expression_list":
            targets = nodes.list_parts(left)
            sides = nodes.list_parts(right) if right.kind() == "expression_list" else [right]
            if 1 in (len(targets), len(sides)):
                value = evaluate(sides[0], variables)
            left = targets[0] if len(targets) == 1 else left
        bind(left, value, variables)
        return after

    def _run_loop(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        body = node.field("body")
        parts = nodes.list_parts(node)
        clause = next((part for part in parts if part.kind() == "range_clause"), node)
        left = clause.field("left") or clause.field("pattern") or clause.field("name")
        right = clause.field("right") or clause.field("value")
        if left is None or right is None:
            return self.run_block(body, variables, limit)
        iterated = evaluate(right, variables)
        rows = self.list_rows(iterated)
        if left.kind() == "expression_list":
            # Go's `range` gives pairs: of a mapping as they are, of a sequence only the elements.
            if iterated.entries:
                rows = list(iterated.entries[:_MAX_ROWS])
            else:
                left = nodes.list_parts(left)[-1]
        for row in rows:
            bind(left, row, variables)
            self.run_block(body, variables, limit)
        return "on"

    def list_rows(self, value: Value) -> list[Value]:
        """Return the rows that a loop iterates over; an unknown value is one row."""
        if value.rows is None:
            return [Value(value.literals, value.calls, value.known, value.fields)]
        return list(value.rows[:_MAX_ROWS])

    def _run_if(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        first, condition = node.field("initializer"), node.field("condition")
        then, other = node.field("consequence"), node.field("alternative")
        if first is not None:
            self.run_statement(first, variables, limit)
        if condition is None or then is None:
            return self._run_parts(node, variables, limit)
        constant = nodes.read_literal(nodes.unwrap(condition))
        if constant in _TRUE + _FALSE:
            return self.run_block(then if constant in _TRUE else other, variables, limit)
        if control_flow.fails_test(then):
            self._add(read_condition(condition, variables, negated=True), limit)
            self._run_branch(other, variables, limit)
            return "on"
        after = self._run_branch(then, variables, min(limit, PARTIAL))
        self._run_branch(other, variables, min(limit, PARTIAL))
        return "on" if after == "on" else "perhaps"

    def _run_branch(self, node: SgNode | None, variables: Variables, limit: int) -> Completion:
        if node is not None and node.kind() == "elif_clause":
            return self._run_if(node, variables, limit)
        if node is not None and node.kind() == "else_clause":
            node = nodes.list_parts(node)[-1]
        return self.run_block(node, dict(variables), limit)

    def _run_try(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        parts = nodes.list_parts(node)
        body = node.field("body") or next(iter(parts), None)
        if body is None:
            return "on"
        handlers = [part for part in parts if part.kind() in ("except_clause", "catch_clause")]
        others = [part for part in parts if part.kind() in ("else_clause", "finally_clause")]
        if any(map(control_flow.fails_test, (body, *others))):
            kinds = [kind for each in handlers for kind in nodes.list_parts(each)[:-1]]
            self._add(read_raised(evaluate(body, variables), kinds, variables), limit)
        is_swallowed = any(map(control_flow.swallows_failure, handlers))
        after = self.run_block(body, variables, NOTHING if is_swallowed else limit)
        for part in (*handlers, *others):
            self.run_block(nodes.list_parts(part)[-1], dict(variables), limit)
        return "on" if handlers else after

    def _run_with(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        body = node.field("body")
        if body is None:
            return "on"
        for item in nodes.find_below(node, frozenset(("with_item",))):
            call = next(nodes.find_below(item, nodes.CALLS), None)
            if call is None:
                continue
            name = normalize_name(nodes.read_callee(call)[1])
            if name in _RAISING_CONTEXTS:
                kinds = nodes.list_arguments(call)
                self._add(read_raised(evaluate(body, variables), kinds, variables), limit)
            elif name == "suppress":
                limit = NOTHING
            else:
                self.run_expression(call, variables, limit)
        return self.run_block(body, variables, limit)

    def _run_expression_statement(
        self, node: SgNode, variables: Variables, limit: int
    ) -> Completion:
        parts = nodes.list_parts(node)
        if not parts:
            return "on"
        limit = NOTHING if control_flow.is_unawaited(parts[0]) else limit
        return self.run_statement(parts[0], variables, limit)

    def run_expression(self, node: SgNode, variables: Variables, limit: int) -> Completion:
        """Run the calls and assertions of an expression."""
        node = nodes.unwrap(node)
        if node.kind() in nodes.CALLS:
            return self._run_call(node, variables, limit)
        if node.kind() in nodes.MEMBERS:
            self._add(read_assertions(node, variables) or [], limit)
        elif node.kind() in _CHOICE_KINDS or node.kind() in ("if_expression", "unsafe_block"):
            return self.run_statement(node, variables, limit)
        return "on"

    def _run_call(self, call: SgNode, variables: Variables, limit: int) -> Completion:
        if self.intercept is not None and self.intercept(self, call, variables, limit):
            return "on"
        receiver, name = nodes.read_callee(call)
        if name in _SKIP_CALLS and (receiver is None or receiver.text() in _SKIP_RECEIVERS):
            self.marks.add(f"`{nodes.read_call_path(call)}`")
            return "never"
        if name in self.functions and control_flow.may_be_helper(receiver):
            self._enter_helper(name, call, variables, limit)
        elif (assertions := read_assertions(call, variables)) is not None:
            self._add(assertions, limit)
        else:
            self._run_callbacks(call, variables, limit)
        return "on"

    def _run_callbacks(self, call: SgNode, variables: Variables, limit: int) -> None:
        """Run the callbacks of a call that asserts nothing itself, and record what it changes."""
        receiver, name = nodes.read_callee(call)
        if name in _DETACHED_CALLS or control_flow.is_caught(call):
            limit = NOTHING
        rows = [UNKNOWN]
        if receiver is not None and name in _LOOPING_CALLS:
            rows = self.list_rows(evaluate(receiver, variables))
        for argument in nodes.list_arguments(call):
            if argument.kind() in nodes.CLOSURES:
                for row in rows:
                    self.run_closure(argument, row, variables, limit)
        if receiver is not None and receiver.kind() in nodes.CALLS:
            self.run_expression(receiver, variables, limit)
        control_flow.record_change(call, receiver, variables)

    def run_closure(
        self, closure: SgNode, row: Value, variables: Variables, limit: int = EXACT
    ) -> None:
        """Run the body of a function passed as an argument, with a row as its parameters."""
        inside = dict(variables)
        control_flow.bind_parameters(closure, [row], inside)
        self.run_block(closure.field("body"), inside, limit)

    def _enter_helper(self, name: str, call: SgNode, variables: Variables, limit: int) -> None:
        function = self.functions[name]
        body = function.field("body")
        if body is None or name in self._call_stack or len(self._call_stack) >= _MAX_CALL_DEPTH:
            return
        inside = dict(variables)
        arguments = nodes.list_arguments(call)
        values = [evaluate(nodes.get_value(argument), variables) for argument in arguments]
        control_flow.bind_parameters(function, values, inside)
        for argument, value in zip(arguments, values, strict=True):
            if argument.kind() == "keyword_argument":
                inside[nodes.list_parts(argument)[0].text()] = value
            elif argument.kind() in nodes.CLOSURES:
                self.run_closure(argument, UNKNOWN, variables, limit)
        self._call_stack.append(name)
        self.run_block(body, inside, limit)
        self._call_stack.pop()


_HANDLERS: dict[str, Callable[[Interpreter, SgNode, Variables, int], Completion]] = {
    **dict.fromkeys(_BINDING_KINDS, Interpreter._run_binding),
    **dict.fromkeys(_LOOP_KINDS, Interpreter._run_loop),
    **dict.fromkeys(_END_KINDS, Interpreter._run_end),
    **dict.fromkeys(nodes.FUNCTIONS, Interpreter._define),
    **dict.fromkeys(("if_statement", "if_expression"), Interpreter._run_if),
    **dict.fromkeys(("try_statement", "try_with_resources_statement"), Interpreter._run_try),
    **dict.fromkeys(nodes.CALLS | nodes.MEMBERS, Interpreter.run_expression),
    **dict.fromkeys(("await_expression", "await"), Interpreter.run_expression),
    **dict.fromkeys(nodes.BLOCKS, Interpreter.run_block),
    "assert_statement": Interpreter._run_assert,
    "with_statement": Interpreter._run_with,
    "decorated_definition": Interpreter._run_decorated,
    "expression_statement": Interpreter._run_expression_statement,
}
