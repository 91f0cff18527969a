"""Whatever arrives on stdin: exit 0, JSON or silence, little memory, never `done`."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hooks.world import EVENTS, MEGABYTE, Answer, HookWorld
from world import SESSION

pytestmark = pytest.mark.skipif(os.name == "nt", reason="reads descriptors as POSIX has them")

INPUTS = {
    "empty": b"",
    "not JSON": b"hello {",
    "half of it": b'{"session_id": "5f0c2a9e',
    "an array": b"[1, 2]",
    "a number": b"7",
    "null": b"null",
    "invalid UTF-8": b'{"session_id": "\xff\xfe", "prompt": "\xc3"}',
    "NUL": b"\0" * 100,
    "a byte order mark": b"\xef\xbb\xbf{}",
    "an unknown shape": json.dumps(
        {
            "session_id": {"a": 1},
            "cwd": 5,
            "prompt": ["x"],
            "tool_input": "x",
            "tool_name": 3,
            "background_tasks": {"a": [1]},
            "session_crons": [1, None, {"prompt": 4}],
            "transcript_path": False,
            "file_path": 0,
            "cost": [],
            "last_assistant_message": {"text": "Done."},
            "something_new": {"deep": [{}]},
        }
    ).encode(),
    "types that are wrong for its session": json.dumps(
        {
            "session_id": SESSION,
            "cwd": "\0",
            "transcript_path": "\0",
            "prompt": "\ud800",
            "file_path": "\0",
            "tool_name": "Write",
            "tool_input": {"file_path": "\0", "command": "\0"},
            "last_assistant_message": "\ud800\0",
            "stop_hook_active": "yes",
            "cost": {"total_cost_usd": "much"},
        }
    ).encode(),
    "another session": json.dumps({"session_id": "../../etc", "prompt": "stop"}).encode(),
    "no session": json.dumps({"session_id": "", "prompt": "stop"}).encode(),
}


def assert_well_answered(event: str, answer: Answer) -> None:
    assert answer.exit_code == 0, answer
    if event == "StatusLine":
        assert len(answer.stdout.splitlines()) <= 1
    else:
        assert answer.json is None or isinstance(answer.json, dict)
    assert b"Traceback" not in answer.stderr
    assert answer.peak < 64 * MEGABYTE


@pytest.mark.parametrize("active", [False, True], ids=["no loop", "a loop"])
@pytest.mark.parametrize("name", INPUTS)
def test_every_event_answers(tmp_path: Path, name: str, active: bool) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id if active else ""

    for event in EVENTS:
        assert_well_answered(event, world.run_hook(event, INPUTS[name]))

    if active:
        progress = world.context.loops.load(loop).progress
        assert progress.outcome in (None, "unverified")
        assert world.context.loops.explain_broken_seal(loop) == ""


@pytest.mark.parametrize("name", ["empty", "not JSON", "an array", "invalid UTF-8"])
def test_a_stop_that_cannot_be_read_holds_once_and_then_says_so(tmp_path: Path, name: str) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id
    # This one can be read, but says nothing of its session.
    readable = name == "invalid UTF-8"

    first, second = world.run_hook("Stop", INPUTS[name]), world.run_hook("Stop", INPUTS[name])

    progress = world.context.loops.load(loop).progress
    if readable:
        assert (first.json, second.json, progress.outcome) == (None, None, None)
    else:
        assert "fault of untildone" in first.json["hookSpecificOutput"]["additionalContext"]
        assert second.json["systemMessage"].startswith("untildone: paused (unverified)")
        assert progress.outcome == "unverified"


LARGE = {
    "50 MB of text": b'{"last_assistant_message": "' + b"x" * 50_000_000 + b'"}',
    "many objects": b'{"a": [' + b"{}," * 660_000 + b"{}]}",
    "many numbers": b'{"a": [' + b"1.5," * 490_000 + b"1]}",
    "as many values as allowed": b'{"a": [' + b'{"a":1.5},' * 95_000 + b"1]}",
    "wide characters": b'{"a": "' + "\U0001f600".encode() + b"x" * 1_999_000 + b'"}',
    "deep": b"[" * 190_000,
    "deep objects": b'{"a":' * 190_000,
}


@pytest.mark.parametrize("event", ["Stop", "PreToolUse", "UserPromptSubmit"])
@pytest.mark.parametrize("name", LARGE)
def test_a_large_payload_takes_little_memory(tmp_path: Path, name: str, event: str) -> None:
    world = HookWorld(tmp_path)
    world.start()

    assert_well_answered(event, world.run_hook(event, LARGE[name]))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("50 MB of text", "the payload is larger than 2000000 bytes"),
        ("many objects", "the payload has more than 200000 values"),
        ("deep", "the payload is not JSON"),
    ],
)
def test_what_was_too_much_is_said(tmp_path: Path, name: str, why: str) -> None:
    world = HookWorld(tmp_path)
    world.start()

    held = world.run_hook("Stop", LARGE[name]).json["hookSpecificOutput"]["additionalContext"]

    assert held.startswith(f"[untildone] The checks could not be judged: {why}")


def test_an_endless_stream_is_left_at_its_limit(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()

    with Path("/dev/zero").open("rb") as zeros:
        for event in ("Stop", "PreToolUse"):
            assert_well_answered(event, world.run_hook(event, zeros.fileno(), limit=20))


@contextmanager
def dripping() -> Iterator[int]:
    """A pipe that gets a byte now and then and never ends."""
    reader, writer = os.pipe()
    over = threading.Event()

    def drip() -> None:
        while not over.wait(0.05):
            os.write(writer, b" ")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield reader
    finally:
        over.set()
        thread.join()
        os.close(reader)
        os.close(writer)


@pytest.mark.slow
def test_a_pipe_that_never_ends_is_left_in_time(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()
    began = time.monotonic()

    with dripping() as pipe:
        answer = world.run_hook("Stop", pipe, limit=30)

    assert_well_answered("Stop", answer)
    assert time.monotonic() - began < 60


def run_redirected(
    world: HookWorld, event: str, how: str, payload: bytes
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["sh", "-c", f'{how}; exec "$@"', "sh", *world.command(event)],
        input=payload,
        cwd=world.project,
        env=world.environment(),
        capture_output=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize("event", EVENTS)
def test_stdin_closed(tmp_path: Path, event: str) -> None:
    world = HookWorld(tmp_path)
    world.start()

    done = run_redirected(world, event, "exec <&-", b"")

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "how", ["exec >&-", "exec >/dev/full", "exec >&- 2>&-", "exec <&- >&- 2>&-"]
)
def test_an_answer_nobody_takes(tmp_path: Path, how: str) -> None:
    world = HookWorld(tmp_path)
    loop = world.start().contract.id

    done = run_redirected(world, "Stop", how, world.payload("Stop"))

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert world.context.loops.load(loop).progress.outcome is None
    assert world.context.loops.explain_broken_seal(loop) == ""


def test_a_client_that_went_away(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()
    reader, writer = os.pipe()
    os.close(reader)

    child = subprocess.Popen(
        world.command("Stop"),
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
        env=world.environment(),
        cwd=world.project,
    )
    _, complaint = child.communicate(world.payload("Stop"), timeout=30)
    os.close(writer)

    assert (child.returncode, complaint) == (0, b"")


def test_few_descriptors_are_enough(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()

    for event in EVENTS:
        done = run_redirected(world, event, "ulimit -n 16", world.payload(event))
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"failed" not in done.stdout


@pytest.mark.parametrize("arguments", [[], ["Stop"], ["Stop", "claude"], ["", "", "", ""]])
def test_too_few_arguments_let_go(tmp_path: Path, arguments: list[str]) -> None:
    world = HookWorld(tmp_path)
    command = world.command("Stop")

    done = subprocess.run(
        [*command[: command.index("Stop")], *arguments],
        input=world.payload("Stop"),
        env={**world.environment(), "UNTILDONE_HOME": str(world.state_folder)},
        cwd=world.project,
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")


PLANT = "import pathlib; pathlib.Path({mark!r}).touch()\n"


def test_nothing_planted_by_a_repository_is_imported(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start()
    mark = tmp_path / "imported"
    planted = PLANT.format(mark=str(mark))
    names = ("sitecustomize", "usercustomize", "json", "msgspec", "select", "site", "runpy")
    for folder in (world.project, world.state_folder):
        for name in names:
            folder.joinpath(f"{name}.py").write_text(planted, encoding="utf-8")
        folder.joinpath("untildone").mkdir()
        folder.joinpath("untildone", "__init__.py").write_text(planted, encoding="utf-8")
    hostile = {
        **world.environment(),
        "PYTHONPATH": str(world.project),
        "PYTHONSTARTUP": str(world.project / "json.py"),
        "PYTHONHOME": "",
        "PYTHONUSERBASE": str(world.project),
        "PYTHONINSPECT": "1",
    }

    for event in EVENTS:
        assert_well_answered(event, world.run_hook(event, environ=hostile))

    assert not mark.exists()


def test_the_planted_file_would_leave_its_mark(tmp_path: Path) -> None:
    """The test above can fail: an interpreter that is not isolated imports what was planted."""
    mark = tmp_path / "imported"
    planted = PLANT.format(mark=str(mark))
    tmp_path.joinpath("sitecustomize.py").write_text(planted, encoding="utf-8")

    subprocess.run([sys.executable, "-c", ""], env={"PYTHONPATH": str(tmp_path)}, check=True)

    assert mark.exists()


@pytest.mark.parametrize(
    ("event", "agent", "unknown"),
    [
        ("SomethingNew", "claude", "event `SomethingNew`"),
        ("", "claude", "event ``"),
        ("Stop", "nobody", "agent `nobody`"),
    ],
)
def test_an_unknown_event_or_agent_is_reported(
    tmp_path: Path, event: str, agent: str, unknown: str
) -> None:
    world = HookWorld(tmp_path)
    python, *options, _, _, source, home = world.command("Stop")

    done = subprocess.run(
        [python, *options, event, agent, source, home],
        input=world.payload("Stop"),
        env=world.environment(),
        capture_output=True,
        check=True,
    )

    text = f"untildone does not know the {unknown}, so this hook does nothing."
    assert json.loads(done.stdout) == {
        "systemMessage": f"{text} `untildone init` writes the hooks anew"
    }
