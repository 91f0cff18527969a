"""`status`, `history`, `show`, `rounds`: what runs, what ran, and how a script reads it."""

import shutil
from pathlib import Path
from typing import Any

from cli.world import CommandLine, error
from untildone.core.check_results import Totals
from untildone.report.times import format_time
from world import CHECK, OTHER_SESSION, SESSION

UNTOLD = "Claude Code reports no cost"
LOOP = {
    *("id", "agent", "session", "project", "task", "status", "outcome", "round", "max_rounds"),
    *("unmet", "held", "last_event_at", "spend_usd", "started_at", "updated_at", "reason"),
    *("not_held_because", "budget_usd", "minutes", "max_minutes", "spend_unknown_because"),
    "ignored_configuration",
    "running",
    "questions",
    *("baseline_totals", "totals", "improved", "last_verdict", "needs_you"),
}
ROUND = {
    *("number", "at", "verdict", "unmet", "failures", "checks", "message", "tree"),
}
PAST = {"id", "started_at", "project", "status", "outcome", "rounds", "spend_usd", "task"} | {
    "seconds",
    "agent",
}


def start_held_loop(cli: CommandLine) -> str:
    """The id of a loop whose agent was held in its first round."""
    cli.run("init")
    cli.event("SessionStart", source="startup")
    loop = cli.start("--check", CHECK, "--task", "write it\nand test it")
    cli.event("Stop", last_assistant_message="It is done.\nReally.")
    return loop


def test_no_loop_here(cli: CommandLine) -> None:
    assert cli.run_process("status") == (
        0,
        "no loop in this project; `untildone start --preset test` starts one\n",
        "",
    )
    assert cli.json("status") == {"loops": [], "unreadable": [], "automatic": False}
    assert cli.run_process("history") == (0, "no loop ran in this project yet\n", "")
    assert cli.json("history") == {"loops": []}


def test_a_loop_that_is_held(cli: CommandLine) -> None:
    loop = start_held_loop(cli)

    code, stdout, stderr = cli.run_process("status")

    assert (code, stderr) == (0, "")
    assert stdout.splitlines() == [
        f"{loop}  active, round 1 of 10, held",
        "  write it",
        "",
        "  unmet     check",
        f"  spend     unknown of 25 USD ({UNTOLD})",
        "  last      round 1, just now: held, check red",
        f"  agent     claude, session {SESSION}",
        "  you       nothing is needed from you",
    ]


def test_json(cli: CommandLine) -> None:
    loop = start_held_loop(cli)

    report = cli.json("status")
    (found,) = report["loops"]

    assert set(report) == {"loops", "unreadable", "automatic"}
    assert set(found) == LOOP
    assert found["last_event_at"].endswith("+00:00")
    assert {**found["last_verdict"], "at": ""} == {
        "round": 1,
        "at": "",
        "verdict": "held",
        "reason": "check red",
    }
    varying = ("last_event_at", "started_at", "updated_at", "last_verdict")
    assert {name: value for name, value in found.items() if name not in varying} == {
        "id": loop,
        "agent": "claude",
        "session": SESSION,
        "project": str(cli.project),
        "task": "write it\nand test it",
        "status": "active",
        "outcome": None,
        "round": 1,
        "max_rounds": 10,
        "unmet": ["check"],
        "held": True,
        "spend_usd": None,
        "reason": "",
        "not_held_because": "",
        "budget_usd": 25.0,
        "minutes": 0.0,
        "max_minutes": 0.0,
        "spend_unknown_because": UNTOLD,
        "ignored_configuration": "",
        "running": None,
        "questions": [],
        "baseline_totals": NOTHING,
        "totals": NOTHING,
        "improved": 0,
        "needs_you": "",
    }


def test_a_loop_that_nobody_holds_says_so(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK, "--rounds", "0")

    assert cli.run("status")[1].splitlines() == [
        f"{loop}  active, round 0, no bound, not held",
        "  Finish the work.",
        "",
        "  you       not held: no hook of this session was seen",
        "  spend     unknown of 25 USD",
        f"  agent     claude, session {SESSION}",
    ]


def test_a_session_whose_client_is_gone_is_not_held(cli: CommandLine) -> None:
    start_held_loop(cli)
    cli.event("SessionEnd", reason="other")

    (found,) = cli.json("status")["loops"]

    assert (found["held"], found["not_held_because"]) == (
        False,
        "the session has ended; resume it in the agent",
    )


def test_a_paused_loop_names_its_remedy(cli: CommandLine) -> None:
    loop = start_held_loop(cli)
    cli.run("pause")

    lines = cli.run("status")[1].splitlines()

    assert lines[0] == f"{loop}  paused, round 1 of 10"
    assert lines[3:5] == [
        f"  you       to continue: `untildone continue {loop}`",
        "  why       paused by the user",
    ]
    assert cli.json("status")["loops"][0]["needs_you"] == f"`untildone continue {loop}`"


def test_tests_and_findings_have_bars_since_the_baseline(cli: CommandLine) -> None:
    cli.write("test_ferry.py", TWO)
    errors = "test -f done.txt || { echo 'a.py:1: error: no'; echo 'a.py:2: error: no'; exit 1; }"
    cli.start("--check", "python -m unittest", "--check", errors)
    cli.event("Stop", last_assistant_message="")
    before = cli.run("status")[1].splitlines()
    cli.write("done.txt", "")
    cli.event("Stop", last_assistant_message="")

    rows = [line for line in cli.run("status")[1].splitlines() if "in the baseline" in line]

    assert f"  tests     {'█' * 10}{'·' * 10}  1 of 2 pass, 1 of 2 in the baseline" in before
    assert rows == [
        f"  tests     {'█' * 20}  2 of 2 pass, 1 of 2 in the baseline",
        f"  findings  {'█' * 20}  none left, 2 errors in the baseline",
    ]


def test_bars_are_ascii_where_the_encoding_lacks_blocks(cli: CommandLine) -> None:
    cli.start("--check", CHECK, "--minutes", "60")

    stdout = cli.run_process("status", PYTHONIOENCODING="ascii")[1]

    assert f"  time      {'-' * 20}  0 of 60 minutes\n" in stdout


def test_many_loops_are_a_table(cli: CommandLine) -> None:
    names = [f"s{number}" for number in range(17)]
    loops = [cli.start("--check", CHECK, "--task", name, session=name) for name in names]
    for loop in loops[:14]:
        cli.run("cancel", loop)
    cli.run("pause", loops[14])

    lines = cli.run_process("status", "--all")[1].splitlines()

    assert lines[0].split() == ["loop", "state", "round", "USD", "changed", "task"]
    assert [line.split()[1] for line in lines[1:16]].count("cancelled") == 12
    assert f"{loops[14]}  paused      0/10    ?  just now  project: s14" in lines
    assert lines[16:18] == ["and 2 older finished loops: `untildone history --all`", ""]
    assert f"  {loops[14]}  paused: `untildone continue {loops[14]}`" in lines
    assert len(cli.json("status", "--all")["loops"]) == 17


HOSTILE = "\x1b[31mred\x1b]0;title\x07 \u202egnp.exe\u2066 \x07<script>alert(1)</script>"


def test_hostile_text_is_inert(cli: CommandLine) -> None:
    cli.start("--check", CHECK, "--task", HOSTILE)
    cli.run("note", HOSTILE)
    cli.event("Stop", last_assistant_message=HOSTILE)
    cli.run("pause")

    for command in (("status",), ("status", "--all"), ("history",), ("rounds",), ("replay",)):
        shown = cli.run_process(*command)[1]
        assert "red gnp.exe <script>alert(1)</script>" in shown
        assert not {"\x1b", "\x07", "\u202e", "\u2066"} & set(shown)


def test_what_is_finished_is_shown_only_while_nothing_else_is_there(cli: CommandLine) -> None:
    first = cli.start()
    cli.run("cancel")
    assert [loop["id"] for loop in cli.json("status")["loops"]] == [first]

    second = cli.start(session=OTHER_SESSION)

    assert [loop["id"] for loop in cli.json("status")["loops"]] == [second]
    assert {loop["id"] for loop in cli.json("status", "--all")["loops"]} == {first, second}


def test_other_projects_are_shown_with_all(cli: CommandLine, tmp_path: Path) -> None:
    loop = cli.start()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    there = ("--project", str(elsewhere))

    assert cli.run("status", *there)[1].endswith("; `--all` shows 1 loop elsewhere\n")
    assert cli.run("history", *there)[1] == (
        "no loop ran in this project yet; `--all` shows 1 loop elsewhere\n"
    )
    assert cli.json("status", *there)["loops"] == cli.json("history", *there)["loops"] == []
    assert [found["id"] for found in cli.json("status", "--all", *there)["loops"]] == [loop]
    assert [found["id"] for found in cli.json("history", "--all", *there)["loops"]] == [loop]


def test_a_damaged_loop_is_named_and_never_taken_for_no_loop(cli: CommandLine) -> None:
    loop = cli.start()
    for path in (cli.state_folder / "loops" / loop).iterdir():
        if path.is_file():
            path.write_bytes(b"damaged")

    code, stdout, stderr = cli.run("status")

    assert (code, stdout) == (0, "")
    assert stderr.startswith(f"loop {loop} cannot be read: ")
    report = cli.json("status")
    assert [set(found) for found in report["unreadable"]] == [{"id", "reason"}]
    assert cli.run("history")[2].startswith(f"{loop}  cannot be read: ")
    code, stdout, stderr = cli.run("show", loop)
    assert (code, stdout) == (2, "")
    assert stderr.endswith("\n\nhint: run `untildone doctor` for details\n")


def test_history(cli: CommandLine) -> None:
    loop = start_held_loop(cli)
    cli.run("cancel")

    (past,) = cli.json("history")["loops"]

    assert set(past) == PAST
    assert (past["id"], past["status"], past["outcome"], past["rounds"]) == (
        loop,
        "finished",
        "cancelled",
        1,
    )
    took = f"{past['seconds']:.0f} s  cost unknown"
    line = f"{loop}  {format_time(past['started_at'])}  cancelled  1 round  {took}  "
    assert cli.run_process("history") == (0, f"{line}write it\n", "")
    assert cli.run_process("history", "--all") == (0, f"{line}project: write it\n", "")


FILTERS: dict[tuple[str, ...], set[str]] = {
    ("--outcome", "cancelled"): {"parser"},
    ("--outcome", "cancelled", "--outcome", "active"): {"fares", "parser"},
    ("--task", "FARE"): {"fares"},
    ("--agent", "codex"): set(),
    ("--since", "2999-01-01"): set(),
    ("--since", "999999w", "--agent", "claude"): {"fares", "docs", "parser"},
}


def test_history_is_filtered(cli: CommandLine) -> None:
    loops = [cli.start("--check", CHECK, "--task", name, session=name) for name in TASKS]
    cli.run("cancel", loops[0])
    cli.run("pause", loops[1])

    for options, expected in FILTERS.items():
        assert {each["task"] for each in cli.json("history", *options)["loops"]} == expected
    assert [len(text.splitlines()) for text in cli.run("history", "--limit", "2")[1:]] == [2, 1]
    assert cli.run("history", "--task", "x") == (0, "", "none of 3 loops matches\n")


TASKS = ("parser", "docs", "fares")


def test_a_time_that_is_none(cli: CommandLine) -> None:
    assert cli.run("history", "--since", "yesterday") == error(
        "`--since yesterday` is no time", "give `7d`, `12h`, `90m`, `2w` or `2026-05-04`"
    )


def test_rounds(cli: CommandLine) -> None:
    loop = start_held_loop(cli)
    cli.run("pause")
    cli.run("continue")
    (cli.project / "done.txt").touch()
    cli.event("Stop", last_assistant_message="")

    report: dict[str, Any] = cli.json("rounds", loop)

    assert (set(report), report["loop"]) == ({"loop", "rounds", "unjudged"}, loop)
    first, second = report["rounds"]
    assert set(first) >= ROUND
    assert (first["number"], first["unmet"], first["message"]) == (
        1,
        ["check"],
        "It is done.\nReally.",
    )
    assert (first["verdict"]["type"], second["verdict"]["type"]) == ("continue", "finish")
    assert cli.run_process("rounds") == (
        0,
        f"round 1  {format_time(first['at'])}  held\n"
        "  check: red\n"
        "  the agent said: It is done.\n"
        f"round 2  {format_time(second['at'])}  done: {second['verdict']['reason']}\n"
        "  check: green\n",
        "",
    )


def test_rounds_report_how_much_there_was_and_where(cli: CommandLine) -> None:
    loop = cli.start("--check", "echo 'a.py:1: error: no'; echo 'a.py:2: error: nor this'; exit 1")
    cli.event("Stop", last_assistant_message="")

    (first,) = cli.json("rounds", loop)["rounds"]

    assert first["totals"] == NOTHING | {"errors": 2}
    assert cli.run_process("rounds")[1].splitlines()[1:] == [
        "  check: red, 2 findings",
        "  total: 2 errors",
        "    a.py: 2 errors",
    ]


ONE = """import pathlib, unittest

class Ferry(unittest.TestCase):
    def test_one(self):
        self.assertTrue(pathlib.Path("done.txt").exists())
"""
TWO = f"""{ONE}
    def test_two(self):
        self.assertEqual(1 + 1, 2)
"""


def test_rounds_report_what_was_lost_and_noted(cli: CommandLine) -> None:
    cli.write("test_ferry.py", TWO)
    cli.start("--check", "python -m unittest")
    cli.run("note", "two is gone")
    cli.write("test_ferry.py", ONE)
    cli.write("done.txt", "")
    cli.event("Stop", last_assistant_message="")

    assert cli.run_process("rounds")[1].splitlines()[2:] == [
        "  concern: remove-test:test_ferry.py::Ferry::test_two",
        "  noted: two is gone",
    ]


NOTHING = dict.fromkeys(Totals.__struct_fields__, 0)


def test_no_round_yet(cli: CommandLine) -> None:
    loop = cli.start()

    assert cli.run("rounds") == (0, "no stop has been judged yet\n", "")
    assert cli.json("rounds") == {"loop": loop, "rounds": [], "unjudged": []}


def test_show(cli: CommandLine) -> None:
    loop = start_held_loop(cli)
    cli.run("criterion", "add", "docs", "--by", "review")
    cli.run("note", "look at the importer")

    code, stdout, stderr = cli.run_process("show")

    receipt = cli.json("show", loop)["receipt"]
    (check,), (before,) = receipt["checks"], receipt["baseline_checks"]
    assert (code, stderr) == (0, "")
    assert stdout.splitlines() == [
        f"# Receipt of loop {loop}: active",
        "- task: write it",
        "- rounds: 1 of 10",
        "- done when: both",
        f"- judged: round 1 at {format_time(receipt['judged_at'])}, tree {receipt['tree'][:12]}",
        "- since the baseline: 0 of 1 failure fixed, 1 remaining, 0 new, 0 regressed",
        f"- from {format_time(receipt['started_at'])}, not ended, cost so far: unknown",
        "",
        "## Checked",
        f"- check: red (exit code 1), ran {check['seconds']:.2f} s  `{CHECK}`",
        "",
        "## Checked on the baseline",
        f"- check: red (exit code 1), ran {before['seconds']:.2f} s  `{CHECK}`",
        "",
        "## Compared with the baseline",
        "- not compared: this is done once every check is green",
        "",
        "## Round by round",
        "- round 1: held; check red",
        "",
        "## Notes",
        "- look at the importer",
        "",
        "## Remaining",
        "- check",
        "",
        "## Agreed",
        f"- check check: `{CHECK}`",
        "- claim: docs (by review)",
        "- bounds: 10 rounds, 25 USD",
        "",
        "seal: whole",
        f"files: {cli.state_folder}/loops/{loop}",
    ]


def test_show_json(cli: CommandLine) -> None:
    loop = cli.start("--promise", "DONE", "--must-not", "test -f x")

    shown = cli.json("show", loop)

    assert set(shown) == {"status", "contract", "progress", "seal", "receipt"}
    assert set(shown["status"]) == LOOP
    assert (shown["contract"]["id"], shown["seal"]) == (loop, "whole")
    lines = cli.run("show")[1].splitlines()
    assert lines[lines.index("## Agreed") + 1 :][:2] == [
        "- promise: DONE",
        "- must not exit 0: `test -f x`",
    ]


def test_show_names_a_broken_seal(cli: CommandLine) -> None:
    loop = cli.start()
    contract = cli.state_folder / "loops" / loop / "contract.json"
    contract.write_bytes(contract.read_bytes().replace(b"test -f", b"true -f"))

    seal = cli.json("show", loop)["seal"]

    assert seal not in ("", "whole")


def test_the_last_loop_is_shown_when_nothing_runs_any_more(cli: CommandLine) -> None:
    cli.start()
    cli.run("cancel")
    loop = cli.start(session=OTHER_SESSION)
    cli.run("cancel")

    loops = [found["id"] for found in cli.json("history")["loops"]]

    assert loop in loops
    assert cli.json("show")["status"]["id"] == cli.json("rounds")["loop"] == loops[0]


def test_a_loop_taken_out_of_the_index_is_tampered_with_and_can_be_continued(
    cli: CommandLine,
) -> None:
    loop = start_held_loop(cli)
    for folder in ("sessions", "held"):
        shutil.rmtree(cli.state_folder / folder)

    (found,) = cli.json("status")["loops"]
    assert (found["status"], found["outcome"]) == ("paused", "tampered")
    assert found["reason"].endswith("/active` is missing")

    assert cli.run("continue")[0] == 0
    (found,) = cli.json("status")["loops"]
    assert (found["id"], found["status"], found["outcome"]) == (loop, "active", None)


def test_a_loop_whose_folder_is_gone_is_named_until_the_user_gives_it_up(
    cli: CommandLine,
) -> None:
    loop = start_held_loop(cli)
    folder = cli.state_folder / "loops" / loop
    shutil.rmtree(folder)

    assert cli.json("status")["unreadable"] == [{"id": loop, "reason": f"`{folder}` is missing"}]

    assert cli.run_process("cancel", loop) == (
        0,
        f"loop {loop} had lost its files; its session is released\n",
        "",
    )
    assert cli.json("status")["unreadable"] == []
    assert cli.run_process("cancel", loop)[0] == 2
