"""The database of a queue: completed when it is older, refused when it is newer."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from untildone.errors import UserError
from untildone.runs.queue.database import open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.tables import METADATA
from untildone.runs.queue.task_queue import TaskQueue

# The first format, with a task in it.
_FIRST = """
CREATE TABLE untildone_task (number INTEGER PRIMARY KEY, id VARCHAR(32) NOT NULL UNIQUE,
 state VARCHAR(16) NOT NULL, route TEXT NOT NULL, task TEXT DEFAULT '' NOT NULL,
 options TEXT DEFAULT '' NOT NULL, repository TEXT DEFAULT '' NOT NULL,
 base TEXT DEFAULT '' NOT NULL, agent TEXT DEFAULT '' NOT NULL, labels TEXT DEFAULT '' NOT NULL,
 source TEXT DEFAULT '' NOT NULL, worker TEXT DEFAULT '' NOT NULL,
 outcome TEXT DEFAULT '' NOT NULL, reason TEXT DEFAULT '' NOT NULL,
 result TEXT DEFAULT '' NOT NULL, added_at TEXT DEFAULT '' NOT NULL,
 updated_at TEXT DEFAULT '' NOT NULL, priority INTEGER DEFAULT '0' NOT NULL,
 attempt INTEGER DEFAULT '0' NOT NULL, token INTEGER DEFAULT '0' NOT NULL);
CREATE TABLE untildone_setting (name VARCHAR(32) PRIMARY KEY, value TEXT DEFAULT '' NOT NULL);
INSERT INTO untildone_setting VALUES ('schema', '1');
INSERT INTO untildone_task (number, id, state, route, task, options, repository, attempt)
 VALUES (1, 'c0ffee42', 'queued', '		/r', 'Fix it', '{}', '/r', 1);
"""


def make_first_format(url: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        for statement in filter(str.strip, _FIRST.split(";")):
            connection.exec_driver_sql(statement)
    engine.dispose()


def require_complete(url: str) -> None:
    """Its task is there and can be taken, and it has all that a new one has."""
    engine = open_database(url)
    queue = TaskQueue(engine, lambda: "now")
    assert [task.task for task in queue.list_tasks()] == ["Fix it"]
    identity = Identity(id="w", host="h", pid=1, agents=("claude",), labels=(), jobs=1)
    lease = Lease(engine, identity, seconds=60, now=lambda: "now")
    lease.register()
    assert lease.take(lambda _route: True)
    inspector = sa.inspect(engine)
    for table in METADATA.sorted_tables:
        columns = {column["name"] for column in inspector.get_columns(table.name)}
        assert columns == set(table.columns.keys())
        indexes = {index["name"] for index in inspector.get_indexes(table.name)}
        assert indexes >= {index.name for index in table.indexes}
    engine.dispose()


def test_an_older_database_gets_the_tables_and_columns_it_lacks(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/queue.sqlite"
    make_first_format(url)

    require_complete(url)
    open_database(url).dispose()


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/queue.sqlite"
    engine = open_database(url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE untildone_setting SET value = '99'"))
    with pytest.raises(UserError, match="the queue has format 99, and this untildone knows 2"):
        open_database(url)
