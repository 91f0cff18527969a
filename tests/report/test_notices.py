"""One line on a loop: for the status line, for a notice."""

import pytest
from msgspec.structs import replace

from core.samples import GREEN, RED, contract, failing, finding, result
from untildone.core.check_results import CheckResult, Tests, Totals
from untildone.core.concerns import make_concern
from untildone.core.contract import Bounds
from untildone.core.evidence import ConcernKind
from untildone.core.failure_list import summarize_result
from untildone.core.progress import Progress
from untildone.core.verdict import Continue, Finish, Ignore, Outcome, Pause, Verdict, Wait
from untildone.report.durations import format_seconds
from untildone.report.notices import (
    describe_next_step,
    describe_pause,
    describe_verdict,
    format_status_line,
)
from untildone.report.verdict_names import name_verdict
from untildone.store.loops import Record

SKIPPING = result("green", tests=Tests(passed=2, failed=0, skipped=1))


def record(*, rounds: int = 10, **progress: object) -> Record:
    agreed = contract(bounds=Bounds(rounds=rounds))
    return Record(contract=agreed, progress=Progress(**progress), generation=1)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("loop", "line"),
    [
        (record(), "untildone a1 | round 0 of 10"),
        (record(rounds=0, round=3), "untildone a1 | round 3"),
        (
            record(round=2, unmet=("a", "b", "c", "d", "e"), spend_usd=1.234),
            "untildone a1 | round 2 of 10 | unmet: a, b, c, d | 1.23 USD",
        ),
        (
            record(status="paused", outcome="blocked", round=1),
            "untildone a1 | paused (blocked) | round 1 of 10",
        ),
    ],
)
def test_the_status_line(loop: Record, line: str) -> None:
    assert format_status_line(loop) == line


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        (GREEN, "green"),
        (failing("a", "b"), "red, 1 passed, 2 failed"),
        (SKIPPING, "green, 2 passed, 0 failed, 1 skipped"),
        (result("red", findings=(finding(),)), "red, 1 finding"),
        (result("red", findings=(finding(), finding("other"))), "red, 2 findings"),
    ],
)
def test_what_a_result_amounts_to(outcome: CheckResult, text: str) -> None:
    assert summarize_result(outcome) == text


@pytest.mark.parametrize(
    ("verdict", "checks", "text"),
    [
        (
            Continue(cause="background", names=("npm run dev",)),
            (),
            "untildone: held (background): npm run dev",
        ),
        (
            Continue(cause="unmet"),
            (GREEN, RED),
            "untildone: held, round 1 of 10, unmet: test red",
        ),
        (
            Continue(cause="unmet", names=("docs",)),
            (GREEN,),
            "untildone: held, round 1 of 10, unmet: docs",
        ),
        (
            Continue(cause="unmet"),
            (GREEN,),
            "untildone: held, round 1 of 10: not reported as done",
        ),
        (
            Finish(outcome="done", reason="every check passes"),
            (GREEN,),
            "untildone: done after 1 round: test green",
        ),
        (
            Finish(outcome="claimed", reason="the promise was said"),
            (),
            "untildone: claimed after 1 round: the promise was said",
        ),
        (
            Pause(outcome="stagnated", reason="nothing moved"),
            (RED,),
            "untildone: paused (stagnated): nothing moved."
            " The agent is no longer held; resume with `untildone continue`",
        ),
        (
            Pause(outcome="gate", reason="may I?"),
            (),
            "untildone: may I? Your next prompt is the answer.",
        ),
        (
            Wait(reason="plan mode"),
            (),
            "untildone: released, not judged: plan mode; loop a1 is active",
        ),
        (Ignore(reason="no loop"), (), ""),
    ],
)
def test_what_the_user_sees(verdict: Verdict, checks: tuple[CheckResult, ...], text: str) -> None:
    assert describe_verdict(record(round=1), verdict, checks) == text


@pytest.mark.parametrize(
    "verdict",
    [
        Finish(outcome="done", reason=""),
        Finish(outcome="claimed", reason="said"),
        Pause(outcome="stagnated", reason="nothing moved"),
    ],
)
def test_an_ending_reports_the_first_totals_and_the_last(verdict: Verdict) -> None:
    first = Totals(errors=12, warnings=28, failed=1)
    loop = record(round=3, baseline_totals=first, totals=Totals(warnings=1), improved=97)

    assert describe_verdict(loop, verdict, ()).partition(" | ")[2] == (
        "initial: 12 errors, 28 warnings, 1 failing test;"
        " final: 0 errors, 1 warning, 0 failing tests; improvement: 97 %"
    )


def test_no_improvement_is_reported_where_the_first_totals_are_unknown() -> None:
    loop = record(round=3, totals=Totals(errors=248), improved=50)

    notice = describe_verdict(loop, Pause(outcome="stagnated", reason="nothing moved"), ())

    assert notice.partition(" | ")[2] == "initial: unknown; final: 248 errors"


def test_an_ending_names_checks_that_could_not_run() -> None:
    verdict = Finish(outcome="done", reason="every check passes; `lint` was left out")
    text = describe_verdict(record(round=1), verdict, (GREEN,))
    assert text == "untildone: done after 1 round: test green | `lint` was left out"


def test_several_rounds_are_counted_as_such() -> None:
    verdict = Finish(outcome="done", reason="")

    assert describe_verdict(record(round=3), verdict, ()).startswith(
        "untildone: done after 3 rounds: "
    )


def test_a_loop_of_counts_reports_how_many_are_left() -> None:
    counting = contract(preset="fix", counts=("zero-errors",))
    progress = Progress(round=3, totals=Totals(errors=5, warnings=12), improved=45)
    loop = Record(contract=counting, progress=progress, generation=1)

    assert describe_verdict(loop, Continue(cause="unmet", names=("zero-errors",)), (RED,)) == (
        "untildone: held, round 3 of 10, unmet: test red |"
        " now: 5 errors, 12 warnings, progress: 45 %"
    )
    bare = Record(contract=counting, progress=Progress(round=1), generation=1)
    assert describe_verdict(bare, Continue(cause="unmet"), (RED,)).endswith(" | now: nothing")


def test_a_pause_reports_what_is_left() -> None:
    reported = describe_verdict(
        record(round=2, unmet=("a", "b", "c", "d", "e")),
        Pause(outcome="blocked", reason="no key"),
        (),
    )

    assert reported.endswith("resume with `untildone continue` | left: a, b, c, d")


def test_what_is_lost_is_named_without_its_digest() -> None:
    held = describe_verdict(
        record(round=1), Continue(cause="losses", names=("config:a#12",)), (GREEN,)
    )

    assert held == "untildone: held, round 1 of 10, concerns: config:a"


def test_a_hold_says_what_was_changed_as_a_question_would() -> None:
    concern = make_concern(ConcernKind.EDIT_EXPECTED, "a.py", "test_youths", reason="changed")
    verdict = Continue(cause="losses", names=(concern.id,))
    concerns = (replace(concern, old="6", new="12"),)

    assert describe_verdict(record(round=1), verdict, (GREEN,), concerns=concerns) == (
        "untildone: held, round 1 of 10: 1 test expectation changed: `test_youths` 6 → 12"
    )


@pytest.mark.parametrize(
    ("reason", "asked"),
    [
        ("1 test changed: `test_a`", "1 test changed: `test_a`. Intended?"),
        (
            "no test shows the change: none. Accept it?",
            "no test shows the change: none. Accept it?",
        ),
    ],
)
def test_a_pause_for_approval_is_recalled_as_its_question(reason: str, asked: str) -> None:
    recalled = describe_pause(record(status="paused", outcome="needs-approval", reason=reason))

    assert recalled == (
        f"untildone: loop a1 is paused (needs-approval): {asked}"
        " /untildone:approve, or undo it, then /untildone:continue"
    )


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("done", ""),
        ("cancelled", ""),
        ("stagnated", "`untildone continue a1`"),
        ("out-of-rounds", "`untildone continue a1 --rounds +N`"),
        ("gate", "your next prompt answers"),
        (
            "needs-approval",
            "`untildone approve --loop a1` if you wanted it,"
            " or `untildone continue a1` after you undid it",
        ),
    ],
)
def test_how_to_go_on(outcome: Outcome, text: str) -> None:
    assert describe_next_step("a1", outcome) == text


@pytest.mark.parametrize(
    ("outcome", "state"), [("paused", "paused"), ("blocked", "paused (blocked)")]
)
def test_a_paused_loop_is_recalled_with_its_remedy(outcome: Outcome, state: str) -> None:
    reported = describe_pause(record(status="paused", outcome=outcome, reason="no key"))

    assert (
        reported == f"untildone: loop a1 is {state}: no key. To continue: `untildone continue a1`"
    )


@pytest.mark.parametrize(
    ("verdict", "ending"),
    [
        (Finish(outcome="done", reason=""), " | 4 min, 0.42 USD | receipt: r.md"),
        (
            Pause(outcome="stagnated", reason="nothing moved"),
            " | 3 rounds, 4 min, 0.42 USD | receipt: r.md",
        ),
        (Pause(outcome="gate", reason="may I?"), "Your next prompt is the answer."),
    ],
)
def test_an_ending_says_what_it_took_and_where_the_receipt_is(
    verdict: Verdict, ending: str
) -> None:
    loop = record(round=3, spend_usd=0.42, updated_at="2025-03-01T10:04:00+00:00")

    assert describe_verdict(loop, verdict, (), receipt="r.md").endswith(ending)


@pytest.mark.parametrize(
    ("verdict", "name"),
    [
        (Continue(cause="unmet"), "held"),
        (Finish(outcome="done", reason=""), "done"),
        (Pause(outcome="paused", reason=""), "paused"),
        (Pause(outcome="stagnated", reason=""), "paused (stagnated)"),
        (Wait(reason=""), "released"),
        (Ignore(reason=""), "ignored"),
    ],
)
def test_the_name_of_a_verdict(verdict: Verdict, name: str) -> None:
    assert name_verdict(verdict) == name


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (99, "99 s"), (100, "2 min"), (7_200, "2 h")]
)
def test_a_duration(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text
