"""The checks of a project, found by looking at its files."""

from pathlib import Path

from untildone.checks.detection import ECOSYSTEMS, FALLBACK
from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.core.model import Check
from untildone.errors import UserError

ASPECTS: tuple[Aspect, ...] = ("build", "test", "lint")
PRESETS: dict[str, tuple[Aspect, ...]] = {
    "build": ("build",),
    "test": ("test",),
    "lint": ("lint",),
    "ship": ASPECTS,
}


def detect_checks(project: Path) -> dict[Aspect, tuple[Check, ...]]:
    """Per aspect what was found, which may be nothing; nothing is executed to find out."""
    found = [entry for entry in _candidates(project) if not entry.harm]
    return {aspect: _checks(aspect, found) for aspect in ASPECTS}


def find_rejected(project: Path) -> tuple[Candidate, ...]:
    """What the files speak for too, but would run for ever or change what it judges."""
    return tuple(entry for entry in _candidates(project) if entry.harm)


def _candidates(project: Path) -> list[Candidate]:
    found = [entry for room in ECOSYSTEMS.values() for entry in room.candidates(project)]
    settled = {entry.aspect for entry in found if not entry.harm}
    return [
        *found,
        *(entry for entry in FALLBACK.candidates(project) if entry.aspect not in settled),
    ]


def _checks(aspect: Aspect, found: list[Candidate]) -> tuple[Check, ...]:
    entries = [entry for entry in found if entry.aspect == aspect]
    return tuple(
        Check(
            name=aspect if len(entries) == 1 else f"{aspect}:{entry.tool}",
            command=entry.command,
            reason=entry.reason,
            env=entry.env,
        )
        for entry in entries
    )


def detect_preset(project: Path, preset: str) -> tuple[Check, ...]:
    if preset not in PRESETS:
        names = ", ".join(f"`{name}`" for name in PRESETS)
        raise UserError(f"no checks belong to the preset `{preset}`", hint=f"use one of {names}")
    aspects = PRESETS[preset]
    found = detect_checks(project)
    checks = tuple(check for aspect in aspects for check in found[aspect])
    if not checks:
        wanted = " or ".join(filter(None, (", ".join(aspects[:-1]), aspects[-1])))
        passed_over = [entry for entry in find_rejected(project) if entry.aspect in aspects]
        why = "".join(f"; `{entry.command}` {entry.harm}" for entry in passed_over)
        raise UserError(
            f"no {wanted} command was found in `{project}`{why}",
            hint=f'name it: `untildone start --preset {preset} --check "YOUR COMMAND"`',
        )
    return checks
