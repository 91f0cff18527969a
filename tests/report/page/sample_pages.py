"""The pages that the tests of a browser look at."""

from msgspec.structs import replace

from report.page.sample_loops import HOSTILE, make_history, make_record
from untildone.core.contract import Check
from untildone.report.page.history_view import build_history_view
from untildone.report.page.plan_view import PlannedTask, build_plan_view
from untildone.report.page.render import (
    render_history_page,
    render_loop_page,
    render_plan_page,
)
from untildone.report.page.view import build_loop_view
from untildone.store.loops import Record, UnreadableLoop


def render_pages() -> dict[str, str]:
    history = make_history()
    record = make_record(history)
    return {
        "loop": render_loop_page(build_loop_view(record, history)),
        "history": render_history_page(
            build_history_view(
                (record, *_make_others(record)),
                (UnreadableLoop(id="0bad", reason="its journal is damaged"),),
                title="/home/ada/shop",
            )
        ),
        "plan": render_plan_page(build_plan_view("prices", "TASKS.json", _make_tasks(record))),
        "hostile": render_hostile(),
    }


def _make_others(record: Record) -> list[Record]:
    active = replace(record.progress, status="active", outcome=None, reason="")
    paused = replace(record.progress, status="paused", outcome="stagnated", reason="nothing moved")
    unpriced = replace(record.progress, spend_usd=None)
    return [replace(record, progress=each) for each in (active, paused, unpriced)]


def _make_tasks(record: Record) -> tuple[PlannedTask, ...]:
    return (
        PlannedTask(
            id="TASK-001",
            title="Give per cent off",
            status="completed",
            phase="Foundation",
            points=3,
            criteria=("`pytest` exits 0",),
            step="merged",
            merge="1b" * 20,
            records=(record,),
        ),
        PlannedTask(
            id="TASK-002",
            title="Round to cents",
            status="in_progress",
            phase="Foundation",
            points=1,
            depends_on=("TASK-001",),
            step="ended",
            reason="nothing moved in 3 rounds",
        ),
        PlannedTask(id="TASK-003", title="Print the bill", status="not_started", phase="Output"),
    )


def render_hostile() -> str:
    """Return a page all of whose foreign texts are hostile."""
    history = make_history(2)
    last = history.rounds[-1]
    checks = tuple(
        replace(check, name=HOSTILE, command=HOSTILE, reason=HOSTILE) for check in last.checks
    )
    hostile = replace(
        last,
        checks=checks,
        message=HOSTILE,
        written_files=(HOSTILE,),
        notes=(HOSTILE,),
        comparisons=(HOSTILE,),
        sandbox=HOSTILE,
        diffs={HOSTILE: f"+{HOSTILE}"},
        agent=HOSTILE,
        feedback=HOSTILE,
        commit=HOSTILE,
    )
    history = replace(history, rounds=(*history.rounds[:-1], hostile))
    record = make_record(
        history,
        task=HOSTILE,
        project=f"/{HOSTILE}",
        checks=(Check(name=HOSTILE, command=HOSTILE),),
    )
    return render_loop_page(build_loop_view(record, history))
