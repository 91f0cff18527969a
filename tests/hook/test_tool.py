"""PreToolUse as the client hears it: a refusal with what to do instead, or silence."""

from pathlib import Path

import pytest

from hook.calls import HOOK, SESSION, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.start()
    return made


def call(place: Place, tool: str, project: Path | None = None, **inputs: object) -> object:
    payload = place.payload("PreToolUse", tool_name=tool, tool_input=inputs)
    environ = {**place.environment(), "CLAUDE_PROJECT_DIR": str(project or place.project)}
    return place.call("PreToolUse", payload, environ=environ).json


def test_a_refusal_says_what_to_do_instead(place: Place) -> None:
    assert call(place, "Bash", command="untildone cancel") == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": (
                "untildone: `untildone cancel` is refused: only the person can do that;"
                " if you cannot go on, run `untildone blocked REASON`"
            ),
        }
    }


def test_a_refused_call_is_not_in_flight(place: Place) -> None:
    session = place.context.session(SESSION)
    session.write("pre", "\n\n")

    call(place, "Bash", command="untildone cancel")

    assert session.calls_begun() == 1


def test_state_and_program_are_protected(place: Place) -> None:
    for path in (place.home / "loops" / "x", HOOK / "entry.py"):
        assert call(place, "Write", file_path=str(path), content="") is not None


def test_our_own_source_may_be_worked_on_as_a_project(place: Place) -> None:
    source = HOOK.parents[2]
    edit = {"file_path": str(HOOK / "entry.py"), "old_string": "a", "new_string": "b"}

    assert call(place, "Edit", source, **edit) is None
    state = str(place.home / "loops" / "x")
    assert call(place, "Write", source, file_path=state, content="") is not None


@pytest.mark.parametrize(
    "command", ["ls", "grep -rn untildone .", "git commit -m 'untildone cancel'"]
)
def test_honest_work_is_let_through(place: Place, command: str) -> None:
    assert call(place, "Bash", command=command) is None
