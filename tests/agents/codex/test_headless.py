"""The lines of `codex exec --json`, as 0.166.0 prints them, in our words."""

import json
from typing import Any

import pytest

from untildone.agents.codex.headless import build_arguments, classify_failure, parse_line
from untildone.agents.headless import (
    AgentText,
    ClientCall,
    ClientEvent,
    ClientFault,
    Relayed,
    Returned,
    SessionNamed,
    Tool,
)

RELAYED = 'untildone-verb: {"verb": "note", "text": "x"}\n'


def line(kind: str, **fields: Any) -> bytes:  # noqa: ANN401  any JSON value
    return json.dumps({"type": kind, **fields}).encode()


def item(kind: str, **fields: Any) -> bytes:  # noqa: ANN401  any JSON value
    return line("item.completed", item={"id": "item_0", "type": kind, **fields})


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (line("thread.started", thread_id="t1"), (SessionNamed(session="t1"),)),
        (line("turn.started"), ()),
        (item("agent_message", text="fin"), (AgentText(text="fin"),)),
        (
            item("command_execution", command="/bin/bash -lc 'echo\n hi'", exit_code=0),
            (Tool(name="shell", detail="/bin/bash -lc 'echo hi'"),),
        ),
        (
            item("command_execution", command="untildone note x", aggregated_output=RELAYED),
            (
                Tool(name="shell", detail="untildone note x"),
                Relayed(command="untildone note x", output=RELAYED),
            ),
        ),
        (item("file_change", changes=[{"path": "/a", "kind": "add"}]), (Tool(name="file_change"),)),
        (item("reasoning", text="hm"), ()),
        (
            line("turn.completed", usage={"input_tokens": 70, "output_tokens": 35}),
            (Returned(turns=1),),
        ),
        (
            line("turn.failed", error={"message": "unexpected status 401 Unauthorized: x"}),
            (Returned(fault="authentication", reason="unexpected status 401 Unauthorized: x"),),
        ),
        (b"Reading additional input from stdin...", ()),
        (b'{"type":"x', ()),
    ],
)
def test_a_line(said: bytes, expected: tuple[ClientEvent, ...]) -> None:
    assert parse_line(said) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (
            ClientCall(session="ours"),
            ("--json", "--skip-git-repo-check", "--sandbox", "workspace-write", "-"),
        ),
        (
            ClientCall(session="ours", arguments=("--sandbox=read-only", "-m", "x")),
            ("--json", "--skip-git-repo-check", "--sandbox=read-only", "-m", "x", "-"),
        ),
        (
            ClientCall(session="ours", client_session="t1", begun=True, arguments=("-s", "y")),
            ("--json", "--skip-git-repo-check", "-s", "y", "resume", "t1", "-"),
        ),
    ],
)
def test_the_arguments(call: ClientCall, expected: tuple[str, ...]) -> None:
    assert build_arguments(call) == ("exec", *expected)


@pytest.mark.parametrize(
    ("stderr", "expected"),
    [
        ("no rollout found for thread id x", "lost"),
        ("unexpected status 401 Unauthorized", "authentication"),
        ("You've hit your usage limit.", "limit"),
        ("Quota exceeded. Check your plan and billing details.", "billing"),
        ("unexpected status 503", "overloaded"),
        ("error: unexpected argument '--x' found", "refused"),
        ("stream disconnected before completion", "network"),
        ("thread 'main' panicked", "crashed"),
    ],
)
def test_a_failure(stderr: str, expected: ClientFault) -> None:
    assert classify_failure(stderr) == expected
