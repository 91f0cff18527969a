"""What the language servers say about the files of a round: each file as it is now."""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone import process
from untildone.checks.lsp import door
from untildone.checks.lsp.door import Door, Nobody, Report, Unanswered
from untildone.checks.lsp.servers import chosen
from untildone.judge.context import Context, project_folder
from untildone.loop.model import Finding
from untildone.store.files import Damaged, read_bounded
from untildone.store.sessions import Session

DOOR = "diagnose.json"

_EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")
_LEFT = "snapshot.json"
# With more, the file the next stop reads would be too large for it.
_FINDINGS_LEFT = 500
_TICK = 0.02


class Counts(Struct, frozen=True, kw_only=True):
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    security: int = 0


class FileSnapshot(Struct, frozen=True, kw_only=True):
    """`path` is below the project; `servers` are those whose word this is."""

    path: str
    counts: Counts
    findings: tuple[Finding, ...] = ()
    servers: tuple[str, ...] = ()


class Snapshot(Struct, frozen=True, kw_only=True):
    """A file that nobody could say anything about is missing; `reasons` tell why."""

    files: tuple[FileSnapshot, ...]
    reasons: tuple[str, ...] = ()
    seconds: float = 0

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for file in self.files for finding in file.findings)


def counted(findings: Iterable[Finding]) -> Counts:
    number = Counter(finding.severity for finding in findings)
    return Counts(
        errors=number["error"],
        warnings=number["warning"],
        infos=number["info"],
        security=number["security"],
    )


def edited_files(
    calls: Mapping[str, Iterable[Mapping[str, Any]]], project: Path
) -> tuple[Path, ...]:
    """Files of the project that tool calls have edited and that are still there."""
    place = project.resolve()
    named = (_edited(call) for payloads in calls.values() for call in payloads)
    paths = (Path(os.path.realpath(path)) for path in named if path)
    inner = dict.fromkeys(path for path in paths if path.is_relative_to(place))
    return tuple(path for path in inner if path.is_file())


def _edited(call: Mapping[str, Any]) -> str:
    if call.get("tool_name") not in _EDITING:
        return ""
    inputs = call.get("tool_input")
    # Of a payload that was cut off only the front is known.
    known = inputs if isinstance(inputs, dict) else call
    path = known.get("file_path") or known.get("notebook_path")
    if not isinstance(path, str) or "\0" in path:
        return ""
    cwd = call.get("cwd")
    return os.path.join(cwd if isinstance(cwd, str) else "", path)  # noqa: PTH118  of texts


def snapshot(
    context: Context, project: Path, files: Sequence[Path], *, wait: float
) -> Snapshot | None:
    """None if no server knows such files, or nothing was said in time.

    The servers are kept warm by a process of their own, started if there is none. Without time
    to wait they only get to know the files: the next question is answered at once.
    """
    deadline = time.monotonic() + wait
    place = project.resolve()
    wanted = _known_to_servers(place, files)
    if not wanted:
        return None
    report = _asked(context, place, wanted, deadline)
    return _snapshot(report, place) if report else None


def _known_to_servers(project: Path, files: Sequence[Path]) -> tuple[str, ...]:
    path = os.environ.get("PATH", "")
    suffixes = {file.suffix for file in files}
    known = {suffix for suffix in suffixes if chosen(project, suffix, path=path)}
    wanted = (os.path.realpath(file) for file in files if file.suffix in known)
    return tuple(filter(_sayable, wanted))


def _sayable(file: str) -> bool:
    try:
        file.encode()
    except UnicodeEncodeError:
        return False
    return True


def _asked(
    context: Context, project: Path, files: tuple[str, ...], deadline: float
) -> Report | None:
    folder = project_folder(context.home, project)
    known = open_door(folder)
    try:
        if known:
            return door.ask(known, files, wait=deadline - time.monotonic())
    except Nobody:
        pass
    except Unanswered:
        return None
    _start(context, project, files)
    while time.monotonic() < deadline:
        opened = open_door(folder)
        if opened and opened != known:
            return _answered(opened, files, deadline)
        time.sleep(_TICK)
    return None


def _answered(opened: Door, files: tuple[str, ...], deadline: float) -> Report | None:
    try:
        return door.ask(opened, files, wait=deadline - time.monotonic())
    except Unanswered:
        return None


def _start(context: Context, project: Path, files: Sequence[str]) -> None:
    argv = [sys.executable, "-I", "-m", "untildone", "diagnose", "--", str(project), *files]
    environ = process.environment(os.environ) | {"UNTILDONE_HOME": str(context.home)}
    process.start_detached(argv, cwd=context.home, env=environ)


def open_door(folder: Path) -> Door | None:
    try:
        return msgspec.json.decode(read_bounded(folder / DOOR), type=Door)
    except (OSError, Damaged, msgspec.DecodeError, UnicodeError):
        return None


def _snapshot(report: Report, project: Path) -> Snapshot:
    files = tuple(
        FileSnapshot(
            path=Path(file.path).relative_to(project).as_posix(),
            counts=counted(file.findings),
            findings=file.findings,
            servers=file.servers,
        )
        for file in report.files
        if Path(file.path).is_relative_to(project)
    )
    return Snapshot(files=files, reasons=report.reasons, seconds=report.seconds)


def leave(session: Session, taken: Snapshot) -> None:
    """For the next stop; all counts, and as many findings as it can read."""
    room = _FINDINGS_LEFT // max(len(taken.files), 1)
    files = tuple(replace(file, findings=file.findings[:room]) for file in taken.files)
    session.write_json(_LEFT, msgspec.to_builtins(replace(taken, files=files)))


def left(session: Session) -> Snapshot | None:
    """What the last stop left."""
    try:
        return msgspec.convert(session.read_json(_LEFT), Snapshot)
    except msgspec.ValidationError:
        return None
