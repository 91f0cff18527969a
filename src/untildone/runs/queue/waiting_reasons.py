"""Why a queued task is not taken yet, as `queue list` and `queue show` say it."""

from collections.abc import Iterator

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace

from untildone.runs.queue.accounts import list_asleep
from untildone.runs.queue.database_time import read_time
from untildone.runs.queue.deadline_times import format_moment
from untildone.runs.queue.limit_rules import Limit, Used, Wish, explain_hold
from untildone.runs.queue.limits import list_running, read_limits
from untildone.runs.queue.tables import WORKERS
from untildone.runs.queue.values import name_account


class Reasons(Struct, frozen=True, kw_only=True):
    """What holds for all tasks at this moment."""

    now_ms: int
    limits: tuple[tuple[Limit, Used], ...]
    # When the accounts that sleep wake up.
    asleep: dict[str, int]
    # The agents and the account of each live worker.
    workers: tuple[tuple[tuple[str, ...], str], ...]

    def explain(self, row: sa.RowMapping) -> str:
        """Return why nobody takes this queued task now; nothing if somebody may."""
        if 0 < row["deadline_ms"] <= self.now_ms:
            return "its deadline has passed, the next worker ends it"
        if row["waits"] == "time" and row["not_before_ms"] > self.now_ms:
            used = f"{row['faults']} of {row['retries']}"
            return f"retry {used} at {format_moment(row['not_before_ms'])}"
        rest = max(row["budget_micro"] - row["spent_micro"], 0)
        wish = Wish(repository=row["repository"], account="", reserve_micro=rest)
        return explain_hold(self.limits, wish) or self._explain_accounts(row["agent"], wish)

    def _explain_accounts(self, agent: str, wish: Wish) -> str:
        """Return what holds the first account back, if all that could do the task are."""
        if not self.asleep and all(limit.kind != "account" for limit, _ in self.limits):
            return ""
        reasons = [
            self._explain_account(replace(wish, account=account))
            for account in dict.fromkeys(self._list_accounts(agent))
        ]
        return reasons[0] if reasons and all(reasons) else ""

    def _list_accounts(self, agent: str) -> Iterator[str]:
        for agents, account in self.workers:
            if not agent or agent in agents:
                yield name_account(agent or agents[0], account)

    def _explain_account(self, wish: Wish) -> str:
        if wish.account in self.asleep:
            return f"{wish.account} sleeps until {format_moment(self.asleep[wish.account])}"
        return explain_hold(self.limits, wish)


def read_reasons(connection: sa.Connection) -> Reasons:
    now_ms = read_time(connection)
    workers = connection.execute(
        sa.select(WORKERS.c.agents, WORKERS.c.account).where(WORKERS.c.state == "alive")
    )
    return Reasons(
        now_ms=now_ms,
        limits=read_limits(connection, list_running(connection), now_ms),
        asleep=list_asleep(connection, now_ms),
        workers=tuple((tuple(row.agents.split(",")), row.account) for row in workers),
    )
