"""Milestones: which events of a loop are sent to which of the user's receivers.

A milestone of the configuration names events (start, round, half, done, pause) and a receiver: a
command to run or an address to notify. They are saved with the loop when it starts. At each stop
the deliveries are written to a file, and a detached process (`delivery.py`) sends them.
"""

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

# Exists in the loop's folder once the event "half" was sent.
_HALFWAY_FILE = "half-told"
# A loop is halfway when so much of what was wrong at its start is fixed.
_HALFWAY_PERCENT = 50
# The most important last: of several events at one stop a receiver gets only that one.
_BY_IMPORTANCE: tuple[Event, ...] = ("start", "round", "half", "done", "pause")


class MilestoneEvent(Struct, frozen=True, kw_only=True):
    """An event of a loop as a command reads it on stdin (documented JSON), without secrets."""

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
    """What to send, and the milestone whose receiver gets it."""

    milestone: Milestone
    message: MilestoneEvent


def attach_milestones(context: Context, record: Record) -> tuple[str, ...]:
    """Save the trusted milestones with the loop and send its start; return warnings."""
    milestones, warnings = _load_milestones(context, Path(record.contract.project))
    if not milestones:
        return warnings
    needs_apprise = any(milestone.notify for milestone in milestones)
    if needs_apprise and importlib.util.find_spec("apprise") is None:
        # Imported where it is used: hooks import this module.
        from untildone.extras import describe_extra

        warnings += (f"milestones cannot notify: {describe_extra('notify')}",)
    path = context.loops.get_folder(record.contract.id) / MILESTONES_FILE
    try:
        write_atomically(path, msgspec.json.encode(milestones), keep_previous=False)
        _deliver_events(context, record, ("start",))
    except OSError as error:
        warnings += (f"milestones cannot be sent: {error.strerror}",)
    return warnings


def announce_milestones(context: Context, record: Record, verdict: Verdict, is_round: bool) -> None:
    """Send the events of this stop; a failure to send them does not change the verdict.

    `is_round` says whether the stop counts as a round of the loop.
    """
    events: list[Event] = ["round"] if is_round else []
    if isinstance(verdict, Continue) and _is_halfway(record) and _claim_halfway(context, record):
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
    """Return the user's milestones, then those of a trusted repository; and warnings."""
    milestones: tuple[Milestone, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[Callable[[], UserSettings | Configuration], ...] = (
        lambda: load_user_settings(context.home / "config.toml"),
        lambda: load_trusted_configuration(context, project),
    )
    for load in sources:
        try:
            milestones += load().milestones
        except UserError as error:
            warnings += (
                f"the milestones of a configuration with mistakes are left out: {error.message}",
            )
    return milestones, warnings


def _is_halfway(record: Record) -> bool:
    """Say whether half of what was wrong is fixed, or half of the rounds are used."""
    progress = record.progress
    rounds = record.agreed.bounds.rounds
    # 0 rounds mean that the loop has no such bound.
    has_used_half = 0 < rounds <= 2 * progress.round
    return (progress.improved or 0) >= _HALFWAY_PERCENT or has_used_half


def _claim_halfway(context: Context, record: Record) -> bool:
    """Note that the event "half" is sent; False if it was before, or if that cannot be noted."""
    file = context.loops.get_folder(record.contract.id) / _HALFWAY_FILE
    with suppress(OSError):
        file.touch(mode=0o600, exist_ok=False)
        return True
    return False


def _deliver_events(context: Context, record: Record, events: tuple[Event, ...]) -> None:
    """Start a process that sends each receiver the most important of the events it wants."""
    path = context.loops.get_folder(record.contract.id) / MILESTONES_FILE
    milestones = msgspec.json.decode(path.read_bytes(), type=tuple[Milestone, ...])
    deliveries = [
        Delivery(
            milestone=milestone,
            message=build_event(record, event, context.environ, at=context.now()),
        )
        for milestone in milestones
        for event in _choose_event(events, milestone)
    ]
    if deliveries:
        _start_delivery(context.home, deliveries)


def _choose_event(events: tuple[Event, ...], milestone: Milestone) -> list[Event]:
    """Return the most important of the events that the milestone names, in a list, or none."""
    return [event for event in _BY_IMPORTANCE if event in events and event in milestone.on][-1:]


def build_event(
    record: Record, event: Event, environ: Mapping[str, str], *, at: str
) -> MilestoneEvent:
    """Return the message about an event of the loop, at the time `at`."""
    contract, progress = record.contract, record.progress

    def redact(text: str) -> str:
        return remove_secrets(text, environ=environ)

    return MilestoneEvent(
        event=event,
        loop=contract.id,
        agent=contract.agent,
        session=contract.session,
        project=contract.project,
        task=redact(contract.task),
        at=at,
        status=progress.status,
        outcome=progress.outcome,
        reason=redact(progress.reason),
        round=progress.round,
        max_rounds=record.agreed.bounds.rounds,
        unmet=tuple(map(redact, progress.unmet or ())),
        remaining=progress.open_failures,
        improved=progress.improved,
        spend_usd=progress.spend_usd,
    )


def _start_delivery(home: Path, deliveries: list[Delivery]) -> None:
    """Write the deliveries to a file and start the process that sends them.

    The file is not in the loop's folder, which may be removed before the process reads it.
    """
    folder = home / "milestones"
    folder.mkdir(mode=0o700, exist_ok=True)
    file = folder / f"{os.urandom(8).hex()}.json"
    write_atomically(file, msgspec.json.encode(deliveries), keep_previous=False)
    argv = [sys.executable, "-I", "-m", "untildone", "milestone", file.name]
    trees.start_detached(argv, cwd=home, env={**os.environ, "UNTILDONE_HOME": str(home)})
