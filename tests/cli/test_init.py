"""What `init` writes and `uninstall` takes out again, with the files a user really has."""

import json
import os
import stat
from pathlib import Path

import pytest

from cli.world import CommandLine, error
from untildone.install.skills import AGENTS, NAMES
from world import SESSION

OURS = (
    *(f".claude/commands/untildone/{name}.md" for name in NAMES),
    *(f".claude/agents/untildone-{name}.md" for name in AGENTS),
)
FOREIGN = """\
{
\t"model": "opus",
\t"hooks": {"Stop": [{"hooks": []}]}, "big": 1.50
}
"""


def settings(cli: CommandLine, text: str = FOREIGN) -> Path:
    path = cli.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_new_machine(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run_process("init")

    assert (code, stderr) == (0, "")
    assert stdout.splitlines() == [
        "for Claude Code",
        f"made: {cli.home}/.claude/settings.json",
        *(f"made: {cli.home / path}" for path in OURS),
        "next: run `untildone drill` to prove it, then type `/untildone:test` in Claude Code",
    ]
    assert cli.run_process("init") == (
        0,
        "for Claude Code\neverything is installed already\n",
        "",
    )


def test_ours_are_merged_and_taken_out_byte_for_byte(cli: CommandLine) -> None:
    path = settings(cli)
    path.chmod(0o640)

    first = cli.json("init")
    written = path.read_bytes()
    again = cli.json("init")
    merged = json.loads(written)
    out = cli.json("uninstall")

    assert [file["kind"] for file in first["files"]] == ["changed", *["made"] * len(OURS)]
    assert {file["kind"] for file in again["files"]} == {"unchanged"}
    assert (merged["model"], merged["big"], len(merged["hooks"]["Stop"])) == ("opus", 1.5, 2)
    assert set(first) == set(again) == {"agents", "files", "notes", "automatic", "diagnostics"}
    assert [file["kind"] for file in out["files"]] == ["changed", *["removed"] * len(OURS)]
    assert path.read_text(encoding="utf-8") == FOREIGN
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert files(cli.home) == {".claude/settings.json"}


def test_a_dry_run_writes_nothing(cli: CommandLine) -> None:
    path = settings(cli)

    code, stdout, stderr = cli.run_process("init", "--dry-run")

    assert (code, stderr) == (0, "")
    assert stdout.splitlines()[:2] == ["for Claude Code", f"would be changed: {path}"]
    assert (path.read_text(encoding="utf-8"), cli.state_folder.exists()) == (FOREIGN, False)


@pytest.mark.parametrize(
    ("scope", "name"), [("project", "settings.json"), ("local", "settings.local.json")]
)
def test_the_scopes_of_a_project(cli: CommandLine, scope: str, name: str) -> None:
    cli.untildone("init", "--scope", scope)

    assert files(cli.project) == {f".claude/{name}", *OURS}
    assert cli.run("uninstall")[0] == 0
    assert list(cli.project.iterdir()) == []


def test_what_the_user_did_since_stays(cli: CommandLine) -> None:
    path = settings(cli)
    cli.run("init")
    changed = path.read_text(encoding="utf-8").replace('"opus"', '"haiku"')
    path.write_text(changed, encoding="utf-8")

    cli.run("uninstall")

    assert path.read_text(encoding="utf-8") == FOREIGN.replace('"opus"', '"haiku"')


def test_a_broken_file_is_refused_with_its_place_and_nothing_is_written(cli: CommandLine) -> None:
    path = settings(cli, '{\n  "model": "opus",\n}\n')

    assert cli.run_process("init") == error(
        f"`{path}` is not valid JSON at line 3, column 1: expecting a key in double quotes",
        f"correct `{path}`; nothing was written to it",
    )
    assert path.read_text(encoding="utf-8") == '{\n  "model": "opus",\n}\n'
    assert files(cli.home) == {".claude/settings.json"}


def test_a_file_kept_elsewhere_is_written_there(cli: CommandLine) -> None:
    kept = cli.home / "dotfiles.json"
    kept.write_text(FOREIGN, encoding="utf-8")
    link = cli.home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(kept)

    cli.run("init")

    assert link.readlink() == kept
    assert "untildone" in kept.read_text(encoding="utf-8")
    cli.run("uninstall")
    assert (link.readlink(), kept.read_text(encoding="utf-8")) == (kept, FOREIGN)


def test_the_clients_own_folder_is_followed(cli: CommandLine) -> None:
    place = cli.home / "elsewhere"

    cli.untildone("init", CLAUDE_CONFIG_DIR=str(place))

    assert (place / "settings.json").is_file()
    assert not (cli.home / ".claude").exists()
    assert cli.run("uninstall")[0] == 0
    assert not place.exists()


def test_what_is_kept_is_reported(cli: CommandLine) -> None:
    settings(cli, '{"statusLine": {"type": "command", "command": "mine"}}')

    note = "kept your own status line; `untildone statusline` prints ours"
    assert cli.json("init", "--dry-run")["notes"] == [note]
    assert cli.untildone("init").stderr == f"note: {note}\n"


def test_nothing_to_uninstall(cli: CommandLine) -> None:
    assert cli.run_process("uninstall") == (0, "nothing is installed\n", "")
    assert cli.json("uninstall") == {"files": [], "paused": []}


def test_active_loops_are_paused_before_nobody_holds_them(cli: CommandLine) -> None:
    cli.run("init")
    loop = cli.start()

    shown = cli.untildone("uninstall").stdout.splitlines()

    assert shown[0] == f"paused: loop {loop}"
    assert shown[-1] == f"kept: {cli.state_folder} (loops and receipts)"
    assert cli.json("show", loop)["status"]["reason"] == "untildone was uninstalled"


def test_automatic_mode_stays_as_the_user_last_said(cli: CommandLine) -> None:
    def wanted(*options: str) -> tuple[bool, bool]:
        answer = cli.json("init", *options)
        return answer["automatic"], answer["diagnostics"]

    assert wanted() == (False, False)
    assert wanted("--auto", "--dry-run") == (True, False)
    assert cli.json("status")["automatic"] is False
    assert wanted("--auto") == (True, False)
    assert wanted("--diagnostics") == (True, True)
    assert wanted() == (True, True)
    assert cli.json("status")["automatic"] is True
    assert wanted("--no-auto") == (False, True)
    cli.run("uninstall")
    assert wanted() == (False, False)


def test_what_is_switched_is_said(cli: CommandLine) -> None:
    on = cli.run("init", "--auto")[1].splitlines()
    status = cli.run("status")[1].splitlines()
    off = cli.run("init", "--no-auto", "--diagnostics")[1].splitlines()

    assert on[-2:] == [
        "switched on: automatic mode",
        "next: run `untildone drill` to prove it, then type `/untildone:test` in Claude Code",
    ]
    assert status[-1] == (
        "automatic mode is on: turns whose edits bring errors are held, with or without a loop"
    )
    assert off[1:3] == ["switched off: automatic mode", "switched on: diagnostics after each edit"]


def test_an_agent_cannot_uninstall(cli: CommandLine) -> None:
    cli.run("init")
    cli.event("SessionStart", source="startup")
    cli.agent_calls_a_tool()

    assert cli.run_process("uninstall", CLAUDE_CODE_SESSION_ID=SESSION) == error(
        "only the user may run `untildone uninstall`",
        "ask them to run it in their own terminal, outside of a session",
    )
    assert (cli.state_folder / "installed.json").is_file()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written(cli: CommandLine) -> None:
    path = settings(cli)
    path.parent.chmod(0o500)

    code, stdout, stderr = cli.run_process("init")

    path.parent.chmod(0o700)
    assert (code, stdout) == (2, "")
    assert stderr.startswith(f"error: `{path}` cannot be written: ")
