"""What the language servers say about the files of a round: each file as it is now."""

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from untildone.checks.lsp import daemon_socket
from untildone.checks.lsp.daemon_socket import (
    DaemonAddress,
    DiagnosticsReport,
    NoAnswerError,
    UnreachableError,
)
from untildone.checks.lsp.servers import select_servers
from untildone.core.check_results import Finding
from untildone.engine.context import Context, has_run_checks, project_folder
from untildone.engine.payload import EDITING
from untildone.process import runner
from untildone.process.command import environment
from untildone.store.files import DamagedFileError, read_bounded

DOOR = "diagnose.json"

_TICK = 0.02


class FileDiagnostics(Struct, frozen=True, kw_only=True):
    """`path` is below the project; `tools` are those whose word this is."""

    path: str
    findings: tuple[Finding, ...] = ()
    tools: tuple[str, ...] = ()


class Diagnostics(Struct, frozen=True, kw_only=True):
    """A file that nobody could say anything about is missing; `reasons` tell why."""

    files: tuple[FileDiagnostics, ...]
    reasons: tuple[str, ...] = ()
    seconds: float = 0

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for file in self.files for finding in file.findings)


def edited_files(
    calls: Mapping[str, Iterable[Mapping[str, Any]]], project: Path
) -> tuple[Path, ...]:
    """Files of the project that tool calls have edited and that are still there."""
    place = project.resolve()
    named = (_find_edited_path(call) for payloads in calls.values() for call in payloads)
    paths = (Path(os.path.realpath(path)) for path in named if path)
    inner = dict.fromkeys(path for path in paths if path.is_relative_to(place))
    return tuple(path for path in inner if path.is_file())


def _find_edited_path(call: Mapping[str, Any]) -> str:
    if call.get("tool_name") not in EDITING:
        return ""
    inputs = call.get("tool_input")
    # Of a payload that was cut off only the front is known.
    known = inputs if isinstance(inputs, dict) else call
    path = known.get("file_path") or known.get("notebook_path")
    if not isinstance(path, str) or "\0" in path:
        return ""
    cwd = call.get("cwd")
    return os.path.join(cwd if isinstance(cwd, str) else "", path)  # noqa: PTH118  of texts


def ask_servers(
    context: Context,
    project: Path,
    files: Sequence[Path],
    *,
    wait: float,
    texts: Mapping[Path, str] | None = None,
) -> Diagnostics | None:
    """None if no server knows such files, or nothing was said in time.

    The servers are kept warm by a process of their own, started if there is none. Without time
    to wait they only get to know the files: the next question is answered at once. `texts` are
    taken for what is in the files.
    """
    deadline = time.monotonic() + wait
    place = project.resolve()
    wanted = _select_known_files(place, files, own=has_run_checks(context.home, place))
    if not wanted:
        return None
    said = {os.path.realpath(file): text for file, text in (texts or {}).items()}
    report = _ask_or_start(context, place, {file: said.get(file) for file in wanted}, deadline)
    return _convert_report(report, place) if report else None


def _select_known_files(project: Path, files: Sequence[Path], *, own: bool) -> tuple[str, ...]:
    path = os.environ.get("PATH", "")
    suffixes = {file.suffix for file in files}
    known = {suffix for suffix in suffixes if select_servers(project, suffix, path=path, own=own)}
    wanted = (os.path.realpath(file) for file in files if file.suffix in known)
    return tuple(filter(_is_encodable, wanted))


def _is_encodable(file: str) -> bool:
    try:
        file.encode()
    except UnicodeEncodeError:
        return False
    return True


def _ask_or_start(
    context: Context, project: Path, files: Mapping[str, str | None], deadline: float
) -> DiagnosticsReport | None:
    folder = project_folder(context.home, project)
    known = open_door(folder)
    try:
        if known:
            return _ask(known, files, deadline)
    except UnreachableError:
        pass
    except NoAnswerError:
        return None
    _start_process(context, project, tuple(files))
    while time.monotonic() < deadline:
        opened = open_door(folder)
        if opened and opened != known:
            return _ask_or_none(opened, files, deadline)
        time.sleep(_TICK)
    return None


def _ask_or_none(
    opened: DaemonAddress, files: Mapping[str, str | None], deadline: float
) -> DiagnosticsReport | None:
    try:
        return _ask(opened, files, deadline)
    except NoAnswerError:
        return None


def _ask(
    opened: DaemonAddress, files: Mapping[str, str | None], deadline: float
) -> DiagnosticsReport:
    texts = {file: text for file, text in files.items() if text is not None}
    return daemon_socket.query_daemon(
        opened, tuple(files), wait=deadline - time.monotonic(), texts=texts
    )


def _start_process(context: Context, project: Path, files: Sequence[str]) -> None:
    argv = [sys.executable, "-I", "-m", "untildone", "diagnose", "--", str(project), *files]
    environ = environment(os.environ) | {"UNTILDONE_HOME": str(context.home)}
    runner.start_detached(argv, cwd=context.home, env=environ)


def open_door(folder: Path) -> DaemonAddress | None:
    try:
        return msgspec.json.decode(read_bounded(folder / DOOR), type=DaemonAddress)
    except (OSError, DamagedFileError, msgspec.DecodeError, UnicodeError):
        return None


def _convert_report(report: DiagnosticsReport, project: Path) -> Diagnostics:
    files = tuple(
        FileDiagnostics(
            path=Path(file.path).relative_to(project).as_posix(),
            findings=file.findings,
            tools=file.servers,
        )
        for file in report.files
        if Path(file.path).is_relative_to(project)
    )
    return Diagnostics(files=files, reasons=report.reasons, seconds=report.seconds)
