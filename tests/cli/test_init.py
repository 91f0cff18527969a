"""What `init` writes and `uninstall` takes out again, with the files a person really has."""

import json
import os
import stat
from pathlib import Path

import pytest

from cli.desk import SESSION, Desk, error
from untildone.install.skills import AGENTS, NAMES

OURS = (
    *(f".claude/commands/untildone/{name}.md" for name in NAMES),
    *(f".claude/agents/untildone-{name}.md" for name in AGENTS),
)
FOREIGN = '{\n\t"model": "opus",\n\t"hooks": {"Stop": [{"hooks": []}]}, "big": 1.50\n}\n'


def settings(desk: Desk, text: str = FOREIGN) -> Path:
    path = desk.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return path


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_new_machine(desk: Desk) -> None:
    code, shown, told = desk.said("init")

    assert (code, told) == (0, "")
    assert shown.splitlines() == [
        f"made: {desk.home}/.claude/settings.json",
        *(f"made: {desk.home / path}" for path in OURS),
        "next: run `untildone drill` to prove it, then type `/untildone:test` in Claude Code",
    ]
    assert desk.said("init") == (0, "everything is installed already\n", "")


def test_ours_are_merged_and_taken_out_byte_for_byte(desk: Desk) -> None:
    path = settings(desk)
    path.chmod(0o640)

    first = desk.json("init")
    written = path.read_bytes()
    again = desk.json("init")
    merged = json.loads(written)
    out = desk.json("uninstall")

    assert [file["kind"] for file in first["files"]] == ["changed", *["made"] * len(OURS)]
    assert {file["kind"] for file in again["files"]} == {"unchanged"}
    assert (merged["model"], merged["big"], len(merged["hooks"]["Stop"])) == ("opus", 1.5, 2)
    assert set(first) == set(again) == {"files", "notes", "automatic", "diagnostics"}
    assert [file["kind"] for file in out["files"]] == ["changed", *["removed"] * len(OURS)]
    assert path.read_text(encoding="utf-8") == FOREIGN
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert files(desk.home) == {".claude/settings.json"}


def test_a_dry_run_writes_nothing(desk: Desk) -> None:
    path = settings(desk)

    code, shown, told = desk.said("init", "--dry-run")

    assert (code, told) == (0, "")
    assert shown.splitlines()[0] == f"would be changed: {path}"
    assert (path.read_text(encoding="utf-8"), desk.state.exists()) == (FOREIGN, False)


@pytest.mark.parametrize(
    ("scope", "name"), [("project", "settings.json"), ("local", "settings.local.json")]
)
def test_the_scopes_of_a_project(desk: Desk, scope: str, name: str) -> None:
    desk.untildone("init", "--scope", scope)

    assert files(desk.project) == {f".claude/{name}", *OURS}
    assert desk.typed("uninstall")[0] == 0
    assert list(desk.project.iterdir()) == []


def test_what_the_person_did_since_stays(desk: Desk) -> None:
    path = settings(desk)
    desk.typed("init")
    changed = path.read_text(encoding="utf-8").replace('"opus"', '"haiku"')
    path.write_text(changed, encoding="utf-8")

    desk.typed("uninstall")

    assert path.read_text(encoding="utf-8") == FOREIGN.replace('"opus"', '"haiku"')


def test_a_broken_file_is_refused_with_its_place_and_nothing_is_written(desk: Desk) -> None:
    path = settings(desk, '{\n  "model": "opus",\n}\n')

    assert desk.said("init") == error(
        f"`{path}` is not valid JSON at line 3, column 1: expecting a key in double quotes",
        f"correct `{path}`; nothing was written to it",
    )
    assert path.read_text(encoding="utf-8") == '{\n  "model": "opus",\n}\n'
    assert files(desk.home) == {".claude/settings.json"}


def test_a_file_kept_elsewhere_is_written_there(desk: Desk) -> None:
    kept = desk.home / "dotfiles.json"
    kept.write_text(FOREIGN, encoding="utf-8")
    link = desk.home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(kept)

    desk.typed("init")

    assert link.readlink() == kept
    assert "untildone" in kept.read_text(encoding="utf-8")
    desk.typed("uninstall")
    assert (link.readlink(), kept.read_text(encoding="utf-8")) == (kept, FOREIGN)


def test_the_clients_own_folder_is_followed(desk: Desk) -> None:
    place = desk.home / "elsewhere"

    desk.untildone("init", CLAUDE_CONFIG_DIR=str(place))

    assert (place / "settings.json").is_file()
    assert not (desk.home / ".claude").exists()
    assert desk.typed("uninstall")[0] == 0
    assert not place.exists()


def test_what_is_kept_is_told(desk: Desk) -> None:
    settings(desk, '{"statusLine": {"type": "command", "command": "mine"}}')

    note = "kept your own status line; `untildone statusline` prints ours"
    assert desk.json("init", "--dry-run")["notes"] == [note]
    assert desk.untildone("init").stderr == f"note: {note}\n"


def test_nothing_to_uninstall(desk: Desk) -> None:
    assert desk.said("uninstall") == (0, "nothing is installed\n", "")
    assert desk.json("uninstall") == {"files": [], "paused": []}


def test_active_loops_are_paused_before_nobody_holds_them(desk: Desk) -> None:
    desk.typed("init")
    loop = desk.start()

    shown = desk.untildone("uninstall").stdout.splitlines()

    assert shown[0] == f"paused: loop {loop}"
    assert shown[-1] == f"kept: {desk.state} (loops and receipts)"
    assert desk.json("show", loop)["status"]["reason"] == "untildone was uninstalled"


def test_automatic_mode_stays_as_the_person_last_said(desk: Desk) -> None:
    def wanted(*options: str) -> tuple[bool, bool]:
        answer = desk.json("init", *options)
        return answer["automatic"], answer["diagnostics"]

    assert wanted() == (False, False)
    assert wanted("--auto", "--dry-run") == (True, False)
    assert desk.json("status")["automatic"] is False
    assert wanted("--auto") == (True, False)
    assert wanted("--diagnostics") == (True, True)
    assert wanted() == (True, True)
    assert desk.json("status")["automatic"] is True
    assert wanted("--no-auto") == (False, True)
    desk.typed("uninstall")
    assert wanted() == (False, False)


def test_what_is_switched_is_said(desk: Desk) -> None:
    on = desk.typed("init", "--auto")[1].splitlines()
    status = desk.typed("status")[1].splitlines()
    off = desk.typed("init", "--no-auto", "--diagnostics")[1].splitlines()

    assert on[-2:] == [
        "switched on: automatic mode",
        "next: run `untildone drill` to prove it, then type `/untildone:test` in Claude Code",
    ]
    assert status[-1] == (
        "automatic mode is on: turns whose edits bring errors are held, with or without a loop"
    )
    assert off[:2] == ["switched off: automatic mode", "switched on: diagnostics after each edit"]


def test_an_agent_cannot_uninstall(desk: Desk) -> None:
    desk.typed("init")
    desk.event("SessionStart", source="startup")
    desk.agent_calls_a_tool()

    assert desk.said("uninstall", CLAUDE_CODE_SESSION_ID=SESSION) == error(
        "only the user may run `untildone uninstall`",
        "ask them to run it in their own terminal, outside of a session",
    )
    assert (desk.state / "installed.json").is_file()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written(desk: Desk) -> None:
    path = settings(desk)
    path.parent.chmod(0o500)

    code, shown, told = desk.said("init")

    path.parent.chmod(0o700)
    assert (code, shown) == (2, "")
    assert told.startswith(f"error: `{path}` cannot be written: ")
