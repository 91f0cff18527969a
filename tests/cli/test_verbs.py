"""The user's verbs and the agent's, as they are typed."""

import json
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.world import CommandLine, Output, error
from client.world import BIN, MEASURED
from endings import RECEIPT, hide_effort
from untildone.app import open_context
from untildone.engine.verbs import change_loop
from untildone.report.times import format_time
from world import CHECK, OTHER_SESSION, SESSION

PERSONS = ("pause", "continue", "cancel", "approve")


def test_pause_continue_cancel(cli: CommandLine) -> None:
    loop = cli.start()

    assert hide_effort(cli.run_process("pause")[1]) == (
        f"loop {loop} is paused after 0 rounds, {RECEIPT} | `untildone continue` resumes it\n"
    )
    assert cli.standing(loop) == ("paused", "paused", 0, 10)
    assert cli.run_process("continue") == (
        0,
        f"loop {loop} continues, round 0 of 10; the agent is held from its next stop\n",
        "",
    )
    assert cli.standing(loop) == ("active", None, 0, 10)
    assert hide_effort(cli.run_process("cancel", loop[:6])[1]) == (
        f"loop {loop} is cancelled after 0 rounds, {RECEIPT}\n"
    )
    assert cli.standing(loop) == ("finished", "cancelled", 0, 10)


def test_a_paused_and_a_cancelled_loop_hold_nobody(cli: CommandLine) -> None:
    loop = cli.start()

    for verb in ("pause", "cancel"):
        cli.run(verb, loop)
        assert cli.event("Stop", last_assistant_message="Done.") is None
    assert cli.json("show", loop)["progress"]["round"] == 0


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
def test_more_rounds(cli: CommandLine, options: tuple[str, ...], bound: int) -> None:
    loop = cli.start("--check", CHECK, "--rounds", "1")
    cli.event("Stop", last_assistant_message="Done.")
    assert cli.standing(loop) == ("paused", "out-of-rounds", 1, 1)

    assert cli.run("continue", *options)[0] == 0
    assert cli.standing(loop) == ("active", None, 1, bound)


def test_a_bound_that_leaves_no_round(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--rounds", "1")
    cli.event("Stop", last_assistant_message="Done.")

    assert cli.run("continue", "--rounds", "=1") == error(
        "a bound of 1 leaves no round: 1 are used up", "`untildone continue --rounds +5` adds five"
    )
    assert cli.standing(loop) == ("paused", "out-of-rounds", 1, 1)


def test_the_last_round_can_be_continued(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--rounds", "2")
    cli.event("Stop", last_assistant_message="Done.")
    cli.run("pause")

    assert cli.run("continue")[0] == 0
    assert cli.standing(loop) == ("active", None, 1, 2)


def test_more_money_and_time(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--minutes", "10")

    cli.run("continue", "--budget", "+2.5", "--minutes", "=30")

    _, stdout, _ = cli.run("show", loop)
    assert "- bounds: 10 rounds, 27.5 USD, 30 minutes" in stdout.splitlines()


def test_the_minutes_of_a_round_and_what_a_script_reads(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--minutes", "10", "--round-minutes", "2")

    reported = cli.json("continue", "--round-minutes", "+3", "--iterations", "=12")

    assert [(each["id"], each["status"], each["max_rounds"]) for each in reported["loops"]] == [
        (loop, "active", 12)
    ]
    _, stdout, _ = cli.run("show", loop)
    assert "- bounds: 12 rounds, 25 USD, 10 minutes, 5 minutes a round" in stdout.splitlines()


def test_a_criterion_that_was_added_must_hold(cli: CommandLine) -> None:
    loop = cli.start()
    cli.run("criterion", "add", "docs", "--by", "review")
    cli.event("Stop", last_assistant_message="Done.")
    cli.write("done.txt", "")

    held = cli.event("Stop", last_assistant_message="<untildone:done />")
    assert "Unmet: docs." in held["hookSpecificOutput"]["additionalContext"]

    cli.run("met", "docs", "--by", "review", "--evidence", "read them")
    cli.event("Stop", last_assistant_message="<untildone:done />")
    assert cli.standing(loop) == ("finished", "done", 3, 10)


def test_a_loop_is_taken_along_into_this_session(cli: CommandLine) -> None:
    loop = cli.start()
    cli.run("pause")

    code, _, stderr = cli.run("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=OTHER_SESSION)

    assert (code, stderr) == (0, "")
    assert cli.event("Stop", last_assistant_message="Done.") is None
    assert cli.event("Stop", OTHER_SESSION, last_assistant_message="Done.") is not None


def test_a_session_with_a_loop_takes_no_other_one(cli: CommandLine) -> None:
    loop, other = cli.start(), cli.start(session=OTHER_SESSION)

    assert cli.run("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=OTHER_SESSION) == error(
        f"this session has the loop `{other}` already", f"`untildone cancel {other}` ends it"
    )
    assert cli.run("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=SESSION)[0] == 0
    assert cli.run("continue", loop, "--here", CLAUDE_CODE_SESSION_ID="a b") == error(
        "`a b` is not a session id", "`untildone status --all` lists sessions"
    )


def test_a_finished_loop_is_not_taken_along(cli: CommandLine) -> None:
    loop = cli.start()
    cli.run("cancel")

    code, _, stderr = cli.run("continue", loop, "--here", CLAUDE_CODE_SESSION_ID=OTHER_SESSION)

    assert (code, stderr.splitlines()[0]) == (
        2,
        f"error: loop `{loop}` is already finished (cancelled)",
    )
    assert cli.json("show", loop)["status"]["session"] == SESSION


def ask_about(cli: CommandLine, loop: str, *losses: str) -> None:
    """As a pause for approval leaves it."""
    found = open_context({}, home=str(cli.state_folder))
    change_loop(
        found, loop, lambda now: replace(now.progress, reported_concerns=losses), kind="asked"
    )


def test_approve(cli: CommandLine) -> None:
    loop = cli.start()
    ask_about(cli, loop, "remove-test:a#12", "config:b")

    assert cli.run_process("approve", "config:b") == (
        0,
        "approved config:b\nstill open: remove-test:a\n",
        "",
    )
    assert cli.json("approve", "--all", "--loop", loop) == {
        "loop": loop,
        "approved": ["remove-test:a#12"],
        "left": [],
        "goes_on": False,
        "done": False,
        "ending": "",
        "always": [],
    }
    amendments = cli.json("show", loop)["progress"]["amendments"]
    assert [amendment["allow"] for amendment in amendments] == [["config:b"], ["remove-test:a#12"]]


def test_an_approval_that_ends_a_loop_tells_the_end_as_a_stop_does(cli: CommandLine) -> None:
    cli.write("tests/test_a.py", "def test_a():\n    assert 1\n")
    cli.start()
    cli.write("done.txt", "")
    (cli.project / "tests/test_a.py").unlink()
    cli.event("Stop")
    cli.event("Stop")

    code, told, _ = cli.run("approve", "--all")

    assert (code, hide_effort(told).splitlines()[-1]) == (
        0,
        "untildone: done after 2 rounds: check green"
        f" | from red to green: check, 1 approved removal | {RECEIPT}",
    )


def test_what_is_not_asked_about_is_not_approved(cli: CommandLine) -> None:
    loop = cli.start()

    assert cli.run("approve", "--all") == error(
        f"loop `{loop}` asks for no approval", f"`untildone show {loop}` tells how it is"
    )
    ask_about(cli, loop, "config:b")
    assert cli.run("approve", "config:c") == error(
        "`config:c` is not asked about:\n1. 1 check setting changed: `b`",
        "`approve 1` approves the first of them, `--all` all",
    )
    assert cli.json("show", loop)["progress"]["amendments"] == []


def test_the_only_question_needs_no_name_and_several_are_listed(cli: CommandLine) -> None:
    loop = cli.start()
    ask_about(cli, loop, "config:b", "remove-test:a.py::test_a")

    assert cli.run("approve") == error(
        "several questions are open:\n1. 1 check setting changed: `b`\n"
        "2. 1 test no longer runs: `test_a`",
        "`approve 1` approves the first of them, `--all` all",
    )
    assert cli.run("approve", "1")[1].splitlines()[0] == "approved config:b"
    assert cli.run("approve") == (0, "approved remove-test:a.py::test_a\n", "")


def test_the_status_shows_what_is_asked(cli: CommandLine) -> None:
    loop = cli.start()
    ask_about(cli, loop, "config:b")
    question = (
        f"1 check setting changed: `b`. Intended? `untildone approve --loop {loop}`, or undo it."
    )

    assert cli.run("status")[1].splitlines()[3] == f"  you       {question}"
    assert cli.json("status")["loops"][0]["questions"] == [question]


def test_what_is_always_approved_is_listed_and_taken_back(cli: CommandLine) -> None:
    loop = cli.start()
    ask_about(cli, loop, "config:tox.ini:tox.env_list#12")
    what = "config:tox.ini:tox.env_list"

    _, said, _ = cli.run("approve", "--always")
    (listed,) = cli.json("trust", "--list")["approvals"]
    _, shown, _ = cli.run("trust", "--list")
    forgotten = cli.run("trust", "--forget", "1")

    assert said.splitlines() == [f"approved {what}", f"always approved in this project: {what}"]
    assert (listed["what"], listed["loop"]) == (what, loop)
    since = format_time(listed["at"])
    assert shown.startswith(f"1. always approved: {what} (since {since}, loop {loop})\n")
    assert forgotten[1] == f"no longer approved: {what}; loops that run already keep it\n"
    assert cli.json("trust", "--list")["approvals"] == []


def test_what_is_not_approved_for_good_cannot_be_taken_back(cli: CommandLine) -> None:
    assert cli.run("trust", "--forget", "2") == error(
        f"`2` is not approved for good in `{cli.project}`",
        "`untildone trust --list` shows what is",
    )
    assert cli.run("trust", "--list")[1] == (
        "nothing is trusted here, and nothing is approved for good\n"
    )


def test_no_agent_approves_for_good(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    loop = cli.start(session=OTHER_SESSION)
    ask_about(cli, loop, "config:b")
    cli.agent_calls_a_tool()

    for words in (("approve", "--always", "--loop", loop), ("trust", "--forget", "1")):
        code, _, stderr = cli.run_process(*words, CLAUDE_CODE_SESSION_ID=SESSION)
        assert (code, stderr.splitlines()[0]) == (
            2,
            f"error: only the user may run `untildone {words[0]}`",
        )
    assert cli.json("trust", "--list")["approvals"] == []


def test_a_file_is_shown_as_it_was_in_the_baseline(cli: CommandLine) -> None:
    (cli.project / "a.txt").write_bytes(b"caf\xe9\n")
    cli.start()
    (cli.project / "a.txt").write_text("changed", encoding="utf-8")

    done = subprocess.run(
        [BIN / "untildone", "show", "--at-start", "a.txt"],
        cwd=cli.project,
        env=cli.environ,
        capture_output=True,
        check=True,
    )

    assert done.stdout == b"caf\xe9\n"


def test_a_slash_command_approves_in_the_same_way(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    loop = cli.start()
    ask_about(cli, loop, "config:b")

    cli.event("UserPromptSubmit", prompt="/untildone:approve --all")

    (amendment,) = cli.json("show", loop)["progress"]["amendments"]
    assert amendment["allow"] == ["config:b"]


@pytest.mark.parametrize("verb", PERSONS)
def test_the_users_verbs_are_refused_to_the_agent(cli: CommandLine, verb: str) -> None:
    cli.event("SessionStart", source="startup")
    loop = cli.start()
    cli.agent_calls_a_tool()

    assert cli.run_process(verb, CLAUDE_CODE_SESSION_ID=SESSION) == error(
        f"only the user may run `untildone {verb}`",
        "if you cannot go on, run `untildone blocked REASON`",
    )
    assert cli.standing(loop) == ("active", None, 0, 10)


def test_what_the_agent_says(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    loop = cli.start()
    cli.agent_calls_a_tool()

    said = [
        cli.run_process(*words, CLAUDE_CODE_SESSION_ID=SESSION)
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
    progress = cli.json("show", loop)["progress"]
    assert progress["met"] == {"docs": {"by": "review", "evidence": "read them"}}
    assert (progress["notes"], progress["signalled"], progress["blocked"]) == (
        ["the importer is old"],
        True,
        "no password",
    )


def test_a_claim_that_was_not_agreed_on(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--criterion", "docs")

    assert cli.run("met", "doc", "--by", "review", "--evidence", "x") == error(
        f"`doc` is not a claim of loop `{loop}` (claims: `docs`)",
        '`untildone criterion add "doc"` adds it; checks are run for you',
    )
    assert cli.run("criterion", "add", "docs") == error(
        f"`docs` is a criterion of loop `{loop}` already",
        'report it: `untildone met "docs" --by … --evidence …`',
    )


def test_an_agent_speaks_of_its_own_loop_only(cli: CommandLine) -> None:
    cli.event("SessionStart", source="startup")
    other = cli.start(session=OTHER_SESSION)
    cli.agent_calls_a_tool()

    assert cli.run_process("signal", "--loop", other, CLAUDE_CODE_SESSION_ID=SESSION) == error(
        f"loop `{other}` belongs to another session", "leave out `--loop`"
    )


def without_writing(cli: CommandLine, *arguments: str, **environ: str) -> Output:
    """The command where the system lets no file grow, as a sandbox or a full disk does."""
    kept = {name: value for name, value in cli.environ.items() if name not in MEASURED}
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 0; exec untildone "$@"', "sh", *arguments],
        cwd=cli.project,
        env={**kept, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_verb_where_the_state_cannot_be_written_is_printed_for_the_hook(cli: CommandLine) -> None:
    cli.start()

    code, shown, reported = without_writing(cli, "signal", CLAUDE_CODE_SESSION_ID=SESSION)

    line, *rest = shown.splitlines()
    assert (code, reported, rest) == (0, "", ["recorded; stop now, and the checks decide"])
    assert json.loads(line.removeprefix("untildone-verb: "))["verb"] == "signal"


def test_a_state_that_cannot_be_written_is_reported_to_the_user(cli: CommandLine) -> None:
    loop = cli.start()

    assert without_writing(cli, "pause") == error(
        "the state cannot be written: file too large", "free some space and try again"
    )
    assert cli.standing(loop) == ("active", None, 0, 10)


def test_the_receipt_of_a_cancelled_loop(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--task", "do it")
    cli.run("cancel")

    receipt = json.loads(Path(cli.project, ".untildone", "receipt.json").read_text("utf-8"))
    assert (receipt["loop"], receipt["outcome"], receipt["task"]) == (loop, "cancelled", "do it")
    assert cli.json("show", loop)["receipt"] == receipt
