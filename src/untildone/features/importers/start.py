"""From another tool's loop file to a loop of ours."""

from collections.abc import Callable
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks import security
from untildone.core.contract import Bounds, Speaker
from untildone.engine.context import Context, project_folder
from untildone.engine.request import Request
from untildone.engine.start import CEILINGS, begin
from untildone.engine.verbs import change
from untildone.errors import UserError
from untildone.features.counts.start import resolve_targets, select_counts
from untildone.features.importers.formats import find_loop_format
from untildone.features.importers.formats.counter import set_count
from untildone.features.importers.formats.loop_format import ImportedLoop, Source
from untildone.store.digest import sha256
from untildone.store.encoding import decode, encode
from untildone.store.files import DamagedFileError, read_bounded, write_atomically
from untildone.store.loops import Record

_LARGEST = 1_000_000
_BEGUN = "dialects.json"


class LoopFile(Struct, frozen=True, kw_only=True):
    """A loop file as it is now; `identity` stays the same while only its count moves."""

    file: Path
    shown: str
    foreign: ImportedLoop
    identity: str


def read_loop_file(project: Path, file: Path) -> LoopFile:
    """Raises UserError where it is no loop, FileNotFoundError where it is not there."""
    shown = _shown(project, file)
    data = _bytes(file, shown)
    beside = _beside(project)
    source = Source(path=shown, data=data, beside=beside)
    foreign = _placed(project, find_loop_format(file.absolute().as_posix()).read(source))
    digest = sha256(set_count(data, foreign.counter, 0))
    if foreign.counted_in not in ("", shown):
        digest.update(set_count(beside(foreign.counted_in) or b"", foreign.counter, 0))
    return LoopFile(file=file, shown=shown, foreign=foreign, identity=digest.hexdigest())


def _placed(project: Path, foreign: ImportedLoop) -> ImportedLoop:
    """Where one of its targets cannot be found, findings count everywhere: the rest may be less
    than was meant."""
    try:
        return replace(foreign, targets=resolve_targets(project, foreign.targets))
    except UserError as error:
        told = f"{error.message}: findings count everywhere"
        return replace(foreign, targets=(), defaults=(*foreign.defaults, told))


def _shown(project: Path, file: Path) -> str:
    for path in (file.absolute(), file.resolve()):
        if path.is_relative_to(project):
            return path.relative_to(project).as_posix()
    return str(file)


def _bytes(file: Path, shown: str) -> bytes:
    try:
        return read_bounded(file, _LARGEST)
    except DamagedFileError as damage:
        raise UserError(damage.reason, hint="name a file of your own, not a link to one") from None
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise UserError(f"`{shown}` cannot be read: {reason}", hint="name another file") from None


def _beside(project: Path) -> Callable[[str], bytes | None]:
    """Files of the project only, whatever a file says."""
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
    """The loop, with what the file has counted already."""
    foreign = read.foreign
    if not foreign.active:
        raise UserError(
            f"`{read.shown}` says that its loop is not active",
            hint="correct that in it, or begin a new one with `untildone start`",
        )
    record = begin(context, _request(foreign, project=project, session=session, by=by))
    remember_loop(context, project, read.identity, record.contract.id)
    return change(
        context,
        record.contract.id,
        lambda now: replace(
            now.progress,
            round=max(now.progress.round, foreign.used),
            steps_done=foreign.steps_done,
            steps_reported=len(foreign.steps_done),
        ),
        kind="imported",
        path=read.shown,
        told=describe_differences(foreign, by),
    )


def _request(foreign: ImportedLoop, *, project: Path, session: str, by: Speaker) -> Request:
    return Request(
        session=session,
        project=project,
        preset=foreign.preset,
        task=foreign.task,
        checks=foreign.checks,
        also=(security.make_check(project),) if "zero_security" in foreign.zero else (),
        counts=select_counts(set(foreign.zero) - {"zero_errors"}),
        zero_errors="zero_errors" in foreign.zero or not foreign.zero,
        targets=foreign.targets,
        promises=foreign.promises,
        claims=foreign.claims,
        steps=foreign.steps,
        done_when=foreign.done_when,
        bounds=limit_rounds(Bounds(stagnation=foreign.stagnation), foreign.rounds, by),
        by=by,
    )


def limit_rounds(now: Bounds, rounds: int | None, by: Speaker) -> Bounds:
    if rounds is None:
        return now
    return replace(now, rounds=CEILINGS["rounds"] if _too_many(rounds, by) else rounds)


def _too_many(rounds: int, by: Speaker) -> bool:
    return by == "agent" and not 0 < rounds <= CEILINGS["rounds"]


def describe_differences(foreign: ImportedLoop, by: Speaker) -> tuple[str, ...]:
    """What was taken otherwise than it stands in the file, and what of it means nothing here."""
    lines = list(foreign.defaults)
    if foreign.rounds is not None and _too_many(foreign.rounds, by):
        many = foreign.rounds or "no bound"
        lines.append(f"{many} of rounds is the person's to give: {CEILINGS['rounds']} is used")
    if foreign.no_counterpart:
        unknown = ", ".join(f"`{key}`" for key in foreign.no_counterpart)
        lines.append(f"has no counterpart here: {unknown}")
    return tuple(lines)


def find_begun_loop(context: Context, project: Path, identity: str) -> str:
    """The loop that this very content has begun, or nothing."""
    return _begun(context, project).get(identity, "")


def remember_loop(context: Context, project: Path, identity: str, loop: str) -> None:
    known = _begun(context, project)
    if identity in known:
        return
    folder = project_folder(context.home, project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(folder / _BEGUN, encode({**known, identity: loop}), keep_previous=False)


def _begun(context: Context, project: Path) -> dict[str, str]:
    try:
        data = read_bounded(project_folder(context.home, project) / _BEGUN)
        return decode(data, dict[str, str])
    except (FileNotFoundError, DamagedFileError):
        return {}
