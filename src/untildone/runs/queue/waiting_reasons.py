"""Why a queued task is not taken yet, as `queue list` and `queue show` say it."""

import sqlalchemy as sa
from msgspec import Struct

from untildone.runs.queue.database_time import read_time
from untildone.runs.queue.deadline_times import format_moment
from untildone.runs.queue.limit_rules import Limit, Used, Wish, explain_hold
from untildone.runs.queue.limits import list_running, read_limits


class Reasons(Struct, frozen=True, kw_only=True):
    """What holds for all tasks at this moment."""

    now_ms: int
    limits: tuple[tuple[Limit, Used], ...]

    def explain(self, row: sa.RowMapping) -> str:
        """Return why nobody takes this queued task now; nothing if somebody may.

        Limits of accounts are not among them: which account it will have is not known yet.
        """
        if 0 < row["deadline_ms"] <= self.now_ms:
            return "its deadline has passed, the next worker ends it"
        if row["waits"] == "time" and row["not_before_ms"] > self.now_ms:
            used = f"{row['faults']} of {row['retries']}"
            return f"retry {used} at {format_moment(row['not_before_ms'])}"
        rest = max(row["budget_micro"] - row["spent_micro"], 0)
        wish = Wish(repository=row["repository"], account="", reserve_micro=rest)
        return explain_hold(self.limits, wish)


def read_reasons(connection: sa.Connection) -> Reasons:
    now_ms = read_time(connection)
    limits = read_limits(connection, list_running(connection), now_ms)
    return Reasons(now_ms=now_ms, limits=limits)
