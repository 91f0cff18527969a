"""Settings of a tool that nothing in the baseline runs are no concern; all others count."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.settings import comparison as settings

CODE = {
    "shop.py": "def price():\n    return 1\n",
    "tests/test_shop.py": "from shop import price\n",
    ".gitignore": snippet("""
        .ruff_cache/
        .mypy_cache/
        .pytest_cache/
        coverage/
    """),
}
UNITTEST = "python -m unittest"
RUFF = '[tool.ruff.lint]\nignore = ["F401"]\n'


def find_ids(top: Path, old: dict[str, str], new: dict[str, str], *commands: str) -> list[str]:
    found = settings.find_concerns(
        compare_projects(top, {**CODE, **old}, {**CODE, **old, **new}, *commands)
    )
    return [concern.id.partition("#")[0].removeprefix("config:") for concern in found]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", RUFF),
        ("ruff.toml", "line-length = 140\n"),
        ("pyproject.toml", "[tool.mypy]\nignore_missing_imports = true\n"),
        ("pytest.ini", "[pytest]\naddopts = -m 'not slow'\n"),
        ("setup.cfg", "[flake8]\nextend-ignore = E203\n"),
        (".pylintrc", "[MESSAGES CONTROL]\ndisable=missing-docstring\n"),
        ("pyrightconfig.json", '{"exclude": ["shop.py"], "reportMissingImports": false}\n'),
        (
            ".coveragerc",
            snippet("""
                [run]
                omit =
                    shop.py
            """),
        ),
        ("codecov.yml", "ignore:\n  - shop.py\n"),
        (
            ".pre-commit-config.yaml",
            snippet("""
                repos:
                - repo: local
                  hooks:
                  - id: ruff
                    exclude: ^shop
            """),
        ),
        ("sonar-project.properties", "sonar.exclusions=shop.py\n"),
        ("playwright.config.js", "export default { retries: 2 };\n"),
        ("vitest.config.ts", "export default { test: { passWithNoTests: true } };\n"),
        ("package.json", '{"jest": {"passWithNoTests": true}}\n'),
    ],
)
def test_settings_of_a_tool_that_nothing_runs_are_no_concern(
    tmp_path: Path, path: str, text: str
) -> None:
    assert find_ids(tmp_path / "a", {}, {path: text}, UNITTEST) == []
    # Where the command is unknown, it may run this tool.
    assert find_ids(tmp_path / "b", {}, {path: text}) != []


@pytest.mark.parametrize(
    ("baseline", "command"),
    [
        ({}, "ruff check ."),
        ({}, "python -m unittest && ruff check ."),
        ({"Makefile": "check:\n\truff check .\n"}, "make check"),
        (
            {
                "Makefile": snippet("""
                    check:
                    \tpython -m unittest

                    lint:
                    \truff check .
                """)
            },
            "make check",
        ),
        ({"ci.py": "import subprocess\nsubprocess.run(['ruff', 'check'])\n"}, "python ci.py"),
        ({"tests/test_style.py": "import os\nos.system('ruff check .')\n"}, UNITTEST),
        # Nobody can tell what these run.
        ({}, "pre-commit run --all-files"),
        ({}, "hatch fmt --check"),
    ],
)
def test_settings_of_a_tool_that_a_check_may_run_count(
    tmp_path: Path, baseline: dict[str, str], command: str
) -> None:
    assert find_ids(tmp_path, baseline, {"pyproject.toml": RUFF}, command) == [
        "pyproject.toml:ruff.lint.ignore"
    ]


@pytest.mark.parametrize(
    "baseline",
    [
        {".github/workflows/ci.yml": "jobs: {a: {steps: [{run: ruff check .}]}}\n"},
        {"legacy/ruff.toml": "line-length = 80\n"},
        {"requirements-dev.txt": "ruff\n"},
        {"tests/test_more.py": "import os  # ruff: noqa\n"},
    ],
)
def test_settings_of_a_tool_that_no_agreed_check_runs_are_told_only(
    tmp_path: Path, baseline: dict[str, str]
) -> None:
    comparison = compare_projects(
        tmp_path, baseline, {**baseline, "pyproject.toml": RUFF}, UNITTEST
    )

    assert list(settings.find_concerns(comparison)) == []
    assert settings.find_unchecked_tools(comparison) == ("ruff",)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npx tape 'test/**/*.js'", []),
        ("npx ava", []),
        ("npm test", []),
        ("npm run lint", ["eslint.config.mjs:eslint.rules.max-params"]),
        ("npx unknown-runner", ["eslint.config.mjs:eslint.rules.max-params"]),
    ],
)
def test_settings_of_eslint_count_where_a_check_runs_it(
    tmp_path: Path, command: str, expected: list[str]
) -> None:
    rule = "export default [{{ rules: {{ 'max-params': ['error', {}] }} }}];\n"
    old = {
        "eslint.config.mjs": rule.format(18),
        "package.json": '{"scripts": {"test": "tape test", "lint": "eslint ."}}',
        "test/a.js": "a(); // eslint-disable-line max-params\n",
    }

    assert find_ids(tmp_path, old, {"eslint.config.mjs": rule.format(20)}, command) == expected


def test_settings_of_a_tool_that_a_check_now_runs_count(tmp_path: Path) -> None:
    baseline = {"Makefile": "check:\n\tpython -m unittest\n"}
    new = {
        "Makefile": "check:\n\tpytest\n",
        "pytest.ini": "[pytest]\naddopts = -k 'not price'\n",
    }

    assert find_ids(tmp_path, baseline, new, "make check") == ["pytest.ini:pytest.addopts"]


@pytest.mark.parametrize("wrapper", ["c8", "nyc"])
def test_a_coverage_wrapper_counts_as_a_mention(tmp_path: Path, wrapper: str) -> None:
    baseline = {
        "package.json": f'{{"scripts": {{"test": "{wrapper} node --test"}}}}\n',
        "src/a.js": "",
    }
    new = {f".{wrapper}rc": '{"exclude": ["src/a.js"]}\n'}

    assert find_ids(tmp_path, baseline, new, "npm test") == [f".{wrapper}rc:coverage.exclude"]


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        ("python -m unittest\n", []),
        (". ./.env.example\npython -m unittest\n", [".env.example:environment.PYTEST_ADDOPTS"]),
    ],
)
def test_a_template_of_variables_counts_where_a_check_reads_it(
    tmp_path: Path, check: str, expected: list[str]
) -> None:
    new = {".env.example": "PYTEST_ADDOPTS=-k price\n"}

    assert find_ids(tmp_path, {"ci/check.sh": check}, new, "sh ci/check.sh") == expected


def test_names_of_files_on_other_machines_are_no_narrowing(tmp_path: Path) -> None:
    paths = "[tool.coverage.paths]\nsource = [{}]\n"
    old = {"pyproject.toml": paths.format('"src", "build"'), "src/a.py": "", "build/b.py": ""}
    new = {**old, "pyproject.toml": paths.format('"src"')}

    assert find_ids(tmp_path, old, new, "pytest --cov") == []


@pytest.mark.parametrize(
    ("required", "environments", "expected"),
    [
        (">=3.9", "py{39,310}, lint", []),
        (">=3.8", "py{39,310}, lint", ["tox.ini:tox.env_list"]),
        (">=3.9", "py{39,310}", ["tox.ini:tox.env_list"]),
    ],
)
def test_versions_may_go_with_the_required_one(
    tmp_path: Path, required: str, environments: str, expected: list[str]
) -> None:
    def write(version: str, names: str) -> dict[str, str]:
        project = f'[project]\nrequires-python = "{version}"\n'
        return {"pyproject.toml": project, "tox.ini": f"[tox]\nenvlist = {names}\n"}

    old, new = write(">=3.8", "py{38,39,310}, lint"), write(required, environments)
    assert find_ids(tmp_path, old, new, "tox") == expected
