"""Loops that begin with a prompt, and prompts that begin none."""

import shutil
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import NEXT, RED_NOW, SILENT, format_feedback, output_at, reminder
from client.world import PLUGIN, ClientWorld

pytestmark = pytest.mark.client

COMMAND = '/untildone:test fix it --rounds 3 --check "test -f done.txt"'
WORK: list[Step] = ["Done.", bash("echo > done.txt"), "Done."]
PROPOSAL = (
    "UserPromptSubmit hook additional context: [untildone] This asks for work until it is proved"
    " done, but nobody who could start a loop is here. You may start one yourself: `untildone start"
    " --preset test` (with `--task`, and `--check COMMAND` where none is found); you are then held"
    " until its checks pass, within its bounds."
)


@pytest.mark.parametrize("install", ["settings", "plugin", "both"])
def test_a_slash_command_starts_the_loop_before_the_first_request(
    tmp_path: Path, install: str
) -> None:
    world = ClientWorld(tmp_path, install=install)

    _, server = world.run(WORK, COMMAND)

    assert len(server.requests) == 3
    given = "\n\n".join(map(world.named, server.requests[0].texts))
    context = reminder("round 0 of 3", task="fix it", unmet="not judged yet")
    assert given.count(f"UserPromptSubmit hook additional context: {context}") == 1
    # A bare exit code on a copy proves nothing about the baseline: nothing is reported.
    head = "Round 1 of 3: not done yet. Unmet: check."
    held = format_feedback(head, RED_NOW, NEXT, output_at(1), task="fix it")
    assert world.told(server) == ((held,), (SILENT,))
    assert world.standing("task", "max_rounds") == ("finished", "done", 2, "fix it", 3)
    assert requests_without_us(WORK, COMMAND, *without_hooks(tmp_path)) == 1


def test_a_slash_command_from_a_pipe_only_proposes(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)

    result, server = world.run(WORK, "", stdin=COMMAND)

    assert len(server.requests) == 1
    assert "\n\n".join(server.requests[0].texts).count(PROPOSAL) == 1
    assert world.loops() == []
    assert result.notices == (
        "UserPromptSubmit says: untildone: no loop was started; `/untildone:test` in a session"
        " starts one",
    )
    assert requests_without_us(WORK, COMMAND, *without_hooks(tmp_path)) == 1


def without_hooks(folder: Path) -> tuple[str, str]:
    """The same slash commands from a plugin that has nothing else."""
    skills = folder / "skills-only"
    shutil.copytree(PLUGIN, skills, ignore=shutil.ignore_patterns("hooks"))
    return "--plugin-dir", str(skills)


def test_a_phrase_in_an_unattended_run_only_proposes(tmp_path: Path) -> None:
    prompt = "test relentlessly: fix it"
    world = ClientWorld(tmp_path)

    _, server = world.run(WORK, prompt)

    assert len(server.requests) == 1
    assert "\n\n".join(server.requests[0].texts).count(PROPOSAL) == 1
    assert world.loops() == []
    assert requests_without_us(WORK, prompt) == 1


def test_a_question_about_it_starts_nothing_and_adds_nothing(tmp_path: Path) -> None:
    prompt = "what is test relentlessly?"
    world = ClientWorld(tmp_path)

    result, server = world.run(WORK, prompt)

    assert len(server.requests) == 1
    assert not [text for text in server.requests[0].texts if "[untildone]" in text]
    assert (world.loops(), result.notices) == ([], ())
    assert requests_without_us(WORK, prompt) == 1
