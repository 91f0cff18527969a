"""Edits that the person wants looked at: what the hook keeps of them, and for which stops."""

import json
import subprocess
from pathlib import Path

import pytest

from hooks.calls import SESSION, Place
from untildone.features.edits import switch
from untildone.install.hook_lines import build_lines, build_settings_program
from untildone.store.sessions import Session


def place(folder: Path, *modes: str) -> Place:
    made = Place(folder)
    made.home.mkdir(mode=0o700)
    switch.write_modes(str(made.home), frozenset(modes))
    return made


def session(place: Place) -> Session:
    return Session(str(place.home), "claude", SESSION)


def edit(place: Place, before: str | None, *, prompt: str = "p1", **more: object) -> bytes:
    path = str(place.project / "a.txt")
    response = {"filePath": path, "originalFile": before, **more}
    return place.payload("PostToolUse", tool_name="Edit", tool_response=response, prompt_id=prompt)


def kept(place: Place) -> list[dict[str, object]]:
    folder = Path(session(place).folder)
    return [json.loads(path.read_bytes()) for path in folder.glob("before-*.json")]


def test_the_text_before_the_first_edit_of_a_turn_is_kept(tmp_path: Path) -> None:
    here = place(tmp_path, "auto")

    answers = [here.call("PostToolUse", edit(here, text)) for text in ("one", "two")]

    assert [(answer.exit_code, answer.stdout) for answer in answers] == [(0, b""), (0, b"")]
    assert kept(here) == [{"prompt": "p1", "path": str(here.project / "a.txt"), "text": "one"}]
    assert session(here).read_stop_reasons() == {"auto"}
    here.call("PostToolUse", edit(here, "three", prompt="p2"))
    assert [known["text"] for known in kept(here)] == ["three"]


def test_a_file_that_was_made_has_no_text_before(tmp_path: Path) -> None:
    here = place(tmp_path, "auto")

    here.call("PostToolUse", edit(here, None, type="create"))

    assert [known["text"] for known in kept(here)] == [None]


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
    here = place(tmp_path, "auto")

    here.call("PostToolUse", here.payload("PostToolUse", **{"tool_name": "Edit", **fields}))

    assert (kept(here), session(here).read_stop_reasons()) == ([], set())


def test_with_a_loop_the_loop_rules(tmp_path: Path) -> None:
    here = place(tmp_path, "auto")
    here.start()

    here.call("PostToolUse", edit(here, "one"))

    ((spooled,),) = session(here).read_calls().values()
    assert (spooled["tool_name"], kept(here)) == ("Edit", [])
    assert session(here).read_stop_reasons() == set()


def test_an_edit_too_large_to_be_read_still_ends_a_call(tmp_path: Path) -> None:
    here = place(tmp_path, "auto")
    here.start()
    session(here).append("pre", "\n")

    here.call("PostToolUse", b'{"session_id": "cut off')

    assert not session(here).has_call_in_flight()


class Line:
    """The installed line, with a program that only says that it was started."""

    def __init__(self, place: Place) -> None:
        self.place = place
        program = place.project / "program"
        program.write_text("#!/bin/sh\ncat >>started\n", encoding="utf-8")
        program.chmod(0o755)
        named = build_settings_program(home=place.home, python=program, package=place.project)
        self.lines = build_lines(named)
        Path(session(place).folder).mkdir(parents=True, exist_ok=True)

    def run(self, event: str, payload: bytes) -> bytes:
        """What the program was given, "" if it was not started."""
        started = self.place.project / "started"
        started.unlink(missing_ok=True)
        done = subprocess.run(
            ["sh", "-c", self.lines[event]],
            input=payload,
            cwd=self.place.project,
            env=self.place.environment(),
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        return started.read_bytes() if started.exists() else b""


def test_the_line_starts_nothing_where_no_edit_is_wanted(tmp_path: Path) -> None:
    here = place(tmp_path)
    line = Line(here)

    assert line.run("PostToolUse", edit(here, "one")) == b""
    assert line.run("Stop", here.payload("Stop")) == b""


def test_the_line_starts_the_program_for_edits_alone(tmp_path: Path) -> None:
    here = place(tmp_path, "auto")
    line = Line(here)
    other = here.payload("PostToolUse", tool_name="Bash")

    assert line.run("PostToolUse", edit(here, "one")) == edit(here, "one")
    assert line.run("PostToolUse", other) == b""
    assert line.run("Stop", here.payload("Stop")) == b""
    session(here).watch_stops("auto")
    assert line.run("Stop", here.payload("Stop")) == here.payload("Stop")


def test_the_line_keeps_other_calls_for_the_loop(tmp_path: Path) -> None:
    here = place(tmp_path, "auto")
    here.start()
    line = Line(here)
    other = here.payload("PostToolUse", tool_name="Bash")

    assert line.run("PostToolUse", other) == b""
    assert list(session(here).read_calls().values()) == [[json.loads(other)]]
    assert Path(session(here).path("post")).read_bytes() == b"\n"
