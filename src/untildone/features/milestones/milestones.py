"""Milestones: events of a loop that a detached process sends to the user's receivers."""

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.checks.secret_redaction import remove_secrets
from untildone.config.proposals import load_user_settings
from untildone.config.schema import Configuration, Event, Milestone, UserSettings
from untildone.core.progress import Status
from untildone.core.verdict import Continue, Finish, Outcome, Pause, Verdict
from untildone.engine.context import Context
from untildone.engine.project_checks import load_trusted_configuration
from untildone.errors import UserError
from untildone.features.milestones import MILESTONES_FILE
from untildone.process import trees
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record

_HALFWAY_FILE = "half-told"
# The most important last: of several events at one stop a receiver gets only that one.
_ORDER: tuple[Event, ...] = ("start", "round", "half", "done", "pause")


class MilestoneEvent(Struct, frozen=True, kw_only=True):
    """The event as a command reads it on stdin, without secrets."""

    event: Event
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


class Delivery(Struct, frozen=True, kw_only=True):
    milestone: Milestone
    happened: MilestoneEvent


def attach_milestones(context: Context, record: Record) -> tuple[str, ...]:
    """Saves the trusted milestones with the loop and sends its start; returns warnings."""
    found, notes = _load_milestones(context, Path(record.contract.project))
    if not found:
        return notes
    if any(milestone.notify for milestone in found) and importlib.util.find_spec("apprise") is None:
        notes += ("milestones cannot notify: `pip install 'untildone[notify]'`",)
    path = context.loops.get_folder(record.contract.id) / MILESTONES_FILE
    try:
        write_atomically(path, msgspec.json.encode(found), keep_previous=False)
        _deliver_events(context, record, ("start",))
    except OSError as error:
        notes += (f"milestones cannot be sent: {error.strerror}",)
    return notes


def announce_milestones(context: Context, record: Record, verdict: Verdict, counted: bool) -> None:
    """Sends the events of this stop; a failure to send them does not change the verdict."""
    events: list[Event] = ["round"] if counted else []
    if isinstance(verdict, Continue) and _is_halfway(record) and _is_first_time(context, record):
        events.append("half")
    if isinstance(verdict, Finish) and verdict.outcome != "cancelled":
        events.append("done")
    if isinstance(verdict, Pause):
        events.append("pause")
    with suppress(OSError, msgspec.MsgspecError):
        _deliver_events(context, record, tuple(events))


def _load_milestones(
    context: Context, project: Path
) -> tuple[tuple[Milestone, ...], tuple[str, ...]]:
    """The user's own milestones, then the repository's if it is trusted; and warnings."""
    found: tuple[Milestone, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[Callable[[], UserSettings | Configuration], ...] = (
        lambda: load_user_settings(context.home / "config.toml"),
        lambda: load_trusted_configuration(context, project),
    )
    for load in sources:
        try:
            found += load().milestones
        except UserError as error:
            notes += (
                f"the milestones of a configuration with mistakes are left out: {error.message}",
            )
    return found, notes


def _is_halfway(record: Record) -> bool:
    progress = record.progress
    rounds = record.agreed.bounds.rounds
    return (progress.improved or 0) >= 50 or 0 < rounds <= 2 * progress.round


def _is_first_time(context: Context, record: Record) -> bool:
    try:
        (context.loops.get_folder(record.contract.id) / _HALFWAY_FILE).touch(
            mode=0o600, exist_ok=False
        )
    except OSError:
        return False
    return True


def _deliver_events(context: Context, record: Record, events: tuple[Event, ...]) -> None:
    """Start a process that sends each receiver the most important of the events it wants."""
    kept = context.loops.get_folder(record.contract.id) / MILESTONES_FILE
    milestones = msgspec.json.decode(kept.read_bytes(), type=tuple[Milestone, ...])
    deliveries = [
        Delivery(
            milestone=milestone,
            happened=build_event(record, event, context.environ, at=context.now()),
        )
        for milestone in milestones
        for event in [event for event in _ORDER if event in events and event in milestone.on][-1:]
    ]
    if deliveries:
        _start_delivery(context.home, deliveries)


def build_event(
    record: Record, event: Event, environ: Mapping[str, str], *, at: str
) -> MilestoneEvent:
    contract, progress = record.contract, record.progress

    def safe(text: str) -> str:
        return remove_secrets(text, environ=environ)

    return MilestoneEvent(
        event=event,
        loop=contract.id,
        agent=contract.agent,
        session=contract.session,
        project=contract.project,
        task=safe(contract.task),
        at=at,
        status=progress.status,
        outcome=progress.outcome,
        reason=safe(progress.reason),
        round=progress.round,
        max_rounds=record.agreed.bounds.rounds,
        unmet=tuple(map(safe, progress.unmet or ())),
        remaining=progress.remaining,
        improved=progress.improved,
        spend_usd=progress.spend_usd,
    )


def _start_delivery(home: Path, deliveries: list[Delivery]) -> None:
    """Through a file of its own: the loop's folder may be removed before it is read."""
    folder = home / "milestones"
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / f"{os.urandom(8).hex()}.json"
    write_atomically(file, msgspec.json.encode(deliveries), keep_previous=False)
    argv = [sys.executable, "-I", "-m", "untildone", "milestone", file.name]
    trees.start_detached(argv, cwd=home, env={**os.environ, "UNTILDONE_HOME": str(home)})
