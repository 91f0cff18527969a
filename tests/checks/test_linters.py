"""eslint and biome on the text of single files."""

import os
import shlex
from pathlib import Path

import pytest

from tools import tool
from untildone.checks.linters import find_biome, find_eslint, is_lintable, run_biome, run_eslint

CONFIGURED = 'export default [{rules: {"no-undef": "error", "no-debugger": "warn"}}];\n'


def project(folder: Path, *, config: str = "eslint.config.mjs", text: str = CONFIGURED) -> Path:
    (eslint,) = shlex.split(tool("eslint"))
    (folder / "node_modules").symlink_to(Path(eslint).parents[1])
    if config:
        (folder / config).write_text(text, encoding="utf-8")
    return folder.resolve()


def test_it_says_of_a_text_what_it_would_say_of_the_file(tmp_path: Path) -> None:
    place = project(tmp_path)
    file = place / "src" / "cart.js"

    found = run_eslint(find_eslint(place), file, "debugger;\nfoo();\n", project=place, timeout=60)

    assert found
    assert [(one.check, one.path, one.line, one.code, one.severity) for one in found] == [
        ("eslint", "src/cart.js", 1, "no-debugger", "warning"),
        ("eslint", "src/cart.js", 2, "no-undef", "error"),
    ]
    assert run_eslint(find_eslint(place), file, "", project=place, timeout=60) == ()


def test_a_linter_that_cannot_judge_says_nothing(tmp_path: Path) -> None:
    place = project(tmp_path, text="broken(")

    assert (
        run_eslint(find_eslint(place), place / "a.js", "foo();\n", project=place, timeout=60)
        is None
    )


@pytest.mark.parametrize(
    ("config", "text", "used"),
    [
        ("", "", False),
        (".eslintrc.json", "{}", True),
        ("package.json", '{"eslintConfig": {}}', True),
        ("package.json", "{}", False),
        ("package.json", "broken", False),
    ],
)
def test_it_is_asked_only_where_the_project_uses_it(
    tmp_path: Path, config: str, text: str, used: bool
) -> None:
    programs = tmp_path / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    program = programs / ("eslint.exe" if os.name == "nt" else "eslint")
    program.touch(mode=0o755)
    if config:
        (tmp_path / config).write_text(text, encoding="utf-8")

    assert find_eslint(tmp_path) == (str(program) if used else "")


def test_it_is_asked_about_its_own_languages() -> None:
    assert [name for name in ("a.js", "a.tsx", "a.py", "a") if is_lintable(Path(name))] == [
        "a.js",
        "a.tsx",
    ]


BIOME = '{"files": {"includes": ["src/**"]}, "linter": {"rules": {"recommended": true}}}'


@pytest.mark.parametrize(
    ("config", "path", "expected"),
    [
        (BIOME, "src/a b.js", [("src/a b.js", 1, "lint/suspicious/noDebugger", "error")]),
        (BIOME, "made/cart.js", None),
        ("broken", "src/cart.js", None),
    ],
)
def test_biome_says_of_a_copy_what_it_would_say_of_the_file(
    tmp_path: Path, config: str, path: str, expected: list[tuple[str, int, str, str]] | None
) -> None:
    (program,) = shlex.split(tool("biome"))
    place, copies = tmp_path / "project", tmp_path / "copies"
    (copies / path).parent.mkdir(parents=True)
    (copies / path).write_text("debugger;\n", encoding="utf-8")
    place.mkdir()
    (place / "biome.json").write_text(config, encoding="utf-8")

    found = run_biome(program, [copies / path], project=place, copies=copies, timeout=60)

    reported = found and [(one.path, one.line, one.code, one.severity) for one in found]
    assert reported == expected


def test_biome_is_asked_only_where_the_project_uses_it(tmp_path: Path) -> None:
    (program,) = shlex.split(tool("biome"))
    (tmp_path / "node_modules").symlink_to(Path(program).parents[1])
    before = find_biome(tmp_path)
    (tmp_path / "biome.jsonc").write_text("{}", encoding="utf-8")

    assert (before, find_biome(tmp_path)) == ("", str(tmp_path / "node_modules/.bin/biome"))
