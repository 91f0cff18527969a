"""`cancel --all`, `clean`, a list to choose from, and what an agent's `status` shows."""

import os
import pty
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.world import CommandLine, error
from client.world import BIN
from endings import RECEIPT, hide_effort
from untildone.app import open_context
from untildone.engine import verbs
from untildone.report.times import format_time
from world import CHECK, OTHER_SESSION, SESSION

DAY = 86_400.0
SPEC = (
    "Fix /api/token: p95 <100ms, no new dependencies, done when `make e2e` passes and it is merged"
)


def start_two(cli: CommandLine) -> tuple[str, str]:
    return cli.start(), cli.start(session=OTHER_SESSION)


def pause_long_ago(cli: CommandLine, loop: str, *, days: float = 31) -> None:
    now = open_context(cli.environ)
    verbs.pause(replace(now, clock=lambda: time.time() - days * DAY), loop)


def describe(cli: CommandLine, loop: str, outcome: str) -> str:
    started = cli.json("show", loop)["contract"]["started_at"]
    return f"{loop}  {format_time(started)}  {outcome:<14}  project: Finish the work."


def test_cancel_all_ends_every_unfinished_loop_of_this_project(
    cli: CommandLine, tmp_path: Path
) -> None:
    loops = start_two(cli)
    (tmp_path / "elsewhere").mkdir()
    there = ("--project", str(tmp_path / "elsewhere"))
    other = cli.json("start", "--session", "third", "--check", CHECK, *there)["id"]

    code, stdout, stderr = cli.run("cancel", "--all")

    assert (code, stderr) == (0, "")
    assert set(map(hide_effort, stdout.splitlines())) == {
        f"loop {loop} is cancelled after 0 rounds, {RECEIPT}" for loop in loops
    }
    assert cli.standing(other)[0] == "active"
    assert cli.run("cancel", "--all") == error(
        f"there is no unfinished loop in `{cli.project}`",
        "`untildone status --all` shows those of other projects",
    )


def test_cancel_all_takes_no_loop(cli: CommandLine) -> None:
    loop = cli.start()

    assert cli.run("cancel", "--all", loop) == error(
        f"`--all` cancels every loop, not only `{loop}`", f"`untildone cancel {loop}`"
    )


@pytest.mark.parametrize("command", [("cancel", "--all"), ("clean", "--days", "0")])
def test_an_agent_cleans_up_nothing(cli: CommandLine, command: tuple[str, ...]) -> None:
    cli.event("SessionStart", source="startup")
    loop = cli.start()
    cli.agent_calls_a_tool()

    code, _, stderr = cli.run_process(*command)

    assert (code, cli.standing(loop)[0]) == (2, "active")
    assert stderr.startswith(f"error: only the user may run `untildone {command[0]}`")


def test_a_loop_paused_long_ago_is_listed_once(cli: CommandLine) -> None:
    old, new = start_two(cli)
    pause_long_ago(cli, old)
    listed = [
        "paused for more than 30 days; `untildone clean` cancels them:",
        f"  {describe(cli, old, 'paused')}",
    ]

    first, second = (cli.run("status")[1].splitlines() for _ in range(2))

    assert first[0].startswith(f"{new}  active")
    assert (first[-2:], first[:-2]) == (listed, second)
    assert {loop["id"] for loop in cli.json("status")["loops"]} == {old, new}
    assert f"{old}  paused" in cli.run("status", "--all")[1]


def test_clean_cancels_what_was_paused_long_ago(cli: CommandLine) -> None:
    old, new = start_two(cli)
    pause_long_ago(cli, old)
    pause_long_ago(cli, new, days=29)
    line = describe(cli, old, "paused")

    assert cli.run("clean", "--dry-run") == (0, f"would be cancelled: {line}\n", "")
    assert cli.run("clean") == (0, f"cancelled: {line}\n", "")
    assert cli.run("clean") == (0, "no loop has been paused for more than 30 days\n", "")
    assert cli.standing(old)[:2] == ("finished", "cancelled")
    assert cli.standing(new)[:2] == ("paused", "paused")


def test_clean_deletes_only_when_told_to(cli: CommandLine) -> None:
    old, new = start_two(cli)
    cli.run("cancel", old)
    assert cli.json("clean", "--days", "0") == {"cancelled": [], "deleted": [], "dry_run": False}

    report = cli.json("clean", "--days", "0", "--delete")

    assert report == {"cancelled": [], "deleted": [old], "dry_run": False}
    assert [loop["id"] for loop in cli.json("history", "--all")["loops"]] == [new]
    assert not (cli.state_folder / "loops" / old).exists()


def test_what_is_kept_of_a_loop_from_a_spec_is_offered_for_deletion(cli: CommandLine) -> None:
    loop = cli.start("--preset", "loop", "--task", SPEC, "--check", CHECK)
    offer = f"its state is kept; `untildone clean {loop}` deletes it"

    assert cli.run("clean", loop) == error(
        f"loop `{loop}` is active", f"`untildone cancel {loop}` ends it"
    )
    assert cli.run("cancel")[1].endswith(f" | {offer}\n")
    assert cli.run("clean")[1].endswith(f"\n  {offer}\n")
    assert cli.json("clean", loop, "--dry-run")["deleted"] == [loop]
    assert cli.json("clean", loop)["deleted"] == [loop]
    assert not (cli.state_folder / "loops" / loop).exists()
    assert cli.run("clean")[1] == "no loop has been paused for more than 30 days\n"


def test_a_loop_in_a_removed_worktree_is_told(cli: CommandLine) -> None:
    cli.write("a.py", "")
    cli.git("init", "-q")
    cli.git("add", "-A")
    cli.git("commit", "-qm", "one")
    cli.git("worktree", "add", "-q", "../fix")
    fix = cli.project.parent / "fix"
    loop = cli.json("start", "--session", "third", "--check", CHECK, "--project", str(fix))["id"]
    cli.git("worktree", "remove", "--force", "../fix")
    told = f"loop {loop}: its folder `{fix}` was removed; `untildone cancel {loop}` ends it\n"

    assert cli.run("status")[1].endswith(told)
    assert told in cli.run("start", "--session", SESSION, "--check", CHECK)[2]
    assert "was removed" not in cli.run("status", CLAUDE_CODE_SESSION_ID=SESSION)[1]
    cli.run("cancel", loop)
    assert "was removed" not in cli.run("status")[1]


def test_clean_forgets_the_loop_of_a_project_that_is_gone(cli: CommandLine, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    there = ("--project", str(gone))
    loop = cli.json("start", "--session", "third", "--check", CHECK, *there)["id"]
    pause_long_ago(cli, loop)
    shutil.rmtree(gone)

    report = cli.json("clean", "--delete")

    assert report == {"cancelled": [loop], "deleted": [loop], "dry_run": False}
    assert (gone.exists(), cli.json("history", "--all")) == (False, {"loops": []})


def test_the_doctor_mentions_forgotten_loops(cli: CommandLine) -> None:
    pause_long_ago(cli, cli.start())

    found = {problem["name"]: problem for problem in cli.json("doctor")["findings"]}

    assert found["forgotten"]["text"] == "1 loop paused for more than 30 days"
    assert found["forgotten"]["mend"] == "`untildone clean` cancels them"


def test_show_lists_what_it_could_show(cli: CommandLine) -> None:
    first, second = start_two(cli)
    rows = {f"   {describe(cli, loop, 'active')}" for loop in (first, second)}

    code, stdout, stderr = cli.run("show")

    message, *listed, _, hint = stderr.splitlines()
    assert (code, stdout, message) == (2, "", "error: there are several loops here:")
    assert set(listed) == rows
    assert hint.startswith("hint: name one: `untildone show ")


def test_show_lists_the_loops_of_other_projects_where_there_is_none(
    cli: CommandLine, tmp_path: Path
) -> None:
    loop = cli.start()
    (tmp_path / "elsewhere").mkdir()

    assert cli.run("show", "--project", str(tmp_path / "elsewhere")) == error(
        f"no loop ran in `{tmp_path / 'elsewhere'}`; elsewhere:\n"
        f"   {describe(cli, loop, 'active')}",
        f"name one: `untildone show {loop}`",
    )


def test_show_asks_on_a_terminal(cli: CommandLine) -> None:
    loops = start_two(cli)
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [BIN / "untildone", "show"],
        cwd=cli.project,
        env={**cli.environ, "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = read_until(ours, "which one")
    os.write(ours, b"2\n")

    assert f"# Receipt of loop {min(loops, key=shown.rfind)}" not in shown
    assert f"# Receipt of loop {max(loops, key=shown.rfind)}" in read_until(ours, "Agreed")
    child.terminate()
    child.wait(timeout=20)


def read_until(terminal: int, text: str) -> str:
    shown = ""
    while text not in shown:
        shown += os.read(terminal, 65_536).decode()
    return shown


def test_an_agent_s_status_shows_its_own_session(cli: CommandLine) -> None:
    own, other = start_two(cli)
    shell = {"CLAUDE_CODE_SESSION_ID": SESSION}

    assert [loop["id"] for loop in cli.json("status", **shell)["loops"]] == [own]
    assert {loop["id"] for loop in cli.json("status", "--all", **shell)["loops"]} == {own, other}
    assert cli.run("status", CLAUDE_CODE_SESSION_ID="third")[1] == (
        "no loop in this session; `untildone start --preset test` starts one;"
        " `--all` shows 2 loops elsewhere\n"
    )
