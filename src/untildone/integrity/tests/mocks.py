"""Finds tests and settings that newly replace the tested functions by mocks or aliases."""

import posixpath
import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests.inventory import is_collected, read_inventory
from untildone.integrity.tests.tested_names import (
    find_called_names,
    find_defined_names,
    find_product_names,
)
from untildone.syntax.languages import language_of_tests
from untildone.syntax.nodes import (
    CALLS,
    CLOSURES,
    FUNCTIONS,
    MEMBERS,
    find_below,
    list_arguments,
    list_parts,
    parse_test_file,
    parse_test_source,
    read_call_path,
    read_callee,
    read_literal,
)
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_MODULE_MOCKS = words("""
    jest.mock vi.mock jest.doMock vi.doMock jest.unstable_mockModule mock.module jest.setMock
    proxyquire td.replace td.replaceEsm esmock t.mock.module mockRequire quibble rewiremock
""")
_MEMBER_MOCKS = words("spyOn method stub replace replaceProperty setattr object when doReturn")
_ASSIGNMENTS = frozenset(("assignment", "assignment_expression", "short_var_declaration"))
_IMPORTS = frozenset(("import_statement", "import_from_statement", "lexical_declaration"))
_MAPPING_KEYS = frozenset(("moduleNameMapper", "alias", "paths", "imports"))
_FILE_ENDINGS = ("", ".py", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", "/index.js", "/index.ts")
_DEFINITIONS = FUNCTIONS | {
    *("class_definition", "class_declaration", "variable_declarator", "assignment"),
}
_MAX_SETTINGS_LENGTH = 1_000_000
# The replaced name, and the test that replaces it, or "" if it is replaced for all tests.
Replacement = tuple[str, str]


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    replacements: dict[str, list[Replacement]] = {}
    for path in comparison.changes.edited_or_added:
        if comparison.role(path) == "config":
            yield from _find_redirected_imports(comparison, path)
        if (
            language_of_tests(path) and comparison.role(path) in ("test", "config")
        ) or path.endswith(".rs"):
            replacements[path] = _find_new_replacements(comparison, path)
    names = frozenset(target for found in replacements.values() for target, _ in found)
    called = (
        find_called_names(comparison.old, names & find_product_names(comparison.old))
        if names
        else names
    )
    for path, found in replacements.items():
        replaced = dict.fromkeys(
            target
            for target, inside in found
            if target in called and _affects_baseline_tests(comparison, path, inside)
        )
        yield from (_make_concern(comparison, path, target) for target in replaced)


def _find_new_replacements(comparison: Comparison, path: str) -> list[Replacement]:
    before = (
        {target for target, _ in _find_replacements(comparison.old, path)}
        if path in comparison.old
        else set()
    )
    before |= _list_own_names(comparison.old, path)
    called = set(re.findall(r"\b(\w+)\s*\(", comparison.old.text(path)))
    replacements = [
        *_find_replacements(comparison.new, path),
        *((name, "") for name in _list_own_names(comparison.new, path) & called),
    ]
    return [each for each in replacements if each[0] not in before]


def _make_concern(comparison: Comparison, path: str, target: str) -> Concern:
    return make_concern(
        ConcernKind.EDIT_TEST,
        path,
        target,
        reason=f"`{path}` now replaces `{target}`, which the tests call",
        content=comparison.new.entries[path].digest,
    )


def _affects_baseline_tests(comparison: Comparison, path: str, inside: str) -> bool:
    """Whether a replacement made in `inside` is in effect in any baseline test."""
    if not inside or inside in {
        test.short_name for test in read_inventory(comparison.old, [path]).tests
    }:
        return True
    asks = re.compile(rf"def (test\w*)\s*\([^)]*\b{re.escape(inside)}\b")
    ran = re.compile(r"def (test\w*)")
    paths = [each for each in comparison.old if each.endswith(".py") and each in comparison.new]
    return any(
        set(asks.findall(comparison.new.text(each))) & set(ran.findall(comparison.old.text(each)))
        for each in paths
        if classify_file(each) == "test"
    )


def _find_replacements(tree: Tree, path: str) -> Iterator[Replacement]:
    root = tree.fact(parse_test_file, path)
    for call in find_below(root, CALLS):
        for target in _list_targets(tree, path, call):
            yield target, _find_enclosing_test(call)
    for each in find_below(root, _ASSIGNMENTS):
        yield from (
            (target, _find_enclosing_test(each))
            for target in _list_assigned_names(tree, each, root)
        )


def _list_own_names(tree: Tree, path: str) -> set[str]:
    """Return the names that a test file defines, or imports from another test file."""
    if path not in tree or not is_collected(path):
        return set()
    root = tree.fact(parse_test_file, path)
    return {*_list_defined_names(path, root), *_list_imported_names(tree, path, root)}


def _list_targets(tree: Tree, path: str, call: SgNode) -> Iterator[str]:
    name, given = read_call_path(call), list_arguments(call)
    if not given:
        return
    texts = [(read_literal(each) or "").removeprefix('"') for each in given]
    if name in _MODULE_MOCKS and texts[0]:
        yield from find_defined_names(tree.text(_resolve_import(tree, path, texts[0])))
    elif name.rpartition(".")[2] in ("patch", "setattr") and texts[0]:
        yield texts[0].rpartition(".")[2]
    elif read_callee(call)[1] in _MEMBER_MOCKS and len(texts) > 1 and texts[1]:
        yield texts[1]
    elif name.endswith(("setitem", "patch.dict")) and "sys.modules" in call.text():
        yield from _list_module_names(tree, call.text())


def _list_module_names(tree: Tree, text: str) -> Iterator[str]:
    for stem in re.findall(r"[\"']([\w.]+)[\"']", text):
        yield from find_defined_names(tree.text(_resolve_import(tree, "", stem.replace(".", "/"))))


def _resolve_import(tree: Tree, path: str, source: str) -> str:
    """Return the file that an import refers to, or "" if it is not in the project."""
    base = posixpath.join(posixpath.dirname(path), source) if source.startswith(".") else source
    plain = posixpath.normpath(base).removeprefix("@/").removeprefix("/")
    for root in ("", "src/", "lib/"):
        for ending in _FILE_ENDINGS:
            if f"{root}{plain}{ending}" in tree:
                return f"{root}{plain}{ending}"
    return ""


def _list_assigned_names(tree: Tree, node: SgNode, root: SgNode) -> Iterator[str]:
    left = node.field("left")
    if left is None:
        return
    if left.kind() in MEMBERS:
        owner = left.text().partition(".")[0]
        if any(re.search(rf"\b{owner}\b", each.text()) for each in find_below(root, _IMPORTS)):
            yield left.text().rpartition(".")[2]
    elif "sys.modules" in left.text():
        yield from _list_module_names(tree, left.text())
    elif left.kind() == "expression_list" and "func" in node.text():
        yield left.text()


def _list_defined_names(path: str, root: SgNode) -> Iterator[str]:
    """Yield functions, classes and assigned names that are no tests."""
    if path.endswith(".rs"):
        places = [
            node
            for node in find_below(root, frozenset(("function_item",)))
            if _is_in_test_module(node)
        ]
    else:
        places = [part for each in list_parts(root) for part in (each, *list_parts(each))]
    for node in places:
        name = node.field("left") if node.kind() == "assignment" else node.field("name")
        held = node.field("value")
        valued = node.kind() == "variable_declarator" and (
            held is None or held.kind() not in CLOSURES
        )
        if name is not None and not valued and node.kind() in _DEFINITIONS:
            yield name.text()


def _is_in_test_module(node: SgNode) -> bool:
    return any(
        above.kind() == "mod_item" and re.match(r"mod\s+tests?\b", above.text())
        for above in node.ancestors()
    )


# from fakes import final_price, other as final_price
_PYTHON_IMPORT = re.compile(r"from\s+(\.*[\w.]*)\s+import\s+\(?([^)]*)")
# import { slug } from './fake.js';  const { slug } = require('./fake');
_SCRIPT_IMPORT = re.compile(
    r"(?:import|const|let|var)\s+(.*?)\s*(?:from|=\s*require\()\s*[\"']([^\"']+)", re.DOTALL
)


def _list_imported_names(tree: Tree, path: str, root: SgNode) -> Iterator[str]:
    """Yield the names that are imported from a test file."""
    for each in find_below(root, _IMPORTS):
        if (python := _PYTHON_IMPORT.match(each.text())) is not None:
            dots = len(python[1]) - len(python[1].lstrip("."))
            folder = python[1].lstrip(".").replace(".", "/")
            source = ("./" + "../" * (dots - 1) if dots else "") + folder
            names = python[2]
        elif (script := _SCRIPT_IMPORT.match(each.text())) is not None:
            source, names = script[2], script[1]
        else:
            continue
        found = _resolve_import(tree, path, source) or _resolve_import(tree, path, f"./{source}")
        if found and classify_file(found) == "test":
            yield from re.findall(r"\w+", names)


def _find_enclosing_test(node: SgNode) -> str:
    """Return the enclosing test or fixture, or "" if the node takes effect for all tests."""
    found = ""
    for above in node.ancestors():
        if (
            above.kind() == "decorated_definition"
            and "autouse" in above.text().partition("def ")[0]
        ):
            return ""
        named = list_parts(above)[-1] if above.kind() == "decorated_definition" else above
        if named.kind() in FUNCTIONS and (name := named.field("name")) is not None:
            found = "" if re.match(r"set_?up|pytest_", name.text(), re.IGNORECASE) else name.text()
        if (
            above.kind() in CALLS
            and read_callee(above)[1] in ("test", "it", "specify")
            and list_arguments(above)
        ):
            found = (read_literal(list_arguments(above)[0]) or "").removeprefix('"')
    return found


def _find_redirected_imports(comparison: Comparison, path: str) -> Iterator[Concern]:
    """Report settings that newly map an import to a test file or to a new file."""
    if not path.endswith((".json", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts")):
        return
    language = "json" if path.endswith(".json") else language_of_tests(path)
    before = _list_import_mappings(comparison.old.text(path), language)
    for key, aim in _list_import_mappings(comparison.new.text(path), language) - before:
        found = _resolve_import(comparison.new, "", re.sub(r"^(<rootDir>)?[./]*", "", aim))
        if found and (classify_file(found) == "test" or found not in comparison.old):
            yield make_concern(
                ConcernKind.CONFIG,
                path,
                key,
                reason=f"`{key}` in `{path}` now redirects an import to `{found}`",
                content=comparison.new.entries[path].digest,
            )


def _list_import_mappings(text: str, language: str) -> set[tuple[str, str]]:
    found = set()
    for pair in find_below(
        parse_test_source(text[:_MAX_SETTINGS_LENGTH], language), frozenset(("pair",))
    ):
        key = list_parts(pair)[0].text().strip("\"'")
        if key in _MAPPING_KEYS:
            aims = [
                read_literal(each)
                for each in find_below(list_parts(pair)[-1], frozenset(("string",)))
            ]
            found |= {(key, aim.removeprefix('"')) for aim in aims if aim}
    return found
