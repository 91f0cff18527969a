"""The database of a queue: a SQLite file by default, Postgres when machines share it."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa

from untildone.errors import UserError
from untildone.runs.queue.address import VARIABLE, get_file, hide_password, is_shared
from untildone.runs.queue.losses import AWAY, describe_database_error, find_remedy
from untildone.runs.queue.tables import METADATA, SETTINGS
from untildone.store.lock import LockTimeoutError, hold_lock

# An older format is completed when it is opened, a newer one is refused.
_SCHEMA = 2
# The setting that names the version of dbos that made its tables.
_WORKFLOWS = "dbos"
# The SQLSTATE of a statement that the role may not run.
_DENIED = "42501"
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
                _complete_tables(engine)
    return engine


def migrate(url: str) -> None:
    """Create or update all tables; the role that does it owns the new ones."""
    prepare_workflow_tables(url, open_database(url))


def prepare_workflow_tables(url: str, engine: sa.Engine) -> None:
    """Create the tables of dbos, once: two processes on a fresh SQLite file would collide.

    A worker whose role may create none asks for none, unless they are missing or too old.
    """
    with explain_failure(url):
        if _has_workflow_tables(engine):
            return
        # Imported here because only workers need it: it takes as long as all of `queue list`.
        from dbos import DBOS

        with _lock_schema(engine), _begin_explicitly():
            DBOS.migrate(url)
            # Refused to a role that only looked: all was there, made by another version of dbos.
            with suppress(UserError), engine.begin() as connection:
                connection.execute(sa.delete(SETTINGS).where(SETTINGS.c.name == _WORKFLOWS))
                made_by = SETTINGS.insert().values(name=_WORKFLOWS, value=version("dbos"))
                connection.execute(made_by)


def _has_workflow_tables(engine: sa.Engine) -> bool:
    """Say whether the installed version of dbos has made its tables."""
    schema = None if engine.dialect.name == "sqlite" else "dbos"
    with engine.connect() as connection:
        if not sa.inspect(connection).has_table("workflow_status", schema=schema):
            return False
        chosen = sa.select(SETTINGS.c.value).where(SETTINGS.c.name == _WORKFLOWS)
        return connection.execute(chosen).scalar() == version("dbos")


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
        shared = _create_shared_engine(url, milliseconds=round(1_000 * silence), pool=connections)
        sa.event.listen(shared, "handle_error", _explain_refusal)
        return shared
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
    pairs = [(name, str(value)) for name, value in settings.items()]

    def set_up(connection: psycopg.Connection[Any], _record: object) -> None:
        connection.cursor().executemany("SELECT set_config(%s, %s, false)", pairs)
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
        number = connection.execute(chosen).scalar()
    if number is not None and int(number) > _SCHEMA:
        raise UserError(
            f"the queue has format {number}, and this untildone knows {_SCHEMA}",
            hint="use the same version of untildone everywhere",
        )
    return number == str(_SCHEMA)


def _complete_tables(engine: sa.Engine) -> None:
    """Create the tables, and add to those of an older format what they lack."""
    if _is_prepared(engine):
        return
    with engine.begin() as connection:
        METADATA.create_all(connection)
        for table in METADATA.sorted_tables:
            _complete_table(connection, table)
        connection.execute(sa.delete(SETTINGS).where(SETTINGS.c.name == "schema"))
        connection.execute(SETTINGS.insert().values(name="schema", value=str(_SCHEMA)))


def _complete_table(connection: sa.Connection, table: sa.Table) -> None:
    inspector = sa.inspect(connection)
    quote = connection.dialect.identifier_preparer.quote
    known = {column["name"] for column in inspector.get_columns(table.name)}
    for column in table.columns:
        if column.name not in known:
            definition = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
            words = ("ALTER TABLE", quote(table.name), "ADD COLUMN", str(definition))
            connection.exec_driver_sql(" ".join(words))
    for index in table.indexes:
        index.create(connection, checkfirst=True)


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
        _raise_refusal(error.orig if isinstance(error, sa.exc.DBAPIError) else error)
        raise _make_error(url, error) from None


def _explain_refusal(context: sa.engine.ExceptionContext) -> None:
    _raise_refusal(context.original_exception)


def _raise_refusal(error: BaseException | None) -> None:
    """Raise an error with its remedy if the database refused what its role may not do."""
    if getattr(error, "sqlstate", "") == _DENIED:
        reason = str(error).strip().splitlines()[0]
        raise UserError(
            f"the database refuses this to your role: {reason}",
            hint="its owner runs `untildone queue migrate` and what `untildone queue grant` prints",
        ) from None


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
