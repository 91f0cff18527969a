"""Which programs a command line comes to."""

import pytest

from untildone.commands.programs import find_programs


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
