"""The session's TODO items, recalled and worked off, with the real client."""

from pathlib import Path

import pytest

from client.script import Call, Step, bash
from client.world import ClientWorld

pytestmark = pytest.mark.client

WRITTEN = "printf -- '- [x] parser\\n- [ ] docs\\n' > TODO.md"
RECALLED = (
    "UserPromptSubmit hook additional context: [untildone] 1 TODO item of 2 unfinished: docs. The"
    " prompt comes first; go on with these where they belong to it, and mark what is done."
)


def count_recalls(world: ClientWorld) -> int:
    """How often in this conversation, after one more prompt."""
    _, server = world.run(["Done."], "and now?")
    return "\n\n".join(server.requests[0].texts).count(RECALLED)


def test_items_of_a_file_are_recalled_until_they_are_done(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.project.joinpath("TODO.md").write_text("- [ ] an old one\n", encoding="utf-8")
    # A file of before the session is not the session's; some shells compare whole seconds.
    _, first = world.run([bash(f"sleep 1.1; {WRITTEN}"), "Done."], "please work")

    assert [text for text in first.requests[0].texts if "[untildone]" in text] == []
    assert count_recalls(world) == 1
    world.project.joinpath("TODO.md").write_text("- [x] docs\n", encoding="utf-8")
    assert count_recalls(world) == 1


def test_tasks_of_the_client_are_recalled_unless_switched_off(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.variables["CLAUDE_CODE_ENABLE_TODO_TOOLS"] = "1"
    steps: list[Step] = [
        Call("TaskCreate", {"subject": subject, "description": subject})
        for subject in ("parser", "docs", "nonsense")
    ]
    steps += [
        Call("TaskUpdate", {"taskId": "1", "status": "completed"}),
        Call("TaskUpdate", {"taskId": "3", "status": "deleted"}),
        "Done.",
    ]
    world.run(steps)

    assert count_recalls(world) == 1
    world.state_folder.joinpath("config.toml").write_text(
        "recall_todos = false\n", encoding="utf-8"
    )
    assert count_recalls(world) == 1
    world.state_folder.joinpath("config.toml").unlink()
    world.variables["UNTILDONE_DISABLE"] = "1"
    assert count_recalls(world) == 1


def test_a_loop_of_the_items_holds_until_they_are_worked_off(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.project.joinpath("TODO.md").write_text("- [ ] parser\n- [ ] docs\n", encoding="utf-8")
    world.start("--from-todos")

    _, server = world.run(
        [
            bash("printf -- '- [x] parser\\n' > TODO.md"),
            "Done.",
            bash("printf -- '- [x] parser\\n- [x] docs\\n' > TODO.md"),
            "Done.",
        ]
    )

    held = world.told(server)[1][-1]
    assert "Unmet: todo `docs` (removed from the list, not finished)." in held
    assert world.standing() == ("finished", "claimed", 2)
