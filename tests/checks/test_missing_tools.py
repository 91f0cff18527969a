"""Tools that are not installed are found without running anything."""

import json
from pathlib import Path

import pytest

from untildone.checks.missing_tools import find_missing_tool
from untildone.core.contract import Check

ONLY = {"npm_config_yes": "false"}
PACKAGE = json.dumps({"scripts": {"lint": "eslint .", "test": "node --test", "all": "tsc && x"}})
VENV = {".venv/pyvenv.cfg": "", ".venv/lib/python3.11/site-packages/pytest/__init__.py": ""}


def describe(folder: Path, command: str, *files: str, **env: str) -> str:
    """The text about what is missing for a command, where only some programs are installed."""
    for name in ("npx", "npm", "node", "cargo", "bin/python"):
        program = folder / "programs" / name if "/" not in name else folder / ".venv" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch()
        program.chmod(0o755)
    for name in files:
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        text = PACKAGE if name == "package.json" else ""
        folder.joinpath(name).write_text(text, encoding="utf-8")
    check = Check(name="lint", command=command, env=env)
    tool = find_missing_tool(check, folder, {"PATH": str(folder / "programs")})
    return tool.text if tool else ""


@pytest.mark.parametrize(
    ("command", "files", "expected"),
    [
        ("mypy .", ("uv.lock",), "`mypy` is not installed (`uv add --dev mypy`)"),
        ("mypy .", (), "`mypy` is not installed (`.venv/bin/python -m pip install mypy`)"),
        (
            "ruff check",
            (".venv/bin/ruff",),
            "`ruff` is not on the search path (name it as `.venv/bin/ruff`)",
        ),
        ("./gradlew test", (), "`gradlew` is not installed"),
        ("./gradlew test", ("gradlew",), ""),
        ("npm run lint", ("package.json",), "`eslint` is not installed (`npm install`)"),
        ("npm run lint", ("package.json", "node_modules/.bin/eslint"), ""),
        ("npm test", ("package.json",), ""),
        ("npm run all", ("package.json",), ""),
        ("npx tsc", ("package.json",), ""),
        ("cargo test", (), ""),
        ("cargo clippy", (), "`cargo-clippy` is not installed (`rustup component add clippy`)"),
        ("cargo clippy", ("programs/cargo-clippy",), "`cargo-clippy` is not installed"),
        ("cd web && nothing", (), ""),
        (".venv/bin/python -m pytest", tuple(VENV), ""),
        (".venv/bin/python -m unittest", tuple(VENV), ""),
        (
            ".venv/bin/python -m mypy .",
            tuple(VENV),
            "`mypy` is not installed (`.venv/bin/python -m pip install mypy`)",
        ),
    ],
)
def test_what_is_missing_is_named_with_its_remedy(
    tmp_path: Path, command: str, files: tuple[str, ...], expected: str
) -> None:
    assert describe(tmp_path, command, *files).startswith(expected)
    assert bool(describe(tmp_path, command, *files)) == bool(expected)


def test_npx_that_may_not_download_needs_the_tool(tmp_path: Path) -> None:
    files = ("package.json", "pnpm-lock.yaml", "node_modules/x")

    missing = describe(tmp_path, "npx tsc --noEmit", *files, **ONLY)

    assert missing == "`tsc` is not installed (`pnpm add --save-dev typescript`)"
