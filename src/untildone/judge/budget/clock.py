"""Active time by the monotonic clock of this boot: a jump of the wall clock changes nothing."""

import time
from pathlib import Path

from msgspec.structs import replace

from untildone.loop.model import STOPPED, Progress
from untildone.store.sessions import Session


def clocked(progress: Progress, session: Session) -> Progress:
    """With the time since the last mark counted; after a rest, since the turn began."""
    boot, now = mark()
    known, last = progress.clock if progress.clock != STOPPED else _turn_began(session)
    passed = max(0.0, now - last) if known == boot else 0.0
    return replace(
        progress,
        active_seconds=progress.active_seconds + passed,
        round_seconds=progress.round_seconds + passed,
        clock=(boot, now),
    )


def _turn_began(session: Session) -> tuple[str, float]:
    match session.read_json("prompt.json").get("clock"):
        case [str(boot), float(at)]:
            return boot, at
        case _:
            return STOPPED


def mark() -> tuple[str, float]:
    """Which boot of the machine it is, and how long it runs."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    except OSError:
        boot = str(round((time.time() - time.monotonic()) / 60))
    return boot, time.monotonic()
