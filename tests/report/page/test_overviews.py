"""The pages of a project's history and of a plan, as values."""

from msgspec.structs import replace

from report.page.sample_loops import make_history, make_record
from untildone.core.progress import Progress
from untildone.report.page.history_view import build_history_view
from untildone.report.page.plan_view import PlannedTask, build_plan_view
from untildone.report.page.render import render_history_page, render_plan_page
from untildone.store.loops import UnreadableLoop

DONE = make_record(make_history())
PAUSED = replace(
    DONE, progress=Progress(status="paused", outcome="stagnated", reason="nothing moved", round=4)
)


def test_a_history_counts_its_loops_and_what_they_took() -> None:
    view = build_history_view([DONE, PAUSED], title="/shop")

    assert (view.headline.text, view.headline.reason) == (
        "2 loops, 1 paused",
        "1 done, 1 paused (stagnated)",
    )
    assert [(figure.name, figure.value, figure.note) for figure in view.figures] == [
        ("Done", "1", "of 1 ended"),
        ("Rounds", "10", "5.0 a loop"),
        ("Cost", "0.72", "USD; unknown of 1 loop"),
        ("Time", "24 min", "from start to end, summed"),
    ]
    assert [(row.state, row.rounds, row.cost, row.result) for row in view.rows] == [
        (
            "done",
            6,
            "0.72 USD",
            "initial: 18 errors, 6 failing tests; final: 0 errors, 0 failing tests",
        ),
        ("paused (stagnated)", 4, "unknown", "nothing moved"),
    ]
    # The oldest loop is the first bar.
    assert [series.values for series in view.charts[0].series] == [(0, 6), (4, 0)]
    assert view.charts[1].series[0].values == (None, 0.72)


def test_an_empty_history_says_so() -> None:
    view = build_history_view([], title="/shop")

    assert (view.headline.text, view.charts, view.rows) == ("No loop ran here yet", (), ())


def test_loops_whose_cost_nobody_knows_have_no_chart_of_it() -> None:
    view = build_history_view([PAUSED], title="/shop")

    assert [chart.id for chart in view.charts] == ["rounds"]
    assert view.figures[2].value == "unknown"


def test_a_very_long_history_is_cut_and_counted() -> None:
    damaged = [UnreadableLoop(id=f"l{number}", reason="damaged") for number in range(30)]
    view = build_history_view([DONE] * 5_000, damaged, title="/shop")

    assert (len(view.rows), view.more, view.unreadable[-1]) == (200, 4_800, "10 more")
    assert view.charts[0].note == "the newest 60 of 5,000 loops are drawn"
    assert len(render_history_page(view).encode()) < 500_000


def test_a_plan_shows_each_task_with_its_loops() -> None:
    tasks = (
        PlannedTask(
            id="T1",
            title="Begin",
            status="completed",
            points=3,
            step="merged",
            merge="1b" * 20,
            records=(DONE, PAUSED),
        ),
        PlannedTask(id="T2", title="Go on", status="in_progress", depends_on=("T1",), step="ended"),
        PlannedTask(id="T3", title="End", status="odd", points=1),
    )
    view = build_plan_view("shop", "TASKS.json", tasks)

    assert (view.headline.text, view.headline.tone, view.headline.reason) == (
        *("1 of 3 tasks completed", "warn", "ended without being verified: T2"),
    )
    assert [(task.state, task.size, task.after, task.note) for task in view.tasks] == [
        ("completed", "3 points", "", "merged as 1b1b1b1b1b1b"),
        ("ended, not verified", "", "T1", "ended"),
        ("odd", "1 point", "", ""),
    ]
    assert [figure.value for figure in view.figures] == ["3", "10", "0.72", "24 min"]
    assert "No loop worked on it yet." in render_plan_page(view)


def test_a_plan_that_is_complete_is_good_and_a_long_one_is_cut() -> None:
    task = PlannedTask(id="T", title="t", status="completed", records=(DONE,) * 12)
    view = build_plan_view("shop", "TASKS.json", (task,) * 400)

    assert (view.headline.tone, len(view.tasks), view.more) == ("good", 300, 100)
    assert (len(view.tasks[0].loops), view.tasks[0].more_loops) == (10, 2)


def test_a_plan_nobody_began_costs_nothing_known() -> None:
    view = build_plan_view(
        "shop", "TASKS.json", (PlannedTask(id="T", title="t", status="not_started"),)
    )

    assert (view.headline.tone, view.figures[2].value) == ("calm", "unknown")
