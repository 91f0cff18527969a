"""What only Copilot does: its cap, and the settings of other clients that it reads."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clients import copilot
from clients.machine import BIN, CHECK, ClientMachine
from clients.server import Fail, ModelServer, Step
from clients.test_holding import START
from clients.wire import Call

WORK = copilot.shell("echo more >>notes.txt")
TASK = "Write done.txt."
MAY = ("--", "--allow-all-tools")


@pytest.fixture
def machine(tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, copilot)


@pytest.mark.parametrize("works", [False, True])
def test_the_loop_is_cut_off_before_the_client_ignores_us(
    machine: ClientMachine,
    works: bool,
) -> None:
    steps: list[Step] = ([WORK] if works else []) + ["Done."]
    options = "--rounds 20 --stagnation-limit 0"
    turn = machine.run(steps * 10, START.replace("--refactor", f"--refactor {options}"))
    # The client would let the agent go at the ninth hold without a word.
    assert len(turn.server.requests) == 9 * len(steps)
    assert machine.standing() == ("paused", "cut-off", 9)


def test_never_green_ends_at_the_last_round(machine: ClientMachine) -> None:
    turn = machine.run(["Done."] * 5, START.replace("--refactor", "--refactor --rounds 3"))
    assert len(turn.server.requests) == 3
    assert machine.standing() == ("paused", "out-of-rounds", 3)


def test_a_loop_goes_on_in_a_resumed_session(machine: ClientMachine) -> None:
    first = machine.run(["Done."] * 3, START.replace("--refactor", "--refactor --rounds 2"))
    steps = ["Still done.", copilot.shell("touch done.txt"), "Now."]
    again = machine.run(steps, "/untildone:continue --rounds 3", session=first.session)
    assert again.session == first.session
    assert len(again.server.requests) == 3
    assert machine.standing() == ("finished", "done", 4)


def test_the_user_s_command_reaches_the_model_as_our_answer(machine: ClientMachine) -> None:
    first = machine.run(["Done."] * 3, START.replace("--refactor", "--refactor --rounds 2"))
    again = machine.run(["The loop is over."], "/untildone:cancel", session=first.session)
    assert again.server.sent_text("The user's prompt was a command for untildone")
    assert machine.standing()[:2] == ("finished", "cancelled")


def start_with_check(machine: ClientMachine, script: str) -> str:
    """The prompt that starts a loop; its check is replaced once the loop has begun."""
    machine.write("check.sh", "exit 1\n")
    machine.git("add", "-A")
    machine.git("commit", "-qm", "a check")
    machine.write("worse.sh", script)
    return "/untildone:test --check '. ./check.sh' --refactor make the file"


def test_a_hook_that_is_killed_lets_go_and_status_says_so(machine: ClientMachine) -> None:
    prompt = start_with_check(machine, "kill -9 $PPID\n")
    turn = machine.run([copilot.shell("cp worse.sh check.sh"), "Done.", "Done."], prompt)
    assert turn.exit_code == 0
    assert len(turn.server.requests) == 2
    assert machine.status()["not_held_because"] == (
        "the last stop was not judged: the hook was killed"
    )


def test_a_hook_past_its_time_lets_go_and_status_says_so(machine: ClientMachine) -> None:
    path = machine.home / ".copilot/hooks/untildone.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    settings["hooks"]["agentStop"][0]["timeoutSec"] = 2
    path.write_text(json.dumps(settings), encoding="utf-8")
    prompt = start_with_check(machine, "sleep 20\n")
    turn = machine.run([copilot.shell("cp worse.sh check.sh"), "Done.", "Done."], prompt)
    assert turn.exit_code == 0
    assert len(turn.server.requests) == 2
    # How it was killed depends on whether it could still write that down.
    assert machine.status()["not_held_because"].startswith("the last stop was not judged: ")


def test_settings_of_claude_in_the_project_judge_nothing_twice(machine: ClientMachine) -> None:
    for agent in ("claude", "copilot"):
        machine.untildone("init", "--agent", agent, "--scope", "project")
    machine.git("add", "-A")
    machine.git("commit", "-qm", "hooks for the team")
    steps = ["Done.", "Done.", copilot.shell("touch done.txt"), "Now."]
    with ModelServer(steps) as server:
        done = call(machine, server, [*copilot.find_program(), *trusting(START)])
    assert done.returncode == 0, done.stderr
    assert len(server.requests) == 4
    assert machine.standing() == ("finished", "done", 3)
    state = machine.home / ".local/state/untildone/sessions"
    assert [folder.name for folder in state.iterdir()] == ["copilot"]


def test_project_scope_leaves_no_trace(machine: ClientMachine) -> None:
    machine.untildone("init", "--agent", "copilot", "--scope", "project")
    assert "agentStop" in machine.read(".github/hooks/untildone.json")
    machine.untildone("uninstall")
    assert machine.git("status", "--porcelain") == ""
    assert not (machine.project / ".github").exists()


def test_the_agent_cannot_take_our_hooks_away(machine: ClientMachine) -> None:
    path = machine.home / ".copilot/hooks/untildone.json"
    before = path.read_text(encoding="utf-8")
    emptied = {"path": str(path), "old_str": '"agentStop"', "new_str": '"notification"'}
    steps = [
        copilot.shell(f"rm {path}"),
        (Call("edit", emptied),),
        copilot.shell("mkdir -p .github/hooks; echo '{}' >.github/hooks/untildone.json"),
        "Done.",
        copilot.shell("touch done.txt"),
        "Now.",
    ]
    turn = machine.run(steps, START)
    assert path.read_text(encoding="utf-8") == before
    assert turn.server.sent_text("may hold untildone's entries")
    assert turn.server.sent_text("it removes or changes our `agentStop` hook")
    assert not (machine.project / ".github").exists()
    assert machine.standing() == ("finished", "done", 2)


def trusting(prompt: str) -> list[str]:
    """Arguments with which the client reads the settings of the project."""
    return ["--trust-folder", *copilot.build_arguments(prompt, "")]


def call(
    machine: ClientMachine, server: ModelServer, argv: Sequence[str | Path]
) -> subprocess.CompletedProcess[str]:
    variables = copilot.prepare(machine.home, machine.project, server.url)
    return subprocess.run(
        argv,
        cwd=machine.project,
        env={**machine.environment, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )


def run(
    machine: ClientMachine, steps: Sequence[Step], *options: str, after: Step = "Done."
) -> tuple[int, list[dict[str, Any]], ModelServer]:
    """Exit code and events of `untildone run`, and the model that was asked."""
    program = " ".join(copilot.find_program())
    words = ["run", TASK, "--agent", "copilot", "--client", program, "--check", CHECK, "--json"]
    with ModelServer(steps, after=after) as server:
        done = call(machine, server, [BIN / "untildone", *words, *(options or MAY)])
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], server


@pytest.mark.parametrize("installed", [False, True])
def test_a_headless_run_goes_on_until_green_and_knows_its_cost(
    tmp_path: Path,
    installed: bool,
) -> None:
    machine = ClientMachine(tmp_path, copilot, installed=installed)
    code, events, server = run(machine, ["Done.", copilot.shell("touch done.txt"), "Now."])
    assert (code, machine.standing()) == (0, ("finished", "done", 2))
    # Hooks that are installed leave the returns to the run.
    assert len(server.requests) == 3
    asked = [event["conversation"] for event in events if event["event"] == "asked"]
    assert asked == ["new", "resumed"]
    assert TASK in json.dumps(server.requests[1]["messages"])
    assert machine.status()["spend_usd"] > 0


def test_a_headless_run_that_is_never_green_ends(machine: ClientMachine) -> None:
    code, _, _ = run(machine, [], "--rounds", "2", *MAY)
    assert (code, machine.standing()) == (10, ("paused", "out-of-rounds", 2))


def test_a_usage_limit_pauses_where_nobody_wants_to_wait(machine: ClientMachine) -> None:
    code, _, _ = run(machine, [], "--no-wait", *MAY, after=Fail(429, "too many requests"))
    assert code == 22
    assert machine.standing() == ("paused", "paused", 0)
    assert machine.status()["reason"].startswith("usage limit: Failed to get response")


def test_a_refused_key_blocks_the_loop(machine: ClientMachine) -> None:
    code, _, _ = run(machine, [], *MAY, after=Fail(403, "no"))
    assert code == 14
    assert machine.status()["reason"].startswith("authentication: Authentication failed")


def test_a_tool_without_permission_blocks_the_loop(machine: ClientMachine) -> None:
    steps = [copilot.shell("curl http://127.0.0.1:9"), "I may not."] * 2
    code, events, _ = run(machine, steps, "--rounds", "5")
    assert (code, [event["event"] for event in events].count("denied")) == (14, 2)


def test_a_headless_run_survives_a_crash_of_the_client(machine: ClientMachine) -> None:
    # The client refuses commands that name `kill` and its own process.
    machine.write("end.sh", "kill -9 $(ps -o ppid= -p $PPID)\n")
    suicide = copilot.shell("sh end.sh; true")
    code, events, _ = run(machine, [suicide, copilot.shell("touch done.txt"), "Now."])
    assert (code, machine.standing()) == (0, ("finished", "done", 1))
    assert [event["fault"] for event in events if event["event"] == "waiting"] == ["crashed"]
