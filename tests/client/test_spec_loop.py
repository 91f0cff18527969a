"""Loops from a spec with the real client: both conditions, and a gate the user answers."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Call, Gate, Step, bash
from client.terminal import Terminal
from client.test_interactive import sitting_at, wait_until_ended
from client.texts import SILENT
from client.world import ClientWorld
from world import CHECK

pytestmark = pytest.mark.client

CLEAR = f"Make done.txt hold every page; no new packages; done when `{CHECK}` passes"
COLLEAGUE = "Refactor all pages to use the new layout"
STATUS = """---LOOP_STATUS---
EXIT_SIGNAL: true
CRITERIA: {"check": true, "reads well": true}
NEXT: none
---END_STATUS---"""


def test_both_conditions_are_needed_and_claims_are_compared(tmp_path: Path) -> None:
    script: list[Step] = [
        STATUS,
        bash("echo > done.txt; untildone met 'reads well' --by review --evidence 'read it twice'"),
        "All is well.",
        f"Done.\n\n{STATUS}\n<loop-complete>",
    ]
    world = ClientWorld(tmp_path)
    loop = world.start(
        *("--preset", "loop", "--task", CLEAR, "--check", CHECK, "--criterion", "reads well=review")
    )

    result, server = world.run(script)

    assert len(server.requests) == 4
    (claimed,), _, (unsaid,) = world.told(server)
    for line in (
        "- `check`: true, but the check `check` is red",
        "- `reads well`: true, but it is not reported with `untildone met`",
        "- `EXIT_SIGNAL: true`, but unmet: check, reads well",
    ):
        assert line in claimed.splitlines()
    assert "every criterion holds, but you have not said that the task is done." in unsaid
    assert world.standing() == ("finished", "done", 3)
    assert "╭─ 🟡 MONITOR" in result.notices[-1]
    assert world.shown(loop)["contract"]["done_when"] == "both"
    assert requests_without_us(script) == 1


def answer_question(terminal: Terminal, question: str, prompt: str) -> None:
    terminal.wait_for(question)
    terminal.wait_until_idle()
    terminal.submit(prompt)


def test_a_colleague_asks_at_each_gate_and_the_user_answers(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    steps: list[Step] = [
        bash("untildone steps set 'write the pages'"),
        "These are my steps.",
        bash("untildone steps done 1"),
        "The step is done.",
        bash("echo > done.txt; untildone signal"),
        "All of it is done.",
        Gate("Thank you."),
    ]
    with sitting_at(world, steps) as (terminal, server):
        terminal.submit(f"/untildone:loop {COLLEAGUE} --check '{CHECK}'")
        answer_question(terminal, "Proceed?", "yes")
        answer_question(terminal, "is complete: continue?", "go on")
        answer_question(terminal, "confirm that it is done?", "yes")
        server.wait_for_requests(7)
        assert world.status()["status"] == "active"
        thanks = steps[-1]
        assert isinstance(thanks, Gate)
        thanks.open()
        wait_until_ended(world, "done")

        assert len(server.requests) == 7
    assert world.standing() == ("finished", "done", 4)


def test_the_first_change_of_type_1_waits_for_its_precheck(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    file = str(world.project / "done.txt")
    script: list[Step] = [
        ("I write.", Call("Write", {"file_path": file, "content": "x"})),
        ("I write.", bash("echo > done.txt")),
        ("I think.", bash("untildone precheck --evidence 'nobody reads it yet'")),
        ("I write.", bash("echo > done.txt")),
        "Done.\n\nEXIT_SIGNAL: true",
    ]
    world.start("--preset", "loop", "--task", CLEAR, "--check", CHECK, "--reversibility", "1")

    _, server = world.run(script)

    first = (
        "hook error: untildone: the changes of this loop are hard to undo (type 1): find out how"
        " they could go wrong, and record that before the first change:"
        " `untildone precheck --evidence TEXT`"
    )
    assert world.told(server) == (
        (f"PreToolUse:Write {first}",),
        (f"PreToolUse:Bash {first}",),
        ("recorded",),
        (SILENT,),
    )
    assert world.standing() == ("finished", "done", 1)


def test_a_vague_spec_starts_nothing_and_names_the_questions(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)

    result, server = world.run(["never"], "/untildone:loop make it better")

    assert (len(server.requests), world.loops()) == (0, [])
    assert "the spec is vague: it scores" in result.text
