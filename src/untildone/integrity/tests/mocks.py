"""Finds tests and settings that newly replace the tested functions by mocks or aliases.

After `monkeypatch.setattr(shop, "price", lambda total: 9)` a test of `price` tests the lambda. The
same happens if a test file defines its own `price`, imports it from a file of fakes, or if settings
map the import to another file.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from ast_grep_py import SgNode

from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.tests import tested_names
from untildone.integrity.tests.inventory import is_collected, read_inventory
from untildone.syntax import nodes
from untildone.syntax.languages import language_of_tests
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# `jest.mock("./shop")` replaces everything that the module defines.
_MODULE_MOCKS = words("""
    jest.mock vi.mock jest.doMock vi.doMock jest.unstable_mockModule mock.module jest.setMock
    proxyquire td.replace td.replaceEsm esmock t.mock.module mockRequire quibble rewiremock
""")
# `jest.spyOn(shop, "price")`, `patch.object(shop, "price")`: the second argument is replaced.
_MEMBER_MOCKS = words("spyOn method stub replace replaceProperty setattr object when doReturn")
_ASSIGNMENTS = words("assignment assignment_expression short_var_declaration")
_IMPORTS = words("import_statement import_from_statement lexical_declaration")
# Settings of Jest, Vite, TypeScript and Node that map imports to files.
_MAPPING_KEYS = words("moduleNameMapper alias paths imports")
# What an import leaves out of the path of the file.
_FILE_ENDINGS = ("", ".py", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", "/index.js", "/index.ts")
_DEFINITIONS = nodes.FUNCTIONS | words(
    "class_definition class_declaration variable_declarator assignment"
)
_MAX_SETTINGS_LENGTH = 1_000_000
# from fakes import final_price, other as final_price
_PYTHON_IMPORT = compile_late(r"from\s+(\.*)([\w.]*)\s+import\s+\(?([^)]*)")
# import { slug } from './fake.js';  const { slug } = require('./fake');
_SCRIPT_IMPORT = compile_late(
    r"(?:import|const|let|var)\s+(.*?)\s*(?:from|=\s*require\()\s*[\"']([^\"']+)", re.DOTALL
)
# `setUp`, `setup_module`, `pytest_configure`: functions that run before every test.
_AUTOMATIC_FUNCTION = compile_late(r"set_?up|pytest_", re.IGNORECASE)


class _Replacement(NamedTuple):
    """A replaced function and the test or fixture that replaces it, or "" if all tests see it."""

    name: str
    test: str


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each tested function that a changed file newly replaces."""
    replacements: dict[str, list[_Replacement]] = {}
    for path in comparison.changes.edited_or_added:
        role = comparison.role(path)
        if role == "config":
            yield from _find_redirected_imports(comparison, path)
        if path.endswith(".rs") or (language_of_tests(path) and role in ("test", "config")):
            replacements[path] = _find_new_replacements(comparison, path)
    names = frozenset(item.name for found in replacements.values() for item in found)
    if not names:
        return
    tested = tested_names.find_called_names(
        comparison.old, names & tested_names.find_product_names(comparison.old)
    )
    for path, found in replacements.items():
        replaced = dict.fromkeys(
            item.name
            for item in found
            if item.name in tested and _affects_baseline_tests(comparison, path, item.test)
        )
        for name in replaced:
            reason = f"`{path}` now replaces `{name}`, which the tests call"
            yield comparison.make_concern(ConcernKind.EDIT_TEST, path, name, reason=reason)


def _find_new_replacements(comparison: Comparison, path: str) -> list[_Replacement]:
    """Return the replacements in the file whose names the baseline file did not replace.

    A function that the file now defines itself counts if the baseline file called one of its name.
    """
    old, new = comparison.old, comparison.new
    old_names = _list_local_names(old, path)
    old_names.update(replacement.name for replacement in _find_replacements(old, path))
    called = set(re.findall(r"\b(\w+)\s*\(", old.text(path)))
    redefined = (_Replacement(name, "") for name in _list_local_names(new, path) & called)
    replacements = (*_find_replacements(new, path), *redefined)
    return [replacement for replacement in replacements if replacement.name not in old_names]


def _affects_baseline_tests(comparison: Comparison, path: str, test: str) -> bool:
    """Whether a replacement made in a test or fixture is in effect in any baseline test."""
    if not test:
        return True
    baseline_tests = read_inventory(comparison.old, [path]).tests
    if any(baseline_test.short_name == test for baseline_test in baseline_tests):
        return True
    # A fixture affects a test that was in the baseline and now asks for it: `def test_a(fake)`.
    asks_for_fixture = re.compile(rf"def (test\w*)\s*\([^)]*\b{re.escape(test)}\b")
    return any(
        set(asks_for_fixture.findall(comparison.new.text(file)))
        & set(re.findall(r"def (test\w*)", comparison.old.text(file)))
        for file in comparison.old
        if file.endswith(".py") and file in comparison.new and classify_file(file) == "test"
    )


def _find_replacements(tree: Tree, path: str) -> Iterator[_Replacement]:
    """Yield what the calls and assignments of the file replace."""
    root = tree.fact(nodes.parse_test_file, path)
    for call in nodes.find_below(root, nodes.CALLS):
        for name in _list_mocked_names(tree, path, call):
            yield _Replacement(name, _find_enclosing_test(call))
    for assignment in nodes.find_below(root, _ASSIGNMENTS):
        for name in _list_assigned_names(tree, assignment, root):
            yield _Replacement(name, _find_enclosing_test(assignment))


def _list_mocked_names(tree: Tree, path: str, call: SgNode) -> Iterator[str]:
    """Yield the names that a call replaces, such as `price` for `patch("shop.price")`."""
    name = nodes.read_call_path(call)
    texts = [_read_text(argument) for argument in nodes.list_arguments(call)]
    if not texts:
        return
    if name in _MODULE_MOCKS and texts[0]:
        yield from tested_names.find_defined_names(tree.text(_resolve_import(tree, path, texts[0])))
    elif name.rpartition(".")[2] in ("patch", "setattr") and texts[0]:
        yield texts[0].rpartition(".")[2]
    elif nodes.read_callee(call)[1] in _MEMBER_MOCKS and len(texts) > 1 and texts[1]:
        yield texts[1]
    # monkeypatch.setitem(sys.modules, "shop", fake)
    elif name.endswith(("setitem", "patch.dict")) and "sys.modules" in call.text():
        yield from _list_module_names(tree, call.text())


def _read_text(node: SgNode) -> str:
    """Return the text of a string literal, or "" for another expression."""
    return (nodes.read_literal(node) or "").removeprefix('"')


def _list_module_names(tree: Tree, text: str) -> Iterator[str]:
    """Yield what the modules that are named in `sys.modules["shop.cart"] = …` define."""
    for module in re.findall(r"[\"']([\w.]+)[\"']", text):
        path = _resolve_import(tree, "", module.replace(".", "/"))
        yield from tested_names.find_defined_names(tree.text(path))


def _resolve_import(tree: Tree, path: str, source: str) -> str:
    """Return the file that an import refers to, or "" if it is not in the project."""
    base = posixpath.join(posixpath.dirname(path), source) if source.startswith(".") else source
    plain = posixpath.normpath(base).removeprefix("@/").removeprefix("/")
    names = (f"{root}{plain}{end}" for root in ("", "src/", "lib/") for end in _FILE_ENDINGS)
    return next((name for name in names if name in tree), "")


def _list_assigned_names(tree: Tree, node: SgNode, root: SgNode) -> Iterator[str]:
    """Yield the functions that an assignment replaces, such as `price` for `shop.price = …`."""
    target = node.field("left")
    if target is None:
        return
    owner, name = target.text().partition(".")[0], target.text().rpartition(".")[2]
    if target.kind() in nodes.MEMBERS:
        # Only a member of an imported module: `cart.total = 3` sets up test data.
        imports = nodes.find_below(root, _IMPORTS)
        if any(re.search(rf"\b{owner}\b", statement.text()) for statement in imports):
            yield name
    elif "sys.modules" in target.text():
        yield from _list_module_names(tree, target.text())
    # Go: `price := func(total int) int { return 9 }`
    elif target.kind() == "expression_list" and "func" in node.text():
        yield target.text()


def _list_local_names(tree: Tree, path: str) -> set[str]:
    """Return the names that a test file defines, or imports from another test file."""
    if path not in tree or not is_collected(path):
        return set()
    root = tree.fact(nodes.parse_test_file, path)
    return {*_list_defined_names(path, root), *_list_imported_names(tree, path, root)}


def _list_defined_names(path: str, root: SgNode) -> Iterator[str]:
    """Yield the functions, classes and assigned names at the top of the file.

    Of a Rust file only what `mod tests { … }` defines counts; the rest is the product.
    """
    if path.endswith(".rs"):
        modules = nodes.find_below(root, words("mod_item"))
        tests = (module for module in modules if re.match(r"mod\s+tests?\b", module.text()))
        functions = words("function_item")
        candidates = [node for module in tests for node in nodes.find_below(module, functions)]
    else:
        # One level below as well: `export function price()`, `const price = () => 9`.
        tops = nodes.list_parts(root)
        candidates = [node for top in tops for node in (top, *nodes.list_parts(top))]
    for node in candidates:
        name = node.field("left") if node.kind() == "assignment" else node.field("name")
        value = node.field("value")
        is_function = value is not None and value.kind() in nodes.CLOSURES
        # `const price = () => 9` defines a function, `const limit = 9` does not.
        is_definition = is_function or node.kind() != "variable_declarator"
        if name is not None and is_definition and node.kind() in _DEFINITIONS:
            yield name.text()


def _list_imported_names(tree: Tree, path: str, root: SgNode) -> Iterator[str]:
    """Yield the names that are imported from a test file."""
    for node in nodes.find_below(root, _IMPORTS):
        if (python := _PYTHON_IMPORT.match(node.text())) is not None:
            dots, module, names = python.groups()
            # `from ..fakes import price` is `./../fakes`.
            source = ("./" + "../" * (len(dots) - 1) if dots else "") + module.replace(".", "/")
        elif (script := _SCRIPT_IMPORT.match(node.text())) is not None:
            names, source = script.groups()
        else:
            continue
        found = _resolve_import(tree, path, source) or _resolve_import(tree, path, f"./{source}")
        if found and classify_file(found) == "test":
            yield from re.findall(r"\w+", names)


def _find_enclosing_test(node: SgNode) -> str:
    """Return the outermost test or fixture around the node; "" if it takes effect for all tests."""
    found = ""
    for above in node.ancestors():
        function = above
        if above.kind() == "decorated_definition":
            if "autouse" in above.text().partition("def ")[0]:
                return ""
            function = nodes.list_parts(above)[-1]
        if function.kind() in nodes.FUNCTIONS and (name := nodes.read_name(function)):
            found = "" if _AUTOMATIC_FUNCTION.match(name) else name
        elif above.kind() in nodes.CALLS:
            arguments = nodes.list_arguments(above)
            if nodes.read_callee(above)[1] in ("test", "it", "specify") and arguments:
                found = _read_text(arguments[0])
    return found


def _find_redirected_imports(comparison: Comparison, path: str) -> Iterator[Concern]:
    """Report settings that newly map an import to a test file or to a new file."""
    if not path.endswith((".json", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts")):
        return
    before, after = (_list_mappings(tree, path) for tree in comparison.trees)
    for key, target in after - before:
        found = _resolve_import(comparison.new, "", re.sub(r"^(<rootDir>)?[./]*", "", target))
        if found and (classify_file(found) == "test" or found not in comparison.old):
            reason = f"`{key}` in `{path}` now redirects an import to `{found}`"
            yield comparison.make_concern(ConcernKind.CONFIG, path, key, reason=reason)


def _list_mappings(tree: Tree, path: str) -> set[tuple[str, str]]:
    """Return the targets of import mappings in settings, with the key that holds the mapping."""
    language = "json" if path.endswith(".json") else language_of_tests(path)
    root = nodes.parse_test_source(tree.text(path)[:_MAX_SETTINGS_LENGTH], language)
    found = set()
    for pair in nodes.find_below(root, frozenset(("pair",))):
        parts = nodes.list_parts(pair)
        key = parts[0].text().strip("\"'")
        if key in _MAPPING_KEYS:
            targets = map(_read_text, nodes.find_below(parts[-1], frozenset(("string",))))
            found |= {(key, target) for target in targets if target}
    return found
