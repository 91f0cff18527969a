"""Reads another tool's loop file and starts a loop from it."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks import security
from untildone.core.contract import Bounds, Speaker
from untildone.engine.context import Context, project_folder
from untildone.engine.request import Request
from untildone.engine.start import CEILINGS, begin_loop
from untildone.engine.verbs import change_loop
from untildone.errors import UserError
from untildone.features.counts.selection import resolve_targets, select_counts
from untildone.features.importers.bound_file import set_count
from untildone.features.importers.formats import find_loop_format
from untildone.features.importers.formats.loop_format import ImportedLoop, Source
from untildone.store.digest import sha256
from untildone.store.durable_files import DamagedFileError, read_bounded, write_atomically
from untildone.store.encoding import decode, encode
from untildone.store.loops import Record

_LARGEST = 1_000_000
_BEGUN = "dialects.json"


class LoopFile(Struct, frozen=True, kw_only=True):
    """A loop file that was read; `identity` does not depend on its count of iterations."""

    file: Path
    shown: str
    loop: ImportedLoop
    identity: str


def read_loop_file(project: Path, file: Path) -> LoopFile:
    """Raises UserError if it is not a loop, FileNotFoundError if it does not exist."""
    shown = _display_path(project, file)
    data = _read_file(file, shown)
    beside = _make_project_reader(project)
    source = Source(path=shown, data=data, beside=beside)
    loop = _resolve_targets(project, find_loop_format(file.absolute().as_posix()).read(source))
    digest = sha256(set_count(data, loop.counter, 0))
    if loop.counted_in not in ("", shown):
        digest.update(set_count(beside(loop.counted_in) or b"", loop.counter, 0))
    return LoopFile(file=file, shown=shown, loop=loop, identity=digest.hexdigest())


def _resolve_targets(project: Path, loop: ImportedLoop) -> ImportedLoop:
    """If one target is missing, findings count everywhere: the others may not be all."""
    try:
        return replace(loop, targets=resolve_targets(project, loop.targets))
    except UserError as error:
        note = f"{error.message}: findings count everywhere"
        return replace(loop, targets=(), defaults=(*loop.defaults, note))


def _display_path(project: Path, file: Path) -> str:
    for path in (file.absolute(), file.resolve()):
        if path.is_relative_to(project):
            return path.relative_to(project).as_posix()
    return str(file)


def _read_file(file: Path, shown: str) -> bytes:
    try:
        return read_bounded(file, _LARGEST)
    except DamagedFileError as damage:
        raise UserError(damage.reason, hint="name a regular file of your own") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UserError(f"`{shown}` cannot be read: {reason}", hint="name another file") from None


def _make_project_reader(project: Path) -> Callable[[str], bytes | None]:
    """Reads files of the project only, whatever path the loop file names."""
    top = project.resolve()

    def read(path: str) -> bytes | None:
        try:
            file = (top / path).resolve()
            return read_bounded(file, _LARGEST) if file.is_relative_to(top) else None
        except (OSError, ValueError, DamagedFileError):
            return None

    return read


def start_imported_loop(
    context: Context, read: LoopFile, *, project: Path, session: str, by: Speaker
) -> Record:
    """The loop starts with the rounds that the file has already counted."""
    loop = read.loop
    if not loop.active:
        raise UserError(
            f"`{read.shown}` says that its loop is not active",
            hint="change that in the file, or begin a new loop with `untildone start`",
        )
    record = begin_loop(context, _build_request(loop, project=project, session=session, by=by))
    remember_loop(context, project, read.identity, record.contract.id)
    return change_loop(
        context,
        record.contract.id,
        lambda now: replace(
            now.progress,
            round=max(now.progress.round, loop.used),
            steps_done=loop.steps_done,
            steps_reported=len(loop.steps_done),
        ),
        kind="imported",
        path=read.shown,
        told=describe_differences(loop, by),
    )


def _build_request(loop: ImportedLoop, *, project: Path, session: str, by: Speaker) -> Request:
    return Request(
        session=session,
        project=project,
        preset=loop.preset,
        task=loop.task,
        checks=loop.checks,
        also=(security.make_check(project),) if "zero_security" in loop.zero else (),
        counts=select_counts(set(loop.zero) - {"zero_errors"}),
        zero_errors="zero_errors" in loop.zero or not loop.zero,
        targets=loop.targets,
        promises=loop.promises,
        claims=loop.claims,
        steps=loop.steps,
        done_when=loop.done_when,
        bounds=limit_rounds(Bounds(stagnation=loop.stagnation), loop.rounds, by),
        by=by,
    )


def limit_rounds(current: Bounds, rounds: int | None, by: Speaker) -> Bounds:
    if rounds is None:
        return current
    return replace(current, rounds=CEILINGS["rounds"] if _exceeds_ceiling(rounds, by) else rounds)


def _exceeds_ceiling(rounds: int, by: Speaker) -> bool:
    return by == "agent" and not 0 < rounds <= CEILINGS["rounds"]


def describe_differences(loop: ImportedLoop, by: Speaker) -> tuple[str, ...]:
    """What the loop does differently from the file, and which fields it ignores."""
    lines = list(loop.defaults)
    if loop.rounds is not None and _exceeds_ceiling(loop.rounds, by):
        many = loop.rounds or "no bound"
        lines.append(f"{many} of rounds needs the user's word: {CEILINGS['rounds']} is used")
    if loop.no_counterpart:
        unknown = ", ".join(f"`{key}`" for key in loop.no_counterpart)
        lines.append(f"ignored: {unknown}")
    return tuple(lines)


def find_begun_loop(context: Context, project: Path, identity: str) -> str:
    """The id of the loop that this file's content has already started, if any."""
    return _load_begun_loops(context, project).get(identity, "")


def remember_loop(context: Context, project: Path, identity: str, loop: str) -> None:
    known = _load_begun_loops(context, project)
    if identity in known:
        return
    folder = project_folder(context.home, project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(folder / _BEGUN, encode({**known, identity: loop}), keep_previous=False)


def _load_begun_loops(context: Context, project: Path) -> dict[str, str]:
    try:
        data = read_bounded(project_folder(context.home, project) / _BEGUN)
        return decode(data, dict[str, str])
    except (FileNotFoundError, DamagedFileError):
        return {}
