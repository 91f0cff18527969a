"""Active time by the monotonic clock of this boot: a jump of the wall clock changes nothing."""

import math
import time
from pathlib import Path

from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.store.sessions import Session


def count_time(progress: Progress, session: Session) -> Progress:
    """The progress with the time since it was last counted, or since the turn began."""
    boot, now = read_clock()
    passed = _measure_work(progress, session, until=now, boot=boot)
    return replace(
        progress,
        active_seconds=progress.active_seconds + passed,
        round_seconds=progress.round_seconds + passed,
        clock=(boot, now),
    )


def record_turn(
    session: Session, progress: Progress, *, prompt: str, kind: str, tree: str = ""
) -> None:
    """Writes `prompt.json`: the prompt that begins a turn, and the time worked before it.

    After an interruption or a failed turn the agent has rested since its last tool call.
    """
    boot, now = read_clock()
    called = session.find_last_call()
    until = now - max(0.0, time.time() - called) if called else -math.inf
    worked = _measure_work(progress, session, until=until, boot=boot)
    turn = {"id": prompt, "kind": kind, "tree": tree, "clock": (boot, now), "worked": worked}
    session.write_json("prompt.json", turn)


def _measure_work(progress: Progress, session: Session, *, until: float, boot: str) -> float:
    """Seconds of work up to `until`, since time was last counted or since the turn began."""
    known, last = progress.clock
    here = last if known == boot else math.inf
    turn = session.read_json("prompt.json")
    match turn.get("clock"), turn.get("worked"):
        case [str(at), float(began)], float(worked) if at == boot and not began < here < math.inf:
            return worked + max(0.0, until - began)
        case _:
            return max(0.0, until - here)


def read_clock() -> tuple[str, float]:
    """The id of this boot of the machine, and its uptime in seconds."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        boot = str(round((time.time() - time.monotonic()) / 60))
    return boot, time.monotonic()
