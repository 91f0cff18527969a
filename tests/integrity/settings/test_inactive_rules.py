"""Rules and warnings that are not active may be ignored; the others count."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.settings import comparison as settings

CODE = {"shop.py": "x = 1\n", "tests/test_shop.py": "def test_x(): pass\n"}
RUFF = "ruff check ."
PYTEST = "python -m pytest"
LONGER = "[tool.ruff]\nline-length = 120\n"
IGNORED = '[tool.ruff.lint]\nignore = ["E501"]\n'
WARNED = "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'ignore::DeprecationWarning']\n"


def select_rules(rules: str, ignored: str = "") -> str:
    return f"[tool.ruff.lint]\nselect = [{rules}]\nignore = [{ignored}]\n"


def is_loosened(top: Path, baseline: dict[str, str], new: str, command: str) -> bool:
    old = {**CODE, **baseline}
    comparison = compare_projects(
        top, old, {**old, "pyproject.toml": new}, *filter(None, [command])
    )
    return any(settings.find_concerns(comparison))


@pytest.mark.parametrize(
    ("baseline", "new", "command"),
    [
        ({}, LONGER, RUFF),
        ({}, IGNORED, RUFF),
        ({"pyproject.toml": select_rules("'F'")}, select_rules("'F'") + LONGER, RUFF),
        (
            {"pyproject.toml": select_rules("'E', 'F'")},
            select_rules("'E', 'F', 'D'", "'D100'"),
            RUFF,
        ),
        ({}, WARNED, PYTEST),
        ({"Makefile": "check:\n\tpython -m pytest\n"}, WARNED, "make check"),
    ],
)
def test_rules_that_are_not_active_may_be_ignored(
    tmp_path: Path, baseline: dict[str, str], new: str, command: str
) -> None:
    assert not is_loosened(tmp_path / "a", baseline, new, command)
    # Where the command is unknown, it may select more rules.
    assert is_loosened(tmp_path / "b", baseline, new, "")


@pytest.mark.parametrize(
    ("baseline", "new", "command"),
    [
        ({}, LONGER, "ruff check --select E501 ."),
        ({"Makefile": "check:\n\truff check --extend-select=E .\n"}, IGNORED, "make check"),
        ({"ci.py": "os.system('ruff check --select=E501 .')\n"}, IGNORED, "python ci.py"),
        ({}, IGNORED, "hatch fmt --check"),
        ({"pyproject.toml": select_rules("'E'")}, select_rules("'E'") + LONGER, RUFF),
        ({"pyproject.toml": select_rules("'ALL'")}, select_rules("'ALL'", "'D100'"), RUFF),
        ({"pyproject.toml": select_rules("'D1'")}, select_rules("'D1'", "'D'"), RUFF),
        ({"lib/ruff.toml": "[lint]\nselect = ['E']\n"}, IGNORED, RUFF),
        ({"ruff.toml": "extend = 'shared/rules.txt'\n"}, IGNORED, RUFF),
        # Which rules ruff selects by default depends on its version.
        ({}, IGNORED.replace("E501", "B006"), RUFF),
        ({}, WARNED, "python -W error -m pytest"),
        (
            {
                "Makefile": snippet("""
                    export PYTHONWARNINGS=error
                    check:
                    \tpytest
                """)
            },
            WARNED,
            "make check",
        ),
        ({"pytest.ini": "[pytest]\nfilterwarnings = error\n"}, WARNED, PYTEST),
        ({"pytest.ini": "[pytest]\naddopts = -W error\n"}, WARNED, PYTEST),
    ],
)
def test_rules_that_may_be_active_may_not_be_ignored(
    tmp_path: Path, baseline: dict[str, str], new: str, command: str
) -> None:
    assert is_loosened(tmp_path, baseline, new, command)
