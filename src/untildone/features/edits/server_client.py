"""Asks the process that keeps language servers running about edited files."""

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
from untildone.process import trees
from untildone.process.command import filter_environment
from untildone.store.durable_files import DamagedFileError, read_bounded

ADDRESS_FILE = "diagnose.json"

_TICK = 0.02


class FileDiagnostics(Struct, frozen=True, kw_only=True):
    """`path` is relative to the project; `tools` are those that answered."""

    path: str
    findings: tuple[Finding, ...] = ()
    tools: tuple[str, ...] = ()


class Diagnostics(Struct, frozen=True, kw_only=True):
    """A file without an answer is missing; `reasons` say why."""

    files: tuple[FileDiagnostics, ...]
    reasons: tuple[str, ...] = ()
    seconds: float = 0

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for file in self.files for finding in file.findings)


def edited_files(
    calls: Mapping[str, Iterable[Mapping[str, Any]]], project: Path
) -> tuple[Path, ...]:
    """Files of the project that tool calls have edited and that still exist."""
    place = project.resolve()
    named = (_find_edited_path(call) for payloads in calls.values() for call in payloads)
    paths = (Path(os.path.realpath(path)) for path in named if path)
    inner = dict.fromkeys(path for path in paths if path.is_relative_to(place))
    return tuple(path for path in inner if path.is_file())


def _find_edited_path(call: Mapping[str, Any]) -> str:
    if call.get("tool_name") not in EDITING:
        return ""
    inputs = call.get("tool_input")
    # A payload that was cut off has the first inputs at its top level.
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
    """None if no server handles such files, or none answered in time.

    A separate process keeps the servers running and is started if there is none. With no time to
    wait the servers only open the files, so that the next question is answered at once. `texts`
    replace the contents of the files.
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
    known = load_address(folder)
    try:
        if known:
            return _ask(known, files, deadline)
    except UnreachableError:
        pass
    except NoAnswerError:
        return None
    _start_process(context, project, tuple(files))
    while time.monotonic() < deadline:
        opened = load_address(folder)
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
    environ = filter_environment(os.environ) | {"UNTILDONE_HOME": str(context.home)}
    trees.start_detached(argv, cwd=context.home, env=environ)


def load_address(folder: Path) -> DaemonAddress | None:
    try:
        return msgspec.json.decode(read_bounded(folder / ADDRESS_FILE), type=DaemonAddress)
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
