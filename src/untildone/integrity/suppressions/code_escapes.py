"""Code that silences a checker without a comment: casts, `any`, attributes, annotations."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.syntax.languages import language_of
from untildone.syntax.parsing import find_kinds, parse_file, parse_python_file
from untildone.worktree.contents import Tree

_CAST_HOLDERS = frozenset(("typing", "typing_extensions", "t"))
_ALLOWED = re.compile(r"\b(?:allow|expect)\s*\((?P<codes>[^()]*)\)")
_DENIED = re.compile(r"#!?\[\s*(?P<level>deny|forbid)\s*\((?P<codes>[^()]*)\)")
_SILENT_ATTRIBUTE = re.compile(r"rustfmt::skip|coverage\s*\(\s*off|no_coverage|rustfmt_skip")
_SUPPRESS = re.compile(
    r"@(?:file:)?\s*(?:[\w.]+\.)?(?:SuppressWarnings|Suppress|SuppressFBWarnings|SuppressLint)\b"
)
_PRAGMA = re.compile(
    r"^\s*#\s*(?:pragma\s+(?:(?:GCC|clang)\s+(?:diagnostic\s+ignored\s+\"-?(?P<gcc>[^\"]+)|"
    r"(?P<header>system_header))|warning\s*\(?\s*disable\s*:?\s*(?P<code>\w+)?)|(?P<null>nullable\s+disable))",
    re.MULTILINE,
)


_PRAGMA_LANGUAGES = frozenset(("c", "cpp", "csharp"))
_TYPESCRIPT_KINDS = (
    *("as_expression", "type_assertion", "non_null_expression", "index_signature"),
    *("type_annotation", "ambient_declaration", "public_field_definition"),
)


class Escape(NamedTuple):
    rule: str
    # The code that it stands at.
    about: str
    # It asks a checker for more: its removal is a concern, not its addition.
    is_strict: bool = False


def find_escapes(tree: Tree, path: str) -> tuple[Escape, ...]:
    """Return the escapes of the file. Use as a tree's fact."""
    text = tree.text(path)
    language = language_of(path, text)
    if language == "python":
        module = tree.fact(parse_python_file, path)
        return tuple(_find_in_python(module, text.splitlines())) if module else ()
    if language in _PRAGMA_LANGUAGES:
        return tuple(_find_pragmas(text))
    find = _FINDERS.get(language)
    root = tree.fact(parse_file, path) if find else None
    return tuple(find(root)) if find and root else ()


def _find_in_python(module: ast.Module, lines: list[str]) -> Iterator[Escape]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and _is_cast(node.func):
            yield Escape("cast", lines[node.lineno - 1].strip())
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from (
                Escape("no_type_check", node.name)
                for each in node.decorator_list
                if ast.unparse(each).rpartition(".")[2].startswith("no_type_check")
            )
        elif isinstance(node, ast.AnnAssign) and _takes_any(node):
            yield Escape("Any", lines[node.lineno - 1].strip())
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in (test := ast.unparse(node.test)):
            yield from (Escape("not TYPE_CHECKING", test) for _ in re.findall(r"not .*TYPE", test))
            yield from (Escape("TYPE_CHECKING", name) for name in sorted(_find_twins(node)))


def _find_twins(node: ast.If) -> set[str]:
    """Return functions of which a type checker reads another version than the one that runs."""
    read, run = (
        {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
        for body in (node.body, node.orelse)
    )
    return read & run


def _takes_any(node: ast.AnnAssign) -> bool:
    """A call may return nothing better than `Any`; any other value has a type."""
    known = node.value is not None and not isinstance(node.value, ast.Call)
    return known and ast.unparse(node.annotation).rpartition(".")[2] == "Any"


def _is_cast(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == "cast"
    holder = called.value if isinstance(called, ast.Attribute) and called.attr == "cast" else None
    return isinstance(holder, ast.Name) and holder.id in _CAST_HOLDERS


def _find_in_typescript(root: SgNode) -> Iterator[Escape]:
    for node in find_kinds(root, _TYPESCRIPT_KINDS):
        if rule := _name_typescript_rule(node):
            yield Escape(rule, _read_around(node))


def _name_typescript_rule(node: SgNode) -> str:
    text = re.sub(r"\s+", " ", node.text())
    match node.kind():
        case "as_expression" | "type_assertion":
            named = re.search(r" as (any|unknown|never)$|^<(any|unknown|never)>", text)
            return f"as {named[1] or named[2]}" if named else ""
        case "non_null_expression":
            return "non-null !"
        case "public_field_definition":
            return "definite !" if re.match(r"[\w\s#]+!\s*:", text) else ""
        case "index_signature":
            return (
                "index signature" if re.search(r"\b(any|unknown)\b", text.partition("]")[2]) else ""
            )
        case "ambient_declaration":
            return "declare module" if re.fullmatch(r"declare module ['\"][^{]*", text) else ""
        case _:
            parent = node.parent()
            counted = parent is not None and parent.kind() == "index_signature"
            return "any" if re.search(r"\bany\b", text) and not counted else ""


def _find_in_rust(root: SgNode) -> Iterator[Escape]:
    for node in find_kinds(root, ("attribute_item", "inner_attribute_item")):
        written, about = node.text(), _read_next(node)
        if denied := _DENIED.search(written):
            yield from (
                Escape(f"{denied['level']}({code})", about, True)
                for code in _split_codes(denied["codes"])
            )
        for allowed in _ALLOWED.finditer(written):
            yield from (Escape(code, about) for code in _split_codes(allowed["codes"]))
        if _SILENT_ATTRIBUTE.search(written):
            yield Escape(written.strip("#![] "), about)
    for node in find_kinds(root, ("let_declaration",)):
        if re.fullmatch(r"let\s+_\s*=\s*\w+\s*;", node.text()):
            yield Escape("let _", node.text())


def _find_in_go(root: SgNode) -> Iterator[Escape]:
    for node in find_kinds(root, ("assignment_statement", "var_spec")):
        if re.fullmatch(r"_\s*=\s*[A-Za-z]\w*", node.text()):
            yield Escape("_ =", node.text())


def _find_annotations(root: SgNode) -> Iterator[Escape]:
    for node in find_kinds(root, ("annotation",)):
        if _SUPPRESS.match(node.text()):
            codes = re.findall(r"\"([^\"]+)\"", node.text()) or ["SuppressWarnings"]
            yield from (Escape(code, _read_next(node)) for code in codes)


def _find_pragmas(text: str) -> Iterator[Escape]:
    for found in _PRAGMA.finditer(text):
        rule = found["gcc"] or found["code"] or found["header"] or found["null"] or "warning"
        yield Escape(rule, text[found.end() :].partition("\n")[2].partition("\n")[0].strip())


def _split_codes(text: str) -> list[str]:
    plain = re.sub(r"reason\s*=\s*\"[^\"]*\"", "", text)
    return [code for code in re.split(r"[,\s]+", plain) if code]


def _read_around(node: SgNode) -> str:
    parent = node.parent()
    return re.sub(r"\s+", " ", (parent or node).text())[:200]


def _read_next(node: SgNode) -> str:
    following = node.next()
    return re.sub(r"\s+", " ", following.text())[:80] if following else ""


_FINDERS: dict[str, Callable[[SgNode], Iterator[Escape]]] = {
    "typescript": _find_in_typescript,
    "tsx": _find_in_typescript,
    "rust": _find_in_rust,
    "go": _find_in_go,
    "java": _find_annotations,
    "kotlin": _find_annotations,
}
