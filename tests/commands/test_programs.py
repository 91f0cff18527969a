"""The programs that a command line starts."""

import pytest

from untildone.commands.programs import find_programs, find_single_program


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", ("pytest",)),
        ("python -m pytest -q", ("pytest",)),
        (".venv/bin/python3.12 -X dev -m pytest", ("pytest",)),
        ("python check.py", ("python",)),
        ("python -m", ("python",)),
        ("npx eslint . --max-warnings=0", ("eslint",)),
        ("npx --no-install tsc --noEmit", ("tsc",)),
        ("npm exec jest", ("jest",)),
        ("npm test", ("npm",)),
        ("pnpm exec vitest run", ("vitest",)),
        ("uv run pytest", ("pytest",)),
        ("uv run python -m pytest", ("pytest",)),
        ("poetry run ruff check .", ("ruff",)),
        ("coverage run -m pytest", ("pytest",)),
        ("coverage run manage.py test", ("manage.py",)),
        ("CI=1 NO_COLOR=1 mocha", ("mocha",)),
        ("env A=b node --test", ("node",)),
        ("PATH=/opt/tools/bin:/bin pytest", ("pytest",)),
        ("timeout 60 pytest -q", ("pytest",)),
        ("sudo -E .venv/bin/coverage run -m pytest", ("pytest",)),
        ("uvx ruff check .", ("ruff",)),
        ("pnpm dlx eslint .", ("eslint",)),
        (
            "cd web && npx tsc && (go vet ./...; cargo test) | tee log",
            ("cd", "tsc", "go", "cargo", "tee"),
        ),
        ("ruff check .\nruff format --check .", ("ruff",)),
        (r"'C:\tools\ruff.exe' check", ("ruff",)),
        ("echo 'pytest && ruff'", ("echo",)),
        ("pytest 'open quote", ("pytest",)),
        ("", ()),
    ],
)
def test_programs(command: str, expected: tuple[str, ...]) -> None:
    assert find_programs(command) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("uv run pytest -q", ("pytest", ["uv", "run", "pytest"], ["-q"])),
        ("timeout 60 pytest -q", ("pytest", ["timeout", "60", "pytest"], ["-q"])),
        ("ruff check . && pytest", None),
        ("", None),
    ],
)
def test_the_single_program_of_a_line(
    command: str, expected: tuple[str, list[str], list[str]] | None
) -> None:
    assert find_single_program(command) == expected
