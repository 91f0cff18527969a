"""The calls that decide a check, through launchers and scripts."""

import json
from pathlib import Path

import pytest

from integrity.trees import tree
from snippets import snippet
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.invoked_scripts import find_named_checks

FILES = {
    "package.json": json.dumps({"scripts": {"test": "sh check.sh", "start": "node ."}}),
    "check.sh": snippet("""
        set -e
        cd web
        uvx ruff check src
        pytest -q
    """),
    "Makefile": snippet("""
        check: lint
        \tpytest
        lint:
        \truff check .
    """),
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npx eslint .", [("eslint", ".")]),
        ("uvx ruff check", [("ruff", "check")]),
        ("npx --no-install eslint .", [("eslint", ".")]),
        ("uv run --frozen pytest", [("pytest",)]),
        # Another folder or another package may hold another program.
        ("uv run --with ./fake pytest", [("--with", "./fake", "pytest")]),
        ("pnpm dlx eslint .", [("eslint", ".")]),
        ("python -m pytest -q", [("pytest", "-q")]),
        ("npm test", [("ruff", "check", "src"), ("pytest", "-q")]),
        ("make check", [("ruff", "check", "."), ("pytest",)]),
        ("pytest || true", []),
        ("npm ci && pytest", [("pytest",)]),
        ("go get -u ./... && pytest", [("pytest",)]),
        ("tool=pytest\n$tool -q", [("pytest", "-q")]),
        ("tool=pytest\nread -r tool < NAME\n$tool -q", [("$tool", "-q")]),
    ],
)
def test_deciding_calls(tmp_path: Path, command: str, expected: list[tuple[str, ...]]) -> None:
    assert list(find_deciding_calls(tree(tmp_path, FILES), command)) == expected


def test_a_make_rule_without_a_recipe_keeps_the_recipe_of_its_target(tmp_path: Path) -> None:
    makefile = "check:\n\tpytest\ncheck: lint\nlint:\n\truff check .\n"
    calls = find_deciding_calls(tree(tmp_path, {"Makefile": makefile}), "make check")

    assert calls == (("ruff", "check", "."), ("pytest",))


def test_the_calls_are_computed_once(tmp_path: Path) -> None:
    project = tree(tmp_path, FILES)

    assert find_deciding_calls(project, "npm test") is find_deciding_calls(project, "npm test")


def test_named_checks(tmp_path: Path) -> None:
    assert find_named_checks(tree(tmp_path, FILES)) == ("npm run test", "make check", "make lint")
