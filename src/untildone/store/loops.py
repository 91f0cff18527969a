"""The loops on disk: a folder for each, with contract, state and journal."""

import errno
import os
import stat
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from untildone.core.contract import Contract
from untildone.core.criteria import apply_amendments
from untildone.core.late_patterns import compile_late
from untildone.core.progress import Progress, Round
from untildone.errors import UserError
from untildone.store import baseline_records, heads, journal, seal
from untildone.store.durable_files import DamagedFileError, is_owned, quote_path, sync_folder
from untildone.store.encoding import convert
from untildone.store.history import History, build_history
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.store.state import JOURNAL, State, catch_up, commit, read_unlocked, recover_state

_ID = compile_late(r"[a-z0-9-]{1,64}")
_HISTORY = "run `untildone history` to see the loops there are"


class Record(Struct, frozen=True, kw_only=True, dict=True):
    """A loop as it was read; `contract` is the sealed one.

    `warnings` say what had to be recovered.
    """

    contract: Contract
    progress: Progress
    generation: int
    warnings: tuple[str, ...] = ()

    @cached_property
    def agreed(self) -> Contract:
        """Return the contract with its amendments."""
        return apply_amendments(self.contract, self.progress.amendments)


class UnreadableLoop(Struct, frozen=True, kw_only=True):
    """A loop that exists but cannot be read."""

    id: str
    reason: str


class ConflictError(Exception):
    """Another process saved the loop after it was read."""


class Loops:
    def __init__(self, home: Path) -> None:
        self._home = home
        self._loops = home / "loops"
        # The locks that threads hold, each with the state that was read or saved under it.
        self._locked: dict[tuple[int, str], State | None] = {}

    def get_folder(self, loop_id: str) -> Path:
        if not _ID.fullmatch(loop_id):
            raise UserError(f"{quote_path(Path(loop_id))} is not the id of a loop", hint=_HISTORY)
        return self._loops / loop_id

    def create(self, contract: Contract, progress: Progress | None = None) -> Record:
        """Create the loop's folder under another name and move it in place, so it is whole."""
        folder = self.get_folder(contract.id)
        if os.path.lexists(folder):
            raise UserError(
                f"there is already a loop `{contract.id}`",
                hint=f"run `untildone show {contract.id}` to see it",
            )
        progress = progress or Progress(updated_at=contract.started_at)
        draft = self._loops / f".{contract.id}-{os.urandom(8).hex()}"
        self._loops.mkdir(mode=0o700, exist_ok=True)
        draft.mkdir(mode=0o700)
        try:
            _write_first_state(draft, contract, progress)
            draft.rename(folder)
        except BaseException:
            # Imported here because every stop loads this module and hardly any gets here.
            import shutil

            shutil.rmtree(draft, ignore_errors=True)
            raise
        return Record(
            contract=contract, progress=progress, generation=1, warnings=_sync_or_warn(self._loops)
        )

    def load(self, loop_id: str) -> Record:
        state, warnings = self._read_state(loop_id)
        contract, more = seal.load_contract(self._find_folder(loop_id), state.contract)
        return Record(
            contract=contract,
            progress=state.progress,
            generation=state.generation,
            warnings=(*warnings, *more),
        )

    @contextmanager
    def lock(self, loop_id: str, timeout: float = 30) -> Iterator[None]:
        """Let one writer in at a time; a thread that holds the lock may take it again."""
        holder = (get_ident(), loop_id)
        if holder in self._locked:
            yield
            return
        with hold_lock(self._find_folder(loop_id) / "lock", timeout=timeout):
            self._locked[holder] = None
            try:
                yield
            finally:
                del self._locked[holder]

    def save(
        self, record: Record, progress: Progress, *, kind: str, data: dict[str, object], at: str
    ) -> Record:
        """Write the next generation; raise ConflictError if `record` is not the last one."""
        loop_id = record.contract.id
        with self.lock(loop_id):
            current, warnings = self._read_state(loop_id)
            if current.generation > record.generation:
                raise ConflictError(
                    f"the loop `{loop_id}` is at generation {current.generation},"
                    f" read was {record.generation}"
                )
            state = State(
                loop=loop_id,
                generation=record.generation + 1,
                contract=current.contract,
                progress=progress,
            )
            more = self._commit(state, kind=kind, data=data, at=at)
        return Record(
            contract=record.contract,
            progress=progress,
            generation=state.generation,
            warnings=(*warnings, *more),
        )

    def read_journal(self, loop_id: str) -> tuple[journal.Entry, ...]:
        return journal.read_entries(self._find_folder(loop_id) / JOURNAL)

    def read_rounds(self, loop_id: str) -> tuple[Round, ...]:
        """Return every round, with the notes that the agent made since the previous one."""
        return build_history(self.read_journal(loop_id)).rounds

    def read_last_round(self, loop_id: str) -> Round | None:
        """Return the last round, without its notes; None if there is none."""
        entry = journal.read_newest(self._find_folder(loop_id) / JOURNAL, "round")
        return convert(entry.data, Round) if entry else None

    def read_history(self, record: Record) -> History:
        """Return the course of the loop up to the generation of this record."""
        entries = self.read_journal(record.contract.id)
        return build_history(
            entry for entry in entries if _get_generation(entry) <= record.generation
        )

    def list_all(self) -> tuple[Record | UnreadableLoop, ...]:
        """Return every loop, the newest first."""
        dated = [self.load_or_explain(name) for name in self.list_names()]
        dated.sort(key=lambda entry: entry[0], reverse=True)
        return tuple(record for _, record in dated)

    @property
    def path(self) -> Path:
        return self._loops

    def list_names(self) -> set[str]:
        """Return the names of all loops, also of unfinished ones whose folder is gone.

        Names with a leading dot are incomplete folders.
        """
        folders = self._loops.iterdir() if self._loops.exists() else ()
        names = {path.name for path in folders if path.name[0] != "."}
        return names | heads.list_heads(self._home)

    def list_unfinished(self) -> tuple[Record, ...]:
        """Return the unfinished loops, without reading all others."""
        loops = (self.load_or_explain(name)[1] for name in heads.list_heads(self._home))
        return tuple(loop for loop in loops if isinstance(loop, Record))

    def explain_broken_seal(self, loop_id: str) -> str:
        """Say how the loop's files differ from what was agreed and recorded, if they do."""
        with self.lock(loop_id):
            at_least = heads.read_head(self._home, loop_id)
            return seal.explain_broken_seal(self._find_folder(loop_id), loop_id, at_least=at_least)

    def is_remembered(self, loop_id: str) -> bool:
        """Say whether the loop is recorded as unfinished outside its own folder."""
        return bool(heads.read_head(self._home, loop_id))

    def forget(self, loop_id: str) -> None:
        """Forget a loop whose folder is gone, at the user's request."""
        heads.remove_head(self._home, loop_id)

    def reseal(self, loop_id: str, *, at: str) -> Record:
        """Seal the loop again as recovered, at the user's request."""
        with self.lock(loop_id):
            record = self.load(loop_id)
            folder = self._find_folder(loop_id)
            progress = baseline_records.drop_damaged_records(folder, record.progress)
            kind = seal.choose_sealing_kind(folder / JOURNAL)
            digest, agreement = seal.write_contract(folder, record.contract)
            state = State(
                loop=loop_id,
                generation=max(record.generation, heads.read_head(self._home, loop_id)) + 1,
                contract=digest,
                progress=progress,
            )
            self._commit(state, kind=kind, data=agreement, at=at)
            return self.load(loop_id)

    def load_or_explain(self, name: str) -> tuple[str, Record | UnreadableLoop]:
        """Return the loop and its start time, or the folder's time if the loop cannot be read."""
        path = self._loops / name
        try:
            record = self.load(name)
        except (UserError, DamagedFileError, LockTimeoutError, OSError) as error:
            changed = path.lstat().st_mtime if os.path.lexists(path) else 0
            changed_at = datetime.fromtimestamp(changed, UTC).isoformat()
            return changed_at, UnreadableLoop(id=name, reason=str(error))
        return record.contract.started_at, record

    def _commit(
        self, state: State, *, kind: str, data: dict[str, object], at: str
    ) -> tuple[str, ...]:
        warnings = commit(self.get_folder(state.loop), state, kind=kind, data=data, at=at)
        self._locked[get_ident(), state.loop] = None if warnings else state
        if state.progress.status != "finished":
            return warnings + heads.record_head(self._home, state.loop, state.generation)
        heads.remove_head(self._home, state.loop)
        return warnings

    def _read_state(self, loop_id: str) -> tuple[State, tuple[str, ...]]:
        """Return the state and warnings; under the lock, where nobody else writes, read it once."""
        holder = (get_ident(), loop_id)
        if known := self._locked.get(holder):
            return known, ()
        folder = self._find_folder(loop_id)
        try:
            state, is_behind = read_unlocked(folder, loop_id)
            warnings: tuple[str, ...] = ()
        except (DamagedFileError, FileNotFoundError):
            # Without the lock a save in progress looks like damage.
            with self.lock(loop_id):
                state, warnings = recover_state(folder, loop_id)
            is_behind = True
        if holder in self._locked:
            if is_behind:
                catch_up(folder, state)
            self._locked[holder] = state
        return state, warnings

    def _find_folder(self, loop_id: str) -> Path:
        folder = self.get_folder(loop_id)
        try:
            status = folder.lstat()
        except FileNotFoundError:
            if self.is_remembered(loop_id):
                raise DamagedFileError(f"{quote_path(folder)} is missing") from None
            raise UserError(f"there is no loop `{loop_id}`", hint=_HISTORY) from None
        if not stat.S_ISDIR(status.st_mode) or not is_owned(status):
            raise DamagedFileError(f"{quote_path(folder)} is not a folder of ours")
        return folder


def _get_generation(entry: journal.Entry) -> int:
    return convert((entry.state or {}).get("generation", 0), int)


def _write_first_state(folder: Path, contract: Contract, progress: Progress) -> None:
    digest, agreement = seal.write_contract(folder, contract)
    state = State(loop=contract.id, generation=1, contract=digest, progress=progress)
    problems = commit(folder, state, kind="started", data=agreement, at=contract.started_at)
    if problems:
        raise OSError(errno.EIO, problems[0])


def _sync_or_warn(folder: Path) -> tuple[str, ...]:
    try:
        sync_folder(folder)
    except OSError as error:
        # The loop exists all the same; only a power failure could lose it.
        return (f"{quote_path(folder)} cannot be synced: {error.strerror}",)
    return ()
