"""What can be wrong with state, project and loops, one function each."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from untildone.config.proposals import load_proposals
from untildone.core.contract import Check, Contract
from untildone.core.text import pluralize
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.hold_status import check_hold
from untildone.engine.project_checks import is_trusted, list_checks
from untildone.engine.scope import Scope
from untildone.errors import UserError
from untildone.process.command import parse_argv
from untildone.report.doctor import Problem, make_error, make_note
from untildone.report.notices import describe_next_step
from untildone.store.home import find_volatile_file_system, prepare_home
from untildone.store.loops import Record, UnreadableLoop

Probe: TypeAlias = Callable[[Context, Path], Iterator[Problem]]

# Of many loops without a hold only these are listed; the others are counted.
_LISTED = 5


def find_state_problems(context: Context, _: Path) -> Iterator[Problem]:
    home = context.home
    try:
        if home.exists() or home.is_symlink():
            prepare_home(home)
        else:
            _require_makeable(home)
    except UserError as fault:
        yield make_error("state", fault.message, fault.hint)
    kind = find_volatile_file_system(home)
    if kind:
        text = f"`{home}` is on {kind}: loops and receipts are gone after a restart"
        yield make_note(
            "state", text, "set `UNTILDONE_HOME` to a folder that stays, then `untildone init`"
        )


def _require_makeable(home: Path) -> None:
    parent = next(parent for parent in home.parents if parent.exists())
    if not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)):
        raise UserError(
            f"the state folder `{home}` cannot be made in `{parent}`",
            hint="set `UNTILDONE_HOME` to a folder of your own",
        )


def find_untrusted_configuration(context: Context, project: Path) -> Iterator[Problem]:
    try:
        files = load_proposals(project)
    except UserError:
        # `find_missing_tools` reports it.
        return
    for file in files:
        if not is_trusted(context, file):
            text = f"`{file.path}` is not trusted on this machine: nothing it says is run"
            yield make_note("configuration", text, "`untildone trust`")


def find_missing_tools(context: Context, project: Path) -> Iterator[Problem]:
    try:
        checks, _ = list_checks(context, project)
    except UserError as fault:
        yield make_error("configuration", fault.message, fault.hint)
        return
    for check in checks:
        program = _find_missing_program(check, project, path=context.environ.get("PATH"))
        if program:
            text = (
                f"`{program}` was not found, which the check `{check.name}` runs: `{check.command}`"
            )
            yield make_error(
                "tools", text, f"install `{program}`, or name another command with `--check`"
            )


def _find_missing_program(check: Check, project: Path, *, path: str | None) -> str:
    program = next(iter(parse_argv(check.command)), "")
    there = shutil.which(program, path=path) or (project / check.cwd / program).is_file()
    return "" if there else program


def find_damaged_loops(context: Context, _: Path) -> Iterator[Problem]:
    for found in _list_loops(context):
        match found:
            case UnreadableLoop():
                folder = context.loops.get_folder(found.id) if found.id.isascii() else context.home
                text = f"loop {found.id} cannot be read: {found.reason}"
                yield make_error("damaged loop", text, f"move `{folder}` away")
            case Record() if found.progress.status != "finished":
                broken = context.loops.explain_broken_seal(found.contract.id)
                text = f"the seal of loop {found.contract.id} is broken: {broken}"
                if broken:
                    yield make_error(
                        "damaged loop", text, f"`untildone cancel {found.contract.id}`"
                    )
            case Record():
                pass


def find_unheld_loops(context: Context, project: Path) -> Iterator[Problem]:
    unheld: list[tuple[Contract, str]] = []
    for record in _list_records(context):
        held, why = check_hold(record, context.session_of(record))
        if record.progress.status == "active" and held is False:
            unheld.append((record.contract, why))
    unheld.sort(key=lambda loop: loop[0].project != str(project))
    for contract, why in unheld[:_LISTED]:
        there = "" if contract.project == str(project) else f" ({contract.project})"
        text = f"loop {contract.id}{there}: {why}"
        yield make_note("not held", text, f"`untildone cancel {contract.id}` ends it")
    if more := unheld[_LISTED:]:
        text = pluralize(len(more), "more loop")
        yield make_note("not held", text, "`untildone status --all` lists them")


def describe_last_loop(context: Context, project: Path) -> Iterator[Problem]:
    """Why the last loop here ended or paused."""
    here = (record for record in _list_records(context) if record.contract.project == str(project))
    last = next(here, None)
    if last is None or last.progress.outcome is None:
        return
    outcome = last.progress.outcome
    text = f"loop {last.contract.id} {last.progress.status}: {outcome}, {last.progress.reason}"
    yield make_note("last loop", text, describe_next_step(last.contract.id, outcome))


def find_feature_problems(context: Context, project: Path) -> Iterator[Problem]:
    for feature in load_used_features(context, Scope(event="doctor")):
        yield from feature.find_problems(context, project)


def _list_loops(context: Context) -> tuple[Record | UnreadableLoop, ...]:
    try:
        return context.loops.list_all()
    except OSError:
        # `find_state_problems` reports it.
        return ()


def _list_records(context: Context) -> Iterator[Record]:
    return (found for found in _list_loops(context) if isinstance(found, Record))


PROBES: tuple[Probe, ...] = (
    find_state_problems,
    find_untrusted_configuration,
    find_missing_tools,
    find_damaged_loops,
    find_unheld_loops,
    describe_last_loop,
    find_feature_problems,
)
