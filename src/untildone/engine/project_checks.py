"""Which checks a project has: those of its trusted configuration, else those detected.

A configuration file `untildone.toml` names commands to run, so it counts only if the user has
trusted this very content (`untildone trust`). Without checks in it, they are detected: a
`pyproject.toml` that configures pytest yields the check `pytest`. Folders of the project may have
configuration files too, whose checks are added.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from untildone.checks import security
from untildone.checks.detected_checks import detect_checks, detect_preset, find_rejected
from untildone.checks.detection.candidate import Candidate
from untildone.checks.patterns import validate_patterns
from untildone.config.proposals import Proposal, load_proposal, load_proposals
from untildone.config.schema import Configuration
from untildone.core.contract import Check, LeftOut
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.store.trusted_files import read_trusted_hash
from untildone.worktree.listing import find_worktree_root

# Pairs of a check's name in its file (`test`) and the check (named `web:test` in the folder `web`).
NamedChecks: TypeAlias = list[tuple[str, Check]]
_EMPTY_CONFIGURATION = Configuration()
# These presets (none at all is one) have a task of their own, but run the checks of another preset.
_PRESETS_WITH_SAME_CHECKS = {"fix": "ship", "loop": "ship", "": "ship"}


def find_configured_folder(start: Path) -> Path:
    """Return the nearest folder with a configuration, from `start` up to the worktree's top.

    Without any, it is `start` itself.
    """
    top = find_worktree_root(start)
    if top is None or start == top:
        return start
    upward = (folder for folder in (start, *start.parents) if folder.is_relative_to(top))
    return next((folder for folder in upward if load_proposal(folder)), start)


def list_checks(context: Context, project: Path) -> tuple[tuple[Check, ...], str]:
    """Return all checks, and a line for the user if untrusted configuration was ignored."""
    files, untrusted = _load_trusted_files(context, project)
    top_checks, folder_checks = _split_checks(files)
    checks = _drop_skipped(
        (
            *(_select_checks(top_checks) or _detect_checks(project)),
            *_select_checks(folder_checks),
        ),
        files,
    )
    return (*checks, *_find_security_check(project, files, checks)), untrusted


def list_skipped_checks(context: Context, project: Path) -> tuple[LeftOut, ...]:
    """Return the checks that the trusted configuration leaves out with `skip = true`."""
    try:
        files, _ = _load_trusted_files(context, project)
    except UserError:
        # A loop of promises needs no configuration.
        return ()
    return _list_skipped(files)


def _list_skipped(files: Sequence[Proposal]) -> tuple[LeftOut, ...]:
    return tuple(
        LeftOut(name=check.name, reason=f"`skip = true` in `{file.name}`")
        for file in files
        for check in file.make_checks().values()
        if check.skip
    )


def _drop_skipped(checks: tuple[Check, ...], files: Sequence[Proposal]) -> tuple[Check, ...]:
    """Return the checks, also detected ones, without those that the configuration leaves out."""
    names = {entry.name for entry in _list_skipped(files)}
    return tuple(check for check in checks if check.name not in names)


def list_unused_candidates(context: Context, project: Path) -> tuple[Candidate, ...]:
    """Return detected commands that are no checks: they would never end, or would change files.

    There are none if the configuration has checks.
    """
    files, _ = _load_trusted_files(context, project)
    top_checks, _ = _split_checks(files)
    return () if top_checks else find_rejected(project)


def choose_checks(context: Context, project: Path, preset: str) -> tuple[Check, ...]:
    """Return a preset's checks: of the trusted configuration those with its name, else detected.

    Raises UserError if there is none.
    """
    preset = _PRESETS_WITH_SAME_CHECKS.get(preset, preset)
    files, untrusted = _load_trusted_files(context, project)
    top_checks, folder_checks = (_select_checks(checks, preset) for checks in _split_checks(files))
    if untrusted and not _detect_checks(project):
        raise make_untrusted_error(project, untrusted)
    try:
        checks = (*(top_checks or detect_preset(project, preset)), *folder_checks)
    except UserError:
        if not folder_checks:
            raise
        checks = folder_checks
    checks = _drop_skipped(checks, files)
    if not checks:
        names = ", ".join(f"`{entry.name}`" for entry in _list_skipped(files))
        raise UserError(
            f"every check is left out by `skip = true`: {names}",
            hint='remove one `skip`, or name a check: `--check "YOUR COMMAND"`',
        )
    return (*checks, *_find_security_check(project, files, checks)) if preset == "ship" else checks


def load_trusted_configuration(context: Context, project: Path) -> Configuration:
    """Return the configuration at the top of the project; an empty one if it is not trusted."""
    files, _ = _load_trusted_files(context, project)
    return _find_top_configuration(files)


def describe_untrusted(context: Context, files: Sequence[Proposal]) -> str:
    """Return a line that names the untrusted files, if any: one of them makes all unused."""
    untrusted = [file.name for file in files if not is_trusted(context, file)]
    if not untrusted:
        return ""
    listed = ", ".join(f"`{name}`" for name in untrusted)
    if len(files) == 1:
        return f"{listed} is not trusted and ignored; `untildone trust` shows it"
    verb = "is" if len(untrusted) == 1 else "are"
    return f"{listed} {verb} not trusted, so none is used; `untildone trust` shows what changed"


def make_untrusted_error(project: Path, untrusted: str) -> UserError:
    """Return the error for a project without checks; `untrusted` is of `describe_untrusted`."""
    return UserError(
        # Only the statement: its remedy, after the semicolon, is the hint here.
        f"no check was found in `{project}`, and {untrusted.partition(';')[0]}",
        hint="`untildone trust` shows it and asks",
    )


def is_trusted(context: Context, file: Proposal) -> bool:
    """Say whether the user trusts the file's present content; an empty file needs no trust."""
    if file.configuration == _EMPTY_CONFIGURATION:
        return True
    return read_trusted_hash(context.home, file.path) == file.sha256


def validate_check(check: Check) -> None:
    """Raise UserError if a check could never pass or fail: no command, or an invalid pattern."""
    if not check.command.strip():
        raise UserError(
            f"the command of check `{check.name}` is empty", hint="name a command to run"
        )
    validate_patterns(check)


def _load_trusted_files(context: Context, project: Path) -> tuple[tuple[Proposal, ...], str]:
    """Return the project's configuration files if all are trusted, else none and the reason."""
    files = load_proposals(project)
    untrusted = describe_untrusted(context, files)
    return (() if untrusted else files), untrusted


def _find_top_configuration(files: Sequence[Proposal]) -> Configuration:
    # The file at the top of the project has no `folder`.
    return next((file.configuration for file in files if not file.folder), _EMPTY_CONFIGURATION)


def _split_checks(files: Sequence[Proposal]) -> tuple[NamedChecks, NamedChecks]:
    """Return the checks of the file at the project's top, then those of its folders' files."""
    top_checks: NamedChecks = []
    folder_checks: NamedChecks = []
    for file in files:
        for name, check in file.make_checks().items():
            if check.skip:
                continue
            if check.name in [other.name for _, other in top_checks + folder_checks]:
                raise UserError(
                    f"{file.name}: the check `{name}` goes by `{check.name}`, as another one does",
                    hint="give one of them another name",
                )
            (folder_checks if file.folder else top_checks).append((name, check))
    return top_checks, folder_checks


def _select_checks(checks: NamedChecks, preset: str = "ship") -> tuple[Check, ...]:
    """Return the checks that the preset runs: `test` those named `test` or `test:…`, `ship` all."""
    return tuple(check for name, check in checks if preset in ("ship", name.split(":")[0]))


def _find_security_check(
    project: Path, files: Sequence[Proposal], checks: Sequence[Check]
) -> tuple[Check, ...]:
    """Return a security check if the configuration names rules and no check runs them yet."""
    rules = _find_top_configuration(files).security_rules
    if not rules or security.NAME in [check.name for check in checks]:
        return ()
    return (security.make_check(project, rules=tuple(project / rule for rule in rules)),)


def _detect_checks(project: Path) -> tuple[Check, ...]:
    return tuple(check for checks in detect_checks(project).values() for check in checks)
