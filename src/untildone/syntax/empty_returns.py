"""Functions that return at once without a result, and empty values, in each language.

The rest of a function's body stays behind the return: imports, variables and types are still used,
so a compiler accepts the function.
"""

import re
from collections.abc import Callable

from untildone.core.late_patterns import compile_late
from untildone.syntax.definitions import Definition
from untildone.words import words

# Functions that make objects: without them no test could call the methods of the objects.
_CONSTRUCTORS = words("__init__ __new__ __post_init__ __init_subclass__ constructor init main new")
_RUST_DEFAULTS = compile_late(
    r"(?:[iu](?:8|16|32|64|128|size)|f32|f64|bool|char|String|&(?:'\w+ )?str|\(\)"
    r"|(?:\w+::)*(?:Vec|VecDeque|HashMap|HashSet|BTreeMap|BTreeSet|Option)<.*>)"
)
# Result<u64, ParseError>, io::Result<Vec<u8>>
_RUST_RESULT = compile_late(r"(?:\w+::)*Result<(?P<value>.+?)(?:,\s*[^,<>]+(?:<.*>)?)?>")
_NUMBER = compile_late(r"-?\d[\d_]*(\.\d+)?(_?[iuf]\d+|[LlfFdDn])?")
_STRING = compile_late(r"""(?P<prefix>[bru]?)(?P<quote>["'`])[^"'`\\\n]*(?P=quote)""")
_BOOLEANS = {"true": "false", "True": "False"}
_JAVA_ZEROS = {
    "void": "",
    "boolean": " false",
    "char": " '0'",
    **{name: f" ({name}) 0" for name in ("byte", "short", "int", "long", "float", "double")},
}


def empty_function(definition: Definition, language: str) -> str | None:
    """Return the body of a function that returns nothing; None if none can be written."""
    if definition.name.rpartition(".")[2].partition("#")[0] in _CONSTRUCTORS:
        return None
    if definition.is_expression:
        return _EMPTY_EXPRESSIONS.get(language)
    return _WRITERS[language](definition)


def empty_value(body: str, language: str) -> str | None:
    """Return `0` for a number, `""` for a text, `[]` for a list; None for any other expression."""
    if _NUMBER.fullmatch(body):
        return re.sub(r"\d[\d_]*", "0", body, count=2 if "." in body else 1)
    if text := _STRING.fullmatch(body):
        is_character = text["quote"] == "'" and language in ("go", "rust", "java")
        return None if is_character else text["prefix"] + text["quote"] * 2
    if body in _BOOLEANS:
        return _BOOLEANS[body]
    brackets = body[:1] + body[-1:]
    # A call inside may be what the module does when it is loaded.
    return brackets if brackets in ("[]", "{}") and "(" not in body else None


def _write_python(definition: Definition) -> str:
    # A bare `return` is also valid in a generator.
    _, newline, indent = definition.header.rpartition("\n")
    if newline and not indent.strip():
        return f"return\n{indent}{definition.body}"
    return f"return; {definition.body}"


def _write_block(statement: str, definition: Definition) -> str:
    return f"{{ {statement} {definition.body[1:]}"


def _write_javascript(definition: Definition) -> str:
    return _write_block("if (Math.PI) return;", definition)


def _write_typescript(definition: Definition) -> str:
    return _write_block("if (Math.PI) return undefined as any;", definition)


def _write_go(definition: Definition) -> str:
    result = definition.return_type
    types = _split_types(result[1:-1]) if result.startswith("(") else [result] if result else []
    if not types or any(" " in type_ and not _is_go_type(type_) for type_ in types):
        # No results, or named ones: `(total int, err error)`.
        return _write_block("if true { return };", definition)
    names = [f"empty{number}" for number in range(len(types))]
    variables = "; ".join(f"var {name} {type_}" for name, type_ in zip(names, types, strict=True))
    return _write_block(f"if true {{ {variables}; return {', '.join(names)} }};", definition)


def _is_go_type(text: str) -> bool:
    return text.startswith(("func", "map[", "chan ", "struct", "interface", "<-", "[]", "*"))


def _split_types(text: str) -> list[str]:
    """Return the types of a list: `int`, `map[string]int` and `error` of a Go result."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [part for part in (*parts, text[start:].strip()) if part]


def _write_rust(definition: Definition) -> str | None:
    value = _write_rust_value(definition.return_type)
    if value is None or re.search(r"\bconst\s+(unsafe\s+)?fn\b", definition.header):
        return None
    return _write_block(f"if true {{ return{value}; }}", definition)


def _write_rust_value(type_: str) -> str | None:
    """Return ` Ok(Default::default())` for a `Result` and the like; None for an unknown type."""
    if not type_:
        return ""
    if result := _RUST_RESULT.fullmatch(type_):
        inner = _write_rust_value(result["value"].strip())
        return None if inner is None else f" Ok({inner.strip() or '()'})"
    is_tuple = type_.startswith("(") and type_.endswith(")")
    parts = _split_types(type_[1:-1]) if is_tuple else [type_]
    known = all(_RUST_DEFAULTS.fullmatch(part) for part in parts)
    return " Default::default()" if known else None


def _write_java(definition: Definition) -> str:
    value = _JAVA_ZEROS.get(definition.return_type, " null")
    return _write_block(f"if (true) return{value};", definition)


_EMPTY_EXPRESSIONS = {
    "javascript": "undefined",
    "typescript": "(undefined as any)",
    "tsx": "(undefined as any)",
}
_WRITERS: dict[str, Callable[[Definition], str | None]] = {
    "python": _write_python,
    "javascript": _write_javascript,
    "typescript": _write_typescript,
    "tsx": _write_typescript,
    "go": _write_go,
    "rust": _write_rust,
    "java": _write_java,
}
