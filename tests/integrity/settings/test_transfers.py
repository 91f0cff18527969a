"""Settings that moved to another file, or to the tool that replaces another."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.settings import comparison as settings

CODE = {"app/a.py": "x = 1\n", "tests/test_a.py": "def test_a(): assert 1\n"}
FLAKE8 = """\
[flake8]
select = E,W,F,C90
max-complexity = 8
max-line-length = 120
extend-ignore = E203
per-file-ignores =
    app/__init__.py:F401,F403
"""
RUFF = """[tool.ruff]
line-length = 120
[tool.ruff.lint]
select = ["E", "W", "F", "I", "C90"]
ignore = ["E203"]
per-file-ignores = { "app/__init__.py" = ["F401", "F403"] }
[tool.ruff.lint.mccabe]
max-complexity = 8
"""
NAME = '[project]\nname = "app"\n'
TOX = """\
[tox]
envlist = py311, lint
[testenv]
commands = pytest
"""
PYTEST = """\
[pytest]
addopts = -ra
filterwarnings =
    error
    ignore::DeprecationWarning:attr
"""
MOVED = """[tool.pytest.ini_options]
addopts = "-ra"
filterwarnings = ["error", "ignore::DeprecationWarning:attr"]
"""
WORKFLOW = """\
jobs:
  t:
    steps:
      - run: pytest
      - run: up
"""
TOLERANT = WORKFLOW + "        continue-on-error: true\n"


def find_ids(top: Path, old: dict[str, str], new: dict[str, str], *commands: str) -> list[str]:
    found = settings.find_concerns(
        compare_projects(top, {**CODE, **old}, {**CODE, **new}, *commands)
    )
    return sorted(concern.id.partition("#")[0].removeprefix("config:") for concern in found)


def test_a_linter_with_the_same_settings_replaces_another(tmp_path: Path) -> None:
    old = {".flake8": FLAKE8, "pyproject.toml": NAME}
    assert find_ids(tmp_path, old, {"pyproject.toml": NAME + RUFF}, "ruff check .") == []


def test_a_new_file_of_the_linter_may_take_the_settings(tmp_path: Path) -> None:
    said = 'line-length = 120\nlint.select = ["E", "W", "F", "C90"]\n'
    said += "lint.mccabe.max-complexity = 8\n"
    assert find_ids(tmp_path, {".flake8": FLAKE8}, {"ruff.toml": said}, "ruff check .") == []


@pytest.mark.parametrize(
    ("words", "instead", "expected"),
    [
        (
            '"E203"',
            '"E203", "F821"',
            ["pyproject.toml:ruff.lint.ignore"],
        ),
        ('"F", "I"', '"I"', ["pyproject.toml:ruff.lint.select"]),
        (
            "max-complexity = 8",
            "max-complexity = 30",
            ["pyproject.toml:ruff.lint.mccabe.max-complexity"],
        ),
        (
            '"F401", "F403"',
            '"F", "E"',
            ["pyproject.toml:ruff.lint.per-file-ignores.app/__init__.py"],
        ),
    ],
)
def test_a_replacement_with_looser_settings_is_a_concern(
    tmp_path: Path, words: str, instead: str, expected: list[str]
) -> None:
    old = {".flake8": FLAKE8, "pyproject.toml": NAME}
    new = {"pyproject.toml": NAME + RUFF.replace(words, instead)}
    assert find_ids(tmp_path, old, new, "ruff check .") == expected


@pytest.mark.parametrize(
    ("more", "command"),
    [
        ({}, "python -m flake8 ."),
        ({"Makefile": "lint:\n\tflake8 .\n"}, "make lint"),
        ({"Makefile": "lint:\n\tflake8 .\n"}, "pytest && make lint"),
    ],
)
def test_a_linter_that_still_runs_is_not_replaced(
    tmp_path: Path, more: dict[str, str], command: str
) -> None:
    old = {".flake8": FLAKE8, "pyproject.toml": NAME, **more}
    new = {".flake8": "[flake8]\n", "pyproject.toml": NAME + RUFF, **more}
    assert ".flake8:flake8.select" in find_ids(tmp_path, old, new, command)


@pytest.mark.parametrize("path", ["pytest.ini", "tox.ini"])
def test_settings_may_move_into_a_file_that_is_there(tmp_path: Path, path: str) -> None:
    old = {path: PYTEST, "pyproject.toml": NAME}
    assert find_ids(tmp_path, old, {"pyproject.toml": NAME + MOVED}, "pytest") == []


def test_settings_may_not_move_and_grow(tmp_path: Path) -> None:
    old = {"pytest.ini": PYTEST, "pyproject.toml": NAME}
    new = {"pyproject.toml": NAME + MOVED.replace('"error"', '"error", "ignore"')}
    expected = ["pyproject.toml:pytest.filterwarnings", "pytest.ini:pytest.filterwarnings"]
    assert find_ids(tmp_path, old, new, "pytest") == expected


def test_settings_without_effect_do_not_move_to_where_they_have_one(tmp_path: Path) -> None:
    idle = "[tool:pytest]\nnorecursedirs = tests\n"
    old = {"setup.cfg": idle, "pytest.ini": "[pytest]\naddopts = -ra\n"}
    new = {
        "setup.cfg": "",
        "pytest.ini": snippet("""
            [pytest]
            addopts = -ra
            norecursedirs = tests
        """),
    }
    assert find_ids(tmp_path, old, new, "pytest") == ["pytest.ini:pytest.norecursedirs"]


MYPY = """\
[mypy]
strict = True
[mypy-attr.*]
ignore_missing_imports = True
"""
MYPY_TOML = """\
[tool.mypy]
strict = true
[[tool.mypy.overrides]]
module = ["attr.*"{}]
"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [("", []), (', "app.*"', ["pyproject.toml:mypy-app.*.ignore_missing_imports"])],
)
def test_settings_of_mypy_for_a_module_are_compared_by_module(
    tmp_path: Path, more: str, expected: list[str]
) -> None:
    new = {"pyproject.toml": MYPY_TOML.format(more) + "ignore_missing_imports = true\n"}
    assert find_ids(tmp_path, {"setup.cfg": MYPY}, new, "mypy .") == expected


def test_a_new_file_that_hides_settings_of_mypy_is_a_concern(tmp_path: Path) -> None:
    reported = MYPY_TOML.format("") + "warn_unreachable = true\n"
    new = {"pyproject.toml": reported, "mypy.ini": "[mypy]\nstrict = True\n"}
    expected = ["mypy.ini:mypy-attr.*.warn_unreachable"]
    assert find_ids(tmp_path, {"pyproject.toml": reported}, new, "mypy .") == expected


@pytest.mark.parametrize("text", ["tool = 1\n", "[tool]\nmypy = 1\n", "[tool.mypy]\noverrides=1\n"])
def test_settings_of_another_shape_than_expected_are_read(tmp_path: Path, text: str) -> None:
    assert find_ids(tmp_path, {"pyproject.toml": ""}, {"pyproject.toml": text}) == []


@pytest.mark.parametrize(
    ("new", "command", "expected"),
    [
        ({"noxfile.py": "import nox\n"}, "pytest", []),
        ({"noxfile.py": "import nox\n"}, "tox", ["tox.ini:tox.env_list"]),
        ({"tox.ini": TOX.replace(", lint", "")}, "pytest", []),
        ({"tox.ini": TOX.replace(", lint", "")}, "tox", ["tox.ini:tox.env_list"]),
        ({"pyproject.toml": '[tool.tox]\nenv_list = ["py311", "lint"]\n'}, "tox", []),
    ],
)
def test_settings_of_tox_that_nothing_calls_are_no_concern(
    tmp_path: Path, new: dict[str, str], command: str, expected: list[str]
) -> None:
    assert find_ids(tmp_path, {"tox.ini": TOX}, new, command) == expected


@pytest.mark.parametrize("key", ["skip_covered", "skip_empty", "show_missing"])
def test_the_look_of_a_coverage_report_is_no_concern(tmp_path: Path, key: str) -> None:
    new = {"pyproject.toml": f"[tool.coverage.report]\n{key} = true\n"}
    assert find_ids(tmp_path, {"pyproject.toml": ""}, new) == []


CI = ".github/workflows/{}.yml"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {CI.format("new"): TOLERANT}, []),
        (
            {CI.format("ci"): WORKFLOW},
            {CI.format("ci"): TOLERANT},
            [CI.format("ci")],
        ),
        ({CI.format("ci"): WORKFLOW}, {CI.format("new"): TOLERANT}, [CI.format("new")]),
    ],
)
def test_an_additional_workflow_is_no_concern(
    tmp_path: Path, old: dict[str, str], new: dict[str, str], expected: list[str]
) -> None:
    assert [concern.partition(":")[0] for concern in find_ids(tmp_path, old, new)] == expected


TOX_LINT = """\
[testenv:lint]
skip_install = true
skip_missing_interpreters = true
"""
TOX_PYTEST = "[pytest]\naddopts = -k fast\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({}, TOX + TOX_LINT, [], id="the first"),
        pytest.param(
            {"tox.ini": TOX},
            TOX + TOX_LINT,
            ["tox.ini:testenv:lint.skip_missing_interpreters"],
            id="one that was there",
        ),
        pytest.param({}, TOX + TOX_PYTEST, ["tox.ini:pytest.addopts"], id="pytest reads it too"),
    ],
)
def test_the_first_settings_of_tox_are_no_concern(
    tmp_path: Path, old: dict[str, str], new: str, expected: list[str]
) -> None:
    assert find_ids(tmp_path, old, {"tox.ini": new}, "pytest") == expected


@pytest.mark.parametrize(
    ("command", "old", "expected"),
    [
        ("pytest", {}, []),
        ("pytest", {".dockerignore": ".git\n"}, []),
        ("docker build .", {}, [".dockerignore:ignored"]),
        ("sh ci.sh", {}, [".dockerignore:ignored"]),
    ],
)
def test_a_dockerignore_counts_where_a_check_builds_an_image(
    tmp_path: Path, command: str, old: dict[str, str], expected: list[str]
) -> None:
    files = {"tests/test_a.py": "def test_a(): pass\n", "ci.sh": "docker compose run tests\n"}
    new = {**files, ".dockerignore": ".git\ntests\n"}

    assert find_ids(tmp_path, {**files, **old}, new, command) == expected
