"""Which language server speaks about which file, and how each is started."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from untildone.checks.detection.manifest import get_table, read_json, read_toml
from untildone.checks.parsers import ruff
from untildone.core.model import Severity
from untildone.errors import UserError

Role: TypeAlias = Literal["lint", "types"]

_PYTHON = {".py": "python", ".pyi": "python"}
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
# The project's own toolchain, as detection takes a check's program from it.
_ENVIRONMENTS = (".venv", "venv")
_PROGRAMS = (
    *(f"{name}/{folder}" for name in _ENVIRONMENTS for folder in ("bin", "Scripts")),
    "node_modules/.bin",
)
_INTERPRETERS = ("bin/python", "Scripts/python.exe")
_FIRST_WITH_SERVER = 7


def _anywhere(_project: Path) -> bool:
    return True


def _typescript_7(project: Path) -> bool:
    """Older compilers have no server behind `--lsp`."""
    package = _read(read_json, project / "node_modules" / "typescript" / "package.json")
    major = str(package.get("version", "")).partition(".")[0]
    return major.isdecimal() and int(major) >= _FIRST_WITH_SERVER


def _read(reader: Callable[[Path], dict[str, Any] | None], file: Path) -> dict[str, Any]:
    """What the agent is just writing may be broken: then it says nothing."""
    try:
        return reader(file) or {}
    except UserError:
        return {}


class Server(Struct, frozen=True, kw_only=True):
    """`files` and `tool` tell a project that chose it; of one role only one server is asked.

    `severity` is by the code, where the server's own is not the one that findings have here.
    `own_only`: what a PATH has is not the project's version, and says other things.
    """

    name: str
    program: str
    arguments: tuple[str, ...]
    languages: Mapping[str, str]
    role: Role
    files: tuple[str, ...] = ()
    tool: str = ""
    code_prefix: str = ""
    severity: Callable[[str], Severity] | None = None
    fits: Callable[[Path], bool] = _anywhere
    own_only: bool = False


SERVERS = (
    Server(
        name="ruff",
        program="ruff",
        arguments=("server",),
        languages=_PYTHON,
        role="lint",
        tool="ruff",
        files=("ruff.toml", ".ruff.toml"),
        severity=ruff.rate_severity,
    ),
    Server(
        name="basedpyright",
        program="basedpyright-langserver",
        arguments=("--stdio",),
        languages=_PYTHON,
        role="types",
        tool="basedpyright",
        files=("pyrightconfig.json",),
    ),
    Server(
        name="pyright",
        program="pyright-langserver",
        arguments=("--stdio",),
        languages=_PYTHON,
        role="types",
        tool="pyright",
        files=("pyrightconfig.json",),
    ),
    Server(
        name="ty",
        program="ty",
        arguments=("server",),
        languages=_PYTHON,
        role="types",
        tool="ty",
        files=("ty.toml",),
    ),
    Server(
        name="pyrefly",
        program="pyrefly",
        arguments=("lsp",),
        languages=_PYTHON,
        role="types",
        tool="pyrefly",
        files=("pyrefly.toml",),
    ),
    Server(
        name="tsc",
        program="tsc",
        arguments=("--lsp", "--stdio"),
        languages=_TYPESCRIPT,
        role="types",
        code_prefix="TS",
        fits=_typescript_7,
        own_only=True,
    ),
)


class SelectedServer(Struct, frozen=True, kw_only=True):
    """A server with the program that was found for it."""

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
    own: bool = True,
    servers: Sequence[Server] = SERVERS,
) -> tuple[SelectedServer, ...]:
    """One per role at most; `path` is where programs are looked for outside the project.

    Without `own` no program inside it is: a cloned repository may have brought it along.

    Only what the project uses: what it configures goes first, then what it has installed itself.
    Another tool's opinion would be news to the people who work on it.
    """
    best: dict[Role, tuple[tuple[bool, bool], SelectedServer]] = {}
    tools = get_table(_read(read_toml, project / "pyproject.toml"), "tool")
    for server in servers:
        if suffix not in server.languages or not server.fits(project):
            continue
        inside = shutil.which(server.program, path=_own_programs(project)) if own else None
        found = inside or (None if server.own_only else shutil.which(server.program, path=path))
        if not found:
            continue
        rank = (_configured(project, server, tools), inside is not None)
        if any(rank) and (server.role not in best or rank > best[server.role][0]):
            best[server.role] = rank, SelectedServer(server=server, program=found)
    return tuple(choice for _, choice in best.values())


def _own_programs(project: Path) -> str:
    return os.pathsep.join(str(project / folder) for folder in _PROGRAMS)


def _configured(project: Path, server: Server, tools: Mapping[str, Any]) -> bool:
    named = bool(server.tool) and server.tool in tools
    return named or any((project / file).is_file() for file in server.files)


def make_settings(project: Path, section: str) -> object:
    """What a server is told when it asks for the person's settings."""
    if section != "python":
        return None
    # pyrefly shows type errors only to who asks for them where nothing is configured
    told: dict[str, object] = {"pyrefly": {"displayTypeErrors": "force-on"}}
    names = (f"{name}/{rest}" for name in _ENVIRONMENTS for rest in _INTERPRETERS)
    if own := next((project / name for name in names if (project / name).is_file()), None):
        told["pythonPath"] = str(own)
    return told
