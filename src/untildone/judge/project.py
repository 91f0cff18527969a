"""The checks of a project: what the person trusted, else what is found."""

from pathlib import Path

from untildone.checks.detect import detect, for_preset
from untildone.config import Proposal, proposal
from untildone.judge.context import Context
from untildone.loop.model import Check
from untildone.store.trust import trusted_hash


def checks_of(context: Context, project: Path) -> tuple[tuple[Check, ...], str]:
    """The checks, and a line on a configuration that is there but not trusted."""
    proposed = proposal(project)
    if proposed and proposed.configuration.checks:
        if is_trusted(context, proposed):
            return proposed.configuration.as_checks(proposed.path), ""
        line = f"`{proposed.path.name}` is not trusted and ignored; `untildone trust` shows it"
        return _found(project), line
    return _found(project), ""


def checks_for(context: Context, project: Path, preset: str) -> tuple[Check, ...]:
    """A preset's checks: those the trusted configuration names so, else those found."""
    proposed = proposal(project)
    if proposed and is_trusted(context, proposed):
        configured = proposed.configuration.as_checks(proposed.path)
        wanted = [check for check in configured if preset in ("ship", check.name.split(":")[0])]
        if wanted:
            return tuple(wanted)
    return for_preset(project, preset)


def _found(project: Path) -> tuple[Check, ...]:
    return tuple(check for checks in detect(project).values() for check in checks)


def is_trusted(context: Context, proposed: Proposal) -> bool:
    return trusted_hash(context.home, proposed.path) == proposed.sha256
