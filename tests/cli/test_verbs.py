"""The person's verbs and the agent's, as they are typed."""

import json
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.desk import OTHER, RED, SESSION, Desk, Said, error
from client.world import BIN, MEASURED
from untildone.app import open_context
from untildone.engine.verbs import change_loop

PERSONS = ("pause", "continue", "cancel", "approve")


def test_pause_continue_cancel(desk: Desk) -> None:
    loop = desk.start()

    assert desk.said("pause") == (
        0,
        f"loop {loop} is paused; `untildone continue` resumes it\n",
        "",
    )
    assert desk.standing(loop) == ("paused", "paused", 0, 10)
    assert desk.said("continue") == (
        0,
        f"loop {loop} continues, round 0 of 10; the agent is held from its next stop\n",
        "",
    )
    assert desk.standing(loop) == ("active", None, 0, 10)
    assert desk.said("cancel", loop[:6]) == (0, f"loop {loop} is cancelled\n", "")
    assert desk.standing(loop) == ("finished", "cancelled", 0, 10)


def test_a_paused_and_a_cancelled_loop_hold_nobody(desk: Desk) -> None:
    loop = desk.start()

    for verb in ("pause", "cancel"):
        desk.typed(verb, loop)
        assert desk.event("Stop", last_assistant_message="Done.") is None
    assert desk.json("show", loop)["progress"]["round"] == 0


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ((), 2),
        (("--rounds", "+5"), 6),
        (("--rounds", "5"), 6),
        (("--rounds", "=5"), 5),
        (("--rounds", "=0"), 0),
    ],
)
def test_more_rounds(desk: Desk, options: tuple[str, ...], bound: int) -> None:
    loop = desk.start("--check", RED, "--rounds", "1")
    desk.event("Stop", last_assistant_message="Done.")
    assert desk.standing(loop) == ("paused", "out-of-rounds", 1, 1)

    assert desk.typed("continue", *options)[0] == 0
    assert desk.standing(loop) == ("active", None, 1, bound)


def test_a_bound_that_leaves_no_round(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--rounds", "1")
    desk.event("Stop", last_assistant_message="Done.")

    assert desk.typed("continue", "--rounds", "=1") == error(
        "a bound of 1 leaves no round: 1 are used up", "`untildone continue --rounds +5` adds five"
    )
    assert desk.standing(loop) == ("paused", "out-of-rounds", 1, 1)


def test_the_last_round_can_be_continued(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--rounds", "2")
    desk.event("Stop", last_assistant_message="Done.")
    desk.typed("pause")

    assert desk.typed("continue")[0] == 0
    assert desk.standing(loop) == ("active", None, 1, 2)


def test_more_money_and_time(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--minutes", "10")

    desk.typed("continue", "--budget", "+2.5", "--minutes", "=30")

    _, shown, _ = desk.typed("show", loop)
    assert "- bounds: 10 rounds, 27.5 USD, 30 minutes" in shown.splitlines()


def test_the_minutes_of_a_round_and_what_a_script_reads(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--minutes", "10", "--round-minutes", "2")

    told = desk.json("continue", "--round-minutes", "+3", "--iterations", "=12")

    assert [(each["id"], each["status"], each["max_rounds"]) for each in told["loops"]] == [
        (loop, "active", 12)
    ]
    _, shown, _ = desk.typed("show", loop)
    assert "- bounds: 12 rounds, 25 USD, 10 minutes, 5 minutes a round" in shown.splitlines()


def test_a_criterion_that_was_added_must_hold(desk: Desk) -> None:
    loop = desk.start()
    desk.typed("criterion", "add", "docs", "--by", "review")
    desk.event("Stop", last_assistant_message="Done.")
    desk.write("done.txt", "")

    held = desk.event("Stop", last_assistant_message="<untildone:done />")
    assert "Unmet: docs." in held["hookSpecificOutput"]["additionalContext"]

    desk.typed("met", "docs", "--by", "review", "--evidence", "read them")
    desk.event("Stop", last_assistant_message="<untildone:done />")
    assert desk.standing(loop) == ("finished", "done", 3, 10)


def test_a_loop_is_taken_along_into_this_session(desk: Desk) -> None:
    loop = desk.start()
    desk.typed("pause")

    code, _, told = desk.typed("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=OTHER)

    assert (code, told) == (0, "")
    assert desk.event("Stop", last_assistant_message="Done.") is None
    assert desk.event("Stop", OTHER, last_assistant_message="Done.") is not None


def test_a_session_with_a_loop_takes_no_other_one(desk: Desk) -> None:
    loop, other = desk.start(), desk.start(session=OTHER)

    assert desk.typed("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=OTHER) == error(
        f"this session has the loop `{other}` already", f"`untildone cancel {other}` ends it"
    )
    assert desk.typed("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=SESSION)[0] == 0
    assert desk.typed("continue", loop, "--here", CLAUDE_CODE_SESSION_ID="a b") == error(
        "`a b` is not a session id", "`untildone status --all` lists sessions"
    )


def test_a_finished_loop_is_not_taken_along(desk: Desk) -> None:
    loop = desk.start()
    desk.typed("cancel")

    code, _, told = desk.typed("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=OTHER)

    assert (code, told.splitlines()[0]) == (
        2,
        f"error: loop `{loop}` is already finished (cancelled)",
    )
    assert desk.json("show", loop)["status"]["session"] == SESSION


def ask_about(desk: Desk, loop: str, *losses: str) -> None:
    """As a pause for approval leaves it."""
    found = open_context({}, home=str(desk.state))
    change_loop(
        found, loop, lambda now: replace(now.progress, reported_concerns=losses), kind="asked"
    )


def test_approve(desk: Desk) -> None:
    loop = desk.start()
    ask_about(desk, loop, "remove-test:a#12", "config:b")

    assert desk.said("approve", "config:b") == (
        0,
        "approved config:b\nstill open: remove-test:a\n",
        "",
    )
    assert desk.json("approve", "--all", "--loop", loop) == {
        "loop": loop,
        "approved": ["remove-test:a#12"],
        "left": [],
        "goes_on": False,
    }
    amendments = desk.json("show", loop)["progress"]["amendments"]
    assert [amendment["allow"] for amendment in amendments] == [["config:b"], ["remove-test:a#12"]]


def test_what_is_not_asked_about_is_not_approved(desk: Desk) -> None:
    loop = desk.start()

    assert desk.typed("approve", "--all") == error(
        f"loop `{loop}` asks for no approval", f"`untildone show {loop}` tells how it is"
    )
    ask_about(desk, loop, "config:b")
    assert desk.typed("approve", "config:c") == error(
        "`config:c` is not asked about (asked: `config:b`)", "give ids, or `--all`"
    )
    assert desk.typed("approve") == error(
        "no finding is named (asked: `config:b`)", "give ids, or `--all`"
    )
    assert desk.json("show", loop)["progress"]["amendments"] == []


def test_a_file_is_shown_as_it_was_at_the_start(desk: Desk) -> None:
    (desk.project / "a.txt").write_bytes(b"caf\xe9\n")
    desk.start()
    (desk.project / "a.txt").write_text("changed", encoding="utf-8")

    done = subprocess.run(
        [BIN / "untildone", "show", "--at-start", "a.txt"],
        cwd=desk.project,
        env=desk.environ,
        capture_output=True,
        check=True,
    )

    assert done.stdout == b"caf\xe9\n"


def test_a_slash_command_approves_in_the_same_way(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    loop = desk.start()
    ask_about(desk, loop, "config:b")

    desk.event("UserPromptSubmit", prompt="/untildone:approve --all")

    (amendment,) = desk.json("show", loop)["progress"]["amendments"]
    assert amendment["allow"] == ["config:b"]


@pytest.mark.parametrize("verb", PERSONS)
def test_the_persons_verbs_are_refused_to_the_agent(desk: Desk, verb: str) -> None:
    desk.event("SessionStart", source="startup")
    loop = desk.start()
    desk.agent_calls_a_tool()

    assert desk.said(verb, CLAUDE_CODE_SESSION_ID=SESSION) == error(
        f"only the user may run `untildone {verb}`",
        "if you cannot go on, run `untildone blocked REASON`",
    )
    assert desk.standing(loop) == ("active", None, 0, 10)


def test_what_the_agent_says(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    loop = desk.start()
    desk.agent_calls_a_tool()

    said = [
        desk.said(*words, CLAUDE_CODE_SESSION_ID=SESSION)
        for words in (
            ("criterion", "add", "docs", "--by", "review"),
            ("met", "docs", "--by", "review", "--evidence", "read them"),
            ("note", "the importer is old"),
            ("signal",),
            ("blocked", "no password"),
        )
    ]

    assert said == [
        (0, "added: docs\n", ""),
        (0, "recorded: docs by review\n", ""),
        (0, "noted\n", ""),
        (0, "recorded; stop now, and the checks decide\n", ""),
        (0, "recorded; stop now\n", ""),
    ]
    progress = desk.json("show", loop)["progress"]
    assert progress["met"] == {"docs": {"by": "review", "evidence": "read them"}}
    assert (progress["notes"], progress["signalled"], progress["blocked"]) == (
        ["the importer is old"],
        True,
        "no password",
    )


def test_a_claim_that_was_not_agreed_on(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--criterion", "docs")

    assert desk.typed("met", "doc", "--by", "review", "--evidence", "x") == error(
        f"`doc` is not a claim of loop `{loop}` (claims: `docs`)",
        '`untildone criterion add "doc"` adds it; checks are run for you',
    )
    assert desk.typed("criterion", "add", "docs") == error(
        f"`docs` is a criterion of loop `{loop}` already",
        'report it: `untildone met "docs" --by … --evidence …`',
    )


def test_an_agent_speaks_of_its_own_loop_only(desk: Desk) -> None:
    desk.event("SessionStart", source="startup")
    other = desk.start(session=OTHER)
    desk.agent_calls_a_tool()

    assert desk.said("signal", "--loop", other, CLAUDE_CODE_SESSION_ID=SESSION) == error(
        f"loop `{other}` belongs to another session", "leave out `--loop`"
    )


def without_writing(desk: Desk, *arguments: str, **environ: str) -> Said:
    """The command where the system lets no file grow, as a sandbox or a full disk does."""
    kept = {name: value for name, value in desk.environ.items() if name not in MEASURED}
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 0; exec untildone "$@"', "sh", *arguments],
        cwd=desk.project,
        env={**kept, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_verb_where_the_state_cannot_be_written_is_printed_for_the_hook(desk: Desk) -> None:
    desk.start()

    code, shown, told = without_writing(desk, "signal", CLAUDE_CODE_SESSION_ID=SESSION)

    line, *rest = shown.splitlines()
    assert (code, told, rest) == (0, "", ["recorded; stop now, and the checks decide"])
    assert json.loads(line.removeprefix("untildone-verb: "))["verb"] == "signal"


def test_a_person_whose_state_cannot_be_written_is_told(desk: Desk) -> None:
    loop = desk.start()

    assert without_writing(desk, "pause") == error(
        "the state cannot be written: file too large", "free some space and try again"
    )
    assert desk.standing(loop) == ("active", None, 0, 10)


def test_the_receipt_of_a_cancelled_loop(desk: Desk) -> None:
    loop = desk.start("--check", RED, "--task", "do it")
    desk.typed("cancel")

    paper = json.loads(Path(desk.project, ".untildone", "receipt.json").read_text("utf-8"))
    assert (paper["loop"], paper["outcome"], paper["task"]) == (loop, "cancelled", "do it")
