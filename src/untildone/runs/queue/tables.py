"""The tables of the queue, beside those of dbos in the same database."""

import sqlalchemy as sa

METADATA = sa.MetaData()
# SQLite counts only columns of the type INTEGER.
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _integer(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, server_default="0")


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, _NUMBER, nullable=False, server_default="0")


TASKS = sa.Table(
    "untildone_task",
    METADATA,
    sa.Column("number", _NUMBER, primary_key=True, autoincrement=True),
    sa.Column("id", sa.String(32), nullable=False, unique=True),
    sa.Column("state", sa.String(16), nullable=False),
    # Agent, labels and repository as one text: what a worker must be able to do.
    sa.Column("route", sa.Text, nullable=False),
    *map(_text, ("task", "options", "repository", "base", "agent", "labels", "source")),
    # The hash of the configuration that the submitter trusts; empty for none.
    _text("configuration"),
    *map(_text, ("worker", "outcome", "reason", "result", "added_at", "updated_at")),
    *map(_integer, ("priority", "attempt", "token", "cancelling")),
    # What a queued task waits for: see `waits.py`. The agent's account of a running one.
    *map(_text, ("waits", "account")),
    # Times by the database's clock, money in millionths of a USD.
    *map(_number, ("not_before_ms", "deadline_ms", "budget_micro", "spent_micro")),
    # Failed tries, workers that died in a row, and the first attempt that shares the bounds.
    *map(_integer, ("faults", "deaths", "dead", "since_attempt")),
    sa.Column("retries", sa.Integer, nullable=False, server_default="2"),
    # The branch that it is merged into, and why a merge sent it back.
    *map(_text, ("target", "evidence")),
    # The task of a plan file that it is.
    _text("plan"),
    sa.Index("untildone_task_order", "state", "priority", "number"),
    sa.Index("untildone_task_worker", "worker"),
    sa.Index(
        "untildone_task_target",
        "target",
        "state",
        "updated_at",
        sqlite_where=sa.text("target <> ''"),
        postgresql_where=sa.text("target <> ''"),
    ),
    sa.Index("untildone_task_ready", "state", "waits", "route", sa.desc("priority"), "number"),
    sa.Index(
        "untildone_task_later",
        "not_before_ms",
        sqlite_where=sa.text("waits = 'time'"),
        postgresql_where=sa.text("waits = 'time'"),
    ),
    sa.Index(
        "untildone_task_deadline",
        "state",
        "deadline_ms",
        sqlite_where=sa.text("deadline_ms > 0"),
        postgresql_where=sa.text("deadline_ms > 0"),
    ),
)
NEEDS = sa.Table(
    "untildone_need",
    METADATA,
    sa.Column("task", sa.String(32), primary_key=True),
    sa.Column("needs", sa.String(32), primary_key=True),
    sa.Index("untildone_need_needs", "needs"),
)
WORKERS = sa.Table(
    "untildone_worker",
    METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("state", sa.String(16), nullable=False),
    *map(_text, ("host", "agents", "labels", "account", "started_at", "seen_at")),
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
# `kind` is queue, repository or account; 0 is no limit.
LIMITS = sa.Table(
    "untildone_limit",
    METADATA,
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    *map(_text, ("period", "set_at")),
    *map(_integer, ("rate", "parallel")),
    # `from_micro`: what was spent before the limit was set, for a budget without a period.
    *map(_number, ("budget_micro", "from_micro")),
)
# What was spent and started in each minute since the epoch, and in the row 0 altogether.
USAGE = sa.Table(
    "untildone_usage",
    METADATA,
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("minute", _NUMBER, primary_key=True, autoincrement=False),
    *map(_number, ("spent_micro", "starts", "last_start_ms")),
)
ACCOUNTS = sa.Table(
    "untildone_account",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    _text("reason"),
    *map(_number, ("asleep_until_ms", "last_seconds")),
)
