"""Which files a sandbox gets in which the current tests run without the change."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.experiments.current_tests import compose_current_tests, find_changed_tests
from untildone.integrity.experiments.previous_behaviour import compose_previous_behaviour
from untildone.sandbox.sandbox_source import SandboxFiles

OLD = {
    "app.py": "def a():\n    return 1\n",
    "pyproject.toml": "old",
    "tests/__init__.py": "",
    "tests/conftest.py": "fixture",
    "tests/test_a.py": "old",
    "tests/test_b.py": "from tests.test_base import x",
    "tests/test_base.py": "x = 1",
    "tests/test_other.py": "other",
    "tests/web/test_page.py": "page",
}
NEW = {
    **OLD,
    "app.py": "def a():\n    return 2\n\n\ndef b():\n    return 3\n",
    "more.py": "def c(x):\n    return x\n",
    "pyproject.toml": "new",
    "tests/test_a.py": "from tests.test_base import x; new",
    "tests/test_new.py": "new",
}


def contents(found: SandboxFiles) -> dict[str, str]:
    return {
        path: source if isinstance(source, str) else source.read_text(encoding="utf-8")
        for path, source in found.files.items()
    }


def test_current_tests_and_the_baselines_product(tmp_path: Path) -> None:
    found = compose_current_tests(compare_projects(tmp_path, OLD, NEW))

    assert contents(found) == {
        "app.py": OLD["app.py"],
        "pyproject.toml": "old",
        "tests/__init__.py": "",
        "tests/conftest.py": "fixture",
        "tests/test_a.py": NEW["tests/test_a.py"],
        "tests/test_base.py": "x = 1",
        "tests/test_new.py": "new",
    }
    assert set(found.restored) == {"app.py", "pyproject.toml"}


def test_a_folder_that_the_command_names_is_not_left_empty(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, OLD, NEW, "pytest tests/web tests")

    assert "tests/web/test_page.py" in compose_current_tests(comparison).files


def test_tests_of_a_go_package_stay_together(tmp_path: Path) -> None:
    old = dict.fromkeys(("a/a_test.go", "a/b_test.go", "c/c_test.go"), "package a")
    comparison = compare_projects(tmp_path, old, {**old, "a/a_test.go": "package a // new"})

    assert set(compose_current_tests(comparison).files) == {"a/a_test.go", "a/b_test.go"}


def test_the_baselines_bodies_behind_the_current_interface(tmp_path: Path) -> None:
    found = contents(compose_previous_behaviour(compare_projects(tmp_path, OLD, NEW)))

    assert found["app.py"] == "def a():\n    return 1\n\n\ndef b():\n    return\n    return 3\n"
    assert found["more.py"] == "def c(x):\n    return\n    return x\n"
    assert found["pyproject.toml"] == "new"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            {"a.py": "def f():\n    return 1\n"},
            {"b.py": "def f(x=0):\n    return 2\n"},
            {"b.py": "def f(x=0):\n    return 1\n"},
            id="a function that moved and changed",
        ),
        pytest.param(
            {"a.py": "RATE = 1\n"},
            {"a.py": "RATE = 2\nMORE = 3\nALSO = read()\n__all__ = ['RATE']\n"},
            {"a.py": "RATE = 1\nMORE = 0\nALSO = read()\n__all__ = ['RATE']\n"},
            id="values",
        ),
        pytest.param(
            {"a.json": "[1]"}, {"a.json": "[2]"}, {"a.json": "[1]"}, id="data of the product"
        ),
        pytest.param(
            {"a.py": "def f(): return 1\n"},
            {"a.py": "def f():\n    return 2\n"},
            {"a.py": "def f():\n    return\n    return 2\n"},
            id="a body that does not fit",
        ),
        pytest.param(
            {"src/lib.rs": "fn f() -> u8 { 1 }\n"},
            {"src/lib.rs": "fn f() -> u8 { 2 }\n#[cfg(test)]\nmod t { fn g() -> u8 { 3 } }\n"},
            {"src/lib.rs": "fn f() -> u8 { 1 }\n#[cfg(test)]\nmod t { fn g() -> u8 { 3 } }\n"},
            id="tests inside stay",
        ),
    ],
)
def test_previous_behaviour(
    tmp_path: Path, old: dict[str, str], new: dict[str, str], expected: dict[str, str]
) -> None:
    comparison = compare_projects(tmp_path, old, new)

    assert contents(compose_previous_behaviour(comparison)) == expected


def test_changed_functions_may_return_nothing_too(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, OLD, NEW)

    found = contents(compose_previous_behaviour(comparison, empties_changed=True))

    assert found["app.py"].startswith("def a():\n    return\n    return 2\n")


def test_a_rust_file_with_changed_tests_inside_counts(tmp_path: Path) -> None:
    old = {"src/lib.rs": "fn f() {}\n#[cfg(test)]\nmod t { fn a() {} }\n"}
    new = {"src/lib.rs": old["src/lib.rs"].replace("fn a", "fn b")}

    assert find_changed_tests(compare_projects(tmp_path, old, new)) == ("src/lib.rs",)
    assert find_changed_tests(compare_projects(tmp_path, old, old)) == ()
