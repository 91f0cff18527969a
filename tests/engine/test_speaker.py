"""Who is speaking: the user, the agent, a check of ours, a settings file."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from untildone.agents import CLIENT_PROCESS
from untildone.agents.claude import agent as claude
from untildone.agents.codex import agent as codex
from untildone.engine.speaker import (
    explain_ignored,
    find_agent_of_shell,
    find_calling_session,
    is_typed_by_user,
    read_tail,
    runs_headless,
    speaks_for_agent,
)
from untildone.process.runner import list_ancestors
from untildone.store.sessions import Session

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="asks /proc")
OFF = "switched off by the user (UNTILDONE_DISABLE)"
NESTED = "this agent runs inside one of our checks"


@contextmanager
def client(*arguments: str, **environ: str) -> Iterator[str]:
    """A process that stands for the client, with its own environment and command line."""
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", "print(flush=True); input()", *arguments],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with child:
        assert child.stdout
        child.stdout.readline()
        yield str(child.pid)
        child.kill()


@pytest.mark.parametrize(
    ("started_with", "hook_has", "expected"),
    [
        pytest.param({}, {}, "", id="nothing is set"),
        pytest.param(
            {"UNTILDONE_DISABLE": "1"}, {"UNTILDONE_DISABLE": "1"}, OFF, id="the person's own shell"
        ),
        pytest.param({}, {"UNTILDONE_DISABLE": "1"}, "", id="a settings file set it"),
        pytest.param(
            {"UNTILDONE_DISABLE": "0"},
            {"UNTILDONE_DISABLE": "1"},
            "",
            id="a settings file raised it",
        ),
        pytest.param({"UNTILDONE_DISABLE": "0"}, {"UNTILDONE_DISABLE": "0"}, "", id="0 is not off"),
        pytest.param(
            {"UNTILDONE_NESTED": "1"}, {"UNTILDONE_NESTED": "1"}, NESTED, id="inside a check"
        ),
        pytest.param({}, {"UNTILDONE_NESTED": "1"}, "", id="a settings file says nested"),
    ],
)
def test_only_where_the_client_was_started_counts(
    started_with: dict[str, str], hook_has: dict[str, str], expected: str
) -> None:
    with client(**started_with) as process:
        assert explain_ignored(claude, {**hook_has, "CLAUDE_PID": process}) == expected


@pytest.mark.parametrize("process", ["", "x", "999999999"])
def test_where_the_system_does_not_say_the_projects_settings_do(
    tmp_path: Path, process: str
) -> None:
    environ = {"UNTILDONE_DISABLE": "1", "CLAUDE_PID": process, "CLAUDE_PROJECT_DIR": str(tmp_path)}
    before = explain_ignored(claude, environ)
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"UNTILDONE_DISABLE": "1"}}', encoding="utf-8")

    assert (before, explain_ignored(claude, environ)) == (OFF, "")


def test_an_attended_prompt_is_typed() -> None:
    assert is_typed_by_user("stop", attended=True, agent=claude, environ={})


def test_an_unattended_prompt_is_the_users_if_it_is_an_argument() -> None:
    with client("-p", "/untildone:test it's\nall") as process:
        environ = {"CLAUDE_PID": process}
        said = [
            is_typed_by_user(text, attended=False, agent=claude, environ=environ)
            for text in ("/untildone:test it's\nall", "/untildone:test it's", "stop")
        ]

    assert said == [True, False, False]
    assert not is_typed_by_user(
        "stop", attended=False, agent=claude, environ={"CLAUDE_PID": "999999999"}
    )
    assert not is_typed_by_user("stop", attended=False, agent=claude, environ={})


def session(tmp_path: Path, *, process: int, calls: int = 1, transcript: str = "") -> Session:
    found = Session(str(tmp_path), "claude", "s1")
    found.bind("a1", active=True)
    found.write_json("session.json", {"process": str(process), "transcript": transcript})
    found.write("pre", "\n" * calls)
    return found


def agents_side(tmp_path: Path, found: Session) -> bool:
    return speaks_for_agent(str(tmp_path), found)


def test_a_process_below_another_sessions_client_is_not_the_user(tmp_path: Path) -> None:
    session(tmp_path, process=os.getppid(), calls=0)

    assert agents_side(tmp_path, Session(str(tmp_path), "claude", "s2"))


def test_below_the_client_while_a_call_is_in_flight_is_the_agent(tmp_path: Path) -> None:
    assert agents_side(tmp_path, session(tmp_path, process=os.getppid()))


def test_without_a_call_in_flight_the_user_speaks(tmp_path: Path) -> None:
    assert not agents_side(tmp_path, session(tmp_path, process=os.getppid(), calls=0))


def test_a_call_of_any_session_of_the_same_process_is_an_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One server has several sessions; the agent of one may name another in its shell."""
    home = str(tmp_path)
    sessions = [Session(home, "opencode", name) for name in ("ses_1", "ses_2")]
    for found in sessions:
        found.bind(found.id, active=True)
        found.write_json("session.json", {"process": str(os.getppid())})
    monkeypatch.setenv("UNTILDONE_OPENCODE_SESSION", "ses_2")
    caller = find_calling_session(home)
    assert caller is not None
    assert (caller.id, speaks_for_agent(home, sessions[1])) == ("ses_2", False)
    sessions[0].write("pre", "\n")
    assert speaks_for_agent(home, sessions[1])


def test_the_client_of_any_agent_is_known_the_nearest_first(tmp_path: Path) -> None:
    for agent, process in (("claude", 1), ("codex", os.getppid())):
        Session(str(tmp_path), agent, "s1").write_json("session.json", {"process": str(process)})
    caller = find_calling_session(str(tmp_path))
    assert caller
    assert caller.agent == "codex"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ((), ""),
        (("CODEX_SESSION_ID",), "codex"),
        (("CLAUDE_CODE_SESSION_ID",), "claude"),
        # One agent has started the other: the nearest process is the one that speaks.
        (("CODEX_SESSION_ID", "CLAUDE_CODE_SESSION_ID"), "codex"),
    ],
)
def test_whose_shell_this_is(tmp_path: Path, variables: tuple[str, ...], expected: str) -> None:
    codex = Session(str(tmp_path), "codex", "s1")
    codex.write_json("session.json", {"process": str(os.getppid())})
    assert find_agent_of_shell(dict.fromkeys(variables, "s1"), str(tmp_path)) == expected


def test_a_client_without_a_user_is_known_by_its_command_line() -> None:
    for arguments, expected in ((("exec", "fix it"), True), (("fix it",), False)):
        with client(*arguments) as process:
            assert runs_headless(codex, {CLIENT_PROCESS: process}) is expected
    assert not runs_headless(codex, {})


def test_another_terminal_is_the_users(tmp_path: Path) -> None:
    with client() as process:
        assert not agents_side(tmp_path, session(tmp_path, process=int(process)))


def test_after_escape_the_user_speaks(tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    line = {"type": "user", "interruptedMessageId": "msg_1"}
    transcript.write_text(json.dumps(line, separators=(",", ":")) + "\n", encoding="utf-8")
    found = session(tmp_path, process=os.getppid(), transcript=str(transcript))

    assert not agents_side(tmp_path, found)


def test_an_unknown_client_is_nobodys(tmp_path: Path) -> None:
    found = session(tmp_path, process=1)
    found.write_json("session.json", {"process": None})

    assert not agents_side(tmp_path, found)


def test_the_tail_of_a_long_transcript(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\xff" * 2_000_000 + b"the end\n")

    assert read_tail(str(path)).endswith("\ufffdthe end\n")
    assert len(read_tail(str(path))) == 1_000_000


def test_what_is_no_transcript_has_no_tail(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    found = [
        read_tail(str(path)) for path in (tmp_path, fifo, tmp_path / "none", "\0", "", "/dev/zero")
    ]

    assert found == [""] * 6


def test_a_driven_client_that_records_a_session_of_its_own_is_still_the_runs(
    tmp_path: Path,
) -> None:
    parent, grandparent, *_ = list_ancestors(os.getpid())
    home = str(tmp_path)
    own = Session(home, "opencode", "ses_1")
    own.write_json("session.json", {"process": str(parent)})
    nearest = find_calling_session(home)
    assert nearest is not None
    assert nearest.id == "ses_1"

    run = Session(home, "acp:opencode acp", "of-the-run")
    run.write_json("session.json", {"process": str(grandparent)})
    run.write("driver", str(os.getpid()))
    caller = find_calling_session(home)
    assert caller is not None
    assert (caller.agent, caller.id) == ("acp", "of-the-run")
