"""What a worker says and does when its database does not answer."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from untildone.errors import UserError
from untildone.runs.queue.database_watch import DatabaseWatch, Look
from untildone.runs.queue.losses import Loss, find_database_loss, find_full_disk
from untildone.runs.queue.worker_events import DatabaseAway, DatabaseBack

REFUSED = sa.exc.OperationalError("SELECT 1", None, Exception("connection refused\nmore"))
LOST = "the database was away for the whole lease (connection refused): others may have its tasks"


class Clock:
    """Looks every second."""

    def __init__(self, lease: float = 20) -> None:
        self.now = 100.0
        self.watch = DatabaseWatch(lease, lambda: self.now)

    def look(self, seconds: int, each: Callable[[], None] = lambda: None) -> list[tuple[int, Look]]:
        seen = []
        for second in range(1, seconds + 1):
            self.now += 1
            each()
            look = self.watch.look()
            if look != Look():
                seen.append((second, look))
        return seen


def test_a_database_that_answers_is_not_spoken_of() -> None:
    clock = Clock()

    def beat() -> None:
        clock.watch.begin_beat()
        clock.watch.confirm_beat()

    assert clock.look(60, beat) == []
    assert not clock.watch.is_away


def test_a_database_that_fails_is_told_once_and_costs_the_lease() -> None:
    clock = Clock()
    seen = clock.look(21, lambda: clock.watch.note_failure("x", REFUSED))

    assert seen == [
        (6, Look(event=DatabaseAway(reason="connection refused"))),
        (21, Look(loss=Loss(reason=LOST))),
    ]
    assert clock.watch.is_away


def test_a_database_that_is_silent_is_noticed_too_and_comes_back() -> None:
    clock = Clock()
    clock.watch.begin_beat()
    assert clock.look(10) == [(5, Look(event=DatabaseAway(reason="no answer")))]
    clock.watch.confirm_beat()

    assert clock.look(2) == [(1, Look(event=DatabaseBack(seconds=11.0)))]
    assert not clock.watch.is_away


def test_an_answer_to_one_is_none_to_another() -> None:
    clock = Clock()

    def read_but_not_write() -> None:
        clock.watch.note_failure("writer", make_error(fill_database))
        with clock.watch.follow() as reader:
            clock.watch.note_failure(reader, REFUSED)
        clock.watch.begin_beat()
        clock.watch.confirm_beat()

    ((second, look),) = clock.look(6, read_but_not_write)
    assert (second, look.loss and look.loss.exit_code) == (6, 74)


def test_a_process_that_was_stopped_asks_before_it_gives_up() -> None:
    clock = Clock()
    clock.watch.begin_beat()
    clock.now += 3_600
    assert clock.watch.look() == Look()
    assert [second for second, look in clock.look(12) if look.loss] == [11, 12]


def make_error(action: Callable[[sqlite3.Connection], object]) -> sa.exc.DBAPIError:
    with pytest.raises(sqlite3.Error) as caught:
        action(sqlite3.connect(":memory:"))
    return sa.exc.OperationalError("x", None, caught.value)


def fill_database(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA max_page_count=2")
    connection.execute("CREATE TABLE a AS SELECT zeroblob(100000)")


def write_protected(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA query_only=1")
    connection.execute("CREATE TABLE a (b)")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (make_error(fill_database), "database or disk is full; free some space on its disk"),
        (
            make_error(write_protected),
            "attempt to write a readonly database; make the file and its folder writable",
        ),
        (make_error(lambda connection: connection.execute("SELECT x")), ""),
        (REFUSED, ""),
        (ValueError("x"), ""),
    ],
)
def test_what_only_the_user_can_fix_ends_the_worker(error: Exception, reason: str) -> None:
    text = f"the queue cannot be written: {reason}, then start it again"
    expected = Loss(reason=text, exit_code=74) if reason else None
    assert find_database_loss(error) == expected
    clock = Clock()
    seen = clock.look(6, lambda: clock.watch.note_failure("x", error))
    assert [look.loss for _, look in seen] == [expected]


@pytest.mark.parametrize(
    ("error", "is_full"),
    [
        (OSError(28, "No space left on device", "/state/x"), True),
        (OSError(30, "Read-only file system", "/state/x"), True),
        (OSError(2, "No such file or directory", "/state/x"), False),
        (UserError("`git fetch` failed: fatal: write error: No space left on device"), True),
        (UserError("x:\nremote: error: file write error: No space left on device"), False),
        (UserError("`git fetch` failed: could not read from remote repository"), False),
    ],
)
def test_a_full_disk_of_this_machine_is_told_from_other_errors(
    error: OSError | UserError, is_full: bool
) -> None:
    loss = find_full_disk(error)
    assert bool(loss) == is_full
    assert loss is None or loss.exit_code == 74


def test_a_remedy_is_known_for_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"no database" * 100)
    error = make_error(lambda _: sqlite3.connect(path).execute("SELECT * FROM sqlite_master"))
    loss = find_database_loss(error)
    assert loss
    assert "restore the file from a backup" in loss.reason
