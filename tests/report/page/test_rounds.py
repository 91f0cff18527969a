"""Rounds as a page shows them: the timeline, what changed in each, and the charts."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from core.samples import AT
from report.page.sample_loops import (
    CONCERN,
    DIFF,
    make_finding,
    make_history,
    make_lint,
    make_record,
    make_round,
    make_tests,
)
from untildone.core.check_results import CheckResult, Totals
from untildone.core.progress import BaselineRun, Round
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait
from untildone.report.page.charts import describe_chart, draw_chart
from untildone.report.page.failure_names import NamedChanges, compare_runs
from untildone.report.page.render import render_loop_page
from untildone.report.page.series import MAX_BARS, build_charts, pick_points
from untildone.report.page.timeline import list_rounds
from untildone.report.page.values import Chart, Diff, Listed, RoundView, Series
from untildone.report.page.view import build_loop_view
from untildone.store.history import History, UnjudgedStop


def view_round(*checks: CheckResult, **fields: Any) -> RoundView:  # noqa: ANN401  any field
    (view,) = list_rounds(History(rounds=(make_round(1, *checks, **fields),)), AT)
    return view


def draw(*rounds: Round, baseline: BaselineRun | None = None) -> tuple[tuple[Chart, ...], Any]:
    return build_charts(History(rounds=rounds, baseline=baseline), AT)


def test_the_newest_round_comes_first_with_what_it_changed() -> None:
    newest, *_, first = list_rounds(make_history(3), AT)

    assert (newest.number, newest.verdict, newest.tone, newest.told) == (
        *(3, "done", "good", "every check passes"),
    )
    assert newest.fixed == Listed(
        texts=(
            "tests/test_prices.py::test_0",
            *(
                f"prices{number}.py:{number + 1} F401 `name{number}` imported but unused"
                for number in range(3)
            ),
        )
    )
    assert newest.diffs == (Diff(path="tests/test_prices.py", text=DIFF),)
    assert newest.concerns.texts == (f"{CONCERN.id.partition('#')[0]}: {CONCERN.detail}",)
    assert (first.told, first.tone) == ("not done: unmet are test, lint", "bad")
    assert (first.duration, first.cost, first.fixed_count) == ("4 min", "0.12 USD", 1)
    assert first.unjudged == ("the client ended it",)


@pytest.mark.parametrize(
    ("verdict", "tone", "told"),
    [
        (Continue(cause="unchanged"), "bad", "the checks pass as before, and no file was changed"),
        (Continue(cause="unmet"), "bad", "not done: unmet are not named"),
        (Finish(outcome="claimed", reason="it said so"), "warn", "it said so"),
        (Pause(outcome="gate", reason="Go on?"), "warn", "Go on?"),
        (Wait(reason="a question"), "calm", "a question"),
        (Ignore(reason="a subagent"), "calm", "a subagent"),
    ],
)
def test_every_verdict_is_told(verdict: Verdict, tone: str, told: str) -> None:
    view = view_round(verdict=verdict)

    assert (view.tone, view.told) == (tone, told)


def test_of_very_many_rounds_the_middle_ones_are_counted() -> None:
    views = list_rounds(make_history(10_000), AT)

    assert [view.number for view in views][44:46] == [9_956, 5]
    assert (len(views), [view.skipped for view in views if view.skipped]) == (
        50,
        ["9,950 more rounds, 6 to 9955, are not listed here: 9,950 held"],
    )


def test_long_lists_are_cut_and_counted() -> None:
    view = view_round(
        written_files=tuple(f"file{number}.py" for number in range(9)),
        concerns=(CONCERN,) * 8,
        concern_count=900,
        diffs={f"file{number}.py": "x\n" * 100 for number in range(7)},
        spend_usd=None,
    )

    assert (len(view.files.texts), view.files.more, view.concerns.more) == (6, 3, 894)
    assert [diff.path for diff in view.diffs][4:] == ["file4.py", "2 more files"]
    assert view.diffs[0].text.splitlines()[-1] == "… 40 more lines"
    assert view.cost == ""


def test_many_stops_that_were_not_judged_are_counted() -> None:
    stops = (UnjudgedStop(after_round=1, at=AT, reason="killed"),) * 8
    (view,) = list_rounds(History(rounds=(make_round(1),), unjudged=stops), AT)

    assert view.unjudged == (*("killed",) * 6, "and 2 more")


def test_failures_are_compared_by_name_with_the_reason_of_each_test() -> None:
    test = make_tests(1, 1)
    reason = replace(make_finding(0), code="tests/test_prices.py::test_0", text="assert 40 == 45")
    before = make_round(1, make_tests(1, 0), make_lint(1))
    now = make_round(2, replace(test, findings=(reason,), finding_count=1), make_lint(0))

    assert compare_runs(before, now) == NamedChanges(
        gone=("prices0.py:1 F401 `name0` imported but unused",),
        new=("tests/test_prices.py::test_0: assert 40 == 45",),
    )


def test_what_is_cut_or_was_not_run_is_not_compared() -> None:
    before = make_round(1, make_tests(1, 2), make_lint(900, listed=50))
    broken = replace(make_tests(1, 0), outcome="no-evidence")

    assert compare_runs(None, before) == NamedChanges()
    assert compare_runs(before, make_round(2, broken, make_lint(0))) == NamedChanges(
        unlisted_because="the journal does not list every failure of lint, only their number"
    )


def test_a_finding_without_a_line_is_named_by_its_file() -> None:
    lint = replace(make_lint(1), findings=(replace(make_finding(0), line=0, code=""),))

    assert compare_runs(make_round(1, lint), make_round(2, make_lint(0))).gone == (
        "prices0.py `name0` imported but unused",
    )


def test_charts_begin_with_the_baseline() -> None:
    charts, not_drawn = build_charts(make_history(2), AT)

    assert [chart.id for chart in charts] == ["findings", "tests", "cost", "time"]
    assert (charts[0].labels, charts[2].labels) == (("start", "1", "2"), ("1", "2"))
    assert charts[0].series == (Series(name="lint", values=(6, 3, 0), style="check1"),)
    assert charts[3].series[0].values == (240, 240)
    assert not_drawn == ()


def test_what_cannot_be_drawn_says_why() -> None:
    without = replace(make_round(1), counted=(), totals=None, spend_usd=None)

    assert draw() == ((), ("No stop was judged, so there is nothing to draw.",))
    assert draw(without)[1] == (
        *("Findings: no check was run.", "Tests: no check reported any."),
        "Cost: unknown in every round.",
    )
    assert draw(make_round(1, make_lint(0)))[1] == (
        "Findings: no check reported any, in the baseline or in a round.",
        "Tests: no check reported any.",
    )


def test_a_check_that_gave_no_result_does_not_hide_the_tests_of_the_others() -> None:
    run = BaselineRun(checks=(make_tests(1, 2), make_lint(0)), counted=(Totals(failed=2),))
    nothing = BaselineRun(checks=(make_lint(0),), counted=(Totals(),))

    assert draw(make_round(1, make_tests(3, 0)), baseline=run)[0][0].series[0].values == (2, 0)
    assert draw(make_round(1, make_tests(3, 0)), baseline=nothing)[0][0].series[0].values == (
        None,
        0,
    )


def test_the_checks_with_the_fewest_findings_are_one_series() -> None:
    checks = [replace(make_lint(count), name=f"lint{count}") for count in range(1, 9)]
    late = make_round(2, replace(make_lint(1), name="lint1"))
    (findings, *_), _ = draw(make_round(1, *checks), late)

    assert [(each.name, each.values) for each in findings.series] == [
        *(("lint8", (8, None)), ("lint7", (7, None)), ("lint6", (6, None)), ("lint5", (5, None))),
        ("4 other checks", (10, 1)),
    ]
    others = replace(checks[0], name="lint0")
    (alone, *_), _ = draw(make_round(1, *checks, others), make_round(2))
    assert alone.series[-1].values == (11, None)


def test_of_very_many_rounds_some_are_drawn_with_both_ends() -> None:
    points = pick_points(10_000)
    charts, _ = build_charts(make_history(10_000), AT)

    assert (len(points), points[0], points[-1]) == (MAX_BARS, 0, 9_999)
    assert pick_points(3) == (0, 1, 2)
    assert charts[0].note == "60 of 10,000 rounds are drawn, evenly spaced"


def make_chart(*values: float | None, **fields: Any) -> Chart:  # noqa: ANN401  any field
    labels = tuple(map(str, range(len(values))))
    series = (Series(name="<cost>", values=values, style="cost"),)
    return Chart(
        **{"id": "c", "title": "Cost", "unit": "USD", "labels": labels, "series": series, **fields}
    )


def test_a_chart_has_bars_a_scale_a_legend_and_a_table() -> None:
    drawn = draw_chart(make_chart(1, None, 0, 4))

    assert re.findall(
        r'<rect class="cost".* y="([\d.]+)".* height="([\d.]+)"', drawn.svg.replace("/>", "\n")
    ) == [
        *(("90.0", "30.0"), ("0.0", "120.0")),
    ]
    assert drawn.svg.count('class="missing"') == 1
    assert (drawn.top, drawn.labels) == ("4.00", ("0", "1", "2", "3"))
    assert [(entry.first, entry.last) for entry in drawn.legend] == [("1.00", "4.00")]
    assert drawn.rows == (("0", "1.00"), ("1", "unknown"), ("2", "0.00"), ("3", "4.00"))
    assert "&lt;cost&gt; from 1.00 to 4.00" in drawn.svg


def test_many_bars_have_three_labels() -> None:
    drawn = draw_chart(make_chart(*range(20)))

    assert (drawn.is_dense, drawn.labels) == (True, ("0", "10", "19"))


def test_a_small_value_stays_visible_and_units_are_formatted() -> None:
    drawn = draw_chart(make_chart(1, 100_000, unit="findings"))

    assert 'height="1.5"' in drawn.svg
    assert (drawn.top, drawn.rows[1][1]) == ("100,000", "100,000")
    assert draw_chart(make_chart(None)).legend[0].first == "unknown"


def test_bars_of_several_loops_are_not_compared_in_words() -> None:
    text = describe_chart(make_chart(1, 2, is_course=False))

    assert text == "Cost in USD: 2 bars, from 0 to 1; <cost>."


@pytest.mark.parametrize(("rounds", "bound"), [(50, 500_000), (10_000, 500_000)])
def test_the_page_stays_small(rounds: int, bound: int) -> None:
    history = make_history(rounds)

    assert len(render_loop_page(build_loop_view(make_record(history), history)).encode()) < bound


def test_a_hundred_thousand_findings_are_counted_not_listed() -> None:
    lint = replace(make_lint(100_000), reason="exit code 1")
    history = History(rounds=(make_round(1, make_lint(0)), make_round(2, lint)))
    view = build_loop_view(make_record(history), history)

    assert (len(view.rounds[0].new.texts), view.rounds[0].new.more) == (6, 99_994)
    assert len(render_loop_page(view).encode()) < 100_000
