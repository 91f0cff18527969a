"""Measures how long the agent has worked on a loop; the time it waits for the user is left out.

Times are of the monotonic clock, which no change of the wall clock affects. It begins anew at each
boot of the machine, so every time is kept with the id of its boot.
"""

import math
import time
from pathlib import Path

from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.store.sessions import Session


def count_time(progress: Progress, session: Session) -> Progress:
    """Return the progress with the time worked since it was last counted."""
    boot, now = read_clock()
    seconds = _measure_work(progress, session, until=now, boot=boot)
    return replace(
        progress,
        active_seconds=progress.active_seconds + seconds,
        round_seconds=progress.round_seconds + seconds,
        clock=(boot, now),
    )


def record_turn(
    session: Session, progress: Progress, *, prompt: str, kind: str, tree: str = ""
) -> None:
    """Write `prompt.json`: the prompt that begins a turn, and the time worked before it.

    Work before it is uncounted if the turn before was interrupted or failed, without a stop. That
    turn is taken to have ended with its last tool call; without any it counts nothing.
    """
    boot, now = read_clock()
    last_call = session.find_last_call()
    until = now - max(0.0, time.time() - last_call) if last_call else -math.inf
    worked = _measure_work(progress, session, until=until, boot=boot)
    turn = {"id": prompt, "kind": kind, "tree": tree, "clock": (boot, now), "worked": worked}
    session.write_json("prompt.json", turn)
    session.remove("released")


def _measure_work(progress: Progress, session: Session, *, until: float, boot: str) -> float:
    """Return the seconds of work up to `until`, since time was last counted.

    If a turn has begun since then, they are the time worked before it and the time since its
    beginning. Times of another boot cannot be compared and count nothing.
    """
    counted_boot, counted_at = progress.clock
    # Infinity makes every difference below negative, hence 0.
    last = counted_at if counted_boot == boot else math.inf
    turn = session.read_json("prompt.json")
    match turn.get("clock"), turn.get("worked"):
        case [str(turn_boot), float(began)], float(worked) if (
            turn_boot == boot and not began < last < math.inf
        ):
            return worked + max(0.0, until - began)
        case _:
            return max(0.0, until - last)


def read_clock() -> tuple[str, float]:
    """Return the id of this boot of the machine, and the time of its monotonic clock."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        # Without /proc, the minute of the boot identifies it.
        boot = str(round((time.time() - time.monotonic()) / 60))
    return boot, time.monotonic()
