"""Rows of the task table that `queue add` did not write."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from runs.queue.test_task_queue import Fleet
from untildone.runs.queue.abilities import Abilities
from untildone.runs.queue.tables import TASKS


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("id", "../../etc", "its id is none of ours"),
        ("repository", "/secret", "its route is not that of its agent, labels and repository"),
        ("route", "\t\t/r\t", "its route is not"),
        ("options", "{", "it cannot be read: "),
        ("options", '{"rounds": "many"}', "it cannot be read: "),
        ("plan", "{", "it cannot be read: "),
        ("target", "a:refs/heads/b", "it cannot be read: `a:refs/heads/b` is no name of a branch"),
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

    worker = fleet.worker("w")
    taken = [worker.take(lambda _route: True) for _ in range(2)]
    assert [task.id for task in taken if task] == [good]
    ended = fleet.queue.list_tasks(("ended",))
    assert [(task.outcome, task.reason.startswith(reason)) for task in ended] == [("blocked", True)]


def test_a_tab_does_not_make_a_label_of_the_repository(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path)
    name = fleet.add(agent="a\tb", labels=("/allowed/",))

    assert fleet.worker("w").take(lambda _route: True) is None
    assert [task.id for task in fleet.queue.list_tasks(("ended",))] == [name]


def test_a_worker_does_only_what_it_can_and_may() -> None:
    worker = Abilities(agents=("claude",), labels=("gpu", "linux"), repositories=("/team/*",))
    allowed = ["\t\t/team/a", "claude\tgpu\t/team/a"]
    only_merged = ["codex\t\t/team/a"]
    refused = ["\t\t/other", "\tmac\t/team/a", "\t/team/a", "a\tb\t/team/\t/other"]

    routes = (*allowed, *only_merged, *refused)
    assert [route for route in routes if worker.can_do(route)] == allowed
    assert [route for route in routes if worker.can_merge(route)] == [*allowed, *only_merged]
