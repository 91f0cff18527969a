"""What `untildone doctor` can find wrong with the state folder, the project and the loops.

Each function looks for one kind of problem and yields what it finds; `PROBES` lists them all.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from untildone.checks.missing_tools import find_missing_tool
from untildone.config.proposals import load_proposals
from untildone.core.contract import Contract
from untildone.core.text import pluralize
from untildone.engine import removed_folders
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.hold_status import check_hold
from untildone.engine.project_checks import is_trusted, list_checks
from untildone.engine.scope import Scope
from untildone.engine.stale_loops import STALE_DAYS, find_stale_loops
from untildone.errors import UserError
from untildone.report.doctor import Problem, make_error, make_note
from untildone.report.notices import describe_next_step
from untildone.report.verdict_names import name_outcome
from untildone.store.home import find_volatile_file_system, prepare_home
from untildone.store.loops import Record, UnreadableLoop

Probe: TypeAlias = Callable[[Context, Path], Iterator[Problem]]

# Of many loops whose agent is not held only this many are listed; the others are counted.
_MAX_LISTED = 5


def find_state_problems(context: Context, _: Path) -> Iterator[Problem]:
    """Yield an error if the state folder is unusable, a note if a restart would empty it."""
    home = context.home
    try:
        if home.exists() or home.is_symlink():
            prepare_home(home)
        else:
            _require_creatable(home)
    except UserError as fault:
        yield make_error("state", fault.message, fault.hint)
    file_system = find_volatile_file_system(home)
    if file_system:
        text = f"`{home}` is on {file_system}: loops and receipts are gone after a restart"
        yield make_note(
            "state", text, "set `UNTILDONE_HOME` to a folder that stays, then `untildone init`"
        )


def _require_creatable(home: Path) -> None:
    """Raise UserError if the state folder does not exist and could not be created."""
    parent = next(parent for parent in home.parents if parent.exists())
    if not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)):
        raise UserError(
            f"the state folder `{home}` cannot be made in `{parent}`",
            hint="set `UNTILDONE_HOME` to a folder of your own",
        )


def find_untrusted_configuration(context: Context, project: Path) -> Iterator[Problem]:
    """Yield a note for each configuration file of the project that the user does not trust."""
    try:
        files = load_proposals(project)
    except UserError:
        # An unreadable file is reported by `find_missing_tools`.
        return
    for file in files:
        if not is_trusted(context, file):
            text = f"`{file.path}` is not trusted on this machine: nothing it says is run"
            yield make_note("configuration", text, "`untildone trust`")


def find_missing_tools(context: Context, project: Path) -> Iterator[Problem]:
    """Yield an error for each check whose program is not installed.

    A configuration that cannot be read is an error too: its checks are unknown.
    """
    try:
        checks, _ = list_checks(context, project)
    except UserError as fault:
        yield make_error("configuration", fault.message, fault.hint)
        return
    for check in checks:
        tool = find_missing_tool(check, project, context.environ)
        if tool:
            text = (
                f"`{tool.name}` was not found, which the check `{check.name}` runs:"
                f" `{check.command}`"
            )
            yield make_error(
                "tools", text, f"{tool.remedy}, or name another command with `--check`"
            )


def find_damaged_loops(context: Context, _: Path) -> Iterator[Problem]:
    """Yield an error for each loop that cannot be read, or whose files others have changed.

    The seal is a digest of a loop's files; that of a finished loop no longer matters.
    """
    for entry in _list_loops(context):
        match entry:
            case UnreadableLoop():
                folder = context.loops.get_folder(entry.id) if entry.id.isascii() else context.home
                text = f"loop {entry.id} cannot be read: {entry.reason}"
                yield make_error("damaged loop", text, f"move `{folder}` away")
            case Record() if entry.progress.status != "finished":
                reason = context.loops.explain_broken_seal(entry.contract.id)
                text = f"the seal of loop {entry.contract.id} is broken: {reason}"
                if reason:
                    yield make_error(
                        "damaged loop", text, f"`untildone cancel {entry.contract.id}`"
                    )
            case Record():
                pass


def find_unheld_loops(context: Context, project: Path) -> Iterator[Problem]:
    """Yield a note for each active loop whose agent could stop unjudged, this project's first."""
    unheld: list[tuple[Contract, str]] = []
    for record in _list_records(context):
        is_held, reason = check_hold(context, record)
        # The third value is "unknown".
        if record.progress.status == "active" and is_held is False:
            unheld.append((record.contract, reason))
    unheld.sort(key=lambda loop: loop[0].project != str(project))
    for contract, reason in unheld[:_MAX_LISTED]:
        elsewhere = "" if contract.project == str(project) else f" ({contract.project})"
        text = f"loop {contract.id}{elsewhere}: {reason}"
        yield make_note("not held", text, f"`untildone cancel {contract.id}` ends it")
    if unlisted := unheld[_MAX_LISTED:]:
        text = pluralize(len(unlisted), "more loop")
        yield make_note("not held", text, "`untildone status --all` lists them")


def find_removed_folders(context: Context, _: Path) -> Iterator[Problem]:
    """Yield a note for each unfinished loop whose folder, such as a worktree, was removed."""
    for record in removed_folders.find_removed_folders(context):
        text = removed_folders.describe_removed_folder(record)
        yield make_note("removed folder", text, f"`untildone cancel {record.contract.id}` ends it")


def find_forgotten_loops(context: Context, _: Path) -> Iterator[Problem]:
    """Yield a note if loops were paused so long ago that they are probably forgotten."""
    stale = find_stale_loops(context, _list_records(context))
    if stale:
        loops = pluralize(len(stale), "loop")
        text = f"{loops} paused for more than {STALE_DAYS} days"
        yield make_note("forgotten", text, "`untildone clean` cancels them")


def describe_last_loop(context: Context, project: Path) -> Iterator[Problem]:
    """Yield a note that says why the newest loop of this project ended or paused."""
    newest_first = (
        record for record in _list_records(context) if record.contract.project == str(project)
    )
    last = next(newest_first, None)
    if last is None or last.progress.outcome is None:
        return
    outcome = last.progress.outcome
    text = f"loop {last.contract.id} is {name_outcome(outcome)}: {last.progress.reason}"
    yield make_note("last loop", text, describe_next_step(last.contract.id, outcome))


def find_feature_problems(context: Context, project: Path) -> Iterator[Problem]:
    """Yield the problems that the features find with what belongs to them."""
    for feature in load_used_features(context, Scope(event="doctor")):
        yield from feature.find_problems(context, project)


def _list_loops(context: Context) -> tuple[Record | UnreadableLoop, ...]:
    try:
        return context.loops.list_all()
    except OSError:
        # A state folder that cannot be read is reported by `find_state_problems`.
        return ()


def _list_records(context: Context) -> Iterator[Record]:
    return (entry for entry in _list_loops(context) if isinstance(entry, Record))


# By what each looks at, as `doctor` lists it.
PROBES: dict[str, Probe] = {
    "state folder": find_state_problems,
    "trust of the configuration": find_untrusted_configuration,
    "programs of the checks": find_missing_tools,
    "files of the loops": find_damaged_loops,
    "whether active loops are held": find_unheld_loops,
    "age of paused loops": find_forgotten_loops,
    "folders of the loops": find_removed_folders,
    "last loop of this project": describe_last_loop,
    "optional features": find_feature_problems,
}
