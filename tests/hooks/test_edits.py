"""Edits that the user wants looked at: what the hook keeps of them, and for which stops."""

import json
import subprocess
from pathlib import Path

import pytest

from hooks.world import HookWorld
from untildone.features.edits import switch
from untildone.install.claude_lines import build_lines, build_settings_program
from untildone.store.sessions import Session
from world import SESSION


def open_world(folder: Path, *modes: str) -> HookWorld:
    made = HookWorld(folder)
    made.state_folder.mkdir(mode=0o700)
    switch.write_modes(str(made.state_folder), frozenset(modes))
    return made


def session(world: HookWorld) -> Session:
    return Session(str(world.state_folder), "claude", SESSION)


def edit(world: HookWorld, before: str | None, *, prompt: str = "p1", **more: object) -> bytes:
    path = str(world.project / "a.txt")
    response = {"filePath": path, "originalFile": before, **more}
    return world.payload("PostToolUse", tool_name="Edit", tool_response=response, prompt_id=prompt)


def read_kept_texts(world: HookWorld) -> list[dict[str, object]]:
    folder = Path(session(world).folder)
    return [json.loads(path.read_bytes()) for path in folder.glob("before-*.json")]


def test_the_text_before_the_first_edit_of_a_turn_is_kept(tmp_path: Path) -> None:
    world = open_world(tmp_path, "auto")

    answers = [world.run_hook("PostToolUse", edit(world, text)) for text in ("one", "two")]

    assert [(answer.exit_code, answer.stdout) for answer in answers] == [(0, b""), (0, b"")]
    assert read_kept_texts(world) == [
        {"prompt": "p1", "path": str(world.project / "a.txt"), "text": "one"}
    ]
    assert session(world).read_stop_reasons() == {"auto"}
    world.run_hook("PostToolUse", edit(world, "three", prompt="p2"))
    assert [known["text"] for known in read_kept_texts(world)] == ["three"]


def test_a_file_that_was_made_has_no_text_before(tmp_path: Path) -> None:
    world = open_world(tmp_path, "auto")

    world.run_hook("PostToolUse", edit(world, None, type="create"))

    assert [known["text"] for known in read_kept_texts(world)] == [None]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"tool_response": {"filePath": "/a", "originalFile": None}}, id="unknown"),
        pytest.param({"tool_response": {"filePath": "a", "originalFile": "x"}}, id="relative"),
        pytest.param({"tool_response": "text"}, id="no object"),
        pytest.param(
            {"tool_name": "Read", "tool_response": {"filePath": "/a", "originalFile": "x"}},
            id="no edit",
        ),
    ],
)
def test_where_the_text_before_is_unknown_nothing_is_kept(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    world = open_world(tmp_path, "auto")

    world.run_hook("PostToolUse", world.payload("PostToolUse", **{"tool_name": "Edit", **fields}))

    assert (read_kept_texts(world), session(world).read_stop_reasons()) == ([], set())


def test_with_a_loop_the_loop_rules(tmp_path: Path) -> None:
    world = open_world(tmp_path, "auto")
    world.start()

    world.run_hook("PostToolUse", edit(world, "one"))

    ((spooled,),) = session(world).read_calls().values()
    assert (spooled["tool_name"], read_kept_texts(world)) == ("Edit", [])
    assert session(world).read_stop_reasons() == set()


def test_an_edit_too_large_to_be_read_still_ends_a_call(tmp_path: Path) -> None:
    world = open_world(tmp_path, "auto")
    world.start()
    session(world).append("pre", "\n")

    world.run_hook("PostToolUse", b'{"session_id": "cut off')

    assert not session(world).has_call_in_flight()


class Line:
    """The installed line, with a program that only says that it was started."""

    def __init__(self, world: HookWorld) -> None:
        self.world = world
        program = world.project / "program"
        program.write_text("#!/bin/sh\ncat >>started\n", encoding="utf-8")
        program.chmod(0o755)
        named = build_settings_program(
            home=world.state_folder, python=program, package=world.project
        )
        self.lines = build_lines(named)
        Path(session(world).folder).mkdir(parents=True, exist_ok=True)

    def run(self, event: str, payload: bytes) -> bytes:
        """What the program was given, "" if it was not started."""
        started = self.world.project / "started"
        started.unlink(missing_ok=True)
        done = subprocess.run(
            ["sh", "-c", self.lines[event]],
            input=payload,
            cwd=self.world.project,
            env=self.world.environment(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        return started.read_bytes() if started.exists() else b""


def test_the_line_starts_nothing_where_no_edit_is_wanted(tmp_path: Path) -> None:
    world = open_world(tmp_path)
    line = Line(world)

    assert line.run("PostToolUse", edit(world, "one")) == b""
    assert line.run("Stop", world.payload("Stop")) == b""


def test_the_line_starts_the_program_for_edits_alone(tmp_path: Path) -> None:
    world = open_world(tmp_path, "auto")
    line = Line(world)
    other = world.payload("PostToolUse", tool_name="Bash")

    assert line.run("PostToolUse", edit(world, "one")) == edit(world, "one")
    assert line.run("PostToolUse", other) == b""
    assert line.run("Stop", world.payload("Stop")) == b""
    session(world).watch_stops("auto")
    assert line.run("Stop", world.payload("Stop")) == world.payload("Stop")


def test_the_line_keeps_other_calls_for_the_loop(tmp_path: Path) -> None:
    world = open_world(tmp_path, "auto")
    world.start()
    line = Line(world)
    other = world.payload("PostToolUse", tool_name="Bash")

    assert line.run("PostToolUse", other) == b""
    assert list(session(world).read_calls().values()) == [[json.loads(other)]]
    assert Path(session(world).get_path("post")).read_bytes() == b"\n"
