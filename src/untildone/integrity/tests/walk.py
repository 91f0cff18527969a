"""A test read as it would run: rows unrolled, helpers entered, dead code left out."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from ast_grep_py import SgNode

from untildone.integrity.tests.claims import asserted, plain, thrown
from untildone.integrity.tests.conditions import condition
from untildone.integrity.tests.flow import (
    caught,
    changed,
    entered,
    fails,
    floating,
    parameters,
    swallows,
)
from untildone.integrity.tests.model import EXACT, NOTHING, PARTIAL, Claim
from untildone.integrity.tests.values import UNKNOWN, Names, Value, bound, grown, value
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

_DEEPEST = 5
_MOST_ROWS = 400
_MOST_STEPS = 60_000
# After a statement: go on, go on only perhaps, or never.
After: TypeAlias = Literal["on", "perhaps", "never"]

_SKIPS = frozenset(
    (
        *("skip", "skipTest", "xfail", "importorskip", "Skip", "Skipf", "SkipNow", "todo"),
        *("pending", "assumeTrue", "assumeFalse", "assumeThat", "assumingThat", "SkipTest", "exit"),
    )
)
_SKIP_OWNERS = frozenset(
    (
        *("pytest", "self", "t", "this", "ctx", "context", "unittest", "test", "b"),
        *("Assumptions", "Assume"),
    )
)
_ENDS = frozenset(
    (
        *("return_statement", "return_expression", "continue_statement", "break_statement"),
        *("raise_statement", "throw_statement", "continue_expression", "break_expression"),
    )
)
_RETURNS = frozenset(("return_statement", "return_expression"))
_LOOPS = frozenset(
    ("for_statement", "for_in_statement", "for_expression", "enhanced_for_statement")
)
_BINDINGS = frozenset(
    (
        *("assignment", "augmented_assignment", "variable_declarator", "short_var_declaration"),
        *("assignment_statement", "var_spec", "const_spec", "let_declaration", "const_item"),
        *("assignment_expression", "static_item", "named_expression"),
    )
)
_CHOICES = frozenset(
    (
        *("match_statement", "switch_statement", "match_expression", "switch_expression"),
        *("expression_switch_statement", "conditional_expression", "ternary_expression"),
        *("binary_expression", "boolean_operator"),
    )
)


class Walk:
    """Gathers the claims and skips of one test; `functions` are the helpers it may enter."""

    def __init__(
        self,
        functions: Mapping[str, SgNode],
        taken: Callable[["Walk", SgNode, Names, int], bool] | None = None,
    ) -> None:
        self.functions = dict(functions)
        self.taken = taken
        self.claims: list[Claim] = []
        self.marks: set[str] = set()
        self.done: list[Value] = []
        self._inside: list[str] = []
        self._steps = 0

    def block(self, node: SgNode, names: Names, limit: int = EXACT) -> After:
        result: After = "on"
        for each in list_parts(node) if node.kind() in BLOCKS or node.kind() in _PLACES else [node]:
            after = self.statement(each, names, limit)
            if after == "never":
                return "never"
            if after == "perhaps":
                limit, result = min(limit, PARTIAL), "perhaps"
        return result

    def statement(self, node: SgNode, names: Names, limit: int) -> After:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return "on"
        return _HANDLERS.get(node.kind(), Walk._rest)(self, node, names, limit)

    def _nothing(self, _node: SgNode, _names: Names, _limit: int) -> After:
        return "on"

    def _rest(self, node: SgNode, names: Names, limit: int) -> After:
        bounded = min(limit, PARTIAL) if node.kind() in _CHOICES else limit
        if node.kind() == "binary_expression" and read_literal(list_parts(node)[0]) in (
            "false",
            "0.0",
            "null",
        ):
            return "on"
        for each in list_parts(node):
            self.statement(each, names, bounded)
        return "on"

    def _told(self, claims: list[Claim], limit: int) -> None:
        for each in claims:
            if (strength := min(each.strength, limit)) > NOTHING:
                calls = each.calls.union(*map(self._meant, each.calls))
                self.claims.append(Claim(strength, each.actual, each.expected, calls, each.slack))

    def _meant(self, name: str) -> frozenset[str]:
        """What a helper calls is asked by whoever calls the helper."""
        helper = self.functions.get(name)
        calls = find_below(helper, CALLS) if helper is not None else ()
        return frozenset(read_callee(each)[1] for each in calls) - {""}

    def _assert(self, node: SgNode, names: Names, limit: int) -> After:
        self._told(condition(list_parts(node)[0], names), limit)
        return "on"

    def _define(self, node: SgNode, _names: Names, _limit: int) -> After:
        name = node.field("name")
        if name is not None:
            self.functions[name.text()] = node
        return "on"

    def _decorated(self, node: SgNode, names: Names, limit: int) -> After:
        return self.statement(list_parts(node)[-1], names, limit)

    def _end(self, node: SgNode, names: Names, limit: int) -> After:
        for each in list_parts(node):
            self.expression(each, names, limit)
            if node.kind() in _RETURNS:
                self.done.append(value(each, names))
        return "never"

    def _binding(self, node: SgNode, names: Names, limit: int) -> After:
        left = node.field("left") or node.field("name") or node.field("pattern")
        right = node.field("right") or node.field("value")
        if left is None or right is None:
            return "on"
        after = self.expression(right, names, limit)
        held = value(right, names)
        if node.kind() == "augmented_assignment":
            whole = grown(value(left, names), held)
            held = Value(whole.literals, whole.calls, whole.known)
        sides = list_parts(right) if right.kind() == "expression_list" else [right]
        if left.kind() == "expression_list" and len(sides) == 1:
            held = value(sides[0], names)
        if left.kind() == "expression_list" and len(list_parts(left)) == 1:
            left = list_parts(left)[0]
            held = value(sides[0], names)
        bound(left, held, names)
        return after

    def _loop(self, node: SgNode, names: Names, limit: int) -> After:
        body = node.field("body")
        clause = next((each for each in list_parts(node) if each.kind() == "range_clause"), node)
        left = clause.field("left") or clause.field("pattern") or clause.field("name")
        right = clause.field("right") or clause.field("value")
        if body is None:
            return "on"
        if left is None or right is None:
            return self.block(body, names, limit)
        held = value(right, names)
        rows = self.rows(held)
        if left.kind() == "expression_list" and held.entries:
            rows = list(held.entries[:_MOST_ROWS])
        elif left.kind() == "expression_list":
            left = list_parts(left)[-1]
        for row in rows:
            bound(left, row, names)
            self.block(body, names, limit)
        return "on"

    def rows(self, held: Value) -> list[Value]:
        """What a loop goes over; once over something unknown."""
        if held.rows is None:
            return [Value(held.literals, held.calls, held.known, held.fields)]
        return list(held.rows[:_MOST_ROWS])

    def _if(self, node: SgNode, names: Names, limit: int) -> After:
        start, test = node.field("initializer"), node.field("condition")
        then, other = node.field("consequence"), node.field("alternative")
        if start is not None:
            self.statement(start, names, limit)
        if test is None or then is None:
            return self._rest(node, names, limit)
        constant = read_literal(unwrap(test))
        if constant in ("true", "1.0"):
            return self.block(then, names, limit)
        if constant in ("false", "0.0", "null"):
            return self.block(other, names, limit) if other is not None else "on"
        if fails(then):
            self._told(condition(test, names, negated=True), limit)
            if other is not None:
                self._branch(other, names, limit)
            return "on"
        after = self._branch(then, names, min(limit, PARTIAL))
        if other is not None:
            self._branch(other, names, min(limit, PARTIAL))
        return "on" if after == "on" else "perhaps"

    def _branch(self, node: SgNode, names: Names, limit: int) -> After:
        if node.kind() in ("else_clause", "elif_clause"):
            if node.kind() == "elif_clause":
                return self._if(node, names, limit)
            node = list_parts(node)[-1]
        return self.block(node, dict(names), limit)

    def _try(self, node: SgNode, names: Names, limit: int) -> After:
        body = node.field("body") or next(iter(list_parts(node)), None)
        if body is None:
            return "on"
        handlers = [
            each for each in list_parts(node) if each.kind() in ("except_clause", "catch_clause")
        ]
        others = [
            each for each in list_parts(node) if each.kind() in ("else_clause", "finally_clause")
        ]
        if any(fails(each) for each in (body, *others)):
            kinds = [each for handler in handlers for each in list_parts(handler)[:-1]]
            self._told(list(thrown(value(body, names), kinds, names)), limit)
        swallowed = any(swallows(each) for each in handlers)
        after = self.block(body, names, NOTHING if swallowed else limit)
        for each in (*handlers, *others):
            self.block(list_parts(each)[-1], dict(names), limit)
        return "on" if handlers else after

    def _with(self, node: SgNode, names: Names, limit: int) -> After:
        body = node.field("body")
        if body is None:
            return "on"
        for item in find_below(node, frozenset(("with_item",))):
            call = next(find_below(item, CALLS), None)
            name = plain(read_callee(call)[1]) if call is not None else ""
            if call is not None and name in (
                "raises",
                "warns",
                "assertraises",
                "assertraisesregex",
            ):
                claims = thrown(value(body, names), list_arguments(call), names)
                self._told(list(claims), limit)
            elif name == "suppress":
                limit = NOTHING
            elif call is not None:
                self.expression(call, names, limit)
        return self.block(body, names, limit)

    def _expression_statement(self, node: SgNode, names: Names, limit: int) -> After:
        held = list_parts(node)[0] if list_parts(node) else node
        if floating(held):
            limit = NOTHING
        return self.statement(held, names, limit) if held is not node else "on"

    def expression(self, node: SgNode, names: Names, limit: int) -> After:
        node = unwrap(node)
        if node.kind() not in CALLS:
            if node.kind() in MEMBERS:
                self._told(asserted(node, names) or [], limit)
            elif node.kind() in _CHOICES or node.kind() in ("if_expression", "unsafe_block"):
                return self.statement(node, names, limit)
            return "on"
        if self.taken is not None and self.taken(self, node, names, limit):
            return "on"
        held, name = read_callee(node)
        if name in _SKIPS and (held is None or held.text() in _SKIP_OWNERS):
            self.marks.add(f"`{read_call_path(node)}`")
            return "never"
        if name in self.functions and entered(held):
            return self._enter(name, node, names, limit)
        claims = asserted(node, names)
        if claims is not None:
            self._told(claims, limit)
        else:
            self._called(node, names, limit)
        return "on"

    def _called(self, node: SgNode, names: Names, limit: int) -> None:
        """A call that asserts nothing itself: its callbacks are run, what it is given changes."""
        held, name = read_callee(node)
        if name in ("setTimeout", "setImmediate", "catch_unwind", "nextTick") or caught(node):
            limit = NOTHING
        rows = [UNKNOWN]
        if held is not None and name in ("forEach", "map", "each", "for_each"):
            rows = self.rows(value(held, names))
        for each in list_arguments(node):
            if each.kind() in CLOSURES:
                for row in rows:
                    self.closure(each, row, names, limit)
        if held is not None and held.kind() in CALLS:
            self.expression(held, names, limit)
        changed(node, held, names)

    def closure(self, node: SgNode, row: Value, names: Names, limit: int = EXACT) -> After:
        inside = dict(names)
        parameters(node, [row], inside)
        body = node.field("body")
        return self.block(body, inside, limit) if body is not None else "on"

    def _enter(self, name: str, call: SgNode, names: Names, limit: int) -> After:
        function = self.functions[name]
        body = function.field("body")
        if body is None or name in self._inside or len(self._inside) >= _DEEPEST:
            return "on"
        inside = dict(names)
        given = list_arguments(call)
        parameters(function, [value(get_value(each), names) for each in given], inside)
        for each in given:
            if each.kind() == "keyword_argument":
                inside[list_parts(each)[0].text()] = value(get_value(each), names)
            elif each.kind() in CLOSURES:
                self.closure(each, UNKNOWN, names, limit)
        self._inside.append(name)
        self.block(body, inside, limit)
        self._inside.pop()
        return "on"


_PLACES = frozenset(("module", "program", "source_file", "class_body"))
_HANDLERS: dict[str, Callable[[Walk, SgNode, Names, int], After]] = {
    **dict.fromkeys(_BINDINGS, Walk._binding),
    **dict.fromkeys(_LOOPS, Walk._loop),
    **dict.fromkeys(_ENDS, Walk._end),
    **dict.fromkeys(FUNCTIONS, Walk._define),
    **dict.fromkeys(("if_statement", "if_expression"), Walk._if),
    **dict.fromkeys(("try_statement", "try_with_resources_statement"), Walk._try),
    **dict.fromkeys((*CALLS, *MEMBERS, "await_expression", "await"), Walk.expression),
    **dict.fromkeys((*CLOSURES, "class_definition", "class_declaration"), Walk._nothing),
    **dict.fromkeys(BLOCKS, Walk.block),
    "assert_statement": Walk._assert,
    "with_statement": Walk._with,
    "decorated_definition": Walk._decorated,
    "expression_statement": Walk._expression_statement,
}
