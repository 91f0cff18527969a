"""Edits while the agent works: reported at once where wanted, and beside the checks of a round."""

import json
import sys
from pathlib import Path
from typing import Any

from keepers import keepers, wait_until
from untildone import app
from untildone.core.contract import Bounds
from untildone.engine.context import project_folder
from untildone.features.edits import switch
from world import World, shown

EVAL = "def run(code):\n    eval(code)\n"
FOUND = (
    "a.py\n  2: security python-eval text that is not a constant is run as code; parse it"
    " (`ast.literal_eval`, `json.loads`) instead"
)
UNBOUND = Bounds(rounds=0, stagnation=0)


def describe_edit(path: Path, *, before: str) -> dict[str, Any]:
    """The fields of a payload that say what a tool call edited."""
    response = {"filePath": str(path), "originalFile": before}
    inputs = {"file_path": str(path)}
    return {"tool_name": "Edit", "tool_input": inputs, "tool_response": response}


def report_edit(world: World, path: Path, *, before: str) -> Any:  # noqa: ANN401  the answer
    answer = app.answer(world.call("PostToolUse", **describe_edit(path, before=before)))
    return json.loads(answer) if answer else None


def report_edit_until_answered(world: World, path: Path, *, before: str) -> Any:  # noqa: ANN401
    """Nobody is waited for longer than a second, which a busy machine may take."""
    answers: list[Any] = []

    def answered() -> bool:
        answers.append(report_edit(world, path, before=before))
        return bool(answers[-1])

    assert wait_until(answered)
    return answers[-1]


def stop_after_edits(world: World, *paths: Path) -> str:
    for number, path in enumerate(paths):
        world.session.append(f"calls/{number}", json.dumps(describe_edit(path, before="")))
    return shown(world.stop())


def last_round(world: World) -> dict[str, Any]:
    return world.context.loops.read_journal(world.loop)[-1].data


def test_what_an_edit_brought_is_reported_at_once_where_wanted(world: World) -> None:
    switch.write_modes(str(world.state_folder), frozenset({switch.TELL}))
    file = world.write("a.py", EVAL)

    assert report_edit_until_answered(world, file, before="") == {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "additionalContext": f"[untildone] This edit brought 1 security finding:\n{FOUND}",
        }
    }
    assert report_edit(world, file, before=EVAL) is None


def test_without_feedback_an_edit_only_warms_the_servers(world: World) -> None:
    switch.write_modes(str(world.state_folder), frozenset({switch.AUTO}))
    programs = world.project / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "ruff").symlink_to(Path(sys.executable).with_name("ruff"))
    (project_folder(world.state_folder, world.project) / "checks").mkdir(parents=True)

    assert report_edit(world, world.write("a.py", EVAL), before="") is None
    assert wait_until(lambda: keepers(world.project))


def test_an_edit_outside_the_project_is_nobodys(world: World) -> None:
    switch.write_modes(str(world.state_folder), frozenset({switch.TELL}))

    assert report_edit(world, world.write("../a.py", EVAL), before="") is None


def test_a_round_reports_what_is_wrong_in_the_files_edited_in_it(world: World) -> None:
    world.start(baseline="none", bounds=UNBOUND)
    files = world.write("a.py", EVAL), world.write("b.py", "x = 1\n")
    head = "In the files you edited, beside the checks: 1 security finding (no criterion)."

    assert wait_until(lambda: f"\n{head}\n{FOUND}\n" in stop_after_edits(world, *files))
    assert last_round(world)["edited"] == [
        {"path": "a.py", "errors": 0, "warnings": 0, "infos": 0, "security": 1},
        {"path": "b.py", "errors": 0, "warnings": 0, "infos": 0, "security": 0},
    ]
    assert head not in stop_after_edits(world)
    assert last_round(world)["edited"] == []


def test_what_edited_files_say_never_decides(world: World) -> None:
    world.start(baseline="none", bounds=UNBOUND)
    stop_after_edits(world)
    world.write("done.txt", "")
    stop_after_edits(world, world.write("a.py", EVAL))

    assert world.state()[:2] == ("finished", "done")
