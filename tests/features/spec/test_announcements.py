"""`[LOOP] …` lines and the verdict box."""

from typing import Any

import pytest
from rich.cells import cell_len

from core.samples import bounds, contract
from untildone.core.contract import Claim
from untildone.core.progress import ClaimReport, Progress
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait
from untildone.features.spec.announcements import (
    announce_start,
    announce_verdict,
    draw_verdict_box,
    find_repeated_work,
    list_criteria,
)
from untildone.features.spec.text_box import draw_box
from untildone.store.loops import Record

STEPS = ("Refactor a", "Refactor b", "Refactor c", "test")


def record(progress: Progress | None = None, **given: Any) -> Record:  # noqa: ANN401  any field
    asked = contract(preset="loop", score=6, **{"steps": STEPS, **given})
    return Record(contract=asked, progress=progress or Progress(), generation=1)


def test_the_start() -> None:
    assert announce_start(record(task="Refactor it", reversibility="2B").contract) == (
        "[LOOP] Starting | Shape: colleague (6/10) | Workflow: C (delete what is not needed before"
        " you redesign) | Type: 2B | Steps: 4 | Budget: $25"
    )
    bare = record(task="Think", steps=(), bounds=bounds(budget_usd=0))
    assert announce_start(bare.contract) == "[LOOP] Starting | Shape: colleague (6/10)"


@pytest.mark.parametrize(
    ("verdict", "progress", "expected"),
    [
        (
            Continue(cause="unmet"),
            Progress(round=2, spend_usd=1.5, steps_done=STEPS[:1]),
            "[LOOP] ✓ Refactor a complete | Progress: 1/4 | Next: Refactor b\n"
            "[LOOP] Round 2/10 | Cost: $1.50/$25 | Step: Refactor b",
        ),
        (
            Continue(cause="unmet"),
            Progress(round=3, steps_done=STEPS[:3]),
            "[LOOP] ✓ Refactor a, Refactor b, Refactor c complete | Progress: 3/4 | Next: test\n"
            "[LOOP] Round 3/10 | Cost: unknown/$25 | Step: test\n"
            "[LOOP] `refactor` for the third time. This is a learnable pattern: ask for the steps"
            " to run it yourself",
        ),
        (
            Continue(cause="unmet"),
            Progress(round=4, steps_done=STEPS),
            "[LOOP] ✓ Refactor a, Refactor b, Refactor c, test complete | Progress: 4/4\n"
            "[LOOP] Round 4/10 | Cost: unknown/$25\n"
            "[LOOP] `refactor` for the third time. This is a learnable pattern: ask for the steps"
            " to run it yourself",
        ),
        (
            Pause(outcome="stagnated", reason="the same"),
            Progress(steps_done=STEPS[:1]),
            "[LOOP] Paused: the same | Progress: 1 steps complete, 3 remaining"
            " | Resume: /untildone:loop continue",
        ),
        (
            Pause(outcome="gate", reason="go on?"),
            Progress(),
            "[LOOP] Paused: go on? | Progress: 0 steps complete, 4 remaining"
            " | Resume: your next prompt",
        ),
        (Finish(outcome="cancelled", reason="so"), Progress(), ""),
        (Wait(reason="so"), Progress(), ""),
        (Ignore(reason="so"), Progress(), ""),
    ],
)
def test_what_is_announced(verdict: Verdict, progress: Progress, expected: str) -> None:
    assert announce_verdict(record(progress), verdict) == expected


def test_a_step_and_a_pattern_are_announced_once() -> None:
    held, after = Continue(cause="unmet"), Progress(round=4, steps_done=STEPS)

    assert announce_verdict(record(after), held, announced=3) == (
        "[LOOP] ✓ test complete | Progress: 4/4\n[LOOP] Round 4/10 | Cost: unknown/$25"
    )
    assert announce_verdict(record(after), held, announced=4) == (
        "[LOOP] Round 4/10 | Cost: unknown/$25"
    )


def test_without_bounds_and_steps_little_is_said() -> None:
    unbound = record(Progress(round=1), steps=(), bounds=bounds(rounds=0, budget_usd=0))

    assert announce_verdict(unbound, Continue(cause="unmet")) == "[LOOP] Round 1 | Cost: unknown"
    assert announce_verdict(unbound, Continue(cause="unmet"), next_step="mend it") == (
        "[LOOP] Round 1 | Cost: unknown | Next: mend it"
    )


def test_the_verdict_box() -> None:
    met = {"docs": ClaimReport(by="review", evidence="read")}
    ended = record(
        Progress(outcome="done", met=met),
        claims=(Claim(name="docs"),),
        limits=("lose data",),
    )

    shown = announce_verdict(ended, Finish(outcome="done", reason="so"))

    assert shown.splitlines()[-8:] == [
        "╭─ 🟡 MONITOR ───────────────────────────╮",
        "│ Verified: execution, review            │",
        "│ Checklist: 2/2 criteria verified       │",
        "│ Subjective: ~50% · Type 2A · spec 6/10 │",
        "│ Unverified: must not lose data         │",
        "├────────────────────────────────────────┤",
        "│ ↳ Risk: the agent's word for docs      │",
        "╰────────────────────────────────────────╯",
    ]
    assert draw_verdict_box(contract(checks=()), Progress(outcome="claimed")) == [
        "╭─ 🔴 RESEARCH ──────────────────────╮",
        "│ Verified: nothing                  │",
        "│ Checklist: 0/0 criteria verified   │",
        "│ Type 2A · spec 0/10                │",
        "╰────────────────────────────────────╯",
    ]


def test_a_long_line_fits_into_the_box_whatever_its_characters() -> None:
    lines = draw_box("🟢 SHIP", ("e\u0301" + "漢字" * 60,), ())

    assert [cell_len(line) for line in lines] == [78, 78, 78]
    assert lines[1].endswith("… │")


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress(), []),
        (Progress(notes=("seen", "alt: x", "Alt: a queue")), ["│ ↳ Alt: a queue"]),
        (Progress(precheck="old clients"), ["│ ↳ Risk: old clients"]),
        (
            Progress(precheck="old clients", notes=("Risk: two writers", "Alt : none")),
            ["│ ↳ Alt: none", "│ ↳ Risk: two writers"],
        ),
    ],
)
def test_the_other_way_and_the_risk(progress: Progress, expected: list[str]) -> None:
    asides = draw_verdict_box(contract(), progress)[5:-1]

    assert [line.rstrip(" │") for line in asides] == expected


def test_an_ending_lists_each_criterion_with_how_it_was_verified() -> None:
    met = {
        "docs": ClaimReport(by="review", evidence="read"),
        "fast": ClaimReport(by="assumption", evidence="?"),
    }
    claims = tuple(Claim(name=name) for name in ("docs", "fast", "small"))
    progress = Progress(outcome="claimed", met=met, unmet=("test",))

    done = announce_verdict(
        record(Progress(outcome="done", met=met), claims=claims[:1]),
        Finish(outcome="done", reason="so"),
    )

    assert done.splitlines()[:4] == [
        "<loop-complete>",
        "- test: ✓ execution",
        "- docs: ✓ review",
        "</loop-complete>",
    ]
    assert list_criteria(contract(claims=claims), progress) == [
        "<loop-complete>",
        "- test: ✗ not verified",
        "- docs: ✓ review",
        "- fast: ✗ not verified",
        "- small: ✗ not verified",
        "</loop-complete>",
    ]
    assert list_criteria(contract(checks=()), progress) == []


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ((), ""),
        ((" ",), ""),
        (("Refactor a", "refactor b"), ""),
        (("Refactor a", "test", "refactor b", "Refactor c"), "refactor"),
        (("a 1", "a 2", "a 3", "a 4"), ""),
        (("a 1", "a 2", "a 3", "b"), ""),
    ],
)
def test_the_third_of_a_kind_is_a_pattern(steps: tuple[str, ...], expected: str) -> None:
    assert find_repeated_work(steps) == expected
