"""The loops on the disk: one folder each, with contract, state and journal."""

import errno
import os
import re
import stat
from _thread import get_ident
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.contract import Contract
from untildone.core.progress import Progress, Round
from untildone.errors import UserError
from untildone.store import baseline, heads, journal, seal
from untildone.store.encoding import convert
from untildone.store.files import DamagedFileError, is_owned, quote_path, sync_folder
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.store.state import JOURNAL, State, catch_up, commit, read_unlocked, recover_state

_ID = re.compile(r"[a-z0-9-]{1,64}")
_HISTORY = "run `untildone history` to see the loops there are"


class Record(Struct, frozen=True, kw_only=True):
    """A loop as it was read; `warnings` say what had to be recovered."""

    contract: Contract
    progress: Progress
    generation: int
    warnings: tuple[str, ...] = ()


class UnreadableLoop(Struct, frozen=True, kw_only=True):
    """A loop that is there and cannot be read."""

    id: str
    reason: str


class ConflictError(Exception):
    """Somebody else saved the loop after it was read."""


class Loops:
    def __init__(self, home: Path) -> None:
        self._home = home
        self._loops = home / "loops"
        self._held: set[tuple[int, str]] = set()

    def get_folder(self, loop_id: str) -> Path:
        if not _ID.fullmatch(loop_id):
            raise UserError(f"{quote_path(Path(loop_id))} is not the id of a loop", hint=_HISTORY)
        return self._loops / loop_id

    def create(self, contract: Contract, progress: Progress | None = None) -> Record:
        """Write the whole folder aside and move it in place: a loop is there or it is not."""
        folder = self.get_folder(contract.id)
        if os.path.lexists(folder):
            raise UserError(
                f"there is already a loop `{contract.id}`",
                hint=f"run `untildone show {contract.id}` to see it",
            )
        first = progress or Progress(updated_at=contract.started_at)
        draft = self._loops / f".{contract.id}-{os.urandom(8).hex()}"
        self._loops.mkdir(mode=0o700, exist_ok=True)
        draft.mkdir(mode=0o700)
        try:
            _begin(draft, contract, first)
            draft.rename(folder)
        except BaseException:
            # Imported where it is used: every stop loads this module, hardly any gets here.
            import shutil

            shutil.rmtree(draft, ignore_errors=True)
            raise
        return Record(
            contract=contract, progress=first, generation=1, warnings=_unsynced(self._loops)
        )

    def load(self, loop_id: str) -> Record:
        state, warnings = self._current(loop_id)
        contract, more = seal.load_contract(self._existing(loop_id), state.contract)
        return Record(
            contract=contract,
            progress=state.progress,
            generation=state.generation,
            warnings=(*warnings, *more),
        )

    @contextmanager
    def lock(self, loop_id: str, timeout: float = 30) -> Iterator[None]:
        """One writer at a time; a thread that holds the loop already goes straight in."""
        holder = (get_ident(), loop_id)
        if holder in self._held:
            yield
            return
        with hold_lock(self._existing(loop_id) / "lock", timeout=timeout):
            self._held.add(holder)
            try:
                yield
            finally:
                self._held.discard(holder)

    def save(
        self, record: Record, progress: Progress, *, kind: str, data: dict[str, object], at: str
    ) -> Record:
        loop_id = record.contract.id
        with self.lock(loop_id):
            current, warnings = self._current(loop_id)
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
            folder = self.get_folder(loop_id)
            catch_up(folder, current)
            more = commit(folder, state, kind=kind, data=data, at=at)
            more += self._remember(state)
        return Record(
            contract=record.contract,
            progress=progress,
            generation=state.generation,
            warnings=(*warnings, *more),
        )

    def read_journal(self, loop_id: str) -> tuple[journal.Entry, ...]:
        return journal.read_entries(self._existing(loop_id) / JOURNAL)

    def read_rounds(self, loop_id: str) -> tuple[Round, ...]:
        """Each with the notes that the agent made since the one before."""
        found: list[Round] = []
        notes: list[str] = []
        for entry in self.read_journal(loop_id):
            if entry.kind == "note":
                notes.append(str(entry.data.get("text", "")))
            elif entry.kind == "round":
                found.append(replace(convert(entry.data, Round), notes=tuple(notes)))
                notes = []
        return tuple(found)

    def list_all(self) -> tuple[Record | UnreadableLoop, ...]:
        """Every loop, the newest first; names with a leading dot are unfinished drafts."""
        there = self._loops.iterdir() if self._loops.exists() else ()
        names = {path.name for path in there if path.name[0] != "."}
        found = [self._found(self._loops / name) for name in names | heads.list_heads(self._home)]
        return tuple(record for _, record in sorted(found, key=_first, reverse=True))

    def list_unfinished(self) -> tuple[Record, ...]:
        """Those saved and not finished, without reading all the others."""
        found = (self._found(self._loops / name)[1] for name in heads.list_heads(self._home))
        return tuple(record for record in found if isinstance(record, Record))

    def explain_broken_seal(self, loop_id: str) -> str:
        """Why the loop's files are not what was agreed and recorded, or nothing."""
        with self.lock(loop_id):
            at_least = heads.read_head(self._home, loop_id)
            return seal.explain_broken_seal(self._existing(loop_id), loop_id, at_least=at_least)

    def is_remembered(self, loop_id: str) -> bool:
        """Whether it is known, apart from its own folder, that the loop was not finished."""
        return bool(heads.read_head(self._home, loop_id))

    def forget(self, loop_id: str) -> None:
        """The person's word that a loop whose folder is gone is over."""
        heads.remove_head(self._home, loop_id)

    def reseal(self, loop_id: str, *, at: str) -> Record:
        """The person's word that the loop goes on from what could be recovered."""
        with self.lock(loop_id):
            record = self.load(loop_id)
            folder = self._existing(loop_id)
            progress = baseline.drop_damaged_records(folder, record.progress)
            kind = seal.choose_sealing_kind(folder / JOURNAL)
            digest, agreement = seal.write_contract(folder, record.contract)
            state = State(
                loop=loop_id,
                generation=max(record.generation, heads.read_head(self._home, loop_id)) + 1,
                contract=digest,
                progress=progress,
            )
            commit(folder, state, kind=kind, data=agreement, at=at)
            self._remember(state)
            return self.load(loop_id)

    def _found(self, path: Path) -> tuple[str, Record | UnreadableLoop]:
        """The loop and when it began, as far as that can still be told."""
        try:
            record = self.load(path.name)
        except (UserError, DamagedFileError, LockTimeoutError, OSError) as error:
            return _began(path), UnreadableLoop(id=path.name, reason=str(error))
        return record.contract.started_at, record

    def _remember(self, state: State) -> tuple[str, ...]:
        if state.progress.status != "finished":
            return heads.record_head(self._home, state.loop, state.generation)
        heads.remove_head(self._home, state.loop)
        return ()

    def _current(self, loop_id: str) -> tuple[State, tuple[str, ...]]:
        folder = self._existing(loop_id)
        try:
            return read_unlocked(folder, loop_id), ()
        except (DamagedFileError, FileNotFoundError):
            # A writer between its two steps looks like damage to a reader without the lock.
            with self.lock(loop_id):
                return recover_state(folder, loop_id)

    def _existing(self, loop_id: str) -> Path:
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


def _began(path: Path) -> str:
    try:
        return datetime.fromtimestamp(path.lstat().st_mtime, UTC).isoformat()
    except FileNotFoundError:
        return ""


def _first(found: tuple[str, Record | UnreadableLoop]) -> str:
    return found[0]


def _begin(folder: Path, contract: Contract, progress: Progress) -> None:
    digest, agreement = seal.write_contract(folder, contract)
    state = State(loop=contract.id, generation=1, contract=digest, progress=progress)
    problems = commit(folder, state, kind="started", data=agreement, at=contract.started_at)
    if problems:
        raise OSError(errno.EIO, problems[0])


def _unsynced(folder: Path) -> tuple[str, ...]:
    try:
        sync_folder(folder)
    except OSError as error:
        # The loop is there all the same; only a power cut could take it back.
        return (f"{quote_path(folder)} cannot be synced: {error.strerror}",)
    return ()
