"""Accounts of agents: at a usage limit an account sleeps, and with it the workers that use it."""

import sqlalchemy as sa

from untildone.runs.queue.database_time import read_time
from untildone.runs.queue.deadline_times import format_moment
from untildone.runs.queue.retry_rules import compute_sleep
from untildone.runs.queue.tables import ACCOUNTS
from untildone.runs.queue.values import QueueAccount

# After so long the next limit without a known end is the first one again.
_RECENT_MS = 3_600_000
_LONGEST_REASON = 500


def list_asleep(connection: sa.Connection, now_ms: int) -> dict[str, int]:
    """Return the accounts that sleep now, each with the end of its sleep."""
    chosen = sa.select(ACCOUNTS.c.name, ACCOUNTS.c.asleep_until_ms).where(
        ACCOUNTS.c.asleep_until_ms > now_ms
    )
    return {row.name: row.asleep_until_ms for row in connection.execute(chosen)}


def put_to_sleep(connection: sa.Connection, name: str, *, seconds: float, reason: str) -> None:
    """Let the account sleep so long, as the limit says; 0 if it does not say how long.

    Two tasks at once meet the same limit: the later end counts.
    """
    now_ms = read_time(connection)
    mine = ACCOUNTS.c.name == name
    before = connection.execute(sa.select(ACCOUNTS).where(mine)).mappings().first()
    until_before = before["asleep_until_ms"] if before else 0
    if not seconds and until_before > now_ms:
        return
    is_recent = now_ms - until_before < _RECENT_MS
    last = before["last_seconds"] if before else 0
    sleep = compute_sleep(seconds, last=last, is_recent=is_recent)
    until_ms = max(until_before, now_ms + round(1_000 * sleep))
    row = {
        "asleep_until_ms": until_ms,
        "last_seconds": 0 if seconds else round(sleep),
        "reason": reason[:_LONGEST_REASON],
    }
    if before:
        connection.execute(sa.update(ACCOUNTS).where(mine).values(row))
    else:
        connection.execute(ACCOUNTS.insert().values(name=name, **row))


def list_accounts(connection: sa.Connection) -> tuple[QueueAccount, ...]:
    """Return those that sleep, as commands print them."""
    chosen = (
        sa.select(ACCOUNTS)
        .where(ACCOUNTS.c.asleep_until_ms > read_time(connection))
        .order_by(ACCOUNTS.c.name)
    )
    return tuple(
        QueueAccount(
            name=row["name"],
            asleep_until=format_moment(row["asleep_until_ms"]),
            reason=row["reason"],
        )
        for row in connection.execute(chosen).mappings()
    )
