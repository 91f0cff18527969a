"""What the agent may say of its loop, from its own shell."""

import json
import subprocess
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import NEXT, format_feedback, output_at, red_lines, still_red
from client.world import ClientWorld
from world import CHECK

pytestmark = pytest.mark.client

SIGNALLED = "recorded; stop now, and the checks decide"
UNSAID = format_feedback(
    "Round 1 of 10: every criterion holds, but you have not said that the task is done.",
    "If the whole task is done, run `untildone signal`; otherwise go on with what is missing."
    " No check was red in the baseline, so the checks alone prove nothing.",
)


SANDBOXED = "unshare -rm sh sandbox.sh 'untildone note odd; untildone signal'"


def can_mount() -> bool:
    """Whether a command can have a view of the files of its own, as a sandbox has."""
    try:
        done = subprocess.run(["unshare", "-rm", "true"], check=False, capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def test_a_blocked_agent_is_asked_once_and_then_the_loop_pauses(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        bash("untildone note 'the fixture is odd'"),
        bash("untildone blocked 'no network'"),
        "I cannot go on.",
        bash("untildone blocked 'still no network'"),
        "I cannot go on.",
    ]
    world = ClientWorld(tmp_path)
    loop = world.start()

    _, server = world.run(script)

    assert len(server.requests) == 6
    assert world.told(server) == (
        (still_red(1),),
        ("noted",),
        ("recorded; stop now",),
        (
            format_feedback(
                "Round 2 of 10: you said you are blocked: no network",
                red_lines(),
                "What would unblock you without the user? Try that first. If nothing would,"
                " say it again with the reason and the loop pauses for them.",
                output_at(2),
            ),
        ),
        ("recorded; stop now",),
    )
    assert world.shown(loop)["progress"]["notes"] == ["the fixture is odd"]
    assert world.standing("reason", "held") == ("paused", "blocked", 3, "still no network", False)
    assert requests_without_us(script) == 1


def test_what_was_green_in_the_baseline_needs_the_agent_s_signal(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("echo > page.txt; untildone signal"), "Done."]
    world = ClientWorld(tmp_path)
    world.start("--check", "true")

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == ((UNSAID,), (SIGNALLED,))
    assert world.standing() == ("finished", "done", 2)
    assert requests_without_us(script) == 1


def test_claims_are_met_by_reports_and_the_agent_s_word(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        bash("echo > done.txt; untildone met 'reads well' --by review --evidence 'read it twice'"),
        "Done.",
        bash("untildone signal"),
        "Done.",
    ]
    world = ClientWorld(tmp_path)
    world.start("--check", CHECK, "--criterion", "reads well=review")

    _, server = world.run(script)

    assert len(server.requests) == 5
    assert world.told(server) == (
        (
            format_feedback(
                "Round 1 of 10: not done yet. Unmet: check, reads well.",
                red_lines(),
                f"{NEXT} Only you can tell whether this holds: reads well. Report it with"
                " `untildone met NAME --by execution|observation|measurement|review"
                " --evidence TEXT`.",
                output_at(1),
            ),
        ),
        ("recorded: reads well by review",),
        (
            format_feedback(
                "Round 2 of 10: every criterion holds, but you have not said that the task is"
                " done.",
                "Since the baseline: 1 fixed, 0 new, 0 regressed, 0 remaining"
                " (100 % fewer failures than in the baseline).",
                "If the whole task is done, run `untildone signal`; otherwise go on.",
            ),
        ),
        (SIGNALLED,),
    )
    assert world.standing() == ("finished", "done", 3)
    assert requests_without_us(script) == 1


def test_a_promise_ends_the_loop_as_claimed(tmp_path: Path) -> None:
    script: list[Step] = [
        "Done.",
        "I will say ALL PAGES WRITTEN once they are.",
        "<promise>ALL PAGES WRITTEN</promise>",
    ]
    world = ClientWorld(tmp_path)
    world.start("--promise", "ALL PAGES WRITTEN")

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == tuple(
        (
            format_feedback(
                f"Round {number} of 10: not done yet. Unmet: promise `ALL PAGES WRITTEN`.",
                "See what is done and what is missing, and go on with the task. When it is true,"
                " and only then, say <promise>ALL PAGES WRITTEN</promise>. If you cannot go on, run"
                " `untildone blocked REASON`.",
            ),
        )
        for number in (1, 2)
    )
    assert world.standing() == ("finished", "claimed", 3)
    assert requests_without_us(script) == 1


@pytest.mark.skipif(not can_mount(), reason="a read-only mount of one's own is not allowed here")
@pytest.mark.parametrize("install", ["settings", "both"])
def test_a_verb_that_cannot_write_the_state_is_taken_from_the_tool_call(
    tmp_path: Path, install: str
) -> None:
    script: list[Step] = ["Done.", bash(SANDBOXED), "Done."]
    world = ClientWorld(tmp_path, install=install)
    loop = world.start("--check", "true")
    world.project.joinpath("sandbox.sh").write_text(
        f"cd {world.state_folder}\n"
        'mount --bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" || exit\n'
        f"cd {world.project}\n"
        'sh -c "$1"\n',
        encoding="utf-8",
    )

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == (
        (UNSAID,),
        (f"{by_hook('note', 'odd')}\nnoted\n{by_hook('signal')}\n{SIGNALLED}",),
    )
    assert world.shown(loop)["progress"]["notes"] == ["odd"]
    assert world.standing() == ("finished", "done", 2)
    assert requests_without_us(script) == 1


def by_hook(verb: str, text: str = "") -> str:
    said = {"verb": verb, "name": "", "text": text, "by": "assumption"}
    return f"untildone-verb: {json.dumps(said)}"
