"""The clock and the lock that all workers share: those of the database.

Deadlines, back-offs, budgets and sleeping accounts are compared with this clock alone, so that
it does not matter how the clocks of the workers differ. With a SQLite file it is the clock of the
one machine that has the file.
"""

import sqlalchemy as sa

_SQLITE = sa.text("SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)")
_POSTGRES = sa.text("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)")
# Any number: it only has to be the same in every process.
_LOCK = 7_364_529_002


def read_time(connection: sa.Connection) -> int:
    """Return the time in milliseconds since the epoch."""
    query = _SQLITE if connection.dialect.name == "sqlite" else _POSTGRES
    return int(connection.execute(query).scalar_one())


def lock_taking(connection: sa.Connection) -> None:
    """Let nobody else decide which task is taken until this transaction ends.

    It comes first in a transaction, before any row is locked.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        # `database.py` ends the connection of a worker that stops in the middle.
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
