"""What tools say of single files, and what of it an edit has brought; with the real tools."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from keepers import end_keepers
from tools import tool
from untildone.config.proposals import load_proposals
from untildone.engine.context import project_folder
from untildone.features.edits.diagnosis import diagnose, find_introduced, read_texts
from untildone.store.trusted_files import record_trust
from world import World

PATIENCE = 60.0
UNDEFINED = "print(undefined)\n"
RULE = """\
id: no-todo
language: Python
message: open
rule: {kind: comment, regex: TODO}
"""
EVAL = "def run(code):\n    eval(code)\n"


@pytest.fixture
def world(world: World) -> World:
    """A project that uses ruff, the one beside this Python."""
    programs = world.project / ".venv" / "bin"
    programs.mkdir(parents=True)
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent))
    assert ruff
    (programs / "ruff").symlink_to(ruff)
    world.write("ruff.toml", 'lint.select = ["F"]\n')
    record_checks_run(world)
    return world


def record_checks_run(world: World) -> None:
    """Programs of a repository are started only where its checks were run before."""
    (project_folder(world.state_folder, world.project) / "checks").mkdir(parents=True)


def list_introduced(world: World, before: dict[Path, str | None]) -> list[tuple[str, int, str]]:
    found = find_introduced(world.context, world.project, before, wait=PATIENCE)
    return [(finding.path, finding.line, finding.code) for finding in found]


def test_programs_a_repository_brings_along_are_not_run_before_its_checks_were(
    world: World,
) -> None:
    shutil.rmtree(project_folder(world.state_folder, world.project))
    mark = world.project / "ran"
    for program in ("ruff", "eslint"):
        path = world.project / (".venv/bin" if program == "ruff" else "node_modules/.bin") / program
        path.unlink(missing_ok=True)
        world.write(path.relative_to(world.project).as_posix(), f"#!/bin/sh\necho >>{mark}\n")
        path.chmod(0o755)
    world.write("eslint.config.mjs", "export default [];\n")
    files = (world.write("a.py", UNDEFINED), world.write("b.js", "nothing;\n"))

    diagnose(world.context, world.project, read_texts(files), wait=PATIENCE)
    asked_before = mark.exists()
    record_checks_run(world)
    end_keepers(world.project)
    diagnose(world.context, world.project, read_texts(files), wait=2)

    assert (asked_before, mark.exists()) == (False, True)


def test_server_linter_and_security_rules_speak_of_each_file(world: World) -> None:
    (eslint,) = shlex.split(tool("eslint"))
    (world.project / "node_modules").symlink_to(Path(eslint).parents[1])
    world.write("eslint.config.mjs", 'export default [{rules: {"no-undef": "error"}}];\n')
    files = (world.write("a.py", UNDEFINED + EVAL), world.write("src/b.js", "foo();\n"))

    said = diagnose(world.context, world.project, read_texts(files), wait=PATIENCE)

    assert {key: [finding.code for finding in found] for key, found in said.items()} == {
        ("a.py", "ruff"): ["F821"],
        ("a.py", "security"): ["python-eval"],
        ("src/b.js", "eslint"): ["no-undef"],
        ("src/b.js", "security"): [],
    }


def test_biome_speaks_of_what_an_edit_brought(world: World) -> None:
    (biome,) = shlex.split(tool("biome"))
    (world.project / "node_modules").symlink_to(Path(biome).parents[1])
    world.write("biome.json", "{}")
    file = world.write("src/b.js", "debugger;\n\ndebugger;\n")

    assert list_introduced(world, {file: "const one = 1;\n"}) == [
        ("src/b.js", 1, "lint/suspicious/noDebugger"),
        ("src/b.js", 3, "lint/suspicious/noDebugger"),
    ]
    assert list_introduced(world, {file: "debugger;\ndebugger;\n"}) == []


def test_what_was_there_before_is_not_what_an_edit_brought(world: World) -> None:
    file = world.write("a.py", f"\n\n{UNDEFINED}{EVAL}print(other)\n")

    assert list_introduced(world, {file: UNDEFINED + EVAL}) == [("a.py", 6, "F821")]
    assert list_introduced(world, {file: file.read_text(encoding="utf-8")}) == []
    assert list_introduced(world, {file: ""}) == [
        ("a.py", 3, "F821"),
        ("a.py", 6, "F821"),
        ("a.py", 5, "python-eval"),
    ]


def test_everything_in_a_file_that_an_edit_made_is_new(world: World) -> None:
    assert list_introduced(world, {world.write("a.py", EVAL): None}) == [("a.py", 2, "python-eval")]


def test_warnings_are_not_held_against_an_edit(world: World) -> None:
    world.write("ruff.toml", 'lint.select = ["D"]\n')

    assert list_introduced(world, {world.write("a.py", "x = 1\n"): None}) == []


def test_who_did_not_speak_of_the_file_before_is_not_believed_now(world: World) -> None:
    program = Path(__file__).parents[2] / "checks" / "lsp" / "fake_server.py"
    fake = world.project / ".venv" / "bin" / "pyrefly"
    command = f"{sys.executable} -I -S {program} 'quiet about old'"
    fake.write_text(f"#!/bin/sh\nexec {command}\n", encoding="utf-8")
    fake.chmod(0o755)
    file = world.write("a.py", "new")

    known = find_introduced(world.context, world.project, {file: "x = 1"}, wait=PATIENCE)
    unknown = find_introduced(world.context, world.project, {file: "old"}, wait=3)

    assert [(finding.check, finding.text) for finding in known if finding.check == "pyrefly"] == [
        ("pyrefly", "new")
    ]
    assert [finding for finding in unknown if finding.check == "pyrefly"] == []


def test_files_that_cannot_be_read_are_left_out(world: World) -> None:
    files = (world.write("a.py", "x"), world.project / "missing.py", world.project)

    assert read_texts(files) == {files[0]: "x"}
    assert diagnose(world.context, world.project, {}, wait=PATIENCE) == {}


def test_rules_of_the_users_own_are_looked_at_once_trusted(world: World) -> None:
    world.write("rules/todo.yml", RULE)
    world.write("untildone.toml", 'security_rules = ["rules"]\n')
    file = world.write("a.py", "# TODO\n")

    untrusted = list_introduced(world, {file: ""})
    (proposed,) = load_proposals(world.project)
    record_trust(world.state_folder, proposed.path, sha256=proposed.sha256, text=proposed.text)

    assert (untrusted, list_introduced(world, {file: ""})) == ([], [("a.py", 1, "no-todo")])
