"""The SQL that gives roles of Postgres their rights; it is printed, and the owner runs it."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from untildone.errors import UserError
from untildone.runs.queue.rights import Role, get_writing
from untildone.runs.queue.tables import METADATA, TASKS
from untildone.runs.queue.task_changes import CHANGES, TaskChange

_HEAD = "-- Run it as the owner of the database, again after each `untildone queue migrate`."
_GUARD = "untildone_guard_task"
# Submitters write neither of these after a task is added.
_HAS_BRANCH = ("OLD.target <> ''", """OLD.result LIKE '%"branch":"untildone/%'""")


def format_grants(database: str, roles: Sequence[tuple[Role, str]]) -> str:
    """Return one transaction that gives these roles their rights, and takes all others away."""
    names = [name for _, name in roles]
    if len(set(names)) < len(names):
        raise UserError(
            "a role is named twice, and each has the rights of one kind only",
            hint="make a role for each: who may add tasks must not do them",
        )
    statements = [
        *_close_to_public(database),
        *_make_guard(),
        *(line for role, name in roles for line in _grant(database, role, name)),
    ]
    return "\n".join((_HEAD, "BEGIN;", *(f"{line};" for line in statements), "COMMIT;"))


def _close_to_public(database: str) -> Iterator[str]:
    """Yield what takes away what Postgres allows everybody; before 15 that is to make tables."""
    yield f"REVOKE ALL ON DATABASE {_quote_name(database)} FROM PUBLIC"
    yield "REVOKE CREATE ON SCHEMA public FROM PUBLIC"


def _grant(database: str, role: Role, name: str) -> Iterator[str]:
    to = _quote_name(name)
    yield from _revoke(to)
    yield f"GRANT CONNECT ON DATABASE {_quote_name(database)} TO {to}"
    yield f"GRANT USAGE ON SCHEMA public TO {to}"
    for table in METADATA.sorted_tables:
        writing = get_writing(table.name, role)
        yield f"GRANT SELECT ON {table.name} TO {to}"
        if writing.inserts:
            yield f"GRANT INSERT ({', '.join(writing.inserts)}) ON {table.name} TO {to}"
            yield from (f"GRANT USAGE ON SEQUENCE {each} TO {to}" for each in _get_sequence(table))
        if writing.updates:
            yield f"GRANT UPDATE ({', '.join(writing.updates)}) ON {table.name} TO {to}"
        if writing.deletes:
            yield f"GRANT DELETE ON {table.name} TO {to}"
    if role == "worker":
        yield from _grant_workflows(to)


def _revoke(name: str) -> Iterator[str]:
    tables = ", ".join(table.name for table in METADATA.sorted_tables)
    sequences = ", ".join(each for table in METADATA.sorted_tables for each in _get_sequence(table))
    yield f"REVOKE ALL ON {tables} FROM {name}"
    yield f"REVOKE ALL ON SEQUENCE {sequences} FROM {name}"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA dbos FROM {name}"
    yield f"REVOKE ALL ON ALL SEQUENCES IN SCHEMA dbos FROM {name}"
    yield f"REVOKE ALL ON SCHEMA dbos FROM {name}"


def _grant_workflows(name: str) -> Iterator[str]:
    """Yield the rights of workers in the tables of dbos, whose names change with its versions."""
    yield f"GRANT USAGE ON SCHEMA dbos TO {name}"
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA dbos TO {name}"
    yield f"REVOKE INSERT, UPDATE, DELETE ON dbos.dbos_migrations FROM {name}"
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA dbos TO {name}"


def _get_sequence(table: sa.Table) -> tuple[str, ...]:
    """Return the sequence that Postgres numbers the rows by, if it does."""
    column = table.autoincrement_column
    return () if column is None else (f"{table.name}_{column.name}_seq",)


def _make_guard() -> Iterator[str]:
    """Yield a trigger: who may not write tokens may only add, cancel and retry tasks.

    Rights on columns cannot say which values: a submitter could write `done`.
    """
    changes = "\n    OR ".join(f"({_describe_change(change)})" for change in CHANGES)
    yield f"""CREATE OR REPLACE FUNCTION {_GUARD}() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog AS $guard$
BEGIN
  IF has_column_privilege(TG_RELID, 'token', 'UPDATE') THEN
    IF TG_OP = 'INSERT' OR NEW.token >= OLD.token THEN RETURN NEW; END IF;
  ELSIF TG_OP = 'INSERT' THEN
    IF NEW.state = 'queued' AND NEW.attempt = 1 AND NEW.since_attempt = 1
      AND NEW.id ~ '^[0-9a-f]{{8,32}}$'
      AND NEW.route = concat(NEW.agent, chr(9), NEW.labels, chr(9), NEW.repository)
      AND strpos(concat(NEW.agent, NEW.labels, NEW.repository), chr(9)) = 0
    THEN RETURN NEW; END IF;
  ELSIF {changes}
  THEN RETURN NEW;
  END IF;
  RAISE EXCEPTION 'permission denied: this is no change that untildone makes'
    USING ERRCODE = 'insufficient_privilege';
END $guard$"""
    yield f"DROP TRIGGER IF EXISTS {_GUARD} ON {TASKS.name}"
    yield (
        f"CREATE TRIGGER {_GUARD} BEFORE INSERT OR UPDATE ON {TASKS.name}"
        f" FOR EACH ROW EXECUTE FUNCTION {_GUARD}()"
    )


def _describe_change(change: TaskChange) -> str:
    """Return the condition that a row changes in this way and in no other."""
    writable = get_writing(TASKS.name, "submitter").updates
    changed = {*change.values, *change.may_be_cleared, "attempt", "since_attempt", "updated_at"}
    kept = [name for name in writable if name not in changed]
    states = ", ".join(map(_quote_value, change.before))
    step = " + 1" if change.is_new_attempt else ""
    since = "NEW.attempt" if change.is_new_attempt else "OLD.since_attempt"
    return " AND ".join(
        (
            f"OLD.state IN ({states})",
            f"NEW.attempt = OLD.attempt{step}",
            f"NEW.since_attempt = {since}",
            *(f"NEW.{name} IN (0, OLD.{name})" for name in change.may_be_cleared),
            *(_HAS_BRANCH if change.needs_branch else ()),
            *(f"NEW.{name} = {_quote_value(value)}" for name, value in change.values.items()),
            *(f"NEW.{name} = OLD.{name}" for name in kept),
        )
    )


def _quote_value(value: str | int) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _quote_name(name: str) -> str:
    if not name or not name.isprintable():
        raise UserError(f"`{name!r}` is no name of a role", hint="name one that Postgres knows")
    return '"' + name.replace('"', '""') + '"'
