"""Automatic mode: a turn without a loop is held while its edits' new findings are there."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from untildone.engine import verbs
from untildone.features.edits import switch
from untildone.hooks import spool
from world import ATTENDED, SESSION, World

EVAL = "def run(code):\n    eval(code)\n"
WHOLE = "def run(code):\n    return code\n"
SILENT = (None, {"auto"})
OVER = (None, set[str]())


@pytest.fixture
def world(world: World) -> World:
    """Edits in it are judged by the security rules alone: that is quick."""
    switch.write_modes(str(world.state_folder), frozenset({switch.AUTO}))
    world.message = "Done."
    return world


def edit(
    world: World, text: str, *, before: str | None = "", name: str = "a.py", prompt: str = "p1"
) -> None:
    response = {
        "filePath": str(world.project / name),
        "originalFile": before,
        "type": "create" if before is None else "update",
    }
    world.write(name, text)
    spool.answer(
        world.call("PostToolUse", prompt_id=prompt, tool_name="Write", tool_response=response)
    )


def stop_and_read_reasons(world: World, **payload: Any) -> tuple[Any, set[str]]:  # noqa: ANN401
    """The answer to a stop, and why the next one would be looked at."""
    return world.stop(**payload), world.session.read_stop_reasons()


def read_hold(answer: dict[str, Any]) -> str:
    return str(answer["hookSpecificOutput"]["additionalContext"]).splitlines()[0]


def first_line(hold: int) -> str:
    return (
        f"[untildone] AUTO-CONTINUE {hold} of 3: your edits in this turn brought what was not there"
        " before: 1 security finding."
    )


def test_a_finding_holds_the_agent_until_it_is_fixed(world: World) -> None:
    edit(world, EVAL, before=None)
    first = world.stop()
    edit(world, WHOLE, before=EVAL)

    assert read_hold(first) == first_line(1)
    assert first["systemMessage"] == "untildone: held automatically (1 of 3): 1 security finding"
    assert stop_and_read_reasons(world) == OVER
    left = {path.name for path in Path(world.session.folder).iterdir()}
    assert {name for name in left if name.startswith("before-") or name == "look"} == set()
    assert world.context.loops.list_all() == ()


def test_three_holds_a_prompt_and_then_a_message_to_the_user(world: World) -> None:
    edit(world, EVAL)
    answers = [world.stop() for _ in range(4)]

    assert [read_hold(answer) for answer in answers[:3]] == [first_line(hold) for hold in (1, 2, 3)]
    assert answers[3] == {
        "systemMessage": "untildone: released after 3 automatic holds; this turn's edits left"
        " 1 security finding in a.py"
    }
    assert stop_and_read_reasons(world) == OVER
    edit(world, EVAL + EVAL.replace("run", "go"), before=EVAL, prompt="p2")
    assert read_hold(world.stop(prompt_id="p2")) == first_line(1)


def test_the_user_sees_at_most_three_lines_of_each_hold(world: World) -> None:
    world.environ[ATTENDED] = "1"
    for number in range(9):
        edit(world, EVAL * 20, name=f"a{number}.py")
    answers = [world.stop() for _ in range(4)]

    file = f".untildone/feedback-{SESSION[:8]}.md"
    assert [seen_on_screen(answer) for answer in answers] == [
        *(
            f"untildone: held automatically ({hold} of 3): 180 security findings."
            f" Read `{file}` and go on."
            for hold in (1, 2, 3)
        ),
        "untildone: released after 3 automatic holds; this turn's edits left 180 security findings"
        " in a0.py, a1.py, a2.py, a3.py, a4.py and 4 more",
    ]
    assert world.read(file).startswith("[untildone] AUTO-CONTINUE 3 of 3: ")


def seen_on_screen(answer: dict[str, Any]) -> str:
    """All that the client shows of an answer, where it shows what the agent reads."""
    texts = (
        answer.get("hookSpecificOutput", {}).get("additionalContext"),
        answer.get("systemMessage"),
    )
    return "\n".join(filter(None, texts))


@pytest.mark.parametrize(
    "message", ["It is meant so. <untildone:done />", "<jikime:done />", "EXIT_SIGNAL: true"]
)
def test_a_completion_marker_ends_it(world: World, message: str) -> None:
    edit(world, EVAL)

    assert read_hold(world.stop(last_assistant_message="`<untildone:done />` would end it"))
    assert stop_and_read_reasons(world, last_assistant_message=message) == OVER


def test_what_was_there_before_the_turn_holds_nobody(world: World) -> None:
    edit(world, f"# more\n{EVAL}", before=EVAL)

    assert stop_and_read_reasons(world) == OVER


def test_edits_of_an_earlier_prompt_are_not_this_turns(world: World) -> None:
    edit(world, EVAL)

    assert stop_and_read_reasons(world, prompt_id="p2") == OVER


def test_files_outside_the_project_and_gone_ones_are_not_looked_at(world: World) -> None:
    edit(world, EVAL, name="../outside.py")
    edit(world, EVAL, name="gone.py")
    (world.project / "gone.py").unlink()

    assert stop_and_read_reasons(world) == OVER


def test_switched_off_meanwhile(world: World) -> None:
    edit(world, EVAL)
    switch.write_modes(str(world.state_folder), frozenset())

    assert stop_and_read_reasons(world) == OVER


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"permission_mode": "plan"}, id="plan mode"),
        pytest.param({"agent_id": "a1"}, id="subagent"),
        pytest.param({"background_tasks": [{"id": "1", "type": "subagent"}]}, id="goes on"),
    ],
)
def test_it_is_not_the_agents_turn_to_end(world: World, payload: dict[str, Any]) -> None:
    edit(world, EVAL)

    assert stop_and_read_reasons(world, **payload) == SILENT
    assert read_hold(world.stop()) == first_line(1)


def test_input_of_the_user_waits(world: World, tmp_path: Path) -> None:
    world.environ[ATTENDED] = "1"
    transcript = tmp_path / "transcript.jsonl"
    entry = {"type": "queue-operation", "operation": "enqueue", "content": "stop that"}
    transcript.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    edit(world, EVAL)

    assert stop_and_read_reasons(world, transcript_path=str(transcript)) == SILENT


@pytest.mark.parametrize("name", ["UNTILDONE_DISABLE", "UNTILDONE_NESTED"])
def test_switched_off_by_the_user_or_inside_a_check(world: World, name: str) -> None:
    edit(world, EVAL)
    world.environ[name] = "1"

    assert stop_and_read_reasons(world) == SILENT


def test_settings_of_the_project_do_not_switch_it_off(world: World) -> None:
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"UNTILDONE_DISABLE": "1"}}', encoding="utf-8")
    world.environ |= {"UNTILDONE_DISABLE": "1", "CLAUDE_PROJECT_DIR": str(world.project)}
    edit(world, EVAL)

    assert read_hold(world.stop()) == first_line(1)


def test_in_a_session_with_a_loop_the_loop_rules(world: World) -> None:
    edit(world, EVAL)
    world.start(baseline="none")
    verbs.pause(world.context, world.loop)

    assert stop_and_read_reasons(world) == SILENT


def test_two_installed_commands_give_one_answer(world: World) -> None:
    edit(world, EVAL)
    answers = [world.stop(source) for source in ("settings", "plugin") * 2]

    assert [read_hold(answer) if answer else None for answer in answers] == [
        first_line(1),
        None,
        first_line(2),
        None,
    ]


def test_damaged_memory_holds_nobody(world: World) -> None:
    edit(world, EVAL)
    (kept,) = Path(world.session.folder).glob("before-*.json")
    os.truncate(kept, 10)

    assert stop_and_read_reasons(world) == OVER
