"""Reads Go tests: `TestX(t *testing.T)`, examples and fuzz tests in `_test.go` files."""

import re
from collections.abc import Iterator, Mapping

from ast_grep_py import SgNode

from untildone.integrity.tests.interpreter import Interpreter
from untildone.integrity.tests.model import EXACT, Assertion, Test
from untildone.integrity.tests.values import Variables, evaluate
from untildone.syntax.nodes import COMMENTS, find_named, list_parts

_TEST_NAME = re.compile(r"(Test|Example|Fuzz)([^a-z].*)?")
_BUILD_CONSTRAINT = re.compile(r"^//\s*(go:build|\+build)\s+(.+)$", re.MULTILINE)
# // Output: 10
_OUTPUT = re.compile(r"//\s*(?:unordered )?output:(.*)", re.IGNORECASE | re.DOTALL)
_PLATFORMS = frozenset(
    (
        *("aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux"),
        *("netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "386", "amd64", "arm"),
        *("arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le"),
        *("riscv64", "s390x", "wasm"),
    )
)


def list_functions(root: SgNode) -> Iterator[tuple[str, SgNode]]:
    return find_named(root, frozenset(("function_declaration", "method_declaration")))


def read_tests(path: str, root: SgNode, shared: Mapping[str, SgNode]) -> Iterator[Test]:
    own = dict(list_functions(root))
    interpreter = Interpreter({**shared, **own})
    variables: Variables = {}
    interpreter.run_block(root, variables)
    marks = _list_build_constraints(path, root)
    for node in list_parts(root):
        name, body = node.field("name"), node.field("body")
        if node.kind() != "function_declaration" or name is None or body is None:
            continue
        given = node.field("parameters")
        if name.text() == "TestMain" or not _TEST_NAME.fullmatch(name.text()):
            continue
        if given is None or ("testing." not in given.text() and not name.text().startswith("Ex")):
            continue
        inside = Interpreter({**shared, **own})
        inside.run_block(body, dict(variables))
        if name.text().startswith("Example"):
            inside.assertions += _read_example_output(body, variables)
        yield Test(path, name.text(), tuple(inside.assertions), frozenset(marks | inside.marks))


def _read_example_output(body: SgNode, variables: Variables) -> list[Assertion]:
    """Read the output comment of an example; without one the example does not run."""
    output = _OUTPUT.search(body.text())
    if output is None:
        return []
    lines = [line.strip().removeprefix("//").strip() for line in output[1].splitlines()]
    actual = evaluate(body, variables)
    return [
        Assertion(
            EXACT, actual.literals, tuple(line for line in lines if line != "}"), actual.calls
        )
    ]


def _list_build_constraints(path: str, root: SgNode) -> set[str]:
    """Return marks for build constraints in the file name, folder and leading comments."""
    head = "\n".join(each.text() for each in root.children() if each.kind() in COMMENTS)
    marks = {f"`//go:build {each[2].strip()}`" for each in _BUILD_CONSTRAINT.finditer(head)}
    name = path.rpartition("/")[2].removesuffix("_test.go")
    if (suffix := name.rpartition("_")[2]) in _PLATFORMS and suffix != name:
        marks.add(f"file name `*_{suffix}_test.go`")
    if any(part.startswith(("_", ".")) or part == "testdata" for part in path.split("/")):
        marks.add("a folder that go leaves out")
    return marks
