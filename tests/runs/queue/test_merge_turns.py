"""The merges into a branch belong to one worker, also if two ask for them at once."""

import time

import pytest
import sqlalchemy as sa

from runs.queue.fleet import NOW, Fleet, run_at_once
from untildone.runs.queue.lease import Lease
from untildone.runs.queue.merge_lease import MergeLease, MergeTurn
from untildone.runs.queue.tables import MERGES, TASKS

pytestmark = pytest.mark.slow


def test_of_two_workers_that_wait_for_a_dead_ones_turn_one_gets_it(postgres_fleet: Fleet) -> None:
    fleet = postgres_fleet
    name = fleet.add()
    turns: list[MergeTurn | None] = []

    def take(lease: Lease) -> None:
        turns.append(MergeLease(fleet.engine, lease, lambda: NOW).take(lambda _route: True))

    with fleet.engine.begin() as connection:
        waiting = {"state": "merging", "target": "main"}
        connection.execute(sa.update(TASKS).where(TASKS.c.id == name).values(waiting))
    first, (one, two) = fleet.worker("zero"), fleet.pair()
    take(first)
    fleet.die(first)

    def hold_the_row() -> None:
        with fleet.engine.begin() as connection:
            connection.execute(sa.update(MERGES).values(updated_at=NOW))
            time.sleep(1)

    run_at_once([hold_the_row, lambda: take(one), lambda: take(two)])

    tokens = sorted(turn.token for turn in turns if turn)
    assert tokens == [1, 2]
