"""The table of language servers, and which of them a project uses."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.checks.detection.project_files import get_table, read_or_empty
from untildone.checks.detection.python_environment import find_project_python
from untildone.checks.parsers import ruff
from untildone.core.check_results import Severity

Role: TypeAlias = Literal["lint", "types"]

_PYTHON = MappingProxyType({".py": "python", ".pyi": "python"})
_TYPESCRIPT = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
# Folders of programs that the project installs for itself.
_OWN_FOLDERS = (".venv/bin", ".venv/Scripts", "venv/bin", "venv/Scripts", "node_modules/.bin")
_FIRST_TYPESCRIPT_WITH_SERVER = 7


def _has_typescript_server(project: Path) -> bool:
    """Say whether the project's compiler has the option `--lsp`; older ones have not."""
    package = read_or_empty(project / "node_modules" / "typescript" / "package.json")
    major = str(package.get("version", "")).partition(".")[0]
    return major.isdecimal() and int(major) >= _FIRST_TYPESCRIPT_WITH_SERVER


class Server(Struct, frozen=True, kw_only=True):
    """A language server.

    A project uses it if it has one of `files`, or its table in `pyproject.toml`. `program` is
    needed where it differs from the name. `severity` maps a code, where the server's own severity
    differs from the command line's. `accepts` tests further conditions of the project. With
    `own_only` a program outside the project is not used, as its version may report other things.
    """

    name: str
    program: str = ""
    arguments: tuple[str, ...]
    languages: Mapping[str, str] = _PYTHON
    role: Role = "types"
    files: tuple[str, ...] = ()
    code_prefix: str = ""
    severity: Callable[[str], Severity] | None = None
    accepts: Callable[[Path], bool] | None = None
    own_only: bool = False


SERVERS = (
    Server(
        name="ruff",
        arguments=("server",),
        role="lint",
        files=("ruff.toml", ".ruff.toml"),
        severity=ruff.rate_severity,
    ),
    Server(
        name="basedpyright",
        program="basedpyright-langserver",
        arguments=("--stdio",),
        files=("pyrightconfig.json",),
    ),
    Server(
        name="pyright",
        program="pyright-langserver",
        arguments=("--stdio",),
        files=("pyrightconfig.json",),
    ),
    Server(name="ty", arguments=("server",), files=("ty.toml",)),
    Server(name="pyrefly", arguments=("lsp",), files=("pyrefly.toml",)),
    Server(
        name="tsc",
        arguments=("--lsp", "--stdio"),
        languages=_TYPESCRIPT,
        code_prefix="TS",
        accepts=_has_typescript_server,
        own_only=True,
    ),
)


class SelectedServer(Struct, frozen=True, kw_only=True):
    """A server and its program."""

    server: Server
    program: str

    @property
    def argv(self) -> list[str]:
        return [self.program, *self.server.arguments]


def select_servers(
    project: Path,
    suffix: str,
    *,
    path: str,
    allow_own: bool = True,
    servers: Sequence[Server] = SERVERS,
) -> tuple[SelectedServer, ...]:
    """Return the servers that the project uses for this suffix, at most one per role.

    A configured server is preferred to one that is only installed in the project; others are not
    used, since their findings would be unknown to the project. Programs outside the project are
    searched in `path`. Without `allow_own` the project's are ignored: a cloned repository may
    contain hostile ones.
    """
    best: dict[Role, tuple[tuple[bool, bool], SelectedServer]] = {}
    # The agent may be editing the file just now.
    tools = get_table(read_or_empty(project / "pyproject.toml"), "tool")
    own_path = os.pathsep.join(str(project / folder) for folder in _OWN_FOLDERS)
    for server in servers:
        if suffix not in server.languages or (server.accepts and not server.accepts(project)):
            continue
        program = server.program or server.name
        own_program = shutil.which(program, path=own_path) if allow_own else None
        found = own_program or (None if server.own_only else shutil.which(program, path=path))
        if not found:
            continue
        has_file = any((project / file).is_file() for file in server.files)
        rank = (server.name in tools or has_file, own_program is not None)
        if any(rank) and (server.role not in best or rank > best[server.role][0]):
            best[server.role] = rank, SelectedServer(server=server, program=found)
    return tuple(choice for _, choice in best.values())


def make_settings(project: Path, section: str) -> object:
    """Return the answer to a server that asks for the user's settings."""
    if section != "python":
        return None
    # Without configuration pyrefly reports type errors only if asked to.
    settings: dict[str, object] = {"pyrefly": {"displayTypeErrors": "force-on"}}
    if python := find_project_python(project):
        settings["pythonPath"] = str(project / python)
    return settings
