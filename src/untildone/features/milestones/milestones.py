"""Milestones: which events of a loop are sent to which of the user's receivers.

A milestone of the configuration names events (start, round, half, done, pause, budget, gate,
approval) and a receiver: a command to run or an address to notify. The user's `[notify]` is a
milestone for each of its addresses. They are saved with the loop when it starts. At each stop the
deliveries are written to a file, and a detached process (`delivery.py`) sends them.
"""

import importlib.util
import os
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from untildone.config.proposals import load_user_settings
from untildone.config.schema import Event, Milestone, UserSettings
from untildone.core.progress import Progress
from untildone.core.verdict import (
    INTERRUPTED_BY_USER,
    PAUSED_BY_USER,
    Continue,
    Outcome,
    Verdict,
)
from untildone.engine.context import Context
from untildone.engine.project_checks import load_trusted_configuration
from untildone.errors import UserError
from untildone.features.milestones import MILESTONES_FILE
from untildone.features.milestones.events import Delivery, build_event
from untildone.process import trees
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record

# Exists in the loop's folder once the event "half" was sent.
_HALFWAY_FILE = "half-told"
# A loop is halfway when so much of what was wrong at its start is fixed.
_HALFWAY_PERCENT = 50
# The generation of the loop of which events were sent last.
_ANNOUNCED_FILE = "announced"
# The most important last: of several events at one stop a receiver gets only that one.
_BY_IMPORTANCE: tuple[Event, ...] = (
    *("start", "round", "half", "done", "pause"),
    *("budget", "gate", "approval"),
)
# Pauses that have an event of their own beside `pause`.
_PAUSES: dict[Outcome, Event] = {
    "out-of-budget": "budget",
    "gate": "gate",
    "needs-approval": "approval",
}


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
    with suppress(OSError, msgspec.MsgspecError):
        _deliver_events(context, record, (*events, *list_ending_events(record.progress)))


def announce_end(context: Context, record: Record) -> tuple[str, ...]:
    """Send the end of a loop that no stop has announced: a usage limit, an approval."""
    with suppress(OSError, msgspec.MsgspecError):
        _deliver_events(context, record, list_ending_events(record.progress))
    return ()


def list_ending_events(progress: Progress) -> tuple[Event, ...]:
    """Return the events of a loop that ended or paused; none if the user did it themselves."""
    outcome = progress.outcome
    if outcome is None or outcome == "cancelled":
        return ()
    if progress.status == "finished":
        return ("done",)
    if outcome == "paused" and progress.reason in (PAUSED_BY_USER, INTERRUPTED_BY_USER):
        return ()
    return ("pause", _PAUSES[outcome]) if outcome in _PAUSES else ("pause",)


def list_user_milestones(settings: UserSettings) -> tuple[Milestone, ...]:
    """Return the user's own milestones, and one for each address of `[notify]`."""
    notify = settings.notify
    addressed = (Milestone(on=notify.on, notify=address) for address in notify.to)
    return (*settings.milestones, *addressed)


def _load_milestones(
    context: Context, project: Path
) -> tuple[tuple[Milestone, ...], tuple[str, ...]]:
    """Return the user's milestones, then those of a trusted repository; and warnings."""
    milestones: tuple[Milestone, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[Callable[[], tuple[Milestone, ...]], ...] = (
        lambda: list_user_milestones(load_user_settings(context.home / "config.toml")),
        lambda: load_trusted_configuration(context, project).milestones,
    )
    for load in sources:
        try:
            milestones += load()
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
    """Start a process that sends each receiver the most important of the events it wants.

    A receiver that several milestones name gets one message.
    """
    if not events or not _claim_generation(context, record):
        return
    path = context.loops.get_folder(record.contract.id) / MILESTONES_FILE
    milestones = msgspec.json.decode(path.read_bytes(), type=tuple[Milestone, ...])
    wanted: dict[tuple[str, str], set[Event]] = {}
    for milestone in milestones:
        wanted.setdefault((milestone.run, milestone.notify), set()).update(milestone.on)
    deliveries = [
        Delivery(
            milestone=Milestone(on=(event,), run=run, notify=notify),
            message=build_event(record, event, context.environ, at=context.now()),
        )
        for (run, notify), names in wanted.items()
        for event in _choose_event(events, names)
    ]
    if deliveries:
        _start_delivery(context.home, deliveries)


def _claim_generation(context: Context, record: Record) -> bool:
    """Note that this state of the loop is announced; False if it was before.

    The end of a loop is announced by its last stop or by whoever ends it, often by both.
    """
    file = context.loops.get_folder(record.contract.id) / _ANNOUNCED_FILE
    known = file.read_text(encoding="utf-8") if file.exists() else ""
    if known.isdecimal() and record.generation <= int(known):
        return False
    write_atomically(file, str(record.generation).encode(), keep_previous=False)
    return True


def _choose_event(events: tuple[Event, ...], wanted: Collection[Event]) -> list[Event]:
    """Return the most important of the events that are wanted, in a list, or none."""
    return [event for event in _BY_IMPORTANCE if event in events and event in wanted][-1:]


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
