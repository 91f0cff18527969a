"""Asks language servers about edited files.

A separate process per project (`server_process.py`) keeps the servers running between hooks. It is
started here if there is none, and found by the address that it writes into our folder of the
project.
"""

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from untildone.checks.lsp import daemon_socket
from untildone.checks.lsp.servers import select_servers
from untildone.engine.context import Context, has_run_checks, project_folder
from untildone.engine.payload import EDITING
from untildone.process import trees
from untildone.process.command import filter_environment
from untildone.store.durable_files import DamagedFileError, read_bounded

ADDRESS_FILE = "diagnose.json"
_POLL_SECONDS = 0.02


def list_edited_files(
    calls: Mapping[str, Iterable[Mapping[str, Any]]], project: Path
) -> tuple[Path, ...]:
    """Return the files of the project that tool calls have edited and that still exist."""
    root = project.resolve()
    edited_paths = (_find_edited_path(call) for payloads in calls.values() for call in payloads)
    paths = (Path(os.path.realpath(path)) for path in edited_paths if path)
    project_paths = dict.fromkeys(path for path in paths if path.is_relative_to(root))
    return tuple(path for path in project_paths if path.is_file())


def _find_edited_path(call: Mapping[str, Any]) -> str:
    """Return the file that a tool call edited; empty if it edited none."""
    if call.get("tool_name") not in EDITING:
        return ""
    inputs = call.get("tool_input")
    # A payload that was cut off has the first inputs at its top level.
    fields = inputs if isinstance(inputs, dict) else call
    path = fields.get("file_path") or fields.get("notebook_path")
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
) -> daemon_socket.DiagnosticsReport | None:
    """Return what the servers report, by paths relative to the project.

    None if no server handles such files, or none answered in time. With no time to wait the
    servers only open the files, so that the next question is answered at once. `texts` replace the
    contents of the files.
    """
    deadline = time.monotonic() + wait
    root = project.resolve()
    paths = _select_known_files(root, files, allow_own=has_run_checks(context.home, root))
    texts_by_path = {os.path.realpath(file): text for file, text in (texts or {}).items()}
    questions = {path: texts_by_path.get(path) for path in paths}
    report = None
    with suppress(daemon_socket.NoAnswerError):
        report = _ask_or_start(context, root, questions, deadline) if questions else None
    if report is None:
        return None
    reports = (
        replace(file, path=Path(file.path).relative_to(root).as_posix())
        for file in report.files
        if Path(file.path).is_relative_to(root)
    )
    return replace(report, files=tuple(reports))


def _select_known_files(
    project: Path, files: Sequence[Path], *, allow_own: bool
) -> tuple[str, ...]:
    """Return the paths of files for which there is a language server.

    `allow_own` allows servers that the project itself brings.
    """
    path = os.environ.get("PATH", "")
    known_suffixes = {
        suffix
        for suffix in {file.suffix for file in files}
        if select_servers(project, suffix, path=path, allow_own=allow_own)
    }
    paths = (os.path.realpath(file) for file in files if file.suffix in known_suffixes)
    # The question is sent as UTF-8, which cannot express every path.
    return tuple(path for path in paths if path.encode("utf-8", "replace").decode() == path)


def _ask_or_start(
    context: Context, project: Path, questions: Mapping[str, str | None], deadline: float
) -> daemon_socket.DiagnosticsReport | None:
    """Return the answer of the running process, or of one that is started if there is none.

    `questions` are the paths with the text to diagnose, None for the text on disk. None after the
    deadline.
    """
    folder = project_folder(context.home, project)
    old_address = load_address(folder)
    if old_address:
        with suppress(daemon_socket.UnreachableError):
            return _ask(old_address, questions, deadline)
    # The command `untildone diagnose` keeps the servers running.
    argv = [sys.executable, "-I", "-m", "untildone", "diagnose", "--", str(project), *questions]
    environ = filter_environment(os.environ) | {"UNTILDONE_HOME": str(context.home)}
    trees.start_detached(argv, cwd=context.home, env=environ)
    while time.monotonic() < deadline:
        address = load_address(folder)
        if address and address != old_address:
            return _ask(address, questions, deadline)
        time.sleep(_POLL_SECONDS)
    return None


def _ask(
    address: daemon_socket.DaemonAddress, questions: Mapping[str, str | None], deadline: float
) -> daemon_socket.DiagnosticsReport:
    """Return the answer of the process at this address."""
    texts = {path: text for path, text in questions.items() if text is not None}
    return daemon_socket.query_daemon(
        address, tuple(questions), wait=deadline - time.monotonic(), texts=texts
    )


def load_address(folder: Path) -> daemon_socket.DaemonAddress | None:
    """Return the address of the running process; None if there is no valid one."""
    try:
        return msgspec.json.decode(
            read_bounded(folder / ADDRESS_FILE), type=daemon_socket.DaemonAddress
        )
    except (OSError, DamagedFileError, msgspec.DecodeError, UnicodeError):
        return None
