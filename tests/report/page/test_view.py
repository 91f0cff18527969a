"""The page of a loop as a value: what it says, and that it says what the receipt says."""

from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from engine.played_loops import FAILS, MET, NOTE, Play, PlayedLoop, Stop
from report.page.sample_loops import (
    CONCERN,
    TEST,
    make_history,
    make_record,
    make_round,
    make_tests,
)
from untildone.core.contract import Claim, LeftOut
from untildone.core.plan_task import PlanTask
from untildone.core.progress import ClaimReport, Progress
from untildone.core.verdict import OUTCOMES, Outcome
from untildone.report.page.render import render_loop_body
from untildone.report.page.values import ConcernView, Figure, LoopView
from untildone.report.page.view import build_loop_view
from untildone.report.receipt import build_receipt
from untildone.store.history import History

PLAYS = {
    "done": Play((Stop(FAILS, spent=0.25), NOTE, Stop(message="I am done."))),
    "paused": Play((Stop(FAILS), "pause"), before=None, rounds=3),
    "asks": Play((Stop(FAILS), Stop(edit="noqa"), Stop(edit="noqa"), "approve"), before=FAILS),
    "claims": Play((MET, Stop(), "cancel"), claims=(Claim(name="docs"),), git=True),
}


def view_of(history: History, **progress: Any) -> LoopView:  # noqa: ANN401  any field
    record = make_record(history)
    return build_loop_view(replace(record, progress=replace(record.progress, **progress)), history)


def get_figures(view: LoopView) -> dict[str, Figure]:
    return {figure.name: figure for figure in view.figures}


@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
def test_it_agrees_with_the_receipt(play: Play, tmp_path: Path) -> None:
    """Every figure of real loops, at each end."""
    for world in PlayedLoop(tmp_path, play).run():
        history = world.context.loops.read_history(world.record)
        receipt, view = build_receipt(world.record, history), build_loop_view(world.record, history)
        figures = get_figures(view)

        assert figures["Rounds"].value == str(receipt.rounds)
        assert (figures["Cost"].value == "unknown") is (receipt.spend_usd is None)
        if receipt.final and "Tests failing" in figures:
            assert figures["Tests failing"].value == str(receipt.final.failed)
        assert [row.now for row in view.checks if row.now] == [
            run.summary for run in receipt.checks
        ]
        before = [run.summary for run in receipt.baseline_checks or ()]
        assert sorted(row.before for row in view.checks if row.before) == sorted(before)
        assert len(view.concerns) == len(receipt.concerns) + len(receipt.approvals)
        assert view.headline.reason == receipt.reason
        assert "Traceback" not in render_loop_body(view)


@pytest.mark.parametrize("outcome", get_args(get_args(Outcome)[0]) + get_args(get_args(Outcome)[1]))
def test_every_outcome_has_a_headline(outcome: Outcome) -> None:
    status = OUTCOMES[outcome].status
    headline = view_of(make_history(), outcome=outcome, status=status, reason="why").headline

    assert headline.text.endswith(", after 6 rounds")
    assert (headline.tone == "good") is (outcome == "done")
    assert bool(headline.next_steps) is (status == "paused" or outcome == "claimed")


def test_an_active_loop_says_what_is_unmet() -> None:
    view = view_of(make_history(), outcome=None, status="active", reason="", unmet=("test",))

    assert view.is_active
    assert view.headline.text == "At work: 6 of 10 rounds judged"
    assert view.headline.reason == "unmet at the last stop: test"


def test_a_loop_without_a_round_says_that_nothing_is_known() -> None:
    view = build_loop_view(make_record(History()), History())

    assert (view.rounds, view.charts) == ((), ())
    assert view.headline.reason == ""
    assert view.unknown[:2] == (
        "No stop was judged, so nothing is known about the work.",
        "The cost is unknown.",
    )


def test_what_the_baseline_failed_is_known_where_one_check_gave_no_result() -> None:
    history = make_history()
    assert history.baseline is not None
    broken = replace(history.baseline.checks[1], outcome="unrunnable", reason="no ruff")
    baseline = replace(history.baseline, totals=None, checks=(history.baseline.checks[0], broken))
    history = replace(history, baseline=baseline)

    view = view_of(history, baseline_totals=None)

    assert get_figures(view)["Tests failing"].note == "of 16; 6 at the start"
    assert get_figures(view)["Findings"].note == "unknown at the start"
    assert view.charts[1].series[0].values[0] == 6
    assert "`lint` gave no result on the baseline: unrunnable, 18 errors (no ruff)." in view.unknown


def test_without_a_baseline_it_is_unknown_what_failed() -> None:
    history = replace(make_history(), baseline=None, ended_by_round=False)
    last = replace(history.rounds[-1], left_out=(LeftOut(name="e2e", reason="no browser"),))
    history = replace(
        history, rounds=(*history.rounds[:-1], replace(last, sandbox="", change=None))
    )

    view = view_of(history, baseline_totals=None)

    assert get_figures(view)["Tests failing"].note == "of 16; unknown at the start"
    assert view.unknown[:2] == (
        "Nothing was checked after round 6.",
        "1 stop could not be judged: the client ended it.",
    )
    assert view.unknown[2:] == (
        "`e2e` was left out: no browser.",
        "The checks were not run on the baseline, so it is unknown what failed before.",
        "The checks were not confirmed in a sandbox.",
    )


def test_concerns_are_open_or_approved_by_somebody() -> None:
    record, history = make_record(make_history()), make_history()
    amendments = replace(record.progress.amendments[0], always=(CONCERN.id,))
    is_open = build_loop_view(
        replace(record, progress=replace(record.progress, amendments=())), history
    )
    approved = build_loop_view(
        replace(record, progress=replace(record.progress, amendments=(amendments,))), history
    )

    name = "edit-expected:tests/test_prices.py:test_total"
    assert is_open.concerns == (
        ConcernView(
            name=name,
            because="the expected value of test_total changed",
            change=history.rounds[-1].diffs["tests/test_prices.py"],
        ),
    )
    (concern,) = approved.concerns
    assert (concern.name, concern.because) == (name, f"covers {name}")
    assert concern.approval.startswith("approved by the user, ")
    assert concern.approval.endswith(", for every loop of the project")


def test_what_is_allowed_before_a_comparison_covers_nothing_yet() -> None:
    history = make_history()
    uncompared = replace(history.rounds[-1], changed=None, concerns=None, comparisons=())
    view = view_of(replace(history, rounds=(*history.rounds[:-1], uncompared)))

    assert [concern.because for concern in view.concerns] == [""]
    assert any("was not compared with the baseline" in text for text in view.unknown)


def test_checks_that_did_not_run_are_listed_too() -> None:
    history = make_history()
    last = make_round(6, make_tests(2, 0))
    view = view_of(replace(history, rounds=(*history.rounds[:-1], last)))

    assert [(row.name, bool(row.before), row.now) for row in view.checks] == [
        ("test", True, "green, 2 passed, 0 failed, 1 skipped"),
        ("lint", True, ""),
    ]
    assert "Not run in round 6: lint." in view.unknown


def test_a_check_that_only_the_baseline_had_is_listed() -> None:
    history = make_history()
    history = replace(history, rounds=(*history.rounds[:-1], make_round(6, make_tests(2, 0))))
    view = build_loop_view(make_record(history, checks=(TEST,)), history)

    assert [(row.name, row.now) for row in view.checks][1:] == [("lint", "")]


def test_facts_say_who_reported_what_and_to_which_plan_it_belongs() -> None:
    record, history = make_record(make_history()), make_history()
    record = replace(
        record,
        contract=replace(record.contract, plan=PlanTask(task="TASK-001", path="TASKS.json")),
        progress=replace(
            record.progress,
            met={"docs": ClaimReport(by="review", evidence="read them")},
            notes=tuple(f"note {number}" for number in range(25)),
            precheck="nothing can go wrong",
        ),
    )

    facts = [(fact.name, fact.text) for fact in build_loop_view(record, history).facts]

    assert ("plan", "TASK-001 of TASKS.json") in facts
    assert ("the agent reports", "docs: review: read them") in facts
    assert ("precheck", "nothing can go wrong") in facts
    assert ("note", "and 5 more") in facts


def test_a_reused_result_and_very_many_checks_are_said() -> None:
    history = make_history()
    checks = tuple(
        replace(make_tests(1, 0), name=f"test{number}", cached=True) for number in range(60)
    )
    view = view_of(replace(history, rounds=(*history.rounds[:-1], make_round(6, *checks))))

    assert view.checks[0].how == "reused: green on the same tree (1.2 s)"
    assert (len(view.checks), view.more_checks) == (40, 22)
    assert (len(view.rounds[0].checks), view.rounds[0].more_checks) == (12, 48)
    assert view.reproduce[-2].purpose == "all, 40 more than listed here"


def test_an_empty_task_is_named() -> None:
    history = make_history()
    view = build_loop_view(make_record(history, task=""), history)

    assert (view.title, view.task) == ("(no task)", "")


def test_progress_without_bounds() -> None:
    history = make_history()
    record = make_record(history)
    unbounded = replace(record.contract.bounds, rounds=0, budget_usd=0, minutes=0)
    record = replace(record, contract=replace(record.contract, bounds=unbounded))
    active = replace(record, progress=Progress(round=2))

    assert [figure.note for figure in build_loop_view(record, history).figures][::3] == [
        "no bound",
        "USD, no bound",
    ]
    assert build_loop_view(active, history).headline.text == "At work: 2 rounds judged"
