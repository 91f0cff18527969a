"""What every event handler is given: state folder, environment, agent, clock and features."""

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
    """A line of the registry: `load` imports the `Feature`, and is called only if it is used."""

    is_used: Callable[[Scope], bool]
    load: Callable[[], object]


class Context(Struct, frozen=True, kw_only=True):
    """`home` is the state folder."""

    home: Path
    environ: Mapping[str, str]
    agent: Agent
    clock: Callable[[], float] = time.time
    features: tuple[RegisteredFeature, ...] = ()

    @property
    def loops(self) -> Loops:
        return Loops(self.home)

    def session(self, session: str) -> Session:
        return Session(os.fspath(self.home), self.agent.NAME, session)

    def session_of(self, record: Record) -> Session:
        contract = record.agreed
        return Session(os.fspath(self.home), contract.agent, contract.session)

    def now(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="seconds")


def project_folder(home: Path, project: Path) -> Path:
    """The folder for what is kept of a project for all its sessions."""
    name = sha256(os.fsencode(os.path.realpath(project))).hexdigest()[:24]
    return home / "projects" / name


def has_run_checks(home: Path, project: Path) -> bool:
    """Whether checks were run here before: only then are programs of the repository started."""
    return (project_folder(home, project) / "checks").is_dir()


def fingerprint_project(project: Path) -> str:
    """The identity of what is in the project now."""
    # Imported where it is used: a stop without checks must not pay for it.
    from untildone.worktree.fingerprint import fingerprint_tree

    return fingerprint_tree(project)


def update_index(context: Context, record: Record, line: str = "") -> None:
    """Writes what the loop's state says into the index that the hooks read."""
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
        return
    active = record.progress.status == "active"
    if session.is_active() and not active:
        # The user's next prompt reminds of it once.
        session.write("remind", "")
    session.bind(record.contract.id, active=active)
    if active:
        _update_watches(session, record)
    if line:
        session.write("line", line)


def _update_watches(session: Session, record: Record) -> None:
    """Has hooks watch between stops for changes before the pre-check, money and minutes."""
    contract = record.agreed
    if lacks_precheck(contract, record.progress):
        session.write("precheck", "")
    else:
        session.remove("precheck")
    bounds = contract.bounds
    limited = bounds.budget_usd or bounds.minutes or bounds.round_minutes
    if limited and not session.has("meter"):
        session.schedule_meter(0)
