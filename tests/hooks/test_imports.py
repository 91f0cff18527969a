"""Which modules each event may import: every one of them is paid at every such event."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hooks.world import HookWorld
from snippets import snippet
from untildone.agents import NAMES

# What `gc`, `json`, `os`, `re` and the running of a folder bring along, by top-level name.
STANDARD = frozenset(
    (
        *("codecs", "collections", "contextlib", "copyreg", "encodings", "enum", "functools"),
        *(
            "gc",
            "genericpath",
            "importlib",
            "itertools",
            "json",
            "keyword",
            "ntpath",
            "operator",
            "os",
        ),
        *("posixpath", "re", "reprlib", "runpy", "select", "stat", "types", "warnings"),
    )
)
ENTRY = frozenset(
    (
        *("untildone", "untildone.hooks", "untildone.hooks.entry"),
        *("untildone.engine", "untildone.engine.payload"),
        *("untildone.check_lineage", "untildone.agents"),
        *("untildone.agents.claude", "untildone.agents.claude.hooks"),
    )
)
SESSIONS = frozenset(("untildone.store", "untildone.store.sessions"))
SETTINGS = frozenset(("untildone.install", "untildone.install.own_entries"))
OURS = {
    "PreToolUse": ENTRY
    | SESSIONS
    | SETTINGS
    | {"untildone.hooks.tool_call", "untildone.hooks.guard"}
    | {"untildone.commands", "untildone.commands.agent_calls", "untildone.commands.shell"}
    | {"untildone.commands.written_files"},
    "SessionStart": ENTRY | SESSIONS | {"untildone.hooks.session_record"},
    "SessionEnd": ENTRY | SESSIONS | {"untildone.hooks.session_record"},
    "PostToolUse": ENTRY
    | SESSIONS
    | {"untildone.hooks.spool"}
    | {"untildone.features", "untildone.features.edits", "untildone.features.edits.switch"},
    "StatusLine": ENTRY
    | SESSIONS
    | {"untildone.hooks.status_line", "untildone.report", "untildone.report.running_checks"}
    | {"untildone.report.durations"},
    "ConfigChange": ENTRY | SETTINGS | SESSIONS | {"untildone.hooks.settings_guard"},
}
EXTRA = {"PreToolUse": frozenset(("shlex",))}
# A stop that runs no check needs the core and the store; starting programs is not among them.
NOT_FOR_A_STOP = frozenset(
    ("subprocess", "dataclasses", "asyncio", "click", "rich", "tomlkit", "regex", "tomllib")
)
CALL = {"tool_name": "Bash", "tool_input": {"command": "untildone cancel"}}


def list_imports(world: HookWorld, command: list[str], payload: bytes) -> set[str]:
    timed = [command[0], "-X", "importtime", *command[1:]]
    done = subprocess.run(
        timed,
        input=payload,
        env=world.environment(),
        cwd=world.project,
        capture_output=True,
        check=True,
    )
    lines = done.stderr.decode().splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


def list_bare_imports(world: HookWorld) -> set[str]:
    return list_imports(world, [sys.executable, "-I", "-S", "-c", "pass"], b"")


@pytest.mark.parametrize("event", OURS)
def test_a_lean_event_imports_no_more_than_it_needs(tmp_path: Path, event: str) -> None:
    world = HookWorld(tmp_path)
    if event in ("PreToolUse", "StatusLine", "ConfigChange"):
        world.start()

    found = list_imports(
        world, world.command(event), world.payload(event, **CALL)
    ) - list_bare_imports(world)

    ours = {name for name in found if name.partition(".")[0] == "untildone"}
    standard = {name.partition(".")[0] for name in found - ours}
    assert ours == OURS[event]
    assert {name for name in standard if name[0] != "_"} <= STANDARD | EXTRA.get(event, set())


@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit"])
def test_a_session_without_a_loop_starts_no_program(tmp_path: Path, event: str) -> None:
    world = HookWorld(tmp_path)

    found = list_imports(world, world.command(event), world.payload(event, prompt="hello"))

    assert not found & {*NOT_FOR_A_STOP, "untildone.process.runner", "untildone.checks"}


def test_a_stop_without_checks_imports_neither_runner_nor_terminal(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()

    found = list_imports(world, world.command("Stop"), world.payload("Stop"))

    assert "untildone.engine.stop" in found
    assert not found & {*NOT_FOR_A_STOP, "untildone.process.runner", "untildone.checks"}
    # Of the agents only the one that stopped.
    packages = {".".join(name.split(".")[:3]) for name in found}
    assert [name for name in NAMES if f"untildone.agents.{name}" in packages] == ["claude"]


def test_modules_left_out_of_an_import_can_be_imported_later(tmp_path: Path) -> None:
    code = snippet("""
        from untildone.hooks.entry import UNUSED, _import_msgspec
        _import_msgspec()
        assert not set(UNUSED) & set(__import__('sys').modules)
        import platform, textwrap, urllib.parse
        print(urllib.parse.quote('a b'), textwrap.dedent(' x'), bool(platform.system()))
    """)
    # With the variables of a coverage run the interpreter would import more before the code.
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "a%20b x True\n"
