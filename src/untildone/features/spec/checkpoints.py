"""Saves the working tree before a step as a git commit outside of every branch, and restores it.

A checkpoint is a ref such as `refs/untildone/LOOP/step-2`.

Saving touches neither the index, the working tree, HEAD nor any hook. Contents are saved as they
are on disk: no filter of the repository is run.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from untildone.errors import UserError
from untildone.worktree import listing

# The mode and blob hash of each file, by path relative to the root.
Files: TypeAlias = dict[str, tuple[str, str]]
_LINK, _PROGRAM, _PLAIN = "120000", "100755", "100644"
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "untildone"), ("EMAIL", "untildone@localhost"))
}


class Restoration(Struct, frozen=True, kw_only=True):
    """What a restoration did: the files it wrote and removed."""

    root: str
    # The name of the checkpoint that holds the tree from before the restoration.
    saved: str
    written: tuple[str, ...]
    removed: tuple[str, ...]


def require_repository(project: Path) -> Path:
    """Return the root of the project's repository; raise UserError if it has none."""
    root = listing.find_worktree_root(project)
    if root is None:
        raise UserError(f"`{project}` is in no git repository", hint="`git init` makes it one")
    return root


def save_checkpoint(project: Path, loop: str, name: str, *, anew: bool = False) -> str:
    """Save the working tree under this name and return the ref.

    An existing checkpoint of that name is replaced only with `anew`.
    """
    root = require_repository(project)
    if not anew and name in list_checkpoints(root, loop):
        return _make_ref(loop, name)
    return _save_tree(root, loop, name, also=())


def list_checkpoints(project: Path, loop: str) -> tuple[str, ...]:
    """Return the names of the loop's checkpoints, oldest first."""
    # By date, then by name: git sorts by the last key first.
    options = ("--sort=version:refname", "--sort=creatordate", "--format=%(refname:lstrip=3)")
    names = _run_git("for-each-ref", *options, f"refs/untildone/{loop}/", cwd=project)
    return tuple(names.decode().split())


def delete_checkpoints(project: Path, loop: str) -> None:
    """Delete every checkpoint of the loop; git removes their contents some time later."""
    for name in list_checkpoints(project, loop) if listing.find_worktree_root(project) else ():
        _run_git("update-ref", "-d", _make_ref(loop, name), cwd=project)


def restore_checkpoint(project: Path, loop: str, name: str) -> Restoration:
    """Restore the tree of a checkpoint; the current tree is saved first, so nothing is lost."""
    root = require_repository(project)
    target = _list_files(root, _make_ref(loop, name))
    undo_count = sum(other.startswith("undo-") for other in list_checkpoints(root, loop))
    saved = f"undo-{undo_count + 1}"
    current = _list_files(root, _save_tree(root, loop, saved, also=tuple(target)))
    removed = tuple(path for path in current if path not in target)
    written = tuple(path for path, file in target.items() if current.get(path) != file)
    _require_free_places(root, written, removed)
    contents = _read_blobs(root, {target[path][1] for path in written})
    for path in removed:
        _remove_file(root, path)
    for path in written:
        _write_file(root / path, target[path][0], contents[target[path][1]])
    return Restoration(root=str(root), saved=saved, written=written, removed=removed)


def _make_ref(loop: str, name: str) -> str:
    return f"refs/untildone/{loop}/{name}"


def _save_tree(root: Path, loop: str, name: str, *, also: tuple[str, ...]) -> str:
    """Commit the working tree with a private index; return the ref.

    `also` are paths to save even if git ignores them now: a restoration will overwrite them.
    """
    paths = dict.fromkeys((*(path.as_posix() for path in listing.list_files(root)), *also))
    modes = {path: mode for path in paths if (mode := _read_mode(root / path))}
    blobs = _write_blobs(root, modes)
    entries = "".join(f"{modes[path]} {blob}\t{path}\0" for path, blob in blobs.items())
    with tempfile.TemporaryDirectory(prefix="untildone-") as folder:
        index = {"GIT_INDEX_FILE": os.fspath(Path(folder) / "index")}
        stdin = os.fsencode(entries)
        _run_git("update-index", "-z", "--index-info", cwd=root, stdin=stdin, variables=index)
        tree = _run_git("write-tree", cwd=root, variables=index).decode().strip()
    head = listing.read_head(root)
    parent = ("-p", head) if head else ()
    message = f"untildone: loop {loop}, {name}"
    commit = _run_git("commit-tree", tree, *parent, "-m", message, cwd=root, variables=_IDENTITY)
    _run_git("update-ref", _make_ref(loop, name), commit.decode().strip(), cwd=root)
    return _make_ref(loop, name)


def _read_mode(path: Path) -> str:
    """Return git's mode of a file; empty for what git does not store: folders, pipes, no file."""
    try:
        status = path.lstat()
    except OSError:
        return ""
    if stat.S_ISLNK(status.st_mode):
        return _LINK
    if not stat.S_ISREG(status.st_mode):
        return ""
    return _PROGRAM if status.st_mode & stat.S_IXUSR else _PLAIN


def _write_blobs(root: Path, modes: dict[str, str]) -> dict[str, str]:
    """Store the contents of files in git; return the blob hash by path.

    One call of git takes all paths, one per line. Links, whose target is the content, and paths
    with a line break get a call of their own with the content.
    """
    own_call = {
        path for path, mode in modes.items() if mode == _LINK or "\n" in path or "\r" in path
    }
    shared_call = [path for path in modes if path not in own_call]
    names = os.fsencode("".join(f"{path}\n" for path in shared_call))
    hashes = _run_git("hash-object", "-w", "--no-filters", "--stdin-paths", cwd=root, stdin=names)
    blobs = dict(zip(shared_call, hashes.decode().split(), strict=True))
    for path in own_call:
        place = root / path
        data = os.fsencode(place.readlink()) if modes[path] == _LINK else place.read_bytes()
        blob = _run_git("hash-object", "-w", "--no-filters", "--stdin", cwd=root, stdin=data)
        blobs[path] = blob.decode().strip()
    return blobs


def _list_files(root: Path, ref: str) -> Files:
    """Return the files of a checkpoint; raise UserError if git cannot read it."""
    output = listing.read_git_entries("ls-tree", "-r", ref, cwd=root)
    if output is None:
        raise UserError(
            f"the checkpoint `{ref}` cannot be read", hint=f"`git show {ref}` shows why"
        )
    files: Files = {}
    for entry in filter(None, output.split(b"\0")):
        fields, _, path = entry.partition(b"\t")
        mode, _, blob = fields.decode().split()
        files[os.fsdecode(path)] = mode, blob
    return files


def _read_blobs(root: Path, blobs: set[str]) -> dict[str, bytes]:
    """Return the contents by blob hash.

    git answers `HASH blob SIZE`, a line end, SIZE bytes, a line end, for one blob after the other.
    """
    hashes = "".join(f"{blob}\n" for blob in blobs).encode()
    output = _run_git("cat-file", "--batch", cwd=root, stdin=hashes) if blobs else b""
    contents, position = {}, 0
    while position < len(output):
        head_end = output.index(b"\n", position)
        blob, _, size = output[position:head_end].decode().split()
        contents[blob] = output[head_end + 1 : head_end + 1 + int(size)]
        position = head_end + int(size) + 2
    return contents


def _require_free_places(root: Path, written: tuple[str, ...], removed: tuple[str, ...]) -> None:
    """Raise UserError if an ignored file is where a file is to be written: no checkpoint has it.

    For `a/b` that is a file `a`, or any file in a folder `a/b`.
    """
    to_remove = {root / path for path in removed}
    for path in written:
        place = root / path
        # Without the last one, which is the root itself.
        below_root = [folder for folder in place.parents if folder.is_relative_to(root)][:-1]
        files = [folder for folder in below_root if folder.is_symlink() or folder.is_file()]
        if place.is_dir() and not place.is_symlink():
            files += [file for file in place.rglob("*") if not file.is_dir()]
        ignored = [file for file in files if file not in to_remove]
        if ignored:
            raise UserError(
                f"`{ignored[0]}` is ignored by git and is in the place of `{path}`",
                hint="move it away and try again",
            )


def _remove_file(root: Path, path: str) -> None:
    """Remove a file, and the folders that are empty without it."""
    place = root / path
    place.unlink(missing_ok=True)
    for folder in place.parents:
        if folder == root or folder.is_symlink() or any(folder.iterdir()):
            return
        folder.rmdir()


def _write_file(place: Path, mode: str, content: bytes) -> None:
    """Write a file beside its place, then move it there; a folder in its place is removed."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".{place.name[:100]}.untildone")
    temporary.unlink(missing_ok=True)
    if mode == _LINK:
        temporary.symlink_to(os.fsdecode(content))
    else:
        temporary.write_bytes(content)
        temporary.chmod(0o755 if mode == _PROGRAM else 0o644)
    temporary.replace(place)


def _run_git(
    *arguments: str, cwd: Path, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> bytes:
    """Return what git prints; raise UserError if it fails."""
    output = listing.read_git_output(*arguments, cwd=cwd, stdin=stdin, **(variables or {}))
    if output is None:
        raise UserError(
            f"git could not save or restore the tree of `{cwd}` (`git {arguments[0]}`)",
            hint="`git status` there shows what is wrong",
        )
    return output
