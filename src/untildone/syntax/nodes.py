"""One set of functions to read the syntax trees of six languages.

For `assertEquals(2, sum.of(1))` in Java, `read_callee` of the inner call gives the node `sum` and
the name `of`, `list_arguments` the node `1`, and `read_literal` of that the text `1.0`.
"""

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.syntax.languages import language_of_tests
from untildone.syntax.parsing import parse_source, read_parts, select_known_kinds
from untildone.syntax.rust_macros import expand_macros
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.limits import count_steps

# Kinds of nodes. No kind means different things in two grammars, so one set serves all languages.
NUMBERS = words("""
    integer float number int_literal float_literal integer_literal decimal_integer_literal
    decimal_floating_point_literal hex_integer_literal rune_literal char_literal
    character_literal imaginary_literal
""")
STRINGS = words("""
    string template_string interpreted_string_literal raw_string_literal string_literal
    concatenated_string regex
""")
# One spelling for all languages.
CONSTANTS = {
    **dict.fromkeys(("true", "True"), "true"),
    **dict.fromkeys(("false", "False"), "false"),
    **dict.fromkeys(("null", "nil", "None", "undefined"), "null"),
}
NAMES = frozenset(("identifier", "shorthand_property_identifier", "self", "this"))
MEMBERS = words("attribute member_expression selector_expression field_expression field_access")
SUBSCRIPTS = frozenset(("subscript", "subscript_expression", "index_expression"))
CALLS = words("call call_expression method_invocation new_expression object_creation_expression")
FUNCTIONS = words("""
    function_definition function_declaration method_definition function_item method_declaration
    generator_function_declaration
""")
CLOSURES = words("""
    arrow_function function_expression func_literal lambda lambda_expression closure_expression
""")
SEQUENCES = words("""
    list tuple set array array_expression tuple_expression literal_value array_initializer
    element_value_array_initializer expression_list
""")
MAPPINGS = frozenset(("dictionary", "object", "struct_expression"))
PAIRS = frozenset(("pair", "keyed_element", "field_initializer"))
WRAPPERS = words("""
    parenthesized_expression await_expression await literal_element reference_expression
    as_expression non_null_expression try_expression satisfies_expression type_cast_expression
    cast_expression
""")
BLOCKS = frozenset(("block", "statement_block", "statement_list", "declaration_list"))
INTERPOLATIONS = frozenset(("interpolation", "template_substitution"))

MAX_TEST_FILE_LENGTH = 1_000_000
# The grammar reads a Rust macro's arguments as tokens; those of a call are expressions.
_MACRO = compile_late(r"\b(?!macro_rules)(\w+)!\s*\(")
_VECTOR = compile_late(r"\bvec!\s*\[")
_MAX_PATH_LENGTH = 50
_CHARACTERS_PER_NODE = 4


def parse_test_source(text: str, language: str) -> SgNode:
    """Return the root, with the macros of Rust written as calls."""
    if language == "rust":
        text = _VECTOR.sub("[", _MACRO.sub(r"\1(", expand_macros(text)))
    return parse_source(text, language)


def parse_test_file(tree: Tree, path: str) -> SgNode:
    """Return `parse_test_source` of the beginning of the file. Use as a tree's fact."""
    return parse_test_source(tree.text(path)[:MAX_TEST_FILE_LENGTH], language_of_tests(path))


def list_parts(node: SgNode) -> list[SgNode]:
    """Return the named children without comments."""
    parts, children = read_parts(node)
    count_steps(children + 1)
    return [*parts]


def find_below(node: SgNode, kinds: frozenset[str]) -> Iterator[SgNode]:
    """Yield nodes of these kinds at any depth, the node itself included, in order."""
    whole = node.range()
    count_steps(1 + (whole.end.index - whole.start.index) // _CHARACTERS_PER_NODE)
    known = select_known_kinds(node.get_root(), tuple(sorted(kinds)))
    yield from node.find_all(any=[{"kind": kind} for kind in known]) if known else ()


def find_named(node: SgNode, kinds: frozenset[str]) -> Iterator[tuple[str, SgNode]]:
    """Yield the definitions of these kinds at any depth with their names."""
    for definition in find_below(node, kinds):
        if (name := definition.field("name")) is not None:
            yield name.text(), definition


def read_name(node: SgNode) -> str:
    """Return the name that a definition gives; "" if it gives none."""
    return _text(node.field("name"))


def list_assignments(body: SgNode) -> Iterator[tuple[str, SgNode | None]]:
    """Yield target and value of the assignments directly in a Python module or class."""
    for statement in list_parts(body):
        parts = list_parts(statement) if statement.kind() == "expression_statement" else []
        node = parts[0] if parts else statement
        if node.kind() == "assignment" and (target := node.field("left")) is not None:
            yield target.text(), node.field("right")


def unwrap(node: SgNode) -> SgNode:
    """Return the expression inside parentheses, casts, `await` and the like."""
    while node.kind() in WRAPPERS and (parts := list_parts(node)):
        node = parts[0]
    return node


def read_callee(call: SgNode) -> tuple[SgNode | None, str]:
    """Return the receiver, if there is one, and the last name of the called function."""
    if call.kind() == "method_invocation":
        return call.field("object"), _text(call.field("name"))
    target = call.field("function") or call.field("constructor") or call.field("type")
    while target is not None and target.kind() == "generic_function":
        target = target.field("function")
    if target is None:
        return None, ""
    if target.kind() in MEMBERS:
        return get_receiver(target), get_member(target)
    if target.kind() == "scoped_identifier":
        return target.field("path"), _text(target.field("name"))
    if target.kind() in CALLS:
        return target, ""
    return None, target.text()


def get_receiver(node: SgNode) -> SgNode | None:
    """Return the object of a member access."""
    parts = list_parts(node)
    return parts[0] if parts else None


def get_member(node: SgNode) -> str:
    """Return the name after the last dot."""
    parts = list_parts(node)
    return parts[-1].text() if parts else ""


def list_arguments(call: SgNode) -> list[SgNode]:
    """Return the arguments of a call; the template is the argument of `` tag`text` ``."""
    arguments = call.field("arguments")
    if arguments is None:
        return []
    return [arguments] if arguments.kind() == "template_string" else list_parts(arguments)


def get_value(argument: SgNode) -> SgNode:
    """Return the value of an argument, without its keyword."""
    return list_parts(argument)[-1] if argument.kind() == "keyword_argument" else argument


def read_keyword(argument: SgNode) -> str:
    """Return `want` of the argument `want=9`; "" for an argument without a keyword."""
    return list_parts(argument)[0].text() if argument.kind() == "keyword_argument" else ""


def read_call_path(call: SgNode) -> str:
    """Return `a.b.c` of a call `a.b.c(…)`, without the arguments of calls in between."""
    names: list[str] = []
    receiver: SgNode | None = call
    while receiver is not None and receiver.kind() in CALLS:
        if len(names) > _MAX_PATH_LENGTH:
            # No known function has such a long path, and every part of a chain is a call itself.
            return "…"
        receiver, name = read_callee(receiver)
        names += [name] if name or receiver is None else []
    start = [re.sub(r"\s+", "", receiver.text())] if receiver is not None else []
    return ".".join((*start, *reversed(names)))


def read_literal(node: SgNode) -> str | None:
    """Return a literal's value in one spelling: `"a` for `'a'`, `1.0` for `1`; None for others."""
    kind, text = node.kind(), node.text()
    if kind in NUMBERS:
        return normalize_number(text)
    if kind == "boolean_literal" or text in CONSTANTS:
        return CONSTANTS.get(text)
    if kind in ("unary_operator", "unary_expression") and text[:1] in "-+":
        # -1; a plus sign makes no literal.
        parts = list_parts(node) if text.startswith("-") else []
        is_number = bool(parts) and parts[-1].kind() in NUMBERS
        return f"-{normalize_number(parts[-1].text())}" if is_number else None
    if kind in STRINGS and (
        "{" not in text or not any(True for _ in find_below(node, INTERPOLATIONS))
    ):
        if kind == "concatenated_string":
            return '"' + "".join(normalize_string(part.text())[1:] for part in list_parts(node))
        return normalize_string(text)
    return None


def normalize_number(text: str) -> str:
    """Return the number without its type and underscores: `1000.0` for `1_000u32` and `0x3E8`."""
    plain = re.sub(r"(?<=[\d.])(_?[iuf]\d+|usize|isize|[nLlfFdD])$", "", text).replace("_", "")
    try:
        return str(float(int(plain, 16) if plain.lower().startswith("0x") else plain))
    except (ValueError, OverflowError):
        return text


def normalize_string(text: str) -> str:
    """Return the text with one quote in front, so that `"1"` is not the number 1."""
    if text.startswith("/"):
        return text
    body = re.sub(r"^[A-Za-z#]*(\"\"\"|'''|[\"'`])", "", text, count=1)
    return '"' + re.sub(r"(\"\"\"|'''|[\"'`])#*$", "", body, count=1).replace("\\'", "'")


def _text(node: SgNode | None) -> str:
    return "" if node is None else node.text()
