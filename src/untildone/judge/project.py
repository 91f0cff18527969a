"""The checks of a project: what the person trusted, else what is found."""

from pathlib import Path, PurePath

from untildone.checks.detect import detect, for_preset
from untildone.checks.patterns import validate
from untildone.config import Proposal, proposal
from untildone.errors import UserError
from untildone.judge.context import Context
from untildone.loop.model import Check
from untildone.store.trust import trusted_hash

_DAY = 86_400


def checks_of(context: Context, project: Path) -> tuple[tuple[Check, ...], str]:
    """The checks, and a line on a configuration that is there but not trusted."""
    proposed = proposal(project)
    if proposed and proposed.configuration.checks and is_trusted(context, proposed):
        return configured(proposed), ""
    return _found(project), untrusted(context, proposed)


def untrusted(context: Context, proposed: Proposal | None) -> str:
    if not proposed or not proposed.configuration.checks or is_trusted(context, proposed):
        return ""
    return f"`{proposed.path.name}` is not trusted and ignored; `untildone trust` shows it"


def only_untrusted(project: Path, ignored: str) -> UserError:
    return UserError(
        f"no check was found in `{project}`, and {ignored.partition(';')[0]}",
        hint="`untildone trust` shows it and asks",
    )


def configured(proposed: Proposal) -> tuple[Check, ...]:
    checks = proposed.configuration.as_checks(proposed.path)
    for check in checks:
        sound(check, where=f"`{proposed.path}`: ")
    return checks


def sound(check: Check, *, where: str = "") -> None:
    """Refuse a check that could never be evidence, before anything rests on it."""
    if not check.command.strip():
        raise UserError(
            f"{where}the command of check `{check.name}` is empty", hint="name a command to run"
        )
    if not 0 < check.timeout <= _DAY:
        raise UserError(
            f"{where}the timeout `{check.timeout:g}` of check `{check.name}` is out of range",
            hint=f"give seconds above 0, at most {_DAY}",
        )
    place = PurePath(check.cwd)
    if place.is_absolute() or ".." in place.parts:
        raise UserError(
            f"{where}the cwd `{check.cwd}` of check `{check.name}` is outside the project",
            hint="give a folder below the project",
        )
    validate(check)


def checks_for(context: Context, project: Path, preset: str) -> tuple[Check, ...]:
    """A preset's checks: those the trusted configuration names so, else those found."""
    proposed = proposal(project)
    if proposed and is_trusted(context, proposed):
        known = configured(proposed)
        wanted = [check for check in known if preset in ("ship", check.name.split(":")[0])]
        if wanted:
            return tuple(wanted)
    ignored = untrusted(context, proposed)
    if ignored and not _found(project):
        raise only_untrusted(project, ignored)
    return for_preset(project, preset)


def _found(project: Path) -> tuple[Check, ...]:
    return tuple(check for checks in detect(project).values() for check in checks)


def is_trusted(context: Context, proposed: Proposal) -> bool:
    return trusted_hash(context.home, proposed.path) == proposed.sha256
