"""Scripts of `package.json` that a call runs."""

import pytest

from untildone.commands.package_scripts import (
    find_package_file,
    parse_package_scripts,
    select_grouped_scripts,
    select_scripts,
)

SCRIPTS = {
    "pretest": "tsc",
    "test": "jest",
    "test:unit": "jest unit",
    "lint": "eslint .",
    "ci": "npm test",
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", ["tsc", "jest"]),
        ("npm t", ["tsc", "jest"]),
        ("npm run lint", ["eslint ."]),
        ("npm run-script lint", ["eslint ."]),
        ("npm --prefix web run lint", ["eslint ."]),
        ("pnpm lint", ["eslint ."]),
        ("yarn --silent lint", ["eslint ."]),
        # Without `run` this installs.
        ("npm ci", []),
        ("npm run ci", ["npm test"]),
        ("npm run", []),
        ("npm", []),
        ("node lint", []),
    ],
)
def test_scripts_of_a_package_manager(command: str, expected: list[str]) -> None:
    assert list(select_scripts(command.split(), SCRIPTS)) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (["run-s", "lint", "test:*"], ["eslint .", "jest unit"]),
        (["concurrently", "npm:lint", "tsc --noEmit"], ["eslint .", "tsc --noEmit"]),
        (["concurrently", "--success", "first", "npm:lint"], []),
    ],
)
def test_scripts_of_a_group(call: list[str], expected: list[str]) -> None:
    assert list(select_grouped_scripts(call, SCRIPTS)) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", "package.json"),
        ("npm --prefix web test", "web/package.json"),
        ("npm --prefix=web test", "web/package.json"),
        ("pnpm -C web test", "web/package.json"),
    ],
)
def test_the_package_file_of_a_call(command: str, expected: str) -> None:
    assert find_package_file(command.split()) == expected


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scripts": 1}'])
def test_a_file_without_scripts(text: str) -> None:
    assert parse_package_scripts(text) == {}
