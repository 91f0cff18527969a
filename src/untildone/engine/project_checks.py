"""The checks of a project: those of its trusted configuration, else those detected."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from untildone.checks import security
from untildone.checks.detected_checks import detect_checks, detect_preset, find_rejected
from untildone.checks.detection.candidate import Candidate
from untildone.checks.patterns import validate_patterns
from untildone.config.proposals import Proposal, load_proposal, load_proposals
from untildone.config.schema import Configuration
from untildone.core.contract import Check
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.store.trusted_files import read_trusted_hash
from untildone.worktree.listing import find_worktree_root

# Checks with the names they have in their file.
Named: TypeAlias = list[tuple[str, Check]]
_NOTHING = Configuration()
# Presets that differ in their task, not in their checks.
_CHECKED_AS = {"fix": "ship", "loop": "ship", "": "ship"}


def find_configured_folder(place: Path) -> Path:
    """The folder of the nearest configuration, from here up to the top of the worktree."""
    top = find_worktree_root(place)
    if top is None or place == top:
        return place
    upward = (folder for folder in (place, *place.parents) if folder.is_relative_to(top))
    return next((folder for folder in upward if load_proposal(folder)), place)


def list_checks(context: Context, project: Path) -> tuple[tuple[Check, ...], str]:
    """The checks, and a line on a configuration that is there but not trusted."""
    files, ignored = _load_trusted_files(context, project)
    own, below = _split_checks(files)
    checks = (*(_select_checks(own) or _detect_checks(project)), *_select_checks(below))
    return (*checks, *_find_security_check(project, files, checks)), ignored


def list_unused_candidates(context: Context, project: Path) -> tuple[Candidate, ...]:
    """Checks that were found but may not be run; none where the configuration names checks."""
    files, _ = _load_trusted_files(context, project)
    own, _ = _split_checks(files)
    return () if own else find_rejected(project)


def choose_checks(context: Context, project: Path, preset: str) -> tuple[Check, ...]:
    """A preset's checks: those the trusted configuration names so, else those found."""
    preset = _CHECKED_AS.get(preset, preset)
    files, ignored = _load_trusted_files(context, project)
    own, below = (_select_checks(checks, preset) for checks in _split_checks(files))
    if ignored and not _detect_checks(project):
        raise make_untrusted_error(project, ignored)
    try:
        checks = (*(own or detect_preset(project, preset)), *below)
    except UserError:
        if not below:
            raise
        checks = below
    return (*checks, *_find_security_check(project, files, checks)) if preset == "ship" else checks


def load_trusted_configuration(context: Context, project: Path) -> Configuration:
    """The project's own configuration; an empty one while it is not trusted."""
    files, _ = _load_trusted_files(context, project)
    return _find_own_configuration(files)


def describe_untrusted(context: Context, files: Sequence[Proposal]) -> str:
    """A line that names the untrusted files, if any: one of them makes all unused."""
    changed = [file.name for file in files if not is_trusted(context, file)]
    if not changed:
        return ""
    listed = ", ".join(f"`{name}`" for name in changed)
    if len(files) == 1:
        return f"{listed} is not trusted and ignored; `untildone trust` shows it"
    verb = "is" if len(changed) == 1 else "are"
    return f"{listed} {verb} not trusted, so none is used; `untildone trust` shows what changed"


def make_untrusted_error(project: Path, ignored: str) -> UserError:
    return UserError(
        f"no check was found in `{project}`, and {ignored.partition(';')[0]}",
        hint="`untildone trust` shows it and asks",
    )


def is_trusted(context: Context, proposed: Proposal) -> bool:
    """Whether the user trusts the file as it is; one that says nothing needs no trust."""
    if proposed.configuration == _NOTHING:
        return True
    return read_trusted_hash(context.home, proposed.path) == proposed.sha256


def validate_check(check: Check) -> None:
    """Refuse a check that could never be evidence, before anything rests on it."""
    if not check.command.strip():
        raise UserError(
            f"the command of check `{check.name}` is empty", hint="name a command to run"
        )
    validate_patterns(check)


def _load_trusted_files(context: Context, project: Path) -> tuple[tuple[Proposal, ...], str]:
    files = load_proposals(project)
    ignored = describe_untrusted(context, files)
    return (() if ignored else files), ignored


def _find_own_configuration(files: Sequence[Proposal]) -> Configuration:
    return next((file.configuration for file in files if not file.folder), _NOTHING)


def _split_checks(files: Sequence[Proposal]) -> tuple[Named, Named]:
    """The project's own, then those of its folders."""
    own: Named = []
    below: Named = []
    for file in files:
        for name, check in file.make_checks().items():
            if check.name in [taken.name for _, taken in own + below]:
                raise UserError(
                    f"{file.name}: the check `{name}` goes by `{check.name}`, as another one does",
                    hint="give one of them another name",
                )
            (below if file.folder else own).append((name, check))
    return own, below


def _select_checks(checks: Named, preset: str = "ship") -> tuple[Check, ...]:
    """The checks that the preset runs: `test` those named `test` or `test:…`, `ship` all."""
    return tuple(check for name, check in checks if preset in ("ship", name.split(":")[0]))


def _find_security_check(
    project: Path, files: Sequence[Proposal], checks: Sequence[Check]
) -> tuple[Check, ...]:
    """Return a security check if the configuration names rules and no check runs them yet."""
    own = _find_own_configuration(files)
    if not own.security_rules or security.NAME in [check.name for check in checks]:
        return ()
    return (
        security.make_check(project, rules=tuple(project / rule for rule in own.security_rules)),
    )


def _detect_checks(project: Path) -> tuple[Check, ...]:
    return tuple(check for checks in detect_checks(project).values() for check in checks)
