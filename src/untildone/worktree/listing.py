"""The worktree that a folder belongs to, and the files in it."""

import functools
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from untildone.process.git import run_git

_MAX_ENTRIES = 50_000
# The mode of a submodule in git's index.
_SUBMODULE = b"160000 "
_GENERATED = frozenset({"node_modules", ".venv", "venv", "target", "__pycache__"})
_SKIPPED = _GENERATED | {".git", ".untildone"}


def find_worktree_root(cwd: Path) -> Path | None:
    """Return the top of the worktree the folder is in.

    A repository's `core.worktree` could name any other folder, so it is not believed.
    """
    top = _read_git_path("--show-toplevel", cwd=cwd)
    nearest = _find_nearest_git(cwd.resolve()) if top else None
    return top if top and nearest and top.exists() and top.samefile(nearest[0]) else None


def is_same_repository(a: Path, b: Path) -> bool:
    """Say whether both folders are in worktrees of one repository."""
    repository = _read_git_path("--git-common-dir", cwd=a)
    return repository is not None and repository == _read_git_path("--git-common-dir", cwd=b)


def find_worktree(project: str, cwd: str) -> Path:
    """Return where a session works; the agent may have left the folder with `cd`."""
    folder = Path(project or cwd)
    worktree = find_worktree_root(Path(cwd)) if cwd else None
    if worktree and is_same_repository(worktree, folder):
        return worktree
    return find_worktree_root(folder) or folder


def list_files(project: Path) -> list[Path]:
    """Return the files that git knows or would add; outside of git all but generated ones."""
    return [path for path in _list_known(project) if ".untildone" not in path.parts]


def find_files_named(project: Path, *names: str) -> list[Path]:
    """Return listed files of these names that are in no other repository or generated folder."""
    return [
        path
        for path in _list_known(project, *(f":(glob)**/{name}" for name in names))
        if path.name in names and (project / path).is_file() and _is_in_project(project, path)
    ]


def _list_known(project: Path, *pathspecs: str) -> dict[Path, None]:
    """Return each path once: git names a file in conflict for each of its sides."""
    kinds = ("--cached", "--others", "--exclude-standard")
    in_git = find_tracking_root(project)
    output = read_git_entries("ls-files", *kinds, *pathspecs, cwd=project) if in_git else None
    return dict.fromkeys(
        map(Path, walk_unignored_files(project)) if output is None else _split_entries(output)
    )


def _is_in_project(project: Path, path: Path) -> bool:
    folders = [folder for folder in path.parents if folder != Path()]
    return not _SKIPPED.intersection(path.parts) and not any(
        (project / folder / ".git").exists() for folder in folders
    )


def list_ignored_folders(project: Path) -> list[Path]:
    """Return ignored folders, such as dependencies and caches."""
    ignored = ("--others", "--ignored", "--exclude-standard", "--directory")
    in_git = find_tracking_root(project)
    output = read_git_entries("ls-files", *ignored, cwd=project) if in_git else None
    if output is None:
        return [Path(name) for name in sorted(_GENERATED) if (project / name).is_dir()]
    folders = b"\0".join(entry for entry in output.split(b"\0") if entry.endswith(b"/"))
    return [path for path in _split_entries(folders) if ".untildone" not in path.parts]


def list_changed_files(project: Path) -> frozenset[str]:
    """Return the paths that differ from the last commit, or are new."""
    changes = read_git_entries("diff", "--name-only", "--relative", "HEAD", cwd=project)
    if changes is None:
        # Without a commit everything is new.
        changes = read_git_entries("ls-files", "--cached", cwd=project) or b""
    new = read_git_entries("ls-files", "--others", "--exclude-standard", cwd=project) or b""
    found = {path.as_posix() for path in (*_split_entries(changes), *_split_entries(new))}
    return frozenset(found.union(_list_changed_in_submodules(project)))


def _list_changed_in_submodules(project: Path) -> Iterator[str]:
    """Yield the changed files of submodules: git itself is kept from looking into them."""
    for path, commit in list_submodules(project).items():
        folder = project / path
        if find_worktree_root(folder) != folder.resolve():
            continue
        changes = read_git_entries("diff", "--name-only", "--relative", commit, cwd=folder)
        yield from (f"{path}/{file.as_posix()}" for file in _split_entries(changes or b""))
        yield from (f"{path}/{file}" for file in list_changed_files(folder))


def list_submodules(project: Path) -> dict[str, str]:
    """Return the submodules below the project, each with the commit that is recorded of it."""
    index = read_git_entries("ls-files", "-s", cwd=project) or b""
    entries = (entry.partition(b"\t") for entry in index.split(b"\0"))
    return {
        Path(os.fsdecode(path)).as_posix(): fields.split(b" ")[1].decode()
        for fields, _, path in entries
        if fields.startswith(_SUBMODULE)
    }


def _read_git_path(question: str, *, cwd: Path) -> Path | None:
    """Return git's answer, cached while the same `.git` is the nearest: a stop asks often."""
    folder = cwd.absolute()
    with suppress(_NoAnswerError):
        return _ask_git(question, folder, _find_nearest_git(folder))
    return None


class _NoAnswerError(Exception):
    """Raised so that the failure is not cached."""


@functools.lru_cache(maxsize=64)
def _ask_git(question: str, cwd: Path, nearest: tuple[Path, int] | None) -> Path:
    finished = run_git(("rev-parse", question), cwd=cwd)
    if finished.exit_code != 0 or not finished.head.strip():
        raise _NoAnswerError(cwd, nearest)
    return (cwd / os.fsdecode(finished.head.rstrip(b"\r\n"))).resolve()


def _find_nearest_git(start: Path) -> tuple[Path, int] | None:
    """Return the nearest folder with a `.git` that git accepts, and the inode of that."""
    for folder in (start, *start.parents):
        mark = folder / ".git"
        if mark.is_file() or os.path.lexists(mark / "HEAD"):
            with suppress(OSError):
                return folder, mark.stat().st_ino
    return None


def read_git_entries(*arguments: str, cwd: Path) -> bytes | None:
    """Return the whole output, with NUL between the entries; None if git fails."""
    return read_git_output(*arguments, "-z", cwd=cwd, stdin=b"")


def read_git_output(*arguments: str, cwd: Path, stdin: bytes, **variables: str) -> bytes | None:
    """Return what git prints for this input; None if it fails."""
    parts: list[bytes] = []
    finished = run_git(
        arguments,
        cwd=cwd,
        variables=variables,
        stdin=stdin,
        errors=Path(os.devnull),
        # `run_git` itself keeps only the beginning and the end of the output.
        on_output=parts.append,
    )
    return b"".join(parts) if finished.exit_code == 0 else None


def read_head(project: Path) -> str:
    """Return the commit that is checked out; empty outside git and before the first commit."""
    root = find_tracking_root(project)
    head = root and read_git_output("rev-parse", "--verify", "-q", "HEAD", cwd=root, stdin=b"")
    return head.decode().strip() if head else ""


def find_tracking_root(project: Path) -> Path | None:
    """Return the top of the worktree, unless it ignores the project as a whole."""
    root = find_worktree_root(project)
    if root is None or project.resolve() == root:
        return root
    ignored = run_git(("check-ignore", "-q", "."), cwd=project).exit_code == 0
    return None if ignored else root


def _split_entries(output: bytes) -> Iterator[Path]:
    return (Path(os.fsdecode(entry)) for entry in output.split(b"\0") if entry)


def walk_unignored_files(project: Path) -> Iterator[str]:
    """Yield the paths of files outside git, without generated folders."""
    count = 0
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        subfolder = os.path.relpath(folder, project)
        for name in sorted(files):
            yield name if subfolder == os.curdir else f"{subfolder}{os.sep}{name}"
            count += 1
            if count >= _MAX_ENTRIES:
                return
