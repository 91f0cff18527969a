"""Code that silences a checker, and code that asks it for more."""

from pathlib import Path

import pytest

from integrity.trees import tree
from snippets import snippet
from untildone.integrity.suppressions.code_escapes import Escape, find_escapes

ESCAPES = [
    (
        "a.c",
        "#pragma GCC system_header\nint a;\n",
        Escape("system_header", "int a;"),
    ),
    ("a.c", "#pragma warning(disable: 4996)\nint a;\n", Escape("4996", "int a;")),
    ("a.cs", "#nullable disable\nclass A {}\n", Escape("nullable disable", "class A {}")),
    ("a.ts", "f(x as never);\n", Escape("as never", "(x as never)")),
    (
        "a.py",
        snippet("""
            if TYPE_CHECKING:
                def f() -> int: ...
            else:
                def f(): return "x"
        """),
        Escape("TYPE_CHECKING", "def f() -> int: ..."),
    ),
    (
        "a.rs",
        "#![forbid(unsafe_code)]\nfn a() {}\n",
        Escape("forbid(unsafe_code)", "fn a() {}", is_strict=True),
    ),
]


@pytest.mark.parametrize(("path", "code", "expected"), ESCAPES)
def test_an_escape_is_found_with_the_code_that_it_is_about(
    tmp_path: Path, path: str, code: str, expected: Escape
) -> None:
    assert tree(tmp_path, {path: code}).fact(find_escapes, path) == (expected,)


def test_functions_of_which_a_type_checker_reads_the_same_version_are_no_escape(
    tmp_path: Path,
) -> None:
    code = "if TYPE_CHECKING:\n    def f() -> int: ...\nelse:\n    def g(): ...\n"

    assert tree(tmp_path, {"a.py": code}).fact(find_escapes, "a.py") == ()
