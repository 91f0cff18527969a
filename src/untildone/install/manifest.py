"""The record of what `init` wrote on this machine, and of the files before it."""

import hashlib
from pathlib import Path

from msgspec import Struct

from untildone.agents import NAMES
from untildone.agents.registry import AGENTS
from untildone.errors import UserError
from untildone.install import settings_editing
from untildone.install.settings_editing import Entries
from untildone.store import encoding
from untildone.store.durable_files import DamagedFileError, write_atomically

_NAME = "installed.json"


class InstalledProgram(Struct, frozen=True, kw_only=True):
    """The untildone that the installed hooks run."""

    interpreter: str
    interpreter_sha256: str
    package: str
    version: str
    # The hash of its modules; empty if an older version wrote the record.
    package_sha256: str = ""


class InstalledFile(Struct, frozen=True, kw_only=True):
    """One settings file; `original` is its content before `init`, None if there was no file."""

    path: str
    scope: str
    agent: str
    original: bytes | None
    original_sha256: str
    written_sha256: str
    entries: Entries
    program: InstalledProgram
    # The folders that `init` made; an older version recorded none.
    folders: tuple[str, ...] = ()


class _Manifest(Struct, frozen=True, kw_only=True):
    version: int = 1
    files: tuple[InstalledFile, ...] = ()


def hash_bytes(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


def describe_program(*, interpreter: Path, package: Path, version: str) -> InstalledProgram:
    return InstalledProgram(
        interpreter=str(interpreter),
        interpreter_sha256=hash_bytes(interpreter.read_bytes()),
        package=str(package),
        version=version,
        package_sha256=hash_package(package),
    )


def hash_package(package: Path) -> str:
    """Return the hash of all modules and their paths, without compiled files."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        digest.update(f"{name}\n{hash_bytes(path.read_bytes())}\n".encode())
    return digest.hexdigest()


def read(home: Path) -> tuple[InstalledFile, ...]:
    path = home / _NAME
    try:
        return encoding.decode(path.read_bytes(), _Manifest).files
    except FileNotFoundError:
        return ()
    except DamagedFileError as damage:
        hint = f"move `{path}` away, then run `untildone init`"
        raise UserError(f"`{path}` {damage}", hint=hint) from None


def list_installed_agents(home: Path) -> tuple[str, ...]:
    """Return the agents that `init` has written hooks for; Claude Code's come also by a plugin."""
    try:
        installed = {file.agent for file in read(home)}
    except (UserError, OSError):
        # `doctor` reports it.
        installed = set()
    return tuple(name for name in NAMES if name in installed) or NAMES[:1]


def find(home: Path, path: Path) -> InstalledFile | None:
    return next((installed for installed in read(home) if installed.path == str(path)), None)


def write(home: Path, installed: InstalledFile) -> None:
    others = [other for other in read(home) if other.path != installed.path]
    _save(home, (*others, installed))


def forget(home: Path, path: Path) -> None:
    """Remove a file from the record; the file itself stays as it is."""
    others = tuple(installed for installed in read(home) if installed.path != str(path))
    if others:
        _save(home, others)
    else:
        (home / _NAME).unlink(missing_ok=True)


def restore_original(
    installed: InstalledFile | None, current: bytes | None, *, path: Path
) -> bytes | None:
    """Return the file without our entries: the original bytes if nothing else changed."""
    if current is None:
        return None
    if installed is not None and hash_bytes(current) == installed.written_sha256:
        return installed.original
    shape = "groups" if installed is None else AGENTS[installed.agent].LAYOUT.shape
    if installed is not None and shape == "module":
        # All of it is ours, also what was changed in it.
        return installed.original
    text = settings_editing.decode(current, path=str(path))
    entries = None if installed is None else installed.entries
    return settings_editing.remove(text, path=str(path), installed=entries, shape=shape).encode()


def _save(home: Path, files: tuple[InstalledFile, ...]) -> None:
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_atomically(home / _NAME, encoding.encode(_Manifest(files=files)), keep_previous=False)
