"""Sandboxes: copies of a project in which checks run.

The copy is mounted at the project's own path, in namespaces of its own, where the system allows
it; else it is used beside the project.
"""

import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from untildone.process.git import commit_folder
from untildone.process.trees import start_detached
from untildone.sandbox.background_copy import copy_file
from untildone.sandbox.copy_beside import make_copy_beside
from untildone.sandbox.environment import add_own_folders, make_environment
from untildone.sandbox.mount_plan import Layout, plan_mounts
from untildone.sandbox.namespace_holder import hold_namespaces, list_entry_argv
from untildone.sandbox.sandbox_source import Sandbox, SandboxFiles, SandboxSource

_GIT_SECONDS = 30
_REFUSED = "a sandbox with walls could be made on the baseline, and cannot be made now"
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "untildone"), ("EMAIL", "untildone@localhost"))
}


@contextmanager
def open_sandbox(
    files: SandboxFiles, source: SandboxSource, *, beside: bool = False
) -> Iterator[Sandbox]:
    """Make a sandbox and remove it at the end; with `beside` it is not mounted."""
    layout = Layout(Path(os.path.realpath(tempfile.mkdtemp(prefix="untildone-sandbox-"))))
    try:
        mark = _write_copy(files, layout)
        environ = make_environment(source.environ, source.baseline_environ)
        with ExitStack() as stack:
            with ThreadPoolExecutor(max_workers=1) as pool:
                committed = pool.submit(_commit, source, layout, environ)
                pid = 0 if beside else stack.enter_context(_mount(source, layout, mark))
                committed.result()
            if pid:
                yield _describe_mounted(source, layout, environ, pid)
            else:
                beside_project = make_copy_beside(source, layout, environ)
                yield replace(beside_project, fault=_REFUSED if source.was_possible else "")
    finally:
        _remove(layout.top)


def _write_copy(files: SandboxFiles, layout: Layout) -> str:
    """Write the files with their times, so that incremental builds go on; return the mark.

    Restored files get a new time, so that build tools see them as changed.
    """
    for folder in (layout.copy, layout.scratch, layout.exchange):
        folder.mkdir()
    restored = frozenset(files.restored)
    for path, origin in files.files.items():
        if isinstance(origin, Path):
            copy_file(origin, layout.copy / path, keep_time=path not in restored)
        else:
            (layout.copy / path).parent.mkdir(parents=True, exist_ok=True)
            (layout.copy / path).write_text(origin, encoding="utf-8", newline="")
    own = layout.copy / ".untildone"
    own.mkdir(exist_ok=True)
    (own / ".gitignore").write_text("*\n", encoding="utf-8")
    mark = f".untildone/{secrets.token_hex(16)}"
    (layout.copy / mark).touch()
    return mark


def _commit(source: SandboxSource, layout: Layout, environ: dict[str, str]) -> None:
    """Make it a repository, for checks that ask git which files there are."""
    if (source.project / ".git").exists():
        commit_folder(
            layout.copy,
            message="the tree to be judged",
            timeout=_GIT_SECONDS,
            environ=environ,
            variables=_AUTHOR,
        )


@contextmanager
def _mount(source: SandboxSource, layout: Layout, mark: str) -> Iterator[int]:
    """Mount the copy; yield the process inside whose namespaces are the sandbox, 0 if refused."""
    if sys.platform != "linux" or "tree" not in source.walls:
        yield 0
        return
    plan_file = layout.top / "plan.json"
    plan_file.write_bytes(msgspec.json.encode(plan_mounts(source, layout, mark=mark)))
    with hold_namespaces(plan_file) as pid:
        yield pid


def _describe_mounted(
    source: SandboxSource, layout: Layout, environ: dict[str, str], pid: int
) -> Sandbox:
    return Sandbox(
        project=source.project,
        # The project as the processes inside see it, with what overlays keep.
        written_project=Path(f"/proc/{pid}/root{os.path.realpath(source.project)}"),
        environ=add_own_folders(environ, own_temporary_folder="tmp" in source.walls),
        exchange_folder=layout.exchange,
        wrapper_argv=list_entry_argv(pid),
        walls=source.walls,
    )


def _remove(top: Path) -> None:
    """Remove the folder; where that can go on alone, nobody waits for it.

    Not even their owner may enter the `work` folders of overlays before their mode is changed.
    """
    if os.name == "nt":
        shutil.rmtree(top, ignore_errors=True)
        return
    script = 'chmod u+rwx "$0"/scratch/work*/work 2>/dev/null; exec rm -rf "$0"'
    start_detached(["sh", "-c", script, str(top)], cwd=top.parent, env=dict(os.environ))
