"""The course of a loop as its journal has it: the baseline's checks, the rounds, the end."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.progress import BaselineRun, Round
from untildone.store.encoding import convert
from untildone.store.journal import Entry


class UnjudgedStop(Struct, frozen=True, kw_only=True):
    """A stop whose checks were broken off; `after_round` is the number of the round before."""

    after_round: int
    at: str
    reason: str


class History(Struct, frozen=True, kw_only=True):
    rounds: tuple[Round, ...] = ()
    # None: the checks were not run on the baseline.
    baseline: BaselineRun | None = None
    unjudged: tuple[UnjudgedStop, ...] = ()
    # When the loop paused or finished, and whether a round did it; empty while it is active.
    ended_at: str = ""
    ended_by_round: bool = False
    # The number and the hash of the last entry, and the SHA-256 of the contract at that time.
    entries: int = 0
    head: str = ""
    contract: str = ""


def build_history(entries: Iterable[Entry]) -> History:
    """Return the course of a loop; each round has the notes made since the previous one."""
    history, notes, end = History(), list[str](), None
    for entry in entries:
        match entry.kind:
            case "note":
                notes.append(str(entry.data.get("text", "")))
            case "stop":
                notes += convert(entry.data, Round).notes
            case "round":
                entered = convert(entry.data, Round)
                entered = replace(entered, notes=(*notes, *entered.notes))
                history = replace(history, rounds=(*history.rounds, entered))
                notes = []
            case "unjudged":
                last = history.rounds[-1].number if history.rounds else 0
                reason = str(entry.data.get("reason", ""))
                stop = UnjudgedStop(after_round=last, at=entry.at, reason=reason)
                history = replace(history, unjudged=(*history.unjudged, stop))
            case "baseline":
                history = replace(history, baseline=convert(entry.data, BaselineRun))
            case _:
                pass
        previous, end = end, _find_end(entry)
        if end != previous:
            at, by_round = (entry.at, entry.kind == "round") if end else ("", False)
            history = replace(history, ended_at=at, ended_by_round=by_round)
        contract = str((entry.state or {}).get("contract", history.contract))
        history = replace(history, entries=entry.n, head=entry.hash, contract=contract)
    return history


def _find_end(entry: Entry) -> tuple[object, ...] | None:
    """Return how the loop stands after the entry; None while it is active."""
    state: dict[str, Any] = entry.state or {}
    progress = state.get("progress", {})
    if progress.get("status", "active") == "active":
        return None
    return progress["status"], progress.get("outcome"), progress.get("reason")
