"""PreToolUse as the client hears it: a refusal with what to do instead, or silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from hooks.world import HOOK, HookWorld
from untildone.engine import verbs
from untildone.engine.agent_verbs import AgentVerb, format_verb
from world import SESSION


@pytest.fixture
def world(tmp_path: Path) -> HookWorld:
    made = HookWorld(tmp_path)
    made.start()
    return made


def call(world: HookWorld, tool: str, project: Path | None = None, **inputs: Any) -> object:  # noqa: ANN401  any input of a tool
    payload = world.payload("PreToolUse", tool_name=tool, tool_input=inputs)
    environ = {**world.environment(), "CLAUDE_PROJECT_DIR": str(project or world.project)}
    return world.run_hook("PreToolUse", payload, environ=environ).json


def test_a_refusal_says_what_to_do_instead(world: HookWorld) -> None:
    assert call(world, "Bash", command="untildone cancel") == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": (
                "untildone: `untildone cancel` is refused: only the user can do that;"
                " if you cannot go on, run `untildone blocked REASON`"
            ),
        }
    }


def test_a_refused_call_is_not_in_flight(world: HookWorld) -> None:
    session = world.session
    session.write("pre", "\n\n")

    call(world, "Bash", command="untildone cancel")

    assert session.count_begun_calls() == 1


def test_state_and_program_are_protected(world: HookWorld) -> None:
    for path in (world.state_folder / "loops" / "x", HOOK / "entry.py"):
        assert call(world, "Write", file_path=str(path), content="") is not None


def test_our_own_source_may_be_worked_on_as_a_project(world: HookWorld) -> None:
    source = HOOK.parents[2]
    edit = {"file_path": str(HOOK / "entry.py"), "old_string": "a", "new_string": "b"}

    assert call(world, "Edit", source, **edit) is None
    state = str(world.state_folder / "loops" / "x")
    assert call(world, "Write", source, file_path=state, content="") is not None


@pytest.mark.parametrize(
    "command", ["ls", "grep -rn untildone .", "git commit -m 'untildone cancel'"]
)
def test_honest_work_is_let_through(world: HookWorld, command: str) -> None:
    assert call(world, "Bash", command=command) is None


CHANGES = [
    ("Write", {"file_path": "schema.sql", "content": "drop table users;"}),
    ("Edit", {"file_path": "schema.sql", "old_string": "a", "new_string": "b"}),
    ("mcp__files__write_file", {"path": "schema.sql", "content": ""}),
    ("Bash", {"command": "sed -i s/a/b/ schema.sql"}),
    ("Bash", {"command": "cat notes > schema.sql"}),
    ("Bash", {"command": "ls; psql -c 'drop table users'"}),
    ("Bash", {"command": "git push --force"}),
    ("Bash", {"command": "awk '{print > \"schema.sql\"}' a.txt"}),
    ("Bash", {"command": "sort -o schema.sql a.txt"}),
]
READS = [
    ("Read", {"file_path": "schema.sql"}),
    ("Grep", {"pattern": "users"}),
    ("Bash", {"command": "grep -rn users . 2>/dev/null | head -20 2>&1"}),
    ("Bash", {"command": "git -C . log --stat"}),
    ("Bash", {"command": "awk '$1 > 5 {print > \"/dev/stderr\"}' schema.sql"}),
    ("Bash", {"command": "untildone precheck --evidence 'nobody reads it > now'"}),
]


@pytest.fixture
def unchecked(tmp_path: Path) -> HookWorld:
    made = HookWorld(tmp_path)
    made.start(reversibility="1")
    return made


@pytest.mark.parametrize(("tool", "inputs"), CHANGES)
def test_a_change_of_type_1_waits_for_its_precheck(
    unchecked: HookWorld, tool: str, inputs: dict[str, Any]
) -> None:
    refused = call(unchecked, tool, **inputs)

    assert isinstance(refused, dict)
    assert refused["hookSpecificOutput"]["permissionDecisionReason"] == (
        "untildone: the changes of this loop are hard to undo (type 1): find out how they could go"
        " wrong, and record that before the first change: `untildone precheck --evidence TEXT`"
    )
    loop = unchecked.context.session(SESSION).get_loop_id()
    precheck = AgentVerb(verb="precheck", text="looked at")
    verbs.record_agent_verb(unchecked.context, loop, precheck)
    assert call(unchecked, tool, **inputs) is None


@pytest.mark.parametrize(("tool", "inputs"), READS)
def test_what_only_reads_does_not_wait_for_it(
    unchecked: HookWorld, tool: str, inputs: dict[str, Any]
) -> None:
    assert '"deny"' not in json.dumps(call(unchecked, tool, **inputs))


def test_nothing_waits_for_it_while_the_loop_is_paused(unchecked: HookWorld) -> None:
    verbs.pause(unchecked.context, unchecked.context.session(SESSION).get_loop_id())

    assert call(unchecked, "Write", file_path="schema.sql", content="") is None


def test_a_precheck_of_a_shell_that_cannot_write_our_state_counts(unchecked: HookWorld) -> None:
    session = unchecked.context.session(SESSION)
    said = AgentVerb(verb="precheck", text="looked at 'it'")
    ended = {"tool_name": "Bash", "tool_response": {"stdout": format_verb(said)}}
    session.append("calls/1", json.dumps(ended))

    assert call(unchecked, "Write", file_path="schema.sql", content="") is None


def test_a_command_given_to_the_agent_needs_no_permission(world: HookWorld) -> None:
    answer = call(world, "Bash", command="untildone check")

    assert isinstance(answer, dict)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "allow"


def test_in_plan_mode_the_client_decides(world: HookWorld) -> None:
    inputs = {"command": "untildone check"}
    payload = world.payload(
        "PreToolUse", tool_name="Bash", tool_input=inputs, permission_mode="plan"
    )

    assert world.run_hook("PreToolUse", payload).json is None
