"""Other tools' loop files at a stop, where the user trusts them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.world import CommandLine
from features.importers.formats import samples
from world import OTHER_SESSION, SESSION

FILE = ".stravinsky/continuation-loop.md"
PROMISED = "All is written and run. All tests passing."


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    """A cli where loop files are trusted and two sessions run."""
    found = CommandLine(tmp_path)
    found.untildone("trust", "--dialects")
    begin_session(found, SESSION)
    begin_session(found, OTHER_SESSION)
    return found


def begin_session(cli: CommandLine, session: str = SESSION) -> None:
    """A session whose client is not the process of this test, which types as the user."""
    cli.event("SessionStart", session, source="startup")
    known = cli.state_folder / "sessions" / "claude" / session / "session.json"
    text = known.read_text(encoding="utf-8")
    known.write_text(text.replace(f'"{os.getpid()}"', '"0"'), encoding="utf-8")


def write_loop_file(cli: CommandLine, text: str = samples.STRAVINSKY, path: str = FILE) -> Path:
    """By the agent of the session, in a tool call."""
    file = cli.write(path, text)
    call_tool(cli, "Write", file_path=str(file), content=text)
    return file


def call_tool(cli: CommandLine, tool: str, **inputs: str) -> None:
    cli.event("PostToolUse", tool_name=tool, tool_input=inputs, tool_use_id="1")


def stop(cli: CommandLine, message: str = "Done.", session: str = SESSION, **more: Any) -> Any:  # noqa: ANN401  payload
    payload = {"stop_hook_active": False, **more}
    return cli.event("Stop", session, last_assistant_message=message, **payload)


def loops(cli: CommandLine) -> list[tuple[Any, ...]]:
    found = cli.json("status", "--all")["loops"]
    return [
        tuple(loop[key] for key in ("session", "status", "outcome", "round", "max_rounds"))
        for loop in found
    ]


def is_held(answer: Any) -> bool:  # noqa: ANN401  whatever the hook printed
    return bool(answer) and "hookSpecificOutput" in answer


def test_the_session_that_wrote_it_is_held(cli: CommandLine) -> None:
    file = write_loop_file(cli)

    answer = stop(cli)

    assert is_held(answer)
    assert f"untildone: `{FILE}` started loop " in answer["systemMessage"]
    assert loops(cli) == [(SESSION, "active", None, 2, 15)]
    assert file.read_text(encoding="utf-8") == samples.STRAVINSKY.replace("count: 1", "count: 2")


def test_its_promise_ends_it_and_the_file_goes(cli: CommandLine) -> None:
    file = write_loop_file(cli)
    stop(cli)

    assert not is_held(stop(cli, PROMISED, stop_hook_active=True))
    assert loops(cli) == [(SESSION, "finished", "claimed", 3, 15)]
    assert not file.exists()


def test_a_heredoc_is_a_hand_of_the_session_too(cli: CommandLine) -> None:
    cli.write(FILE, samples.STRAVINSKY)
    call_tool(cli, "Bash", command=f"cat > {FILE} << 'EOF'\n{samples.STRAVINSKY}EOF")

    assert is_held(stop(cli))


@pytest.mark.parametrize(
    ("tool", "inputs"),
    [
        ("Bash", {"command": f"cat {FILE}"}),
        ("Read", {"file_path": FILE}),
        ("Write", {"file_path": "notes.md"}),
    ],
)
def test_who_only_read_it_is_not_held(cli: CommandLine, tool: str, inputs: dict[str, str]) -> None:
    cli.write(FILE, samples.STRAVINSKY)
    call_tool(cli, tool, **inputs)

    assert stop(cli) == {
        "systemMessage": f"untildone: `{FILE}` is a loop file:"
        " `!untildone continue --here` starts it"
    }
    assert stop(cli) is None
    assert loops(cli) == []


def test_another_session_is_left_alone(cli: CommandLine) -> None:
    write_loop_file(cli)
    stop(cli)

    assert stop(cli, session=OTHER_SESSION) is None
    assert loops(cli) == [(SESSION, "active", None, 2, 15)]


def test_the_session_named_in_the_file_is_held_and_no_other(cli: CommandLine) -> None:
    cli.write(".claude/ralph-loop.local.md", samples.RALPH)

    assert stop(cli, session=OTHER_SESSION) is None
    assert is_held(stop(cli))
    assert loops(cli) == [(SESSION, "active", None, 2, 20)]


def test_a_hand_made_file_is_taken_here_by_the_user(cli: CommandLine) -> None:
    file = cli.write(FILE, samples.STRAVINSKY)

    code, stdout, _ = cli.run_process("continue", "--here", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (code, "holds this session until promise" in stdout) == (0, True)
    assert is_held(stop(cli))
    assert "iteration_count: 2" in file.read_text(encoding="utf-8")


def test_nothing_waits_where_nothing_is_trusted(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    begin_session(cli)
    cli.write(FILE, samples.STRAVINSKY)

    code, _, stderr = cli.run_process("continue", "--here", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (code, "there is no unfinished loop" in stderr) == (2, True)


def test_a_file_is_not_obeyed_without_trust(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    begin_session(cli)
    write_loop_file(cli)

    assert stop(cli) is None
    assert loops(cli) == []


def test_trust_taken_back_lets_the_file_lie(cli: CommandLine) -> None:
    cli.untildone("trust", "--no-dialects")
    write_loop_file(cli)

    assert stop(cli) is None


def test_a_mark_left_behind_is_no_trust(cli: CommandLine) -> None:
    cli.state_folder.joinpath("dialects.json").write_text("[]", encoding="utf-8")
    write_loop_file(cli)

    assert stop(cli) is None


def test_trust_given_later_holds_for_the_sessions_that_run(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    begin_session(cli)
    cli.untildone("trust", "--dialects")
    write_loop_file(cli)

    assert is_held(stop(cli))


@pytest.mark.parametrize("end", ["removed", "inactive"])
def test_the_users_edit_of_the_file_ends_the_loop(cli: CommandLine, end: str) -> None:
    file = write_loop_file(cli)
    stop(cli)
    if end == "removed":
        file.unlink()
    else:
        file.write_text(samples.STRAVINSKY.replace("true", "false"), encoding="utf-8")

    answer = stop(cli, stop_hook_active=True)

    assert not is_held(answer)
    assert "is cancelled: `.stravinsky/continuation-loop.md`" in answer["systemMessage"]
    assert loops(cli) == [(SESSION, "finished", "cancelled", 2, 15)]
    assert not file.exists()


@pytest.mark.parametrize("command", [f"rm {FILE}", "rm -rf .stravinsky", "rm .stravinsky/*"])
def test_the_agents_hand_on_the_file_does_not(cli: CommandLine, command: str) -> None:
    file = write_loop_file(cli)
    stop(cli)
    file.unlink()
    call_tool(cli, "Bash", command=command)

    assert is_held(stop(cli, stop_hook_active=True))
    assert is_held(stop(cli, stop_hook_active=True))
    assert loops(cli) == [(SESSION, "active", None, 4, 15)]


def test_the_agents_edit_ends_it_if_the_user_just_asked_for_it(cli: CommandLine) -> None:
    file = write_loop_file(cli)
    stop(cli)
    cli.event("UserPromptSubmit", prompt="/cancel-ralph", prompt_id="p2")
    file.unlink()
    call_tool(cli, "Bash", command=f"rm {FILE}")

    assert not is_held(stop(cli, prompt_id="p2"))
    assert loops(cli) == [(SESSION, "finished", "cancelled", 2, 15)]


def test_a_raised_maximum_is_seen_up_to_the_ceiling(cli: CommandLine) -> None:
    file = write_loop_file(cli)
    stop(cli)
    file.write_text(samples.STRAVINSKY.replace("15", "99"), encoding="utf-8")

    stop(cli, stop_hook_active=True)

    assert loops(cli) == [(SESSION, "active", None, 3, 50)]


def test_a_maximum_that_the_agent_raised_is_not(cli: CommandLine) -> None:
    write_loop_file(cli)
    stop(cli)
    write_loop_file(cli, samples.STRAVINSKY.replace("15", "40"))

    stop(cli, stop_hook_active=True)
    stop(cli, stop_hook_active=True)

    assert loops(cli) == [(SESSION, "active", None, 4, 15)]


def test_at_its_maximum_the_loop_pauses_and_the_file_goes(cli: CommandLine) -> None:
    file = write_loop_file(cli, samples.STRAVINSKY.replace("count: 1", "count: 14"))

    assert not is_held(stop(cli))
    assert loops(cli) == [(SESSION, "paused", "out-of-rounds", 15, 15)]
    assert not file.exists()


def test_a_file_half_written_changes_nothing(cli: CommandLine) -> None:
    file = write_loop_file(cli)
    stop(cli)
    file.write_text("---\nactive: tr", encoding="utf-8")

    assert is_held(stop(cli, stop_hook_active=True))
    assert loops(cli) == [(SESSION, "active", None, 3, 15)]


def test_one_content_makes_one_loop(cli: CommandLine) -> None:
    write_loop_file(cli)
    stop(cli)
    stop(cli, PROMISED, stop_hook_active=True)
    write_loop_file(cli, samples.STRAVINSKY.replace("count: 1", "count: 3"))

    answer = stop(cli)

    assert not is_held(answer)
    assert f"`untildone import {FILE}` starts it again" in answer["systemMessage"]
    assert len(loops(cli)) == 1


def test_a_file_that_is_written_again_after_a_cancel_starts_again(cli: CommandLine) -> None:
    write_loop_file(cli)
    stop(cli)
    cli.untildone("cancel")
    write_loop_file(cli)

    assert is_held(stop(cli))
    assert [loop[1:3] for loop in loops(cli)] == [("active", None), ("finished", "cancelled")]


def test_the_users_cancel_takes_the_file_along(cli: CommandLine) -> None:
    file = write_loop_file(cli)
    stop(cli)

    cli.untildone("cancel")

    assert not file.exists()
    assert stop(cli) is None


def test_a_paused_loop_keeps_its_file_and_begins_no_other(cli: CommandLine) -> None:
    file = write_loop_file(cli)
    stop(cli)
    cli.untildone("pause")

    assert stop(cli) is None
    assert file.exists()
    assert loops(cli) == [(SESSION, "paused", "paused", 2, 15)]


def test_a_file_that_is_wrong_is_reported_once(cli: CommandLine) -> None:
    write_loop_file(cli, "---\nactive: true\n---\n")

    answer = stop(cli)

    assert answer == {
        "systemMessage": f"untildone: `{FILE}`, `completion_promise`: is missing; write the text"
        " that says it is done"
    }
    write_loop_file(cli, "---\nactive: true\n---\n")
    assert stop(cli) is None


def test_nothing_is_begun_in_plan_mode(cli: CommandLine) -> None:
    write_loop_file(cli)

    assert stop(cli, permission_mode="plan") is None
    assert is_held(stop(cli))


def test_a_check_of_the_file_is_run(cli: CommandLine) -> None:
    text = samples.SHIPKIT.replace('"npm test"', "test -f done.txt").replace("success_p", "p")
    write_loop_file(cli, text, ".shipkit/relentless-state.local.md")

    assert is_held(stop(cli))
    cli.write("done.txt", "")
    assert not is_held(stop(cli, stop_hook_active=True))
    assert loops(cli) == [(SESSION, "finished", "done", 4, 8)]


def test_a_pointer_is_followed_to_its_state(cli: CommandLine) -> None:
    state = ".shipspec/planning/login/task-loop.local.json"
    cli.write(state, samples.SHIPSPEC_STATE)
    pointer = write_loop_file(cli, samples.SHIPSPEC_POINTER, ".shipspec/active-loop.local.json")

    assert is_held(stop(cli))
    assert '"iteration": 3' in (cli.project / state).read_text(encoding="utf-8")
    stop(cli, "<task-loop-complete>VERIFIED</task-loop-complete>", stop_hook_active=True)
    assert loops(cli) == [(SESSION, "finished", "claimed", 3, 5)]
    assert not pointer.exists()
    assert not (cli.project / state).exists()


def test_a_pointer_brings_the_criteria_of_its_plan(cli: CommandLine) -> None:
    task = {"title": "Form", "points": 1, "prompt": "Write it.", "testing": ["`test -f form`"]}
    plan = {"tasks": {"TASK-002": {**task, "acceptance_criteria": ["It is nice"]}}}
    cli.write(".shipspec/planning/login/TASKS.json", json.dumps(plan))
    cli.write(".shipspec/planning/login/task-loop.local.json", samples.SHIPSPEC_STATE)
    pointer = cli.write(".shipspec/active-loop.local.json", samples.SHIPSPEC_POINTER)

    loop = cli.json("import", str(pointer), "--session", SESSION)["id"]

    agreed = cli.json("show", loop)["contract"]
    assert [check["command"] for check in agreed["checks"]] == ["test -f form"]
    assert [claim["name"] for claim in agreed["claims"]] == ["It is nice"]
    assert (agreed["plan"]["task"], agreed["bounds"]["rounds"]) == ("TASK-002", 5)


def test_a_plan_that_nobody_trusts_is_named_when_an_agent_points_to_it(cli: CommandLine) -> None:
    task = {"title": "Form", "testing": ["`test -f form`"]}
    plan = {"tasks": {"TASK-002": task}}
    cli.write(".shipspec/planning/login/TASKS.json", json.dumps(plan))
    cli.write(".shipspec/planning/login/task-loop.local.json", samples.SHIPSPEC_STATE)
    write_loop_file(cli, samples.SHIPSPEC_POINTER, ".shipspec/active-loop.local.json")

    told = stop(cli)["systemMessage"]

    assert "without the criteria of `.shipspec/planning/login/TASKS.json`: the commands" in told


def test_tests_that_pass_are_proved_by_the_projects_check(cli: CommandLine) -> None:
    cli.write("Makefile", "test:\n\ttest -f done.txt\n")
    state = {"spec": "Write it", "criteria": ["tests pass", "it reads well"]}
    file = cli.write(".loop/state.json", json.dumps(state))

    loop = cli.json("import", str(file), "--session", SESSION)["id"]

    agreed = cli.json("show", loop)["contract"]
    assert [(check["name"], check["command"]) for check in agreed["checks"]] == [
        ("tests pass", "make test")
    ]
    assert [claim["name"] for claim in agreed["claims"]] == ["it reads well"]


def test_what_jikime_counted_is_part_of_the_rounds(cli: CommandLine) -> None:
    cli.write("pyproject.toml", "[tool.ruff]\n")
    cli.write("src/a.ts", "")
    text = samples.JIKIME.replace('"zero_warnings": true', '"zero_warnings": false')
    file = cli.write(
        ".jikime_loop_state.json", text.replace('"tests_pass": true', '"tests_pass": false')
    )

    loop = cli.json("import", str(file), "--session", SESSION)["id"]

    (counted,) = cli.json("rounds", loop)["rounds"]
    assert (counted["number"], counted["totals"]["errors"]) == (1, 3)
    assert "counted before the import: 3 errors" in cli.run("rounds", loop)[1]
    assert cli.json("show", loop)["receipt"]["final"] is None


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
def test_a_task_that_is_stuck_is_handed_to_the_user(
    cli: CommandLine, said: str, expected: tuple[str, str | None, str]
) -> None:
    cli.write(".shipspec/planning/login/task-loop.local.json", samples.SHIPSPEC_STATE)
    write_loop_file(cli, samples.SHIPSPEC_POINTER, ".shipspec/active-loop.local.json")
    stop(cli)

    stop(cli, said, stop_hook_active=True)

    (loop,) = cli.json("status", "--all")["loops"]
    progress = cli.json("show", loop["id"])["progress"]
    assert (progress["status"], progress["outcome"], progress["reason"]) == expected


def test_its_marker_means_nothing_to_a_loop_that_never_asked_for_it(cli: CommandLine) -> None:
    write_loop_file(cli)

    assert is_held(stop(cli, "<task-loop-complete>BLOCKED</task-loop-complete>"))


def test_a_state_its_tool_leaves_there_is_left(cli: CommandLine) -> None:
    file = write_loop_file(cli, samples.HOPE, ".loop/state.json")
    stop(cli)

    cli.untildone("cancel")

    assert file.exists()
