"""Other tools' loop files at a stop, where the person trusts them."""

import os
from pathlib import Path
from typing import Any

import pytest

from cli.desk import OTHER, SESSION, Desk
from features.importers.formats import samples

FILE = ".stravinsky/continuation-loop.md"
PROMISED = "All is written and run. All tests passing."


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A desk where loop files are trusted and two sessions run."""
    found = Desk(tmp_path)
    found.untildone("trust", "--dialects")
    begun(found, SESSION)
    begun(found, OTHER)
    return found


def begun(desk: Desk, session: str = SESSION) -> None:
    """A session whose client is not the process of this test, which types as the person."""
    desk.event("SessionStart", session, source="startup")
    known = desk.state / "sessions" / "claude" / session / "session.json"
    text = known.read_text(encoding="utf-8")
    known.write_text(text.replace(f'"{os.getpid()}"', '"0"'), encoding="utf-8")


def written(desk: Desk, text: str = samples.STRAVINSKY, path: str = FILE) -> Path:
    """By the agent of the session, in a tool call."""
    file = desk.write(path, text)
    called(desk, "Write", file_path=str(file), content=text)
    return file


def called(desk: Desk, tool: str, **inputs: str) -> None:
    desk.event("PostToolUse", tool_name=tool, tool_input=inputs, tool_use_id="1")


def stop(desk: Desk, message: str = "Done.", session: str = SESSION, **more: Any) -> Any:  # noqa: ANN401  payload
    payload = {"stop_hook_active": False, **more}
    return desk.event("Stop", session, last_assistant_message=message, **payload)


def loops(desk: Desk) -> list[tuple[Any, ...]]:
    found = desk.json("status", "--all")["loops"]
    return [
        tuple(loop[key] for key in ("session", "status", "outcome", "round", "max_rounds"))
        for loop in found
    ]


def held(answer: Any) -> bool:  # noqa: ANN401  whatever the hook printed
    return bool(answer) and "hookSpecificOutput" in answer


def test_the_session_that_wrote_it_is_held(desk: Desk) -> None:
    file = written(desk)

    answer = stop(desk)

    assert held(answer)
    assert f"untildone: `{FILE}` started loop " in answer["systemMessage"]
    assert loops(desk) == [(SESSION, "active", None, 2, 15)]
    assert file.read_text(encoding="utf-8") == samples.STRAVINSKY.replace("count: 1", "count: 2")


def test_its_promise_ends_it_and_the_file_goes(desk: Desk) -> None:
    file = written(desk)
    stop(desk)

    assert not held(stop(desk, PROMISED, stop_hook_active=True))
    assert loops(desk) == [(SESSION, "finished", "claimed", 3, 15)]
    assert not file.exists()


def test_a_heredoc_is_a_hand_of_the_session_too(desk: Desk) -> None:
    desk.write(FILE, samples.STRAVINSKY)
    called(desk, "Bash", command=f"cat > {FILE} << 'EOF'\n{samples.STRAVINSKY}EOF")

    assert held(stop(desk))


@pytest.mark.parametrize(
    ("tool", "inputs"),
    [
        ("Bash", {"command": f"cat {FILE}"}),
        ("Read", {"file_path": FILE}),
        ("Write", {"file_path": "notes.md"}),
    ],
)
def test_who_only_read_it_is_not_held(desk: Desk, tool: str, inputs: dict[str, str]) -> None:
    desk.write(FILE, samples.STRAVINSKY)
    called(desk, tool, **inputs)

    assert stop(desk) == {
        "systemMessage": f"untildone: `{FILE}` is a loop file:"
        " `!untildone continue --here` starts it"
    }
    assert stop(desk) is None
    assert loops(desk) == []


def test_another_session_is_left_alone(desk: Desk) -> None:
    written(desk)
    stop(desk)

    assert stop(desk, session=OTHER) is None
    assert loops(desk) == [(SESSION, "active", None, 2, 15)]


def test_the_session_named_in_the_file_is_held_and_no_other(desk: Desk) -> None:
    desk.write(".claude/ralph-loop.local.md", samples.RALPH)

    assert stop(desk, session=OTHER) is None
    assert held(stop(desk))
    assert loops(desk) == [(SESSION, "active", None, 2, 20)]


def test_a_hand_made_file_is_taken_here_by_the_person(desk: Desk) -> None:
    file = desk.write(FILE, samples.STRAVINSKY)

    code, said, _ = desk.said("continue", "--here", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (code, "holds this session until promise" in said) == (0, True)
    assert held(stop(desk))
    assert "iteration_count: 2" in file.read_text(encoding="utf-8")


def test_nothing_waits_where_nothing_is_trusted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    begun(desk)
    desk.write(FILE, samples.STRAVINSKY)

    code, _, told = desk.said("continue", "--here", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (code, "there is no unfinished loop" in told) == (2, True)


def test_a_file_is_not_obeyed_without_trust(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    begun(desk)
    written(desk)

    assert stop(desk) is None
    assert loops(desk) == []


def test_trust_taken_back_lets_the_file_lie(desk: Desk) -> None:
    desk.untildone("trust", "--no-dialects")
    written(desk)

    assert stop(desk) is None


def test_a_mark_left_behind_is_no_trust(desk: Desk) -> None:
    desk.state.joinpath("dialects.json").write_text("[]", encoding="utf-8")
    written(desk)

    assert stop(desk) is None


def test_trust_given_later_holds_for_the_sessions_that_run(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    begun(desk)
    desk.untildone("trust", "--dialects")
    written(desk)

    assert held(stop(desk))


@pytest.mark.parametrize("end", ["removed", "inactive"])
def test_the_persons_hand_on_the_file_ends_the_loop(desk: Desk, end: str) -> None:
    file = written(desk)
    stop(desk)
    if end == "removed":
        file.unlink()
    else:
        file.write_text(samples.STRAVINSKY.replace("true", "false"), encoding="utf-8")

    answer = stop(desk, stop_hook_active=True)

    assert not held(answer)
    assert "is cancelled: `.stravinsky/continuation-loop.md`" in answer["systemMessage"]
    assert loops(desk) == [(SESSION, "finished", "cancelled", 2, 15)]
    assert not file.exists()


@pytest.mark.parametrize("command", [f"rm {FILE}", "rm -rf .stravinsky", "rm .stravinsky/*"])
def test_the_agents_hand_on_the_file_does_not(desk: Desk, command: str) -> None:
    file = written(desk)
    stop(desk)
    file.unlink()
    called(desk, "Bash", command=command)

    assert held(stop(desk, stop_hook_active=True))
    assert held(stop(desk, stop_hook_active=True))
    assert loops(desk) == [(SESSION, "active", None, 4, 15)]


def test_the_agents_hand_does_if_the_person_just_asked_for_it(desk: Desk) -> None:
    file = written(desk)
    stop(desk)
    desk.event("UserPromptSubmit", prompt="/cancel-ralph", prompt_id="p2")
    file.unlink()
    called(desk, "Bash", command=f"rm {FILE}")

    assert not held(stop(desk, prompt_id="p2"))
    assert loops(desk) == [(SESSION, "finished", "cancelled", 2, 15)]


def test_a_raised_maximum_is_seen_up_to_the_ceiling(desk: Desk) -> None:
    file = written(desk)
    stop(desk)
    file.write_text(samples.STRAVINSKY.replace("15", "99"), encoding="utf-8")

    stop(desk, stop_hook_active=True)

    assert loops(desk) == [(SESSION, "active", None, 3, 50)]


def test_a_maximum_that_the_agent_raised_is_not(desk: Desk) -> None:
    written(desk)
    stop(desk)
    written(desk, samples.STRAVINSKY.replace("15", "40"))

    stop(desk, stop_hook_active=True)
    stop(desk, stop_hook_active=True)

    assert loops(desk) == [(SESSION, "active", None, 4, 15)]


def test_at_its_maximum_the_loop_pauses_and_the_file_goes(desk: Desk) -> None:
    file = written(desk, samples.STRAVINSKY.replace("count: 1", "count: 14"))

    assert not held(stop(desk))
    assert loops(desk) == [(SESSION, "paused", "out-of-rounds", 15, 15)]
    assert not file.exists()


def test_a_file_half_written_changes_nothing(desk: Desk) -> None:
    file = written(desk)
    stop(desk)
    file.write_text("---\nactive: tr", encoding="utf-8")

    assert held(stop(desk, stop_hook_active=True))
    assert loops(desk) == [(SESSION, "active", None, 3, 15)]


def test_one_content_makes_one_loop(desk: Desk) -> None:
    written(desk)
    stop(desk)
    stop(desk, PROMISED, stop_hook_active=True)
    written(desk, samples.STRAVINSKY.replace("count: 1", "count: 3"))

    answer = stop(desk)

    assert not held(answer)
    assert f"`untildone import {FILE}` starts it again" in answer["systemMessage"]
    assert len(loops(desk)) == 1


def test_the_persons_cancel_takes_the_file_along(desk: Desk) -> None:
    file = written(desk)
    stop(desk)

    desk.untildone("cancel")

    assert not file.exists()
    assert stop(desk) is None


def test_a_paused_loop_keeps_its_file_and_begins_no_other(desk: Desk) -> None:
    file = written(desk)
    stop(desk)
    desk.untildone("pause")

    assert stop(desk) is None
    assert file.exists()
    assert loops(desk) == [(SESSION, "paused", "paused", 2, 15)]


def test_a_file_that_is_wrong_is_told_once(desk: Desk) -> None:
    written(desk, "---\nactive: true\n---\n")

    answer = stop(desk)

    assert answer == {
        "systemMessage": f"untildone: `{FILE}`, `completion_promise`: is missing; write the text"
        " that says it is done"
    }
    written(desk, "---\nactive: true\n---\n")
    assert stop(desk) is None


def test_nothing_is_begun_in_plan_mode(desk: Desk) -> None:
    written(desk)

    assert stop(desk, permission_mode="plan") is None
    assert held(stop(desk))


def test_a_check_of_the_file_is_run(desk: Desk) -> None:
    text = samples.SHIPKIT.replace('"npm test"', "test -f done.txt").replace("success_p", "p")
    written(desk, text, ".shipkit/relentless-state.local.md")

    assert held(stop(desk))
    desk.write("done.txt", "")
    assert not held(stop(desk, stop_hook_active=True))
    assert loops(desk) == [(SESSION, "finished", "done", 4, 8)]


def test_a_pointer_is_followed_to_its_state(desk: Desk) -> None:
    state = ".shipspec/planning/login/task-loop.local.json"
    desk.write(state, samples.SHIPSPEC_STATE)
    pointer = written(desk, samples.SHIPSPEC_POINTER, ".shipspec/active-loop.local.json")

    assert held(stop(desk))
    assert '"iteration": 3' in (desk.project / state).read_text(encoding="utf-8")
    stop(desk, "<task-loop-complete>VERIFIED</task-loop-complete>", stop_hook_active=True)
    assert loops(desk) == [(SESSION, "finished", "claimed", 3, 5)]
    assert not pointer.exists()
    assert not (desk.project / state).exists()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("<task-loop-complete>BLOCKED</task-loop-complete>", ("paused", "blocked", "BLOCKED")),
        (
            "<task-loop-complete>MISALIGNED</task-loop-complete>",
            ("paused", "blocked", "MISALIGNED"),
        ),
        ("<task-loop-complete>INCOMPLETE</task-loop-complete>", ("active", None, "")),
        ("`<task-loop-complete>BLOCKED</task-loop-complete>`", ("active", None, "")),
    ],
)
def test_a_task_that_is_stuck_is_handed_to_the_person(
    desk: Desk, said: str, expected: tuple[str, str | None, str]
) -> None:
    desk.write(".shipspec/planning/login/task-loop.local.json", samples.SHIPSPEC_STATE)
    written(desk, samples.SHIPSPEC_POINTER, ".shipspec/active-loop.local.json")
    stop(desk)

    stop(desk, said, stop_hook_active=True)

    (loop,) = desk.json("status", "--all")["loops"]
    progress = desk.json("show", loop["id"])["progress"]
    assert (progress["status"], progress["outcome"], progress["reason"]) == expected


def test_its_marker_means_nothing_to_a_loop_that_never_asked_for_it(desk: Desk) -> None:
    written(desk)

    assert held(stop(desk, "<task-loop-complete>BLOCKED</task-loop-complete>"))


def test_a_state_its_tool_leaves_there_is_left(desk: Desk) -> None:
    file = written(desk, samples.HOPE, ".loop/state.json")
    stop(desk)

    desk.untildone("cancel")

    assert file.exists()
