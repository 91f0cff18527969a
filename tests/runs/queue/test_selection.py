"""Finding the next task reads no more rows when more are queued."""

from typing import Any

import pytest
import sqlalchemy as sa

from runs.queue.fleet import Fleet, must_take
from untildone.runs.queue.selection import is_left, select_heads
from untildone.runs.queue.tables import TASKS
from untildone.runs.queue.waits import select_due, select_late

QUERIES = {
    "heads": select_heads(),
    "left": sa.select(TASKS.c.id).where(is_left()),
    "due": select_due(1),
    "late": select_late(1),
}


def explain(fleet: Fleet, query: sa.Select[Any]) -> str:
    """The database's plan for a query."""
    word = "EXPLAIN QUERY PLAN" if fleet.engine.dialect.name == "sqlite" else "EXPLAIN"
    text = query.compile(fleet.engine, compile_kwargs={"literal_binds": True})
    with fleet.engine.connect() as connection:
        rows = connection.exec_driver_sql(f"{word} {text}").all()
    return "\n".join(str(row[-1]) for row in rows)


@pytest.fixture
def backlog(any_fleet: Fleet) -> Fleet:
    any_fleet.add_many(2_000)
    any_fleet.add_many(3, "/other")
    must_take(any_fleet.worker("w"))
    with any_fleet.engine.begin() as connection:
        connection.execute(sa.text("ANALYZE"))
    return any_fleet


def test_every_query_of_a_look_uses_an_index(backlog: Fleet) -> None:
    for name, query in QUERIES.items():
        plan = explain(backlog, query)
        assert "untildone_task_" in plan, name
        assert "SCAN untildone_task" not in plan, plan
        assert "Seq Scan on untildone_task" not in plan, plan


def test_a_look_reads_one_task_of_each_route(backlog: Fleet) -> None:
    with backlog.engine.connect() as connection:
        assert len(connection.execute(select_heads()).all()) == 2
