"""A clean copy to run checks in: at the project's place where the system allows, else beside."""

import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from untildone.process.git import run_git
from untildone.process.runner import run
from untildone.sandbox import mounted_copy
from untildone.sandbox.files import SandboxFiles
from untildone.sandbox.home_folder import link_home, make_environment
from untildone.sandbox.linked_dependencies import link_dependencies
from untildone.worktree.contents import GENERATED

_PROBE_SECONDS = 30
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "untildone"), ("EMAIL", "untildone@localhost"))
}
_RECORDED = (
    ("init", "-q", "--template="),
    ("add", "-A"),
    ("commit", "-q", "-m", "the tree to be judged"),
)
# What tools remember of earlier runs is not believed, and what git says is not asked.
_FORGOTTEN = frozenset(
    (
        *("__pycache__", ".git", ".untildone", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
        ".hypothesis",
    )
)
# Reports of a run are read from outside, where a folder laid over is not seen.
_REPORTING = ("pom.xml", "build.gradle", "build.gradle.kts")


class SandboxSource(Struct, frozen=True, kw_only=True):
    """What a room is made from; `since` is when the start was kept, `at_start` its variables."""

    project: Path
    ignored: tuple[str, ...]
    environ: Mapping[str, str]
    at_start: Mapping[str, str]
    since: float


class Sandbox(Struct, frozen=True, kw_only=True):
    """Where checks run (`project`), through which program, and where their files are seen.

    `unproved` says why nobody can tell which tree was read.
    """

    project: Path
    seen: Path
    environ: dict[str, str]
    through: tuple[str, ...] = ()
    unproved: str = ""


@contextmanager
def open_sandbox(
    composed: SandboxFiles, place: SandboxSource, *, beside: bool = False
) -> Iterator[Sandbox]:
    """Gone at the end with all that was written there; `beside` even if it could be in place."""
    top = Path(os.path.realpath(tempfile.mkdtemp(prefix="untildone-sandbox-")))
    try:
        yield _furnished(composed, place, top, beside=beside)
    finally:
        _remove(top)


def _furnished(composed: SandboxFiles, place: SandboxSource, top: Path, *, beside: bool) -> Sandbox:
    copy, scratch, home = (top / name for name in ("tree", "scratch", "home"))
    for folder in (copy, scratch, home):
        folder.mkdir()
    _write(composed, copy)
    link_home(home, place.environ, since=place.since)
    environ = make_environment(place.environ, place.at_start, home=home)
    project = Path(os.path.realpath(place.project))
    mark = f".untildone/{secrets.token_hex(16)}"
    (copy / ".untildone").mkdir(exist_ok=True)
    (copy / ".untildone" / ".gitignore").write_text("*\n", encoding="utf-8")
    (copy / mark).touch()
    folders = [*_dependencies(project, copy, place.ignored), *_written_outside(environ)]
    places = (str(copy), str(project), str(scratch), mark)
    through = (sys.executable, "-I", "-S", str(mounted_copy.__file__), *places, *folders, "--")
    with ThreadPoolExecutor(max_workers=1) as apart:
        in_place = sys.platform == "linux" and not beside
        allowed = apart.submit(_allowed, through, project) if in_place else None
        if (project / ".git").exists():
            _record(copy, environ)
    if allowed and allowed.result():
        return Sandbox(project=place.project, seen=copy, environ=environ, through=through)
    own, unproved = link_dependencies(project, copy, folders)
    return Sandbox(project=copy, seen=copy, environ=environ | own, unproved=unproved)


def _record(copy: Path, environ: dict[str, str]) -> None:
    """Its own repository, for checks that ask git which files there are."""
    here = {"GIT_DIR": str(copy / ".git"), "GIT_WORK_TREE": str(copy)}
    for words in _RECORDED:
        own = _AUTHOR | here
        run_git(words, cwd=copy, timeout=_PROBE_SECONDS, environ=environ, variables=own)


def _allowed(through: tuple[str, ...], project: Path) -> bool:
    return run(through, cwd=project, timeout=_PROBE_SECONDS).exit_code == 0


def _write(composed: SandboxFiles, copy: Path) -> None:
    """What is as it is in the project keeps its time, so that builds are taken up again.

    What was restored is new: build tools go by that.
    """
    restored = frozenset(composed.restored)
    for path, source in composed.files.items():
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, str):
            target.write_text(source, encoding="utf-8", newline="")
            continue
        copied = shutil.copy if path in restored else shutil.copy2
        try:
            copied(source, target, follow_symlinks=False)
        except (FileNotFoundError, IsADirectoryError, shutil.SpecialFileError):
            # Deleted meanwhile.
            continue


def _dependencies(project: Path, copy: Path, ignored: tuple[str, ...]) -> Iterator[str]:
    """Folders the start left out, and what tools generate: they are the same for every tree."""
    known = {path.rstrip("/") for path in ignored}
    for folder, folders, _ in os.walk(project):
        below = Path(folder).relative_to(project).as_posix()
        inside = "" if below == "." else f"{below}/"
        left: list[str] = []
        for name in sorted(folders):
            path = f"{inside}{name}"
            if path not in known and name not in GENERATED:
                left.append(name)
            elif name not in _FORGOTTEN:
                yield from _lent(project, copy, path)
        folders[:] = left


def _lent(project: Path, copy: Path, path: str) -> Iterator[str]:
    target = copy / path
    if os.path.lexists(target):
        return
    if (project / path).is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to((project / path).readlink())
    elif any((project / path).with_name(name).exists() for name in _REPORTING):
        shutil.copytree(project / path, target, symlinks=True, copy_function=shutil.copy2)
    else:
        yield path


def _written_outside(environ: Mapping[str, str]) -> Iterator[str]:
    """Build folders elsewhere: what is built of the copy must not be taken for the project's."""
    folder = environ.get("CARGO_TARGET_DIR", "")
    if os.path.isabs(folder) and os.path.isdir(folder):  # noqa: PTH112, PTH117  a text, not a path
        yield folder


def _remove(top: Path) -> None:
    """A folder laid over leaves one behind that nobody may enter, not even its owner."""
    for folder, folders, _ in os.walk(top):
        for name in folders:
            path = Path(folder) / name
            if name == "work" and not path.is_symlink():
                path.chmod(stat.S_IRWXU)
    shutil.rmtree(top, ignore_errors=True)
