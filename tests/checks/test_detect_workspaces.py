"""Workspaces of JavaScript packages: scripts of the members run in all of them."""

from pathlib import Path

import pytest

from checks.detecting import Files, commands, package, project, scripts
from untildone.checks.detected_checks import detect_checks, find_rejected
from untildone.errors import UserError
from untildone.process.runner import run

TOP = package(workspaces=["packages/*"])
TESTED = scripts(test="node --test")
ONE = {"packages/a/package.json": TESTED}
ROWS: list[tuple[Files, dict[str, str]]] = [
    ({"package.json": TOP, **ONE}, {"test": "npm run test --workspaces --if-present"}),
    (
        {"package.json": package(workspaces={"packages": ["./packages/*/"]}), **ONE},
        {"test": "npm run test --workspaces --if-present"},
    ),
    (
        {"package.json": package(workspaces=["packages/*"], scripts={"test": "turbo test"}), **ONE},
        {"test": "npm test"},
    ),
    (
        {
            "package.json": TOP,
            "packages/a/package.json": scripts(build="tsc", lint="eslint ."),
            "packages/b/package.json": scripts(typecheck="tsc --noEmit"),
        },
        {
            "build:npm": "npm run build --workspaces --if-present",
            "build:typecheck": "npm run typecheck --workspaces --if-present",
            "lint": "npm run lint --workspaces --if-present",
        },
    ),
    (
        {"package.json": "{}", "pnpm-workspace.yaml": "packages:\n- packages/*\n", **ONE}
        | {"pnpm-lock.yaml": ""},
        {"test": "pnpm --recursive run test"},
    ),
    ({"package.json": TOP, "bun.lock": "", **ONE}, {"test": "bun run --filter '*' test"}),
    (
        {"package.json": TOP, "yarn.lock": "", ".yarnrc.yml": "", **ONE},
        {"test": "yarn workspaces foreach --all run test"},
    ),
    ({"package.json": TOP, "yarn.lock": "", **ONE}, {"test": "yarn workspaces run test"}),
    ({"package.json": TOP, "yarn.lock": "", **ONE, "packages/b/package.json": "{}"}, {}),
    ({"package.json": package(workspaces=["packages/*", "!packages/a"]), **ONE}, {}),
    ({"package.json": package(workspaces="packages/*"), **ONE}, {}),
    ({"package.json": package(workspaces=["../x", "/y", 3, ""]), **ONE}, {}),
    ({"package.json": "{}", "pnpm-workspace.yaml": "packages: [", **ONE}, {}),
    ({"package.json": "{}", "pnpm-workspace.yaml": "a\n", **ONE}, {}),
    ({"package.json": TOP, "packages/node_modules/package.json": TESTED}, {}),
]


@pytest.mark.parametrize(("files", "expected"), ROWS)
def test_what_the_packages_have(tmp_path: Path, files: Files, expected: dict[str, str]) -> None:
    assert commands(project(tmp_path, files)) == expected


def test_a_package_that_would_watch_speaks_against_all_of_them(tmp_path: Path) -> None:
    files = {**ONE, "packages/b/package.json": scripts(test="jest --watch")}
    place = project(tmp_path, {"package.json": TOP, "packages/a/x.test.js": "", **files})

    assert commands(place) == {}
    assert [(check.command, check.harm) for check in find_rejected(place)] == [
        ("npm run test --workspaces --if-present", "would run forever")
    ]


def test_a_broken_package_is_named(tmp_path: Path) -> None:
    place = project(tmp_path, {"package.json": TOP, "packages/a/package.json": "{"})

    with pytest.raises(UserError, match=r"packages/a/package.json. is broken at line 1"):
        commands(place)


@pytest.mark.parametrize(("answer", "code"), [("2", 0), ("3", 1)])
def test_npm_runs_it_in_every_package_that_has_it(tmp_path: Path, answer: str, code: int) -> None:
    tested = f'require("node:assert").equal(1 + 1, {answer})\n'
    files = {
        "package.json": package(workspaces=["packages/*"]),
        "packages/a/package.json": package(name="a", scripts={"test": "node a.test.js"}),
        "packages/a/a.test.js": tested,
        "packages/b/package.json": package(name="b"),
    }
    place = project(tmp_path, files)

    ended = run(commands(place)["test"].split(), cwd=place, timeout=60)

    assert ended.exit_code == code, ended.text


def test_the_packages_of_a_repository_without_a_top_are_found(tmp_path: Path) -> None:
    files = {
        "README.md": "",
        "api/pyproject.toml": "[tool.pytest]\n",
        "api/vendor/pyproject.toml": "[tool.pytest]\n",
        "web/package.json": scripts(test="jest", lint="eslint ."),
        "node_modules/x/package.json": scripts(test="jest"),
    }
    detected = detect_checks(project(tmp_path, files))

    found = {check.name: check.cwd for checks in detected.values() for check in checks}
    assert found == {"api:test": "api", "web:test": "web", "web:lint": "web"}


@pytest.mark.parametrize(("top", "command"), [(".git/HEAD", "../.venv/bin/ruff"), ("x", "ruff")])
def test_a_package_uses_the_environment_at_the_top_of_its_repository(
    tmp_path: Path, top: str, command: str
) -> None:
    files = {top: "", ".venv/bin/ruff": "", "api/pyproject.toml": "[tool.ruff]\n"}
    checks = detect_checks(project(tmp_path, files))["lint"]

    assert [(check.cwd, check.command) for check in checks] == [("api", f"{command} check .")]


def test_test_files_of_packages_are_no_tests_of_the_top(tmp_path: Path) -> None:
    files = {
        "api/pyproject.toml": "",
        "api/tests/test_a.py": "def test_a():\n    pass\n",
        "web/package.json": scripts(test="node --test"),
        "web/a.test.mjs": "",
    }
    detected = detect_checks(project(tmp_path, files))["test"]

    assert [(check.name, check.cwd) for check in detected] == [
        ("api:test", "api"),
        ("web:test", "web"),
    ]


def test_packages_below_a_top_with_checks_are_its_own_affair(tmp_path: Path) -> None:
    files = {"Makefile": "test:\n\ttrue\n", "web/package.json": scripts(test="jest")}

    assert commands(project(tmp_path, files)) == {"test": "make test"}
