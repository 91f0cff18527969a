"""Rules and warnings that are not active may be ignored; the others count."""

from pathlib import Path

import pytest

from integrity.trees import beside
from snippets import snippet
from untildone.integrity.settings import comparison as settings

CODE = {"shop.py": "x = 1\n", "tests/test_shop.py": "def test_x(): pass\n"}
RUFF = "ruff check ."
PYTEST = "python -m pytest"
LONGER = "[tool.ruff]\nline-length = 120\n"
IGNORED = '[tool.ruff.lint]\nignore = ["E501"]\n'
WARNED = "[tool.pytest.ini_options]\nfilterwarnings = ['error', 'ignore::DeprecationWarning']\n"


def selected(rules: str, ignored: str = "") -> str:
    return f"[tool.ruff.lint]\nselect = [{rules}]\nignore = [{ignored}]\n"


def loosened(top: Path, baseline: dict[str, str], new: str, command: str) -> bool:
    old = {**CODE, **baseline}
    comparison = beside(top, old, {**old, "pyproject.toml": new}, *filter(None, [command]))
    return any(settings.find_concerns(comparison))


@pytest.mark.parametrize(
    ("baseline", "new", "command"),
    [
        ({}, LONGER, RUFF),
        ({}, IGNORED, RUFF),
        ({"pyproject.toml": selected("'F'")}, selected("'F'") + LONGER, RUFF),
        ({"pyproject.toml": selected("'E', 'F'")}, selected("'E', 'F', 'D'", "'D100'"), RUFF),
        ({}, WARNED, PYTEST),
        ({"Makefile": "check:\n\tpython -m pytest\n"}, WARNED, "make check"),
    ],
)
def test_rules_that_are_not_active_may_be_ignored(
    tmp_path: Path, baseline: dict[str, str], new: str, command: str
) -> None:
    assert not loosened(tmp_path / "a", baseline, new, command)
    # As long as nobody knows what is run, more may be asked for there.
    assert loosened(tmp_path / "b", baseline, new, "")


@pytest.mark.parametrize(
    ("baseline", "new", "command"),
    [
        ({}, LONGER, "ruff check --select E501 ."),
        ({"Makefile": "check:\n\truff check --extend-select=E .\n"}, IGNORED, "make check"),
        ({"ci.py": "os.system('ruff check --select=E501 .')\n"}, IGNORED, "python ci.py"),
        ({}, IGNORED, "hatch fmt --check"),
        ({"pyproject.toml": selected("'E'")}, selected("'E'") + LONGER, RUFF),
        ({"pyproject.toml": selected("'ALL'")}, selected("'ALL'", "'D100'"), RUFF),
        ({"pyproject.toml": selected("'D1'")}, selected("'D1'", "'D'"), RUFF),
        ({"lib/ruff.toml": "[lint]\nselect = ['E']\n"}, IGNORED, RUFF),
        ({"ruff.toml": "extend = 'shared/rules.txt'\n"}, IGNORED, RUFF),
        # Which rules ruff looks for when it is told nothing depends on its version.
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
    assert loosened(tmp_path, baseline, new, command)
