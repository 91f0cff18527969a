"""What a task and a waiting worker cost the database, counted by Postgres itself."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa
from msgspec import Struct

# Statistics of a session reach the table at its end, or after a moment.
_SETTLE_SECONDS = 2
_TABLES = """
SELECT CASE WHEN schemaname = 'dbos' THEN 'dbos' ELSE 'ours' END,
       sum(n_tup_ins + n_tup_upd + n_tup_del)
FROM pg_stat_user_tables GROUP BY 1
"""
_SESSIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class Costs(Struct, frozen=True, kw_only=True):
    commits: float
    ours: float
    dbos: float
    wal_bytes: float

    def minus(self, other: "Costs") -> "Costs":
        return Costs(**{name: getattr(self, name) - getattr(other, name) for name in _NAMES})

    def describe(self, count: float) -> str:
        """Return them per task, or per second."""
        each = {name: getattr(self, name) / count for name in _NAMES}
        return (
            f"{each['commits']:.1f} transactions, rows written: {each['ours']:.1f} ours,"
            f" {each['dbos']:.1f} of dbos, {each['wal_bytes'] / 1024:.1f} KB of log"
        )


_NAMES = Costs.__struct_fields__


def read_costs(engine: sa.Engine) -> Costs:
    """Return what all sessions have cost so far."""
    with engine.connect() as connection:
        ask = connection.exec_driver_sql
        database = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        rows = {name: float(count) for name, count in ask(_TABLES)}
        return Costs(
            commits=float(ask(database).scalar() or 0),
            ours=rows.get("ours", 0),
            dbos=rows.get("dbos", 0),
            wal_bytes=float(ask("SELECT wal_bytes FROM pg_stat_wal").scalar() or 0),
        )


def print_sessions(url: str) -> None:
    """Print how many connections are open, but ours."""
    if not url.startswith("postgresql"):
        return
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        count = connection.exec_driver_sql(_SESSIONS).scalar()
    print(f"(connections of a worker without a task: {count})")
    engine.dispose()


@contextmanager
def print_costs(url: str, *, of: str, count: float) -> Iterator[None]:
    """Print what happens meanwhile, per task or second; nothing for SQLite, which counts none."""
    if not url.startswith("postgresql"):
        yield
        return
    engine = sa.create_engine(url)
    before = read_costs(engine)
    yield
    time.sleep(_SETTLE_SECONDS)
    print(f"(each {of}: {read_costs(engine).minus(before).describe(count)})")
    engine.dispose()
