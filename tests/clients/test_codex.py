"""What only Codex has: trust in hooks, its own conversations, skills."""

import json
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage, calc_price

from clients import codex
from clients.machine import BIN, CHECK, ClientMachine
from clients.server import Delay, Fail, ModelServer, Step
from clients.wire import Call

OPTIONS = f"--check '{CHECK}' --refactor"
START = f"$untildone-test {OPTIONS} make the file"
GREEN = codex.shell("touch done.txt")
# The agent's shell is a child of the client.
CRASH = codex.shell("kill -9 $PPID; sleep 1")
UNSANDBOXED = ("--", "--sandbox", "danger-full-access")


@pytest.fixture
def machine(tmp_path: Path) -> ClientMachine:
    return ClientMachine(tmp_path, codex)


def config(machine: ClientMachine) -> Path:
    return machine.home / ".codex" / "config.toml"


def run_plainly(machine: ClientMachine, steps: Sequence[Step], *, trusted: bool) -> int:
    """One turn as the user runs it, without a bypass of trust; returns the number of requests."""
    with ModelServer(steps) as server:
        environ = {
            **machine.environment,
            **codex.prepare(machine.home, machine.project, server.url),
        }
        if trusted:
            with config(machine).open("a", encoding="utf-8") as file:
                file.write(codex.trust_hooks(config(machine).with_name("hooks.json")))
        argv = [*codex.find_program(), "exec", "--json", START]
        subprocess.run(
            argv,
            cwd=machine.project,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
    return len(server.requests)


def test_trusted_hooks_run(machine: ClientMachine) -> None:
    assert run_plainly(machine, ["It is done.", GREEN, "Now it is."], trusted=True) == 3
    assert machine.standing() == ("finished", "done", 2)
    assert "does not run our hooks" not in machine.untildone("doctor", check=False).stdout
    before = config(machine).read_bytes()
    machine.untildone("uninstall")
    assert config(machine).read_bytes() == before


def test_untrusted_hooks_hold_nobody_and_the_doctor_says_so(machine: ClientMachine) -> None:
    assert run_plainly(machine, ["It is done.", "over"], trusted=False) == 1
    diagnosis = machine.untildone("doctor", check=False)
    assert diagnosis.returncode == 1
    assert "not trusted yet" in diagnosis.stdout


def test_removal_restores_the_users_hooks_byte_for_byte(tmp_path: Path) -> None:
    machine = ClientMachine(tmp_path, codex, installed=False)
    hooks = machine.home / ".codex" / "hooks.json"
    hooks.parent.mkdir()
    foreign = b'{ "hooks": {"Stop": [ {"hooks":[{"type":"command", "command":"true"}]}]}}\n\n'
    hooks.write_bytes(foreign)
    said = machine.untildone("init", "--agent", "codex").stdout
    assert "type `/hooks` in Codex" in said
    assert "`$untildone-test` in Codex" in said
    machine.run(["It is done.", GREEN, "Now it is."], START)
    machine.untildone("uninstall")
    assert machine.standing() == ("finished", "done", 2)
    assert hooks.read_bytes() == foreign
    assert [*hooks.parent.glob("skills/untildone*")] == []


def test_a_resumed_conversation_is_held_again(machine: ClientMachine) -> None:
    session = machine.run(["I stop.", CRASH], START).session
    turn = machine.run(["I stop.", GREEN, "Now it is."], "go on", session=session)
    assert turn.session == session
    assert machine.standing() == ("finished", "done", 3)


def test_two_sessions_at_once(machine: ClientMachine) -> None:
    def hold(name: str) -> int:
        start = f"$untildone-test --check 'test -f {name}' --refactor make {name}"
        steps = ["It is done.", codex.shell(f"touch {name}"), "Now it is."]
        with ModelServer(steps) as server:
            place = f'model_providers.scripted.base_url="{server.url}/v1"'
            argv = [*codex.find_program(), "-c", place, *codex.build_arguments(start, "")]
            machine.start(argv, variables).wait(60)
        return len(server.requests)

    variables = codex.prepare(machine.home, machine.project, "http://127.0.0.1:9")
    with ThreadPoolExecutor() as pool:
        assert [*pool.map(hold, ("a.txt", "b.txt"))] == [3, 3]
    assert machine.untildone("status", "--all").stdout.count("done, round 2 of 10") == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('"h=', '"exit 3; h=', id="crash"),
        pytest.param('"h=', '"sleep 3; h=', id="time-out"),
    ],
)
def test_a_hook_that_fails_is_told(machine: ClientMachine, old: str, new: str) -> None:
    session = machine.run(["I stop.", CRASH], START).session
    hooks = machine.home / ".codex" / "hooks.json"
    text = hooks.read_text(encoding="utf-8").replace("7200", "1")
    head, stop, rest = text.partition('"Stop"')
    hooks.write_text(head + stop + rest.replace(old, new, 1), encoding="utf-8")
    turn = machine.run(["I stop.", "over"], "go on", session=session)
    assert (turn.exit_code, len(turn.server.requests)) == (0, 1)
    assert machine.status()["held"] is not True
    assert "out of date" in machine.untildone("doctor", check=False).stdout


def test_patches_and_scripts_do_not_get_around_the_guard(machine: ClientMachine) -> None:
    hooks = machine.home / ".codex" / "hooks.json"
    before = hooks.read_bytes()
    patch = f"*** Begin Patch\n*** Delete File: {hooks}\n*** End Patch\n"
    steps = [
        "I stop.",
        (Call("apply_patch", patch),),
        codex.shell(f"apply_patch <<'EOF'\n{patch}EOF\n"),
        codex.shell("echo untildone cancel > c.sh; sh c.sh"),
        GREEN,
        "Now it is.",
    ]
    with ModelServer(steps) as server:
        variables = codex.prepare(machine.home, machine.project, server.url)
        # A model of which the client knows that it can call `apply_patch`.
        argv = [*codex.find_program(), "-m", "gpt-5.5", *codex.build_arguments(START, "")]
        machine.start(argv, variables).wait(60)
    refused = [json.dumps(request["input"][-1]) for request in server.requests[2:5]]
    assert "may hold untildone's entries" in refused[0]
    assert "may hold untildone's entries" in refused[1]
    assert "only the user may run `untildone cancel`" in refused[2]
    assert hooks.read_bytes() == before
    assert machine.standing() == ("finished", "done", 2)
    # Six answers of a model whose price is known.
    assert machine.status()["spend_usd"] > 0


def start_run(machine: ClientMachine, url: str, *arguments: str) -> subprocess.Popen[str]:
    client = shlex.join(codex.find_program())
    variables = codex.prepare(machine.home, machine.project, url)
    argv = [str(BIN / "untildone"), *arguments]
    if arguments[0] == "run":
        argv[2:2] = ["--agent", "codex", "--client", client]
    return machine.start(argv, variables)


def run_headless(machine: ClientMachine, steps: Sequence[Step], *more: str) -> tuple[int, Any]:
    with ModelServer(steps) as server:
        arguments = ("run", "make the file", "--check", CHECK, "--refactor", *more)
        run = start_run(machine, server.url, *arguments)
        run.communicate(timeout=60)
    return run.returncode, server


def test_a_headless_run_goes_on_until_green_and_knows_its_cost(machine: ClientMachine) -> None:
    note = codex.shell("untildone note 'it was missing'; touch done.txt")
    # A model whose price is known.
    code, server = run_headless(machine, ["I stop.", note, "Now it is."], "--", "-m", "gpt-5.5")
    assert (code, machine.standing()) == (0, ("finished", "done", 2))
    assert server.sent_text("I stop.")
    # Three answers of 10 tokens in and 5 out.
    price = calc_price(Usage(input_tokens=30, output_tokens=15), "gpt-5.5").total_price
    assert machine.status()["spend_usd"] == pytest.approx(float(price), abs=1e-6)
    assert "note: it was missing" in machine.read(".untildone/receipt.md")


def test_a_sandboxed_shell_relays_the_agents_reports(machine: ClientMachine) -> None:
    closed = [
        f"sandbox_workspace_write.exclude_{name}=true" for name in ("slash_tmp", "tmpdir_env_var")
    ]
    options = [part for setting in closed for part in ("-c", setting)]
    note = codex.shell("untildone note 'it was missing'; touch done.txt")
    code, server = run_headless(machine, [note, "Now it is."], "--", *options)
    assert (code, server.sent_text("untildone-verb: ")) == (0, True)
    assert "note: it was missing" in machine.read(".untildone/receipt.md")


def test_a_headless_run_that_is_never_green_ends(machine: ClientMachine) -> None:
    code, server = run_headless(machine, ["a", "b", "c"], "--rounds", "2")
    assert (code, len(server.requests)) == (10, 2)
    assert machine.standing() == ("paused", "out-of-rounds", 2)
    assert machine.status()["spend_unknown_because"] == "no price is known for `scripted`"


@pytest.mark.parametrize(
    ("failure", "outcome", "reason"),
    [
        (Fail(429, "You've hit your usage limit."), "paused", "usage limit: "),
        (Fail(401, "bad key"), "blocked", "authentication: "),
    ],
)
def test_a_headless_run_without_answers(
    machine: ClientMachine, failure: Fail, outcome: str, reason: str
) -> None:
    run_headless(machine, [failure] * 20, "--no-wait")
    loop = machine.status()
    assert (loop["status"], loop["outcome"], loop["round"]) == ("paused", outcome, 0)
    assert loop["reason"].startswith(reason)


def test_a_headless_run_survives_a_crash_of_the_client(machine: ClientMachine) -> None:
    code, server = run_headless(machine, [CRASH, GREEN, "Now it is."], *UNSANDBOXED)
    assert (code, machine.standing()) == (0, ("finished", "done", 1))
    assert len(server.requests) == 3


def test_an_interrupted_run_continues_in_its_conversation(machine: ClientMachine) -> None:
    with ModelServer(["I stop.", Delay(20, "over")]) as server:
        arguments = ("run", "make the file", "--check", CHECK, "--refactor")
        run = start_run(machine, server.url, *arguments)
        while len(server.requests) < 2 and run.poll() is None:
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
    assert machine.standing() == ("paused", "paused", 1)
    with ModelServer([GREEN, "Now it is."]) as server:
        start_run(machine, server.url, "continue").communicate(timeout=60)
    assert machine.standing() == ("finished", "done", 2)
    assert server.sent_text("I stop.")


def test_a_phrase_typed_into_the_client_starts_a_loop(machine: ClientMachine) -> None:
    with ModelServer(["It is done.", GREEN, "Now it is."]) as server:
        variables = codex.prepare(machine.home, machine.project, server.url)
        with codex.open_terminal(machine, variables) as terminal:
            terminal.type(f"test relentlessly: make the file {OPTIONS}")
            terminal.wait_for("untildone: done after 2 rounds")
    assert machine.standing() == ("finished", "done", 2)


def test_a_paused_loop_moves_to_a_session_of_another_agent_and_back(
    machine: ClientMachine,
) -> None:
    machine.untildone("start", "--session", "c1", "--agent", "claude", *shlex.split(OPTIONS))
    machine.untildone("pause")
    session = machine.run(["hello"], "hello").session
    machine.untildone("continue", "--here", CODEX_SESSION_ID=session)
    held = machine.run(["I stop.", "I stop.", CRASH], "go on", session=session)
    assert held.server.sent_text("Round 2 of 10")
    assert "session c1" not in machine.untildone("status").stdout
    assert f"codex, session {session}" in machine.untildone("status").stdout
    machine.untildone("continue", "--here", CLAUDE_CODE_SESSION_ID="c1")
    loop = machine.status()
    assert (loop["agent"], loop["session"], loop["round"]) == ("claude", "c1", 2)
    assert len(machine.run(["hello"], "hello", session=session).server.requests) == 1


def make_programs(machine: ClientMachine) -> str:
    """A folder with Codex, and with a client that has the answers of Claude Code."""
    folder = machine.home / "bin"
    folder.mkdir()
    (program,) = codex.find_program()
    (folder / "codex").symlink_to(program)
    result = json.dumps({"type": "result", "subtype": "success", "result": "Now it is."})
    claude = folder / "claude"
    claude.write_text(f"#!/bin/sh\ncat > note.txt\ntouch done.txt\necho '{result}'\n")
    claude.chmod(0o755)
    return f"{folder}:{machine.environment['PATH']}"


@pytest.mark.parametrize(
    ("steps", "options", "rounds"),
    [
        pytest.param([Fail(429, "usage limit")] * 20, (), ("round 1: done",), id="limit"),
        pytest.param(
            ["a", "b", "c", "d"],
            ("--stagnation-limit", "1"),
            ("round 1 by codex: held", "round 2 by codex: ", "round 3 by claude: done"),
            id="stagnation",
        ),
    ],
)
def test_the_next_agent_takes_over(
    machine: ClientMachine, steps: Sequence[Step], options: tuple[str, ...], rounds: Sequence[str]
) -> None:
    variables = {"PATH": make_programs(machine)}
    arguments = ("run", "make the file", "--check", CHECK, "--refactor", *options)
    with ModelServer(steps) as server:
        variables.update(codex.prepare(machine.home, machine.project, server.url))
        argv = [str(BIN / "untildone"), *arguments, "--agent", "codex,claude"]
        assert machine.start(argv, variables).wait(60) == 0
    receipt = machine.read(".untildone/receipt.md")
    assert "- agents: codex, then claude\n" in receipt
    assert [line for line in rounds if f"- {line}" not in receipt] == []
    assert "This is a new conversation about work that is under way" in machine.read("note.txt")
    assert machine.status()["agent"] == "claude"
