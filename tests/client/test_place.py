"""Whose stop it is and where it is judged: sessions, folders, worktrees, odd paths."""

import uuid
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.harness import allow
from client.model_server import ModelServer
from client.script import Call, Gate, Step, bash
from client.texts import SILENT, still_red
from client.world import ClientWorld

pytestmark = pytest.mark.client

# The client's own word to the model.
MOVED = "# Environment update\n - Primary working directory: PROJECT/sub (was PROJECT)"
WORKTREE = "PROJECT/.claude/worktrees/wt1"


def test_of_two_sessions_in_one_project_only_the_owner_is_held(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("echo > done.txt"), "Done."]
    world = ClientWorld(tmp_path)
    world.start()
    gate = Gate("Done.")
    other = ("--session-id", str(uuid.uuid4()), *allow("Bash"))

    with (
        ModelServer([gate]) as bystander,
        world.client(bystander).begin("please work", *other) as conversation,
    ):
        gate.wait_reached()
        _, owner = world.run(script)
        gate.open()
        free = conversation.finish()

    assert (free.text, len(bystander.requests), len(owner.requests)) == ("Done.", 1, 3)
    assert not [text for text in bystander.requests[0].texts if "[untildone]" in text]
    assert world.told(owner) == ((still_red(1),), (SILENT,))
    assert world.standing() == ("finished", "done", 2)
    assert requests_without_us(script) == 1


def test_an_agent_that_changes_the_folder_is_judged_at_the_root(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        bash("mkdir sub && cd sub && echo > done.txt"),
        "Done.",
        bash("pwd && echo > ../done.txt"),
        "Done.",
    ]
    world = ClientWorld(tmp_path)
    world.start()

    _, server = world.run(script)

    assert len(server.requests) == 5
    assert world.told(server) == (
        (still_red(1),),
        (SILENT, MOVED),
        (still_red(2, changed=True),),
        ("PROJECT/sub",),
    )
    assert world.standing() == ("finished", "done", 3)
    assert requests_without_us(script) == 1


def test_in_a_worktree_of_the_project_the_checks_run_there(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        Call("EnterWorktree", {"name": "wt1"}),
        "Done.",
        bash("echo > done.txt"),
        "Done.",
    ]
    world = ClientWorld(tmp_path)
    world.start()

    _, server = world.run(script)

    assert len(server.requests) == 5
    first, _, second, third = world.told(server)
    assert (first, second) == ((still_red(1),), (still_red(2, root=WORKTREE),))
    assert third == (SILENT,)
    assert world.standing() == ("finished", "done", 3)
    assert not world.project.joinpath("done.txt").exists()
    assert requests_without_us(script) == 1


@pytest.mark.parametrize("name", ["two words", 'it\'s "quoted"', "two\nlines", "$(touch x) `y`"])
def test_a_project_with_an_odd_path_is_held(tmp_path: Path, name: str) -> None:
    script: list[Step] = ["Done.", bash("echo > done.txt"), "Done."]
    world = ClientWorld(tmp_path, project=name)
    world.start()

    _, server = world.run(script)

    assert len(server.requests) == 3
    # A path may not begin a line of its own in what the model reads.
    root = "PROJECT" if "\n" not in name else str(world.project).replace("\n", " ")
    assert world.told(server) == ((still_red(1, root=root),), (SILENT,))
    assert world.standing("project") == ("finished", "done", 2, str(world.project))
    assert requests_without_us(script) == 1


@pytest.mark.parametrize(
    "harm",
    [
        # Moved, since the client may write a file while a folder is being removed.
        pytest.param("mv {folder} ~/gone", id="missing"),
        pytest.param("rm {file}; mkdir {file}", id="no file"),
        pytest.param("sed -i 1q {file}", id="lagging"),
    ],
)
def test_the_hold_does_not_depend_on_the_transcript(tmp_path: Path, harm: str) -> None:
    script: list[Step] = ["Done.", bash("sh harm.sh"), "Done.", bash("echo > done.txt"), "Done."]
    world = ClientWorld(tmp_path)
    world.start()
    # In a file of its own, because the client would ask before such a command.
    folder = "~/.claude/projects"
    harm = harm.format(folder=folder, file="$file")
    script_text = f"file=$(echo {folder}/*/{world.session}.jsonl)\n{harm}\n"
    world.project.joinpath("harm.sh").write_text(script_text, encoding="utf-8")

    _, server = world.run(script)

    assert len(server.requests) == 5
    assert world.told(server) == ((still_red(1),), (SILENT,), (still_red(2),), (SILENT,))
    assert world.standing() == ("finished", "done", 3)
    assert requests_without_us(script) == 1
