"""The values that are sent: an event of a loop, and who receives it."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from untildone.checks.secret_redaction import remove_secrets
from untildone.config.schema import Event, Milestone
from untildone.core.progress import Status
from untildone.core.verdict import Outcome
from untildone.report.notices import describe_next_step
from untildone.store.loops import Record


class MilestoneEvent(Struct, frozen=True, kw_only=True):
    """An event of a loop as a command reads it on stdin (documented JSON), without secrets."""

    # `test` is what `untildone notify test` sends.
    event: Event | Literal["test"]
    loop: str
    agent: str
    session: str
    project: str
    task: str
    at: str
    status: Status
    outcome: Outcome | None
    reason: str
    round: int
    max_rounds: int
    unmet: tuple[str, ...]
    remaining: int
    improved: int | None
    spend_usd: float | None
    # What the user has to do so that a paused loop goes on.
    needs_you: str = ""
    # The loop's page if `untildone serve` runs when it is sent; and where else to look.
    link: str = ""
    look: str = ""


class Delivery(Struct, frozen=True, kw_only=True):
    """What to send, and the milestone whose receiver gets it."""

    milestone: Milestone
    message: MilestoneEvent


def build_event(
    record: Record, event: Event, environ: Mapping[str, str], *, at: str
) -> MilestoneEvent:
    """Return the message about an event of the loop, at the time `at`."""
    contract, progress = record.contract, record.progress

    def redact(text: str) -> str:
        return remove_secrets(text, environ=environ)

    outcome = progress.outcome
    return MilestoneEvent(
        event=event,
        loop=contract.id,
        agent=contract.agent,
        session=contract.session,
        project=contract.project,
        task=redact(contract.task),
        at=at,
        status=progress.status,
        outcome=outcome,
        reason=redact(progress.reason),
        round=progress.round,
        max_rounds=record.agreed.bounds.rounds,
        unmet=tuple(map(redact, progress.unmet or ())),
        remaining=progress.open_failures,
        improved=progress.improved,
        spend_usd=progress.spend_usd,
        needs_you=describe_next_step(contract.id, outcome) if outcome else "",
    )
