"""Runs the statements of a test symbolically and collects its assertions and skips.

Nothing is executed: the interpreter walks the syntax tree of any supported language and keeps for
each variable the literals and calls it consists of (`Value`). In

    for total, want in [(10, 9), (20, 18)]:
        if sys.platform == "linux":
            check(total, want)  # def check(total, want): assert price(total) == want

the loop runs twice, the call runs the statement of `check`, and the result is the two assertions
`price(10) == 9` and `price(20) == 18`. What follows a `return` does not run.

`max_strength`, one of the strengths in `model.py`, is the highest strength that the assertions of a
statement can have. It is PARTIAL in a branch that may not run, as here, and NOTHING where a handler
such as `except Exception: pass` hides the failure.
"""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from ast_grep_py import SgNode
from msgspec.structs import replace

from untildone.integrity.tests import control_flow
from untildone.integrity.tests.assertion_calls import normalize_name, read_assertions, read_raised
from untildone.integrity.tests.bindings import bind, bind_parameters, record_change
from untildone.integrity.tests.conditions import read_condition
from untildone.integrity.tests.evaluation import evaluate
from untildone.integrity.tests.model import EXACT, NOTHING, PARTIAL, Assertion
from untildone.integrity.tests.values import MAX_ROWS, UNKNOWN, Value, Variables, list_rows, merge
from untildone.syntax import nodes
from untildone.words import words

_MAX_CALL_DEPTH = 5
# A statement counts once for each row it runs with. After this many the interpreter ignores the
# rest, so a test with huge tables keeps the assertions found until then.
_MAX_STATEMENTS = 60_000
# Whether the statement after the current one runs.
Completion: TypeAlias = Literal["always", "perhaps", "never"]
# A function that sees each call first, with its variables and `max_strength`. It returns True if it
# handled the call: the JavaScript reader handles `test("name", () => …)` this way.
Intercept: TypeAlias = Callable[["Interpreter", SgNode, Variables, int], bool]

_TRUE = ("true", "1.0")
_FALSE = ("false", "0.0", "null")
# `pytest.skip()`, `t.Skip()`, `assumeTrue(…)`: calls that end a test without failing it ...
_SKIP_CALLS = words("""
    skip skipTest xfail importorskip Skip Skipf SkipNow todo pending assumeTrue assumeFalse
    assumeThat assumingThat SkipTest exit
""")
# ... and the objects they are called on.
_SKIP_RECEIVERS = words("pytest self t this ctx context unittest test b Assumptions Assume")
# `with pytest.raises(ValueError):`
_RAISING_CONTEXTS = words("raises warns assertraises assertraisesregex")
# A failure in their callback does not fail the test.
_DETACHED_CALLS = words("setTimeout setImmediate catch_unwind nextTick")
# `rows.forEach(row => …)` runs its callback for each row.
_LOOPING_CALLS = words("forEach map each for_each")

_RETURN_KINDS = words("return_statement return_expression")
_JUMP_KINDS = _RETURN_KINDS | words("""
    continue_statement break_statement raise_statement throw_statement continue_expression
    break_expression
""")
_LOOP_KINDS = words("for_statement for_in_statement for_expression enhanced_for_statement")
_BINDING_KINDS = words("""
    assignment augmented_assignment variable_declarator short_var_declaration assignment_statement
    var_spec const_spec let_declaration const_item assignment_expression static_item
    named_expression
""")
# Only some of their parts run: a `case`, the right side of `ready && check()`.
_CHOICE_KINDS = words("""
    match_statement switch_statement match_expression switch_expression expression_switch_statement
    conditional_expression ternary_expression binary_expression boolean_operator
""")
_SEQUENTIAL_KINDS = nodes.BLOCKS | words("module program source_file class_body")
# Their statements do not run where they stand but when they are called.
_DEFERRED_KINDS = nodes.CLOSURES | words("class_definition class_declaration")


class Interpreter:
    """Collects the assertions and skips of one test.

    `functions` are the helpers whose statements run when they are called. `skips` are the calls
    that skip the test, such as "`pytest.skip`"; `returned` the values of its `return` statements.
    """

    def __init__(self, functions: Mapping[str, SgNode], intercept: Intercept | None = None) -> None:
        self.functions = dict(functions)
        self.intercept = intercept
        self.assertions: list[Assertion] = []
        self.skips: set[str] = set()
        self.returned: list[Value] = []
        self._call_stack: list[str] = []
        self._steps = 0

    def run_block(
        self, block: SgNode | None, variables: Variables, max_strength: int = EXACT
    ) -> Completion:
        """Run statements one after another until one of them ends the block."""
        result: Completion = "always"
        if block is None:
            return result
        for statement in nodes.list_parts(block) if block.kind() in _SEQUENTIAL_KINDS else [block]:
            after = self.run_statement(statement, variables, max_strength)
            if after == "never":
                return "never"
            if after == "perhaps":  # as after `if slow: return`
                max_strength, result = min(max_strength, PARTIAL), "perhaps"
        return result

    def run_statement(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run a statement or expression by the handler of its kind, or else run its parts."""
        self._steps += 1
        if self._steps > _MAX_STATEMENTS or node.kind() in _DEFERRED_KINDS:
            return "always"
        return _HANDLERS.get(node.kind(), Interpreter._run_parts)(
            self, node, variables, max_strength
        )

    def _run_parts(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run the children of a node that has no handler."""
        parts = nodes.list_parts(node)
        # `false && expect(x).toBe(1)` never reaches its right side.
        if node.kind() == "binary_expression" and nodes.read_literal(parts[0]) in _FALSE:
            return "always"
        max_strength = min(max_strength, PARTIAL) if node.kind() in _CHOICE_KINDS else max_strength
        for part in parts:
            self.run_statement(part, variables, max_strength)
        return "always"

    def _add_assertions(self, assertions: list[Assertion], max_strength: int) -> None:
        """Record the assertions, weakened to `max_strength`; those of no strength are dropped."""
        for assertion in assertions:
            if (strength := min(assertion.strength, max_strength)) > NOTHING:
                calls = assertion.calls.union(*map(self._list_calls_of_helper, assertion.calls))
                self.assertions.append(replace(assertion, strength=strength, calls=calls))

    def _list_calls_of_helper(self, name: str) -> frozenset[str]:
        """Return what a helper calls: with `def total(): return price(10)` it is `price`."""
        helper = self.functions.get(name)
        calls = nodes.find_below(helper, nodes.CALLS) if helper is not None else ()
        return frozenset(nodes.read_callee(call)[1] for call in calls) - {""}

    def _run_assert(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run `assert price(10) == 9, "message"`."""
        self._add_assertions(read_condition(nodes.list_parts(node)[0], variables), max_strength)
        return "always"

    def _define_function(
        self, node: SgNode, _variables: Variables, _max_strength: int
    ) -> Completion:
        """Make a function that is defined inside the test a helper."""
        if name := nodes.read_name(node):
            self.functions[name] = node
        return "always"

    def _run_decorated(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run a definition without its decorators."""
        return self.run_statement(nodes.list_parts(node)[-1], variables, max_strength)

    def _run_jump(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run a `return`, `raise`, `break` or `continue`: what follows in its block never runs."""
        for part in nodes.list_parts(node):
            self.run_expression(part, variables, max_strength)
            if node.kind() in _RETURN_KINDS:
                self.returned.append(evaluate(part, variables))
        return "never"

    def _run_binding(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run an assignment or declaration: bind the names on its left to the value."""
        left = node.field("left") or node.field("name") or node.field("pattern")
        right = node.field("right") or node.field("value")
        if left is None or right is None:
            return "always"
        after = self.run_expression(right, variables, max_strength)
        value = evaluate(right, variables)
        if node.kind() == "augmented_assignment":
            # `total += 3` adds a literal; the rows and fields of `total` no longer apply.
            merged = merge(evaluate(left, variables), value)
            value = Value(merged.literals, merged.calls, merged.known)
        if left.kind() == "expression_list":
            # Go has lists on both sides. `want := 3` and `got, err := price(3)` have one value;
            # `got, want := price(3), 2` has several, which `bind` assigns by position.
            targets = nodes.list_parts(left)
            sources = nodes.list_parts(right) if right.kind() == "expression_list" else [right]
            if 1 in (len(targets), len(sources)):
                value = evaluate(sources[0], variables)
            left = targets[0] if len(targets) == 1 else left
        bind(left, value, variables)
        return after

    def _run_loop(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run the body of a `for` loop once for each row of what it iterates over."""
        body = node.field("body")
        parts = nodes.list_parts(node)
        # Go has pattern and rows in a clause: `for _, row := range rows`.
        clause = next((part for part in parts if part.kind() == "range_clause"), node)
        left = clause.field("left") or clause.field("pattern") or clause.field("name")
        right = clause.field("right") or clause.field("value")
        if left is None or right is None:
            # `for (let i = 0; i < 3; i++)` has no rows: its body runs once.
            return self.run_block(body, variables, max_strength)
        iterated = evaluate(right, variables)
        rows = list_rows(iterated)
        if left.kind() == "expression_list":
            # Go's `for key, value := range rows`: the entries of a map are such pairs. For a slice
            # the key is the index, and only the second name is bound.
            if iterated.entries:
                rows = list(iterated.entries[:MAX_ROWS])
            else:
                left = nodes.list_parts(left)[-1]
        for row in rows:
            bind(left, row, variables)
            self.run_block(body, variables, max_strength)
        return "always"

    def _run_if(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run both branches of an `if`, or read it as an assertion if the first fails the test."""
        initializer, condition = node.field("initializer"), node.field("condition")
        then, other = node.field("consequence"), node.field("alternative")
        if initializer is not None:
            # Go: `if got := price(3); got != 2 { … }`
            self.run_statement(initializer, variables, max_strength)
        if condition is None or then is None:
            return self._run_parts(node, variables, max_strength)
        constant = nodes.read_literal(nodes.unwrap(condition))
        if constant in _TRUE + _FALSE:
            # `if True:` and `if 0:`: only one branch exists.
            return self.run_block(then if constant in _TRUE else other, variables, max_strength)
        if control_flow.fails_test(then):
            # `if got != 2 { t.Error() }` asserts `got == 2`. Whenever the test passes, the `else`
            # has run, so its assertions keep their strength.
            self._add_assertions(read_condition(condition, variables, negated=True), max_strength)
            self._run_branch(other, variables, max_strength)
            return "always"
        after = self._run_branch(then, variables, min(max_strength, PARTIAL))
        self._run_branch(other, variables, min(max_strength, PARTIAL))
        return "always" if after == "always" else "perhaps"

    def _run_branch(
        self, node: SgNode | None, variables: Variables, max_strength: int
    ) -> Completion:
        """Run a branch of an `if` with a copy of the variables: it may not run."""
        if node is not None and node.kind() == "elif_clause":
            return self._run_if(node, variables, max_strength)
        if node is not None and node.kind() == "else_clause":
            node = nodes.list_parts(node)[-1]
        return self.run_block(node, dict(variables), max_strength)

    def _run_try(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run a `try` with its handlers; a handler that hides failures disarms the body."""
        parts = nodes.list_parts(node)
        body = node.field("body") or next(iter(parts), None)
        if body is None:
            return "always"
        handlers = [part for part in parts if part.kind() in ("except_clause", "catch_clause")]
        others = [part for part in parts if part.kind() in ("else_clause", "finally_clause")]
        if any(map(control_flow.fails_test, (body, *others))):
            # `try: price(-1); fail("no error")`, `except ValueError: pass` asserts a ValueError.
            errors = [error for part in handlers for error in nodes.list_parts(part)[:-1]]
            raised = read_raised(evaluate(body, variables), errors, variables)
            self._add_assertions(raised, max_strength)
        is_swallowed = any(map(control_flow.swallows_failure, handlers))
        after = self.run_block(body, variables, NOTHING if is_swallowed else max_strength)
        for part in (*handlers, *others):
            self.run_block(nodes.list_parts(part)[-1], dict(variables), max_strength)
        # With a handler the next statement runs even if the body raises.
        return "always" if handlers else after

    def _run_with(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run Python's `with`: `raises(…)` asserts an error, `suppress(…)` hides failures."""
        body = node.field("body")
        if body is None:
            return "always"
        # Only the items of this `with`, not those of one in its body.
        for item in nodes.find_below(nodes.list_parts(node)[0], frozenset(("with_item",))):
            call = next(nodes.find_below(item, nodes.CALLS), None)
            if call is None:
                continue
            name = normalize_name(nodes.read_callee(call)[1])
            if name in _RAISING_CONTEXTS:
                errors = nodes.list_arguments(call)
                raised = read_raised(evaluate(body, variables), errors, variables)
                self._add_assertions(raised, max_strength)
            elif name == "suppress":
                max_strength = NOTHING
            else:
                self.run_expression(call, variables, max_strength)
        return self.run_block(body, variables, max_strength)

    def _run_expression_statement(
        self, node: SgNode, variables: Variables, max_strength: int
    ) -> Completion:
        """Run an expression that is a statement, such as a call whose result is not used."""
        parts = nodes.list_parts(node)
        if not parts:
            return "always"
        # `expect(load()).resolves.toBe(1)` without `await` may fail after the test has passed.
        max_strength = NOTHING if control_flow.asserts_promise(parts[0]) else max_strength
        return self.run_statement(parts[0], variables, max_strength)

    def run_expression(self, node: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run the calls and assertions of an expression; "never" if one of them skips the test."""
        node = nodes.unwrap(node)
        if node.kind() in nodes.CALLS:
            return self._run_call(node, variables, max_strength)
        if node.kind() in nodes.MEMBERS:
            # Chai asserts without a call: `expect(x).to.be.true`.
            self._add_assertions(read_assertions(node, variables) or [], max_strength)
        elif node.kind() in _CHOICE_KINDS or node.kind() in ("if_expression", "unsafe_block"):
            return self.run_statement(node, variables, max_strength)
        return "always"

    def _run_call(self, call: SgNode, variables: Variables, max_strength: int) -> Completion:
        """Run a call: a skip, a helper of the tests, an assertion, or any other function."""
        if self.intercept is not None and self.intercept(self, call, variables, max_strength):
            return "always"
        receiver, name = nodes.read_callee(call)
        if name in _SKIP_CALLS and (receiver is None or receiver.text() in _SKIP_RECEIVERS):
            self.skips.add(f"`{nodes.read_call_path(call)}`")
            return "never"
        # `check(3)`, `self.check(3)`, `helpers.check(3)`
        is_simple = receiver is None or receiver.kind() in nodes.NAMES
        if name in self.functions and is_simple:
            self._enter_helper(name, call, variables, max_strength)
        elif (assertions := read_assertions(call, variables)) is not None:
            self._add_assertions(assertions, max_strength)
        else:
            self._run_callbacks(call, variables, max_strength)
        return "always"

    def _run_callbacks(self, call: SgNode, variables: Variables, max_strength: int) -> None:
        """Run the callbacks of a call that asserts nothing itself, and record what it changes."""
        receiver, name = nodes.read_callee(call)
        if name in _DETACHED_CALLS or control_flow.is_caught(call):
            max_strength = NOTHING
        rows = [UNKNOWN]
        if receiver is not None and name in _LOOPING_CALLS:
            rows = list_rows(evaluate(receiver, variables))
        for argument in nodes.list_arguments(call):
            if argument.kind() in nodes.CLOSURES:
                for row in rows:
                    self.run_closure(argument, row, variables, max_strength)
        if receiver is not None and receiver.kind() in nodes.CALLS:
            self.run_expression(receiver, variables, max_strength)
        record_change(call, receiver, variables)

    def run_closure(
        self, closure: SgNode, row: Value, variables: Variables, max_strength: int = EXACT
    ) -> None:
        """Run the body of a function passed as an argument, with a row as its parameters."""
        inside = dict(variables)
        bind_parameters(closure, [row], inside)
        self.run_block(closure.field("body"), inside, max_strength)

    def _enter_helper(
        self, name: str, call: SgNode, variables: Variables, max_strength: int
    ) -> None:
        """Run the statements of a helper, unless it is running already or nested too deep."""
        function = self.functions[name]
        body = function.field("body")
        if body is None or name in self._call_stack or len(self._call_stack) >= _MAX_CALL_DEPTH:
            return
        inside = dict(variables)
        arguments = nodes.list_arguments(call)
        values = [evaluate(nodes.get_value(argument), variables) for argument in arguments]
        bind_parameters(function, values, inside)
        for argument, value in zip(arguments, values, strict=True):
            if keyword := nodes.read_keyword(argument):
                inside[keyword] = value
            elif argument.kind() in nodes.CLOSURES:
                # `withServer(() => { expect(…) })`: the helper is taken to call it.
                self.run_closure(argument, UNKNOWN, variables, max_strength)
        self._call_stack.append(name)
        self.run_block(body, inside, max_strength)
        self._call_stack.pop()


# By the kind of the node; every other kind goes to `_run_parts`.
_HANDLERS: dict[str, Callable[[Interpreter, SgNode, Variables, int], Completion]] = {
    **dict.fromkeys(_BINDING_KINDS, Interpreter._run_binding),
    **dict.fromkeys(_LOOP_KINDS, Interpreter._run_loop),
    **dict.fromkeys(_JUMP_KINDS, Interpreter._run_jump),
    **dict.fromkeys(nodes.FUNCTIONS, Interpreter._define_function),
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
