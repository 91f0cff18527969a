"""The `Context` that every event handler gets: state folder, environment, agent, clock, features.

With it come functions that need the state folder: where a project's shared files are, and the index
of sessions by which a hook sees without reading a loop that there is one.
"""

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from untildone.agents.agent import Agent
from untildone.core.criteria import lacks_precheck
from untildone.engine.scope import Scope
from untildone.store.digest import sha256
from untildone.store.loops import Loops, Record
from untildone.store.sessions import Session


class RegisteredFeature(Struct, frozen=True):
    """A line of the registry: `load` imports the `Feature`; called only if `is_used` says so."""

    is_used: Callable[[Scope], bool]
    load: Callable[[], object]


class Context(Struct, frozen=True, kw_only=True):
    """What handlers depend on, so that tests can pass in their own; `home` is the state folder."""

    home: Path
    environ: Mapping[str, str]
    agent: Agent
    clock: Callable[[], float] = time.time
    features: tuple[RegisteredFeature, ...] = ()

    @property
    def loops(self) -> Loops:
        return Loops(self.home)

    def session(self, session: str) -> Session:
        """Return the session of this agent with the id."""
        return Session(os.fspath(self.home), self.agent.NAME, session)

    def session_of(self, record: Record) -> Session:
        """Return the session that the loop belongs to, also after it was moved."""
        contract = record.agreed
        return Session(os.fspath(self.home), contract.agent, contract.session)

    def now(self) -> str:
        """Return the time in UTC, as `2026-01-31T12:00:00+00:00`."""
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="seconds")


def project_folder(home: Path, project: Path) -> Path:
    """Return the state folder of a project, which all its sessions share."""
    name = sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:24]
    return home / "projects" / name


def has_run_checks(home: Path, project: Path) -> bool:
    """Say whether a loop with checks was started here: without, no program of the project runs."""
    return (project_folder(home, project) / "checks").is_dir()


def fingerprint_project(project: Path) -> str:
    """Return a digest of the project's files, which changes with any of them."""
    # Imported where it is used: a stop without checks must not pay for it.
    from untildone.worktree.fingerprint import fingerprint_tree

    return fingerprint_tree(project)


def update_index(context: Context, record: Record, line: str = "") -> None:
    """Write the loop's state into the index: small files of the session that the hooks read.

    `line` is the text of the status line. A finished loop is removed from the index, and its copy
    of the baseline is deleted.
    """
    session = context.session_of(record)
    if not session.known:
        return
    if record.progress.status == "finished":
        if record.progress.baseline_tree_digest:
            # Imported where it is used: only the end of a loop gets here.
            from untildone.integrity.baseline import delete_baseline_files

            delete_baseline_files(context.loops.get_folder(record.contract.id) / "baseline")
        if session.get_loop_id() == record.contract.id:
            session.release()
            # The status line shows the end until the next prompt.
            session.write("ending", line)
        return
    session.remove("ending")
    is_active = record.progress.status == "active"
    if session.is_active() and not is_active:
        # Makes the answer to the next prompt mention once that the loop is paused.
        session.write("remind", "")
    session.bind(record.contract.id, active=is_active)
    if is_active:
        _update_watches(session, record)
    if line:
        session.write("line", line)


def _update_watches(session: Session, record: Record) -> None:
    """Write or remove the files that make hooks of tool calls watch for something.

    `precheck`: the agent must not change files before its pre-check. `meter`: money or time is
    bounded and is measured between stops too.
    """
    contract = record.agreed
    if lacks_precheck(contract, record.progress):
        session.write("precheck", "")
    else:
        session.remove("precheck")
    bounds = contract.bounds
    is_metered = bounds.budget_usd or bounds.minutes or bounds.round_minutes
    if is_metered and not session.has("meter"):
        session.schedule_meter(0)
