"""Edits while the agent works: told at once where wanted, and beside the checks of a round."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from keepers import end_keepers, keepers, until
from untildone import app
from untildone.app import open_context
from untildone.core.contract import Bounds
from untildone.engine.context import project_folder
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request, name_checks
from untildone.engine.stop import answer_stop as stop
from untildone.features.edits import switch

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
ENVIRON = {"AI_AGENT": "claude-code_2-1-325_harness", "CLAUDE_CODE_SESSION_ID": SESSION}
EVAL = "def run(code):\n    eval(code)\n"
FOUND = (
    "a.py\n  2: security python-eval text that is not a constant is run as code; parse it"
    " (`ast.literal_eval`, `json.loads`) instead"
)
RED = "test -f done.txt"
UNBOUND = Bounds(rounds=0, stagnation=0)


class World:
    def __init__(self, folder: Path) -> None:
        self.project = folder.resolve() / "project"
        self.project.mkdir()
        self.home = folder / "state"
        self.home.mkdir(mode=0o700)
        self.here = open_context(ENVIRON, home=str(self.home))
        self.loop = ""

    def write(self, name: str, text: str) -> Path:
        path = self.project / name
        path.write_text(text, encoding="utf-8")
        return path

    def call(self, event: str, **data: object) -> Call:
        call = Call(event, "claude", "settings", str(self.home))
        call.environ = ENVIRON
        call.data = {"session_id": SESSION, "cwd": str(self.project), "prompt_id": "p1", **data}
        return call

    def edited(self, path: Path, *, before: str) -> dict[str, Any]:
        response = {"filePath": str(path), "originalFile": before}
        inputs = {"file_path": str(path)}
        return {"tool_name": "Edit", "tool_input": inputs, "tool_response": response}

    def tell(self, path: Path, *, before: str) -> Any:  # noqa: ANN401  whatever is answered
        answer = app.answer(self.call("PostToolUse", **self.edited(path, before=before)))
        return json.loads(answer) if answer else None

    def tell_until_answered(self, path: Path, *, before: str) -> Any:  # noqa: ANN401  as above
        """Nobody is waited for longer than a second, which a busy machine may take."""
        answers: list[Any] = []

        def answered() -> bool:
            answers.append(self.tell(path, before=before))
            return bool(answers[-1])

        assert until(answered)
        return answers[-1]

    def start(self) -> None:
        asked = Request(
            session=SESSION,
            project=self.project,
            checks=name_checks((RED,)),
            task="do it",
            bounds=UNBOUND,
        )
        self.loop = begin_loop(self.here, asked).contract.id

    def stop_after(self, *paths: Path) -> str:
        """What the agent is told, "" if it is let go."""
        session = self.here.session(SESSION)
        for number, path in enumerate(paths):
            session.append(f"calls/{number}", json.dumps(self.edited(path, before="")))
        answer = stop(self.here, self.call("Stop", stop_hook_active=False))
        said = json.loads(answer).get("hookSpecificOutput", {})
        return str(said.get("additionalContext", ""))

    def last_round(self) -> dict[str, Any]:
        return self.here.loops.read_journal(self.loop)[-1].data


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    end_keepers(world.project)


def test_what_an_edit_brought_is_told_at_once_where_wanted(world: World) -> None:
    switch.write_modes(str(world.home), frozenset({switch.TELL}))
    file = world.write("a.py", EVAL)

    assert world.tell_until_answered(file, before="") == {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "additionalContext": f"[untildone] This edit brought 1 security finding:\n{FOUND}",
        }
    }
    assert world.tell(file, before=EVAL) is None


def test_otherwise_an_edit_only_makes_the_servers_warm(world: World) -> None:
    switch.write_modes(str(world.home), frozenset({switch.AUTO}))
    programs = world.project / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "ruff").symlink_to(Path(sys.executable).with_name("ruff"))
    (project_folder(world.home, world.project) / "checks").mkdir(parents=True)

    assert world.tell(world.write("a.py", EVAL), before="") is None
    assert until(lambda: keepers(world.project))


def test_an_edit_outside_the_project_is_nobodys(world: World) -> None:
    switch.write_modes(str(world.home), frozenset({switch.TELL}))

    assert world.tell(world.write("../a.py", EVAL), before="") is None


def test_a_round_tells_what_is_wrong_in_the_files_edited_in_it(world: World) -> None:
    world.start()
    files = world.write("a.py", EVAL), world.write("b.py", "x = 1\n")
    head = "In the files you edited, beside the checks: 1 security finding (no criterion)."

    assert until(lambda: f"\n{head}\n{FOUND}\n" in world.stop_after(*files))
    assert world.last_round()["edited"] == [
        {"path": "a.py", "errors": 0, "warnings": 0, "infos": 0, "security": 1},
        {"path": "b.py", "errors": 0, "warnings": 0, "infos": 0, "security": 0},
    ]
    assert head not in world.stop_after()
    assert world.last_round()["edited"] == []


def test_what_edited_files_say_never_decides(world: World) -> None:
    world.start()
    world.stop_after()
    world.write("done.txt", "")
    world.stop_after(world.write("a.py", EVAL))

    progress = world.here.loops.load(world.loop).progress
    assert (progress.status, progress.outcome) == ("finished", "done")
