"""The tables of the queue, beside those of dbos in the same database."""

import sqlalchemy as sa

METADATA = sa.MetaData()
# SQLite counts only columns of the type INTEGER.
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, server_default="0")


TASKS = sa.Table(
    "untildone_task",
    METADATA,
    sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(32), nullable=False, unique=True),
    sa.Column("state", sa.String(16), nullable=False),
    # Agent, labels and repository as one text: what a worker must be able to do.
    sa.Column("route", sa.Text, nullable=False),
    *map(_text, ("task", "options", "repository", "base", "agent", "labels", "source")),
    *map(_text, ("worker", "outcome", "reason", "result", "added_at", "updated_at")),
    *map(_integer, ("priority", "attempt", "token", "cancelling")),
    # The branch that it is merged into, and why a merge sent it back.
    *map(_text, ("target", "evidence")),
    # The task of a plan file that it is.
    _text("plan"),
    sa.Index("untildone_task_order", "state", "priority", "number"),
    sa.Index("untildone_task_worker", "worker"),
)
NEEDS = sa.Table(
    "untildone_need",
    METADATA,
    sa.Column("task", sa.String(32), primary_key=True),
    sa.Column("needs", sa.String(32), primary_key=True),
)
WORKERS = sa.Table(
    "untildone_worker",
    METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),
    *map(_text, ("host", "agents", "labels", "started_at", "seen_at")),
    *map(_integer, ("pid", "jobs", "beat", "lease_ms")),
)
STEPS = sa.Table(
    "untildone_step",
    METADATA,
    sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
    sa.Column("task", sa.String(32), nullable=False),
    *map(_text, ("name", "at", "worker", "detail", "data")),
    *map(_integer, ("attempt", "token")),
    sa.Index("untildone_step_task", "task", "number"),
)
# Who merges into a branch at this time.
MERGES = sa.Table(
    "untildone_merge",
    METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    *map(_text, ("repository", "target", "worker", "updated_at")),
    _integer("token"),
)
SETTINGS = sa.Table(
    "untildone_setting",
    METADATA,
    sa.Column("name", sa.String(32), primary_key=True),
    _text("value"),
)
