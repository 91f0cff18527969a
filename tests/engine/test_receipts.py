"""A receipt is a function of contract and journal: every figure in it can be computed anew."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from engine.played_loops import FAILS, MET, NOTE, PASSES, PLAYS, Play, PlayedLoop, Printed, Stop
from engine.receipt_figures import (
    SEVERITIES,
    TESTS,
    Json,
    Recorded,
    compute_costs,
    compute_fixed,
    count_failures,
    describe_checks,
    recompute,
)
from untildone.core.contract import Check, Claim
from untildone.engine import verbs
from untildone.engine.receipts import load_receipt, write_ci_reports
from untildone.report.receipt_text import encode_receipt
from untildone.worktree.git_tree import hash_working_tree
from world import World

NOUNS = {
    "errors": "error",
    "warnings": "warning",
    "infos": "note",
    "security": "security finding",
    "failing": "failing test",
    **{name: name for name in TESTS},
}


MANY = (
    Printed(ends="red", tests=(1, 248, 1), findings=(0, 60, 0), shared=True),
    Printed(ends="red", findings=(248, 60, 2), shared=True),
)
GONE = (Printed(ends="gone"), Printed(ends="red", findings=(248, 0, 0)))
NOQA = Stop(edit="noqa")
STAYS = Stop(edit="")


@pytest.mark.parametrize(
    "play",
    [
        pytest.param(
            Play(
                (Stop(FAILS, spent=0.25), Stop(MANY), "pause", Stop(spent=1.0)), slow=True, git=True
            ),
            id="lists are cut, then done",
        ),
        pytest.param(Play((NOQA, STAYS, "approve", NOTE, STAYS)), id="a concern is approved"),
        pytest.param(Play((Stop(GONE), Stop(GONE)), before=GONE), id="a check cannot be run"),
        pytest.param(Play((Stop(FAILS),), before=GONE), id="a check could not be run before"),
        pytest.param(
            Play((Stop((PASSES[0], FAILS[1])), Stop((PASSES[0], FAILS[1]), edit=""), "pause")),
            id="a result is not run again, then the user pauses",
        ),
        pytest.param(
            Play((Stop((Printed(ends="flips"), PASSES[1]), edit=""),) * 3), id="a check is flaky"
        ),
        pytest.param(
            Play((Stop(message="ALL GREEN"), MET), before=None, claims=(Claim(name="docs"),)),
            id="no baseline, and a claim",
        ),
    ],
)
def test_every_figure_of_a_receipt_can_be_recomputed(play: Play) -> None:
    verify_receipts(play)


# Without shrinking: a failure is reported within the time limit of a quick test.
@settings(max_examples=4, deadline=None, derandomize=True, phases=(Phase.generate,))
@given(PLAYS)
def test_every_figure_of_any_receipt_can_be_recomputed(play: Play) -> None:
    verify_receipts(play)


# In parts, since Hypothesis would report the time limit of a long test as a flaky play.
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("rounds", [0, 2, 3, 10])
@settings(max_examples=25, deadline=None)
@given(play=PLAYS)
def test_every_figure_of_many_receipts_can_be_recomputed(rounds: int, play: Play) -> None:
    verify_receipts(replace(play, rounds=rounds))


def test_what_is_written_for_ci_later_is_what_was_published(world: World, tmp_path: Path) -> None:
    world.start()
    world.stop()
    verbs.pause(world.context, world.loop)

    folder = write_ci_reports(world.context, world.record, tmp_path / "reports")

    for name in ("receipt.json", "receipt.md"):
        assert (folder / name).read_bytes() == (world.loop_folder / name).read_bytes()


def test_a_later_edit_changes_no_receipt(tmp_path: Path) -> None:
    world = next(PlayedLoop(tmp_path, Play((NOQA, STAYS))).run())
    asked = world.receipt["lost"]
    world.write("code.py", "other = 1\n")

    (concern,) = load_receipt(world.context, world.record).concerns

    assert [each["change"] for each in asked] == [concern.change]
    assert "+total = 1  # noqa" in concern.change.splitlines()


def test_concerns_that_nobody_was_asked_about_are_named_too(tmp_path: Path) -> None:
    world = next(PlayedLoop(tmp_path, Play((NOQA,), rounds=1)).run())

    assert world.outcome == "out-of-rounds"
    assert [each["path"] for each in world.receipt["lost"]] == ["code.py"]


def test_the_commit_that_is_checked_out_is_recorded(tmp_path: Path) -> None:
    world = next(PlayedLoop(tmp_path, Play((Stop(FAILS),), git=True)).run())

    assert world.receipt["commit"] == world.git("rev-parse", "HEAD")


@pytest.mark.slow
def test_the_git_tree_is_recorded_where_the_loop_ends_or_an_approval_may_end_it(
    tmp_path: Path,
) -> None:
    play = Play((Stop(FAILS), "pause", NOQA, STAYS, "approve"), git=True)

    found = [
        (world.outcome, world.receipt["git_tree"] == hash_working_tree(world.project))
        for world in PlayedLoop(tmp_path, play).run()
    ]

    assert found == [("paused", False), ("needs-approval", True), ("done", True)]


def test_a_round_without_checks_counts_nothing(world: World) -> None:
    slow = Check(name="slow", command="echo 'a.c:1:1: error: long [-Wall]'; exit 1", when="done")
    world.start(checks=(slow,), baseline="none", promises=("ALL GREEN",), done_when="both")
    world.message = "ALL GREEN"
    world.stop()
    world.message = ""
    world.stop()
    verbs.pause(world.context, world.loop)

    assert [bool(each.totals) for each in world.context.loops.read_rounds(world.loop)] == [
        True,
        False,
    ]
    assert (world.receipt["final"], world.receipt["not_run"]) == (None, ["slow"])
    assert world.receipt["history"][1] == "round 2: held; no check was run"


def verify_receipts(play: Play) -> None:
    """Verify each receipt that the loop publishes against the journal, and its text against it."""
    with tempfile.TemporaryDirectory() as folder:
        for world in PlayedLoop(Path(folder), play).run():
            published = (world.loop_folder / "receipt.json").read_bytes()
            assert published == encode_receipt(load_receipt(world.context, world.record))
            text = (world.loop_folder / "receipt.md").read_text(encoding="utf-8")
            recorded = Recorded(world.loop_folder)
            verify_figures(recorded, world.receipt)
            verify_text(recorded, world.receipt, text)


def verify_figures(recorded: Recorded, receipt: Json) -> None:
    expected = recompute(recorded)
    assert {name: receipt[name] for name in expected} == expected
    assert select_figures(receipt["checks"]) == describe_checks(recorded.last)
    if recorded.baseline is None:
        assert receipt["baseline_checks"] is None
    else:
        assert select_figures(receipt["baseline_checks"]) == describe_checks(recorded.baseline)
    for result, check in zip(recorded.last.get("checks", ()), receipt["checks"], strict=True):
        # Each failing test of these checks is one of their findings.
        failed = check["tests"]["failed"] if check["tests"] else 0
        assert sum(check["findings"].values()) + failed == result["finding_count"]
    given = [(each["what"], each["at"]) for each in receipt["approvals"]]
    assert given == recorded.allowances
    verify_concerns(recorded, receipt)
    failures = receipt["failures"]
    assert count_failures(recorded) == (failures and (failures["in_baseline"], count_now(failures)))


def count_now(failures: Json) -> int:
    return sum(failures[name] for name in ("remaining", "new", "regressed"))


def select_figures(checks: list[Json]) -> list[Json]:
    words = ("command", "summary")
    return [{name: each[name] for name in each if name not in words} for each in checks]


def verify_concerns(recorded: Recorded, receipt: Json) -> None:
    """Each concern of the last round is either covered by an approval or open."""
    found = {concern["id"] for concern in recorded.last.get("losses") or ()}
    covered = {id_ for approval in receipt["approvals"] for id_ in approval["covers"]}
    still_open = {concern["id"] for concern in receipt["lost"]}
    assert (covered | still_open, covered & still_open) == (found, set())
    assert receipt["compared"] == (recorded.last.get("changed") is not None)


def verify_text(recorded: Recorded, receipt: Json, text: str) -> None:
    """The text has the same figures as the JSON, wherever it states them."""
    sections = split_sections(text)
    facts = "\n".join(sections[""])
    bound = f" of {receipt['max_rounds']}" if receipt["max_rounds"] else ", no bound"
    assert f"- rounds: {receipt['rounds']}{bound}\n" in facts
    spend = receipt["spend_usd"]
    assert f"cost: {'unknown' if spend is None else f'{spend:.2f} USD'}" in facts
    assert receipt["tree"][:12] in facts
    assert receipt["commit"][:12] in facts
    verify_totals(receipt, facts)
    assert sections.get("Remaining", []) == [f"- {name}" for name in receipt["unmet"]]
    verify_lines(receipt["checks"], sections.get("Checked", []))
    verify_lines(receipt["baseline_checks"] or [], sections.get("Checked on the baseline", []))
    verify_history(recorded, sections.get("Round by round", []))


def split_sections(text: str) -> dict[str, list[str]]:
    """The lines below each title; those before the first title under an empty one."""
    first, *others = re.split(r"(?m)^## ", text)
    sections = {"": first.splitlines()}
    for section in others:
        title, *lines = section.splitlines()
        sections[title] = [line for line in lines if line]
    return sections


def verify_totals(receipt: Json, facts: str) -> None:
    initial, final, improved = receipt["initial"], receipt["final"], receipt["improved"]
    line = re.search(r"(?m)^- initial: (.*); final: ([^;]*)(?:; improvement: (\d+) %)?$", facts)
    if line:
        assert read_counts(line[2]) == name_counts(final)
        assert read_counts(line[1]) == name_counts(initial or {})
        assert (line[1] == "unknown") == (initial is None)
        assert line[3] == (None if improved is None else str(improved))
    else:
        assert final is None or not (name_counts(final) or name_counts(initial or {}))
    verify_failures(receipt["failures"], facts)


def verify_failures(failures: Json | None, facts: str) -> None:
    line = re.search(r"(?m)^- since the baseline: (\d+) of (\d+) failures? fixed, (.*)$", facts)
    assert (line is None) == (failures is None)
    if line and failures:
        stated = {"fixed": line[1], "in_baseline": line[2], "unseen": "0"}
        for number, word in re.findall(r"(\d+) (not seen|remaining|new|regressed)", line[3]):
            stated["unseen" if word == "not seen" else word] = number
        assert {name: int(number) for name, number in stated.items()} == failures


def verify_lines(checks: list[Json], lines: list[str]) -> None:
    for check, line in zip(checks, lines, strict=False):
        head, _, command = line.partition("  `")
        assert (head.startswith(f"- {check['name']}: {check['summary']}"), command) == (
            True,
            f"{check['command']}`",
        )
        assert check["summary"].startswith(check["outcome"])
        assert read_counts(check["summary"].partition(" (")[0]) == name_check_counts(check)
        assert ("not run again" in head) == check["cached"]
        seconds = re.findall(r"(?:ran |tree \()(\d+\.\d\d) s", head)
        assert seconds == [f"{check['seconds']:.2f}"] * (check["outcome"] != "unrunnable")
    rest = lines[len(checks) :]
    assert all(re.search(r"^- (\w+: )?not run", line) for line in rest)


def verify_history(recorded: Recorded, lines: list[str]) -> None:
    costs, fixed = compute_costs(recorded.rounds), compute_fixed(recorded.rounds)
    for line, entry, cost, gain in zip(lines, recorded.rounds, costs, fixed, strict=True):
        first, *parts = line.split("; ")
        assert first.startswith(f"- round {entry['number']}: ")
        for check, part in zip(describe_checks(entry), parts, strict=False):
            assert part.startswith(f"{check['name']} {check['outcome']}")
            assert read_counts(part) == name_check_counts(check)
            assert part.endswith("not run again") == check["cached"]
        others = parts[len(entry["checks"]) :]
        assert [part for part in others if "USD" in part or "cost" in part] == [cost] * bool(cost)
        gained = [f"fixed {gain}"] * (gain > 0) + [f"{-gain} no longer fixed"] * (gain < 0)
        assert [part for part in others if "fixed" in part] == gained


def read_counts(text: str) -> dict[str, int]:
    """The counts in a text that are not zero, by their nouns."""
    nouns = "|".join(NOUNS.values())
    found = re.findall(rf"(\d+) ({nouns})", text)
    return {noun: int(number) for number, noun in found if int(number)}


def name_counts(totals: Json) -> dict[str, int]:
    """The counts of findings and failing tests that are not zero, by their nouns."""
    names = (*SEVERITIES.values(), "failing")
    counts = {**totals, "failing": totals.get("failed", 0)}
    return {NOUNS[name]: counts[name] for name in names if counts.get(name)}


def name_check_counts(check: Json) -> dict[str, int]:
    counts = {**check["findings"], **(check["tests"] or {})}
    return {
        NOUNS[name]: counts[name] for name in (*SEVERITIES.values(), *TESTS) if counts.get(name)
    }
