"""Reads Go tests: `TestX(t *testing.T)`, examples and fuzz tests in `_test.go` files.

`func ExamplePrice() { fmt.Println(Price(10)) // Output: 9 }` gives the test `ExamplePrice` with an
assertion of the actual literal 10 and the expected text `9`.
"""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.core.late_patterns import compile_late
from untildone.integrity.tests.evaluation import evaluate
from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, Assertion, Test
from untildone.integrity.tests.scopes import Scope
from untildone.integrity.tests.values import Variables
from untildone.syntax import nodes
from untildone.syntax.parsing import COMMENTS
from untildone.words import words

# `TestPrice` and `Test_price`, but not `Testify`; `TestMain` runs the tests and is none.
_TEST_NAME = compile_late(r"(?!TestMain$)(Test|Example|Fuzz)([^a-z].*)?")
# //go:build linux
_BUILD_CONSTRAINT = compile_late(r"^//\s*(go:build|\+build)\s+(.+)$", re.MULTILINE)
# // Output: 10
_OUTPUT = compile_late(r"//\s*(?:unordered )?output:(.*)", re.IGNORECASE | re.DOTALL)
# A file `price_windows_test.go` is built on Windows only.
_PLATFORMS = words("""
    aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris wasip1
    windows 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm
""")


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    """Yield the functions and methods of the file by name."""
    return nodes.find_named(root, words("function_declaration method_declaration"))


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    """Yield the tests of the file; `shared` are helpers of other files."""
    functions = {**shared, **dict(list_functions(root))}
    variables: Variables = {}
    Interpreter(functions).run_block(root, variables)
    marks = _list_build_constraints(path, root)
    scope = Scope(path=path, functions=functions, variables=variables, marks=marks)
    for node in nodes.list_parts(root):
        name, body = name_test(node), node.field("body")
        if name is None or body is None:
            continue
        interpreter = Interpreter(functions)
        interpreter.run_block(body, dict(variables))
        if name.startswith("Example"):
            interpreter.assertions += _read_example_output(body, variables)
        yield scope.make_test(name, interpreter)


def name_test(node: SgNode) -> str | None:
    """Return the name of a function that go runs, one with `t *testing.T`; None for others."""
    name, parameters = nodes.read_name(node), node.field("parameters")
    has_test_name = node.kind() == "function_declaration" and _TEST_NAME.fullmatch(name)
    if not has_test_name or parameters is None:
        return None
    return name if name.startswith("Example") or "testing." in parameters.text() else None


def _read_example_output(body: SgNode, variables: Variables) -> list[Assertion]:
    """Read the output comment of an example; without one the example does not run."""
    output = _OUTPUT.search(body.text())
    if output is None:
        return []
    lines = (line.strip().removeprefix("//").strip() for line in output[1].splitlines())
    actual = evaluate(body, variables)
    # The comment ends with the body, whose closing brace is no output.
    expected = tuple(line for line in lines if line != "}")
    return [Assertion(EXACT, actual.literals, expected, actual.calls)]


def _list_build_constraints(path: str, root: SgNode) -> frozenset[str]:
    """Return a mark for each reason why go may leave out the file: its comments, name, folder."""
    comments = (child.text() for child in root.children() if child.kind() in COMMENTS)
    constraints = _BUILD_CONSTRAINT.finditer("\n".join(comments))
    marks = {f"`//go:build {constraint[2].strip()}`" for constraint in constraints}
    name = path.rpartition("/")[2].removesuffix("_test.go")
    if (suffix := name.rpartition("_")[2]) in _PLATFORMS and suffix != name:
        marks.add(f"file name `*_{suffix}_test.go`")
    if any(part.startswith(("_", ".")) or part == "testdata" for part in path.split("/")):
        marks.add("a folder that go leaves out")
    return frozenset(marks)
