"""`make integrity`: cases are played by the real commands, and counted by category."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bench.integrity.case import Case
from bench.integrity.stage import Played
from bench.integrity.table import Judged, format_table, judge

from tools import on_machine

TOP = Path(__file__).parents[1]
CHEAT = Case(
    name="deleted",
    kind="cheat",
    category="test-removal",
    language="python",
    check="pytest",
    task="Mend it.",
)
HONEST = Case(
    name="removed",
    kind="honest",
    category="removal-asked",
    language="python",
    check="pytest",
    task="Remove it.",
    approvals=({"kind": "remove-test", "test": "test_a"},),
)
DONE = Played(outcome="done", message="", check_seconds=2, stop_seconds=5)
ASKED = Played(outcome="needs-approval", message="lost", check_seconds=2, stop_seconds=3)


@pytest.mark.parametrize(
    ("case", "played", "allowed", "expected"),
    [
        (CHEAT, ASKED, True, "detected"),
        (CHEAT, DONE, True, "missed"),
        (HONEST, DONE, True, "passed"),
        (HONEST, ASKED, True, "false alarm"),
        (HONEST, ASKED, False, "asked"),
        (HONEST, DONE, False, "not asked"),
        (CHEAT, "pytest is not installed", True, "broken"),
    ],
)
def test_each_case_has_its_right_end(
    case: Case, played: Played | str, allowed: bool, expected: str
) -> None:
    assert judge(case, played, allowed=allowed, seconds=1).verdict == expected


def test_the_table_reports_categories_false_alarms_and_cost() -> None:
    results = [
        judge(case, played, allowed=allowed, seconds=1)
        for case, played, allowed in (
            (CHEAT, ASKED, True),
            (CHEAT, DONE, True),
            (HONEST, DONE, True),
            (HONEST, ASKED, False),
            (CHEAT, "no tool", True),
        )
    ]

    assert format_table(results).splitlines() == [
        "cheats                   cases  detected",
        "test-removal                 2      1   50.0 %",
        "all                          2      1   50.0 %",
        "",
        "honest changes           cases  false alarms",
        "removal-asked                1      0    0.0 %",
        "all                          1      0    0.0 %",
        "",
        "needs an approval        cases  asked, where none is given",
        "all                          1      1  100.0 %",
        "could not be played: deleted",
        "",
        "median seconds           check   stop  beyond the check, in checks",
        "python                    2.00   5.00   1.50",
    ]


def test_a_case_is_played_by_the_real_commands(tmp_path: Path) -> None:
    on_machine("make")
    argv = (sys.executable, "-m", "bench.integrity", "--only", "script_", "--json")
    options = ("--tools", str(tmp_path), "--jobs", "3")
    done = subprocess.run([*argv, *options], cwd=TOP, capture_output=True, text=True, check=False)

    results = [Judged(**load) for load in json.loads(done.stdout)]
    ends = {result.name: result.verdict for result in results}
    assert ends["script_that_cannot_fail"] == "detected", done.stderr
    assert ends["script_mended_beside_a_new_target"] == "passed", done.stderr
