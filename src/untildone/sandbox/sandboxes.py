"""Sandboxes: copies of a project in which checks run.

The copy is mounted at the project's own path where the system allows it, else used beside it.
"""

import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from msgspec import Struct

from untildone.process.git import run_git
from untildone.process.runner import run
from untildone.sandbox import mounted_copy
from untildone.sandbox.background_copy import copy_file
from untildone.sandbox.home_folder import link_home, make_environment
from untildone.sandbox.linked_dependencies import link_dependencies
from untildone.words import words
from untildone.worktree.contents import GENERATED

_PROBE_SECONDS = 30
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "untildone"), ("EMAIL", "untildone@localhost"))
}
_COMMIT_COMMANDS = (
    ("init", "-q", "--template="),
    ("add", "-A"),
    ("commit", "-q", "-m", "the tree to be judged"),
)
# Caches of earlier runs and git's records are not taken along: the agent could have edited them.
_LEFT_BEHIND = words(
    "__pycache__ .git .untildone .pytest_cache .mypy_cache .ruff_cache .hypothesis"
)
# Reports of these tools are read from outside, where an overlay mount is not visible.
_REPORTING_BUILDS = ("pom.xml", "build.gradle", "build.gradle.kts")


class SandboxFiles(Struct, frozen=True):
    """The files of a sandbox, each by the path it is copied from or as text written for it.

    `restored` are the paths whose content is not the project's current one.
    """

    files: dict[str, Path | str]
    restored: tuple[str, ...]


class SandboxSource(Struct, frozen=True, kw_only=True):
    """What a sandbox is made from; `since` is the time of the baseline."""

    project: Path
    ignored: tuple[str, ...]
    environ: Mapping[str, str]
    baseline_environ: Mapping[str, str]
    since: float


class Sandbox(Struct, frozen=True, kw_only=True):
    """A copy: checks run in `project` through `wrapper_argv` and write to `written_project`.

    `unproved` says why it is unknown which tree the checks read.
    """

    project: Path
    written_project: Path
    environ: dict[str, str]
    wrapper_argv: tuple[str, ...] = ()
    unproved: str = ""


@contextmanager
def open_sandbox(
    files: SandboxFiles, source: SandboxSource, *, beside: bool = False
) -> Iterator[Sandbox]:
    """Make a sandbox and remove it at the end; with `beside` it is not mounted."""
    top = Path(os.path.realpath(tempfile.mkdtemp(prefix="untildone-sandbox-")))
    try:
        yield _make_sandbox(files, source, top, beside=beside)
    finally:
        _remove(top)


def _make_sandbox(
    files: SandboxFiles, source: SandboxSource, top: Path, *, beside: bool
) -> Sandbox:
    copy, scratch, home = (top / name for name in ("tree", "scratch", "home"))
    for folder in (copy, scratch, home):
        folder.mkdir()
    _write_files(files, copy)
    link_home(home, source.environ, since=source.since)
    environ = make_environment(source.environ, source.baseline_environ, home=home)
    project = Path(os.path.realpath(source.project))
    mark = f".untildone/{secrets.token_hex(16)}"
    (copy / ".untildone").mkdir(exist_ok=True)
    (copy / ".untildone" / ".gitignore").write_text("*\n", encoding="utf-8")
    (copy / mark).touch()
    folders = list(_find_dependencies(project, copy, source.ignored))
    target = environ.get("CARGO_TARGET_DIR", "")
    if os.path.isabs(target) and os.path.isdir(target):  # noqa: PTH112, PTH117  a text, not a path
        # The copy's builds must not end up in a build folder outside of the project.
        folders.append(target)
    paths = (str(copy), str(project), str(scratch), mark)
    wrapper_argv = (sys.executable, "-I", "-S", str(mounted_copy.__file__), *paths, *folders, "--")
    with ThreadPoolExecutor(max_workers=1) as pool:
        in_place = sys.platform == "linux" and not beside
        probe = partial(run, wrapper_argv, cwd=project, timeout=_PROBE_SECONDS)
        mounted = pool.submit(probe) if in_place else None
        if (project / ".git").exists():
            _commit(copy, environ)
    if mounted and mounted.result().exit_code == 0:
        return Sandbox(
            project=source.project, written_project=copy, environ=environ, wrapper_argv=wrapper_argv
        )
    variables, unproved = link_dependencies(project, copy, folders)
    environ |= variables
    return Sandbox(project=copy, written_project=copy, environ=environ, unproved=unproved)


def _commit(copy: Path, environ: dict[str, str]) -> None:
    """Make it a repository, for checks that ask git which files there are."""
    variables = _AUTHOR | {"GIT_DIR": str(copy / ".git"), "GIT_WORK_TREE": str(copy)}
    for arguments in _COMMIT_COMMANDS:
        run_git(arguments, cwd=copy, timeout=_PROBE_SECONDS, environ=environ, variables=variables)


def _write_files(files: SandboxFiles, copy: Path) -> None:
    """Write the files with their times, so that incremental builds go on.

    Restored files get a new time, so that build tools see them as changed.
    """
    restored = frozenset(files.restored)
    for path, source in files.files.items():
        if isinstance(source, Path):
            copy_file(source, copy / path, keep_time=path not in restored)
        else:
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_text(source, encoding="utf-8", newline="")


def _find_dependencies(project: Path, copy: Path, ignored: tuple[str, ...]) -> Iterator[str]:
    """Yield the ignored and generated folders, which every tree shares."""
    shared = {path.rstrip("/") for path in ignored}
    for folder, folders, _ in os.walk(project):
        below = Path(folder).relative_to(project).as_posix()
        prefix = "" if below == "." else f"{below}/"
        to_search: list[str] = []
        for name in sorted(folders):
            path = f"{prefix}{name}"
            if path not in shared and name not in GENERATED:
                to_search.append(name)
            elif name not in _LEFT_BEHIND:
                yield from _lend_folder(project, copy, path)
        folders[:] = to_search


def _lend_folder(project: Path, copy: Path, path: str) -> Iterator[str]:
    target = copy / path
    if os.path.lexists(target):
        return
    if (project / path).is_symlink():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to((project / path).readlink())
    elif any((project / path).with_name(name).exists() for name in _REPORTING_BUILDS):
        shutil.copytree(project / path, target, symlinks=True, copy_function=shutil.copy2)
    else:
        yield path


def _remove(top: Path) -> None:
    """Remove the folder, and the `work` folders of overlays that not even their owner may enter."""
    for folder, folders, _ in os.walk(top):
        for name in folders:
            path = Path(folder) / name
            if name == "work" and not path.is_symlink():
                path.chmod(stat.S_IRWXU)
    shutil.rmtree(top, ignore_errors=True)
