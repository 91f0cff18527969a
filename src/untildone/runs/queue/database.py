"""The database of a queue: a SQLite file by default, Postgres when machines share it."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa
from dbos import DBOS

from untildone.errors import UserError
from untildone.runs.queue.address import VARIABLE, get_file, hide_password, is_shared
from untildone.runs.queue.losses import AWAY, describe_database_error, find_remedy
from untildone.runs.queue.tables import METADATA, SETTINGS
from untildone.store.lock import LockTimeoutError, hold_lock

_SCHEMA = "1"
_LOCK_SECONDS = 60.0
# Any number: it only has to be the same in every process.
_LOCK = 7_364_529_001
_LOOK_SECONDS = 0.2
# After so many seconds without a sign of life each side gives a connection up.
_SILENCE_SECONDS = 15.0


def open_database(url: str, *, silence: float = _SILENCE_SECONDS) -> sa.Engine:
    """Return the engine of a database that has our tables; those of dbos may be missing."""
    engine = create_engine(url, silence=silence)
    with explain_failure(url):
        if not _is_prepared(engine):
            with _lock_schema(engine), _begin_explicitly():
                _create_tables(engine)
    return engine


def prepare_workflow_tables(url: str, engine: sa.Engine) -> None:
    """Create the tables of dbos, once: two processes on a fresh SQLite file would collide."""
    with explain_failure(url), _lock_schema(engine), _begin_explicitly():
        DBOS.migrate(url)


@contextmanager
def _begin_explicitly() -> Iterator[None]:
    """Make all of a migration one transaction.

    The driver of SQLite begins none for `CREATE TABLE`: a process killed on the way would leave
    tables that the next one cannot create any more.
    """
    sa.event.listen(sa.Engine, "begin", _begin)
    try:
        yield
    finally:
        sa.event.remove(sa.Engine, "begin", _begin)


def _begin(connection: sa.Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def create_engine(
    url: str, *, silence: float = _SILENCE_SECONDS, connections: int = 5
) -> sa.Engine:
    """Return an engine whose connections end by themselves when the other side is gone."""
    if is_shared(url):
        return _create_shared_engine(url, milliseconds=round(1_000 * silence), pool=connections)
    path = get_file(url)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.touch(mode=0o600)
    except OSError as error:
        raise _make_file_error(path, error.strerror or str(error)) from None
    engine = sa.create_engine(url, pool_size=connections)
    sa.event.listen(engine, "connect", _set_up_connection)
    return engine


def _create_shared_engine(url: str, *, milliseconds: int, pool: int) -> sa.Engine:
    seconds = max(milliseconds // 1_000, 1)
    probes = {"keepalives_idle": seconds, "keepalives_interval": 1, "keepalives_count": 3}
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        pool_size=pool,
        connect_args={
            "connect_timeout": max(seconds, 2),
            "tcp_user_timeout": milliseconds,
            **probes,
        },
    )
    settings = {
        # Without these the server would keep the locks of a worker that was cut off, for hours.
        "idle_in_transaction_session_timeout": milliseconds,
        "tcp_user_timeout": milliseconds,
        **{f"tcp_{name}": value for name, value in probes.items()},
    }
    chosen = ", ".join(
        f"set_config('{name}', '{value}', false)" for name, value in settings.items()
    )

    def set_up(connection: psycopg.Connection[Any], _record: object) -> None:
        connection.execute(f"SELECT {chosen}".encode())
        # The pool rolls back what is open when a connection is returned.
        connection.commit()

    sa.event.listen(engine, "connect", set_up)
    return engine


def _set_up_connection(connection: sqlite3.Connection, _record: object) -> None:
    # A transaction that writes waits for its turn at its beginning, not in its middle.
    connection.isolation_level = "IMMEDIATE"
    connection.execute("PRAGMA busy_timeout=30000")
    connection.execute("PRAGMA journal_mode=WAL")
    # What is recorded must be there after a power cut: a push or an agent's work relies on it.
    connection.execute("PRAGMA synchronous=FULL")
    # dbos relies on it.
    connection.execute("PRAGMA foreign_keys=ON")


def _is_prepared(engine: sa.Engine) -> bool:
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table(SETTINGS.name):
            return False
        chosen = sa.select(SETTINGS.c.value).where(SETTINGS.c.name == "schema")
        version = connection.execute(chosen).scalar()
    if version not in (None, _SCHEMA):
        raise UserError(
            f"the queue has format {version}, and this untildone knows {_SCHEMA}",
            hint="use the same version of untildone everywhere",
        )
    return version is not None


def _create_tables(engine: sa.Engine) -> None:
    METADATA.create_all(engine)
    if not _is_prepared(engine):
        with engine.begin() as connection:
            connection.execute(SETTINGS.insert().values(name="schema", value=_SCHEMA))


@contextmanager
def _lock_schema(engine: sa.Engine) -> Iterator[None]:
    """Keep others from changing the tables meanwhile."""
    if engine.dialect.name == "sqlite":
        path = Path(engine.url.database or "")
        with hold_lock(path.with_name(f"{path.name}.lock"), timeout=_LOCK_SECONDS):
            yield
        return
    # No transaction and no waiting statement: dbos builds indexes that wait for both to end.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        until = time.monotonic() + _LOCK_SECONDS
        while not connection.execute(sa.select(sa.func.pg_try_advisory_lock(_LOCK))).scalar():
            if time.monotonic() > until:
                raise LockTimeoutError("another process has been changing its tables for a minute")
            time.sleep(_LOOK_SECONDS)
        try:
            yield
        finally:
            connection.execute(sa.select(sa.func.pg_advisory_unlock(_LOCK)))


@contextmanager
def explain_failure(url: str) -> Iterator[None]:
    """Turn a database that cannot be used into an error with its remedy."""
    try:
        yield
    except (OSError, LockTimeoutError, sa.exc.DBAPIError) as error:
        raise _make_error(url, error) from None


def explain_errors(engine: sa.Engine, url: str) -> sa.Engine:
    """Turn every later failure of the database into an error with its remedy, too."""

    def explain(context: sa.ExceptionContext) -> None:
        if isinstance(context.sqlalchemy_exception, AWAY):
            raise _make_error(url, context.sqlalchemy_exception) from None

    sa.event.listen(engine, "handle_error", explain)
    return engine


def _make_error(url: str, error: Exception) -> UserError:
    reason = describe_database_error(error)
    if not is_shared(url):
        return _make_file_error(get_file(url), reason, hint=find_remedy(error))
    return UserError(
        f"the database `{hide_password(url)}` cannot be used: {reason}",
        hint=f"check that it runs and that `--database` or `{VARIABLE}` names it",
    )


def _make_file_error(path: Path, reason: str, *, hint: str = "") -> UserError:
    return UserError(
        f"the queue's file `{path}` cannot be used: {reason.lower()}",
        hint=hint or "name a file in a folder that you may write to: `--database PATH`",
    )
