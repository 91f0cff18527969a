"""Automatic mode: a turn without a loop is held while its edits' new findings are there."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from untildone.app import open_context
from untildone.engine import stop, verbs
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request, name_checks
from untildone.features.edits import switch
from untildone.hooks import spool

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
ENVIRON = {"AI_AGENT": "claude-code_2-1-325_harness", "CLAUDE_CODE_SESSION_ID": SESSION}
EVAL = "def run(code):\n    eval(code)\n"
WHOLE = "def run(code):\n    return code\n"
SILENT = (None, {"auto"})
OVER = (None, set[str]())


class World:
    """A project whose edits are judged by the security rules alone: that is quick."""

    def __init__(self, folder: Path) -> None:
        self.project = folder.resolve() / "project"
        self.project.mkdir()
        self.home = folder / "state"
        self.home.mkdir(mode=0o700)
        switch.write_modes(str(self.home), frozenset({switch.AUTO}))
        self.environ = dict(ENVIRON)

    @property
    def here(self) -> Context:
        return open_context(self.environ, home=str(self.home))

    def edit(
        self, text: str, *, before: str | None = "", name: str = "a.py", prompt: str = "p1"
    ) -> None:
        path = self.project / name
        path.write_text(text, encoding="utf-8")
        kind = "create" if before is None else "update"
        response = {"filePath": str(path), "originalFile": before, "type": kind}
        call = self._call("PostToolUse", "settings", prompt)
        call.data |= {"tool_name": "Write", "tool_response": response}
        spool.answer(call)

    def stop(self, source: str = "settings", *, prompt: str = "p1", **payload: object) -> Any:  # noqa: ANN401
        call = self._call("Stop", source, prompt)
        call.data |= {"stop_hook_active": False, "last_assistant_message": "Done.", **payload}
        answer = stop.answer_stop(self.here, call)
        return json.loads(answer) if answer else None

    def _call(self, event: str, source: str, prompt: str) -> Call:
        call = Call(event, "claude", source, str(self.home))
        call.environ = self.environ
        call.data = {"session_id": SESSION, "cwd": str(self.project), "prompt_id": prompt}
        return call

    def answered(self, **payload: Any) -> tuple[Any, set[str]]:  # noqa: ANN401
        """The answer to a stop, and why the next one would be looked at."""
        return self.stop(**payload), self.here.session(SESSION).read_stop_reasons()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def held(answer: dict[str, Any]) -> str:
    return str(answer["hookSpecificOutput"]["additionalContext"]).splitlines()[0]


def first_line(hold: int) -> str:
    return (
        f"[untildone] AUTO-CONTINUE {hold} of 3: your edits in this turn brought what was not there"
        " before: 1 security finding."
    )


def test_held_while_the_finding_is_there_and_let_go_when_it_is_mended(world: World) -> None:
    world.edit(EVAL, before=None)
    first = world.stop()
    world.edit(WHOLE, before=EVAL)

    assert held(first) == first_line(1)
    assert first["systemMessage"] == "untildone: held automatically (1 of 3): 1 security finding"
    assert world.answered() == OVER
    left = {path.name for path in Path(world.here.session(SESSION).folder).iterdir()}
    assert {name for name in left if name.startswith("before-") or name == "look"} == set()
    assert world.here.loops.list_all() == ()


def test_three_holds_a_prompt_and_then_a_word_to_the_person(world: World) -> None:
    world.edit(EVAL)
    answers = [world.stop() for _ in range(4)]

    assert [held(answer) for answer in answers[:3]] == [first_line(hold) for hold in (1, 2, 3)]
    assert answers[3] == {
        "systemMessage": "untildone: let go after 3 automatic holds; this turn's edits left"
        " 1 security finding in a.py"
    }
    assert world.answered() == OVER
    world.edit(EVAL + EVAL.replace("run", "go"), before=EVAL, prompt="p2")
    assert held(world.stop(prompt="p2")) == first_line(1)


@pytest.mark.parametrize(
    "message", ["It is meant so. <untildone:done />", "<jikime:done />", "EXIT_SIGNAL: true"]
)
def test_a_completion_marker_ends_it(world: World, message: str) -> None:
    world.edit(EVAL)

    assert held(world.stop(last_assistant_message="`<untildone:done />` would end it"))
    assert world.answered(last_assistant_message=message) == OVER


def test_what_was_there_before_the_turn_holds_nobody(world: World) -> None:
    world.edit(f"# more\n{EVAL}", before=EVAL)

    assert world.answered() == OVER


def test_edits_of_an_earlier_prompt_are_not_this_turns(world: World) -> None:
    world.edit(EVAL)

    assert world.answered(prompt="p2") == OVER


def test_files_outside_the_project_and_gone_ones_are_not_looked_at(world: World) -> None:
    world.edit(EVAL, name="../outside.py")
    world.edit(EVAL, name="gone.py")
    (world.project / "gone.py").unlink()

    assert world.answered() == OVER


def test_switched_off_meanwhile(world: World) -> None:
    world.edit(EVAL)
    switch.write_modes(str(world.home), frozenset())

    assert world.answered() == OVER


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"permission_mode": "plan"}, id="plan mode"),
        pytest.param({"agent_id": "a1"}, id="subagent"),
        pytest.param({"background_tasks": [{"id": "1", "type": "subagent"}]}, id="goes on"),
    ],
)
def test_it_is_not_the_agents_turn_to_end(world: World, payload: dict[str, Any]) -> None:
    world.edit(EVAL)

    assert world.answered(**payload) == SILENT
    assert held(world.stop()) == first_line(1)


def test_input_of_the_person_waits(world: World, tmp_path: Path) -> None:
    world.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "1"
    transcript = tmp_path / "transcript.jsonl"
    entry = {"type": "queue-operation", "operation": "enqueue", "content": "stop that"}
    transcript.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    world.edit(EVAL)

    assert world.answered(transcript_path=str(transcript)) == SILENT


@pytest.mark.parametrize("name", ["UNTILDONE_DISABLE", "UNTILDONE_NESTED"])
def test_switched_off_by_the_person_or_inside_a_check(world: World, name: str) -> None:
    world.edit(EVAL)
    world.environ[name] = "1"

    assert world.answered() == SILENT


def test_settings_of_the_project_do_not_switch_it_off(world: World) -> None:
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"UNTILDONE_DISABLE": "1"}}', encoding="utf-8")
    world.environ |= {"UNTILDONE_DISABLE": "1", "CLAUDE_PROJECT_DIR": str(world.project)}
    world.edit(EVAL)

    assert held(world.stop()) == first_line(1)


def test_in_a_session_with_a_loop_the_loop_rules(world: World) -> None:
    world.edit(EVAL)
    asked = Request(session=SESSION, project=world.project, checks=name_checks(("false",)))
    loop = begin_loop(world.here, asked).contract.id
    verbs.pause(world.here, loop)

    assert world.answered() == SILENT


def test_two_installed_commands_give_one_answer(world: World) -> None:
    world.edit(EVAL)
    answers = [world.stop(source) for source in ("settings", "plugin") * 2]

    assert [held(answer) if answer else None for answer in answers] == [
        first_line(1),
        None,
        first_line(2),
        None,
    ]


def test_damaged_memory_holds_nobody(world: World) -> None:
    world.edit(EVAL)
    (kept,) = Path(world.here.session(SESSION).folder).glob("before-*.json")
    os.truncate(kept, 10)

    assert world.answered() == OVER
