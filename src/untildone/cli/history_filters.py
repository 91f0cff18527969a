"""The filters of `untildone history`: outcome, time, agent, words of the task."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import click
from msgspec import Struct

from untildone.core.verdict import OUTCOMES
from untildone.errors import UserError
from untildone.store.loops import Record

# A loop that was never started has no history; one without an outcome is active.
_STATES = (*(name for name in OUTCOMES if name != "vague"), "active")
_AGE = re.compile(r"(?P<number>\d{1,6})(?P<unit>[mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class HistoryFilter(Struct, frozen=True, kw_only=True):
    """What a loop must be like to be listed; what is empty does not matter."""

    outcomes: tuple[str, ...] = ()
    since: datetime | None = None
    agent: str = ""
    task: str = ""

    def matches(self, record: Record) -> bool:
        """Say whether the loop is one of those asked for."""
        contract, progress = record.contract, record.progress
        agents = {contract.agent, *(amendment.agent for amendment in progress.amendments)}
        return (
            (not self.outcomes or (progress.outcome or progress.status) in self.outcomes)
            and (self.since is None or datetime.fromisoformat(contract.started_at) >= self.since)
            and (not self.agent or self.agent in agents)
            and self.task.casefold() in contract.task.casefold()
        )


def add_filters(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the filters to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def build_filter(values: dict[str, Any], *, now: str) -> HistoryFilter:
    """Return the filter that these options describe, at the time `now`."""
    since = values["since"]
    return HistoryFilter(
        outcomes=values["outcome"],
        since=parse_since(since, now=now) if since else None,
        agent=values["agent"] or "",
        task=values["task"] or "",
    )


def parse_since(text: str, *, now: str) -> datetime:
    """Return the moment that `90m`, `12h`, `7d`, `2w` or a date means."""
    if age := _AGE.fullmatch(text):
        number, unit = int(age["number"]), _UNITS[age["unit"]]
        try:
            return datetime.fromisoformat(now) - timedelta(**{unit: number})
        except OverflowError:
            return datetime.min.replace(tzinfo=UTC)
    try:
        # A date without a time zone is the user's own.
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise UserError(
            f"`--since {text}` is no time", hint="give `7d`, `12h`, `90m`, `2w` or `2026-05-04`"
        ) from None


_OPTIONS = (
    click.option(
        "--outcome",
        multiple=True,
        metavar="NAME",
        type=click.Choice(_STATES),
        help="Only loops with this outcome, or `active`; may be given several times.",
    ),
    click.option(
        "--since",
        metavar="TIME",
        help="Only loops started since then: `7d`, `12h`, `90m`, `2w`, or a date.",
    ),
    click.option("--agent", metavar="NAME", help="Only loops that this agent worked on."),
    click.option("--task", metavar="TEXT", help="Only loops whose task contains this text."),
    click.option(
        "--limit", type=click.IntRange(1), metavar="N", help="At most so many, the newest."
    ),
)
