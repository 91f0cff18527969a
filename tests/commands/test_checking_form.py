"""The checking form of a command line."""

import pytest

from untildone.commands.checking_form import make_checking_form

SCRIPTS = {
    "lint": "eslint --fix .",
    "format": "prettier --write src",
    "all": "npm run lint && npm run format -- --log-level warn",
    "types": "tsc --noEmit",
    "hooked": "eslint --fix",
    "prehooked": "tsc; true",
    "endless": "eslint --fix && npm run endless",
}


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("ruff check .", "ruff check --no-fix ."),
        ("ruff check --fix .", "ruff check --no-fix ."),
        ("ruff --config a.toml check --fix-only", "ruff --config a.toml check --no-fix"),
        ("ruff check --diff .", "ruff check --diff ."),
        ("uv run ruff format src", "uv run ruff format --check src"),
        (".venv/bin/python -m black .", ".venv/bin/python -m black --check ."),
        ("black --check .", "black --check ."),
        ("git ls-files '*.py' | xargs isort", "git ls-files '*.py' | xargs isort --check-only"),
        ("npx eslint --fix . --ext .js", "npx eslint . --ext .js"),
        ("eslint --fix --fix-type problem src", "eslint src"),
        ("eslint --fix-dry-run .", "eslint --fix-dry-run ."),
        ("eslint --fix=false .", "eslint --fix=false ."),
        ('prettier --write "src/**/*.ts"', 'prettier --check "src/**/*.ts"'),
        ("prettier --check --write .", "prettier --check ."),
        ("biome check --write src", "biome check src"),
        ("cargo +nightly fmt --all", "cargo +nightly fmt --check --all"),
        ("cargo fmt -- --check", "cargo fmt -- --check"),
        ("cargo test fmt", "cargo test fmt"),
        ("cargo clippy --fix --allow-dirty", "cargo clippy"),
        ("clang-format -i a.c", "clang-format --dry-run --Werror a.c"),
        ("golangci-lint run --fix ./...", "golangci-lint run --fix=false ./..."),
        ("dprint fmt", "dprint check"),
        ("jest -u --ci", "jest --ci"),
        (
            "mypy . && ruff check --fix .; black .",
            "mypy . && ruff check --no-fix .; black --check .",
        ),
        ("sh -ec 'ruff check --fix .'", "sh -ec 'ruff check --no-fix .'"),
        ("cd web && npx prettier -w .", "cd web && npx prettier --check ."),
        ("pytest -q", "pytest -q"),
        ("echo black", "echo black"),
        ("black 'unclosed", "black --check 'unclosed"),
    ],
)
def test_a_command_that_would_edit_only_checks(command: str, form: str) -> None:
    assert make_checking_form(command) == form
    assert make_checking_form(form) == form


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("npm run lint", "eslint ."),
        ("npm run lint -- --quiet", "eslint . --quiet"),
        ("yarn lint && pnpm run types", "(eslint .) && pnpm run types"),
        ("npm run all", "(eslint .) && (prettier --check src --log-level warn)"),
        ("npm run types", "npm run types"),
        ("npm run lint --workspaces", "npm run lint --workspaces"),
        ("npm run hooked", "(tsc; true) && (eslint)"),
        ("npm run missing", "npm run missing"),
    ],
)
def test_a_script_that_would_edit_is_written_out(command: str, form: str) -> None:
    assert make_checking_form(command, SCRIPTS) == form


def test_a_script_that_calls_itself_comes_to_an_end() -> None:
    assert make_checking_form("npm run endless", SCRIPTS).startswith("eslint && (eslint")
