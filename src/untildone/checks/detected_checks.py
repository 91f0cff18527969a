"""Detects the checks of a project from its files; nothing is executed."""

from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection import ECOSYSTEMS, FALLBACK
from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.packages import find_packages
from untildone.core.contract import Check
from untildone.errors import UserError

ASPECTS: tuple[Aspect, ...] = ("build", "test", "lint")
PRESETS: dict[str, tuple[Aspect, ...]] = {
    "build": ("build",),
    "test": ("test",),
    "lint": ("lint",),
    "ship": ASPECTS,
}


def detect_checks(project: Path) -> dict[Aspect, tuple[Check, ...]]:
    """Return the checks of each aspect, possibly none.

    Where the top of the project has none, they are those of the packages below it.
    """
    checks = _detect_in_folder(project)
    if any(checks.values()):
        return checks
    found = [(folder, _detect_in_folder(project / folder)) for folder in find_packages(project)]
    return {
        aspect: tuple(
            replace(check, name=f"{folder}:{check.name}", cwd=folder)
            for folder, checks in found
            for check in checks[aspect]
        )
        for aspect in ASPECTS
    }


def _detect_in_folder(folder: Path) -> dict[Aspect, tuple[Check, ...]]:
    usable = [entry for entry in _find_candidates(folder) if not entry.harm]
    return {aspect: _make_checks(aspect, usable) for aspect in ASPECTS}


def find_rejected(project: Path) -> tuple[Candidate, ...]:
    """Return commands of the project that would never end, or change the files they judge."""
    return tuple(entry for entry in _find_candidates(project) if entry.harm)


def _find_candidates(project: Path) -> list[Candidate]:
    found = [entry for ecosystem in ECOSYSTEMS for entry in ecosystem.find_candidates(project)]
    covered = {entry.aspect for entry in found if not entry.harm}
    return [
        *found,
        *(entry for entry in FALLBACK.find_candidates(project) if entry.aspect not in covered),
    ]


def _make_checks(aspect: Aspect, candidates: list[Candidate]) -> tuple[Check, ...]:
    entries = [entry for entry in candidates if entry.aspect == aspect]
    return tuple(
        Check(
            name=aspect if len(entries) == 1 else f"{aspect}:{entry.tool}",
            command=entry.command,
            reason=entry.reason,
            env=entry.env,
            detected=True,
        )
        for entry in entries
    )


def detect_preset(project: Path, preset: str) -> tuple[Check, ...]:
    """Return the checks of a preset; raise an error if the project has none."""
    if preset not in PRESETS:
        names = ", ".join(f"`{name}`" for name in PRESETS)
        raise UserError(f"no checks belong to the preset `{preset}`", hint=f"use one of {names}")
    aspects = PRESETS[preset]
    detected = detect_checks(project)
    checks = tuple(check for aspect in aspects for check in detected[aspect])
    if not checks:
        kinds = " or ".join(filter(None, (", ".join(aspects[:-1]), aspects[-1])))
        rejected = [entry for entry in find_rejected(project) if entry.aspect in aspects]
        reasons = "".join(f"; `{entry.command}` {entry.harm}" for entry in rejected)
        raise UserError(
            f"no {kinds} command was found in `{project}`{reasons}",
            hint=f'name it: `untildone start --preset {preset} --check "YOUR COMMAND"`',
        )
    return checks
