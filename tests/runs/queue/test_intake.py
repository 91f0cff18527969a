"""Rows of the task table that `queue add` did not write."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from runs.queue.test_task_queue import Fleet
from untildone.runs.queue.tables import TASKS


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("id", "../../etc", "its id is none of ours"),
        ("repository", "/secret", "its route is not that of its agent, labels and repository"),
        ("route", "\t\t/r\t", "its route is not"),
        ("options", "{", "its options cannot be read: "),
        ("options", '{"rounds": "many"}', "its options cannot be read: "),
    ],
)
def test_a_forged_task_ends_and_the_next_one_is_taken(
    tmp_path: Path, column: str, value: str, reason: str
) -> None:
    fleet = Fleet(tmp_path)
    forged, good = fleet.add(), fleet.add()
    with fleet.engine.begin() as connection:
        chosen = sa.update(TASKS).where(TASKS.c.id == forged)
        connection.execute(chosen.values({column: value}))

    assert fleet.take(fleet.worker("w")).id == good
    ended = fleet.queue.list_tasks(("ended",))
    assert [(task.outcome, task.reason.startswith(reason)) for task in ended] == [("blocked", True)]


def test_a_tab_does_not_make_a_label_of_the_repository(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    name = fleet.add(agent="a\tb", labels=("/allowed/",))

    assert fleet.worker("w").take(lambda _route: True) is None
    assert [task.id for task in fleet.queue.list_tasks(("ended",))] == [name]
