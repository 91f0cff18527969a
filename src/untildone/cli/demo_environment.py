"""The demo's project, home and state in a temporary folder."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from untildone.app import open_context
from untildone.core.contract import Check
from untildone.core.progress import Round
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request
from untildone.errors import UserError
from untildone.install.client_files import apply_plan, find_install_paths, plan_init
from untildone.process.command import filter_environment
from untildone.process.runner import run
from untildone.report.page.values import LoopView
from untildone.report.page.view import build_loop_view
from untildone.store.home import prepare_home
from untildone.store.loops import Record
from untildone.worktree.fingerprint import fingerprint_tree

_TIMEOUT = 60.0


class DemoEnvironment:
    """`settings` is what `init` wrote; `environ` is the environment of the agent."""

    def __init__(self, top: Path) -> None:
        self.project = top / "shop"
        home, temporary = top / "home", top / "temporary"
        for folder in (self.project, home, temporary):
            folder.mkdir()
        self.environ = _build_environ(home, temporary)
        self.context = open_context(self.environ)
        prepare_home(self.context.home)
        paths = find_install_paths(self.context, self.project)
        apply_plan(paths, plan_init(paths, "user"))
        self.settings: dict[str, Any] = json.loads(paths.get_settings_file("user").read_bytes())
        self._loop = ""

    def start(self, session: str, task: str, checks: tuple[Check, ...]) -> Record:
        """Start a loop as `untildone start` does, and run its checks for the baseline."""
        record = begin_loop(
            self.context,
            Request(session=session, project=self.project, task=task, checks=checks),
        )
        self._loop = record.contract.id
        argv = [sys.executable, "-P", "-m", "untildone", "baseline", self._loop]
        ended = run(
            [*argv, fingerprint_tree(self.project)],
            cwd=self.project,
            timeout=_TIMEOUT,
            env=self.environ,
        )
        if ended.exit_code != 0:
            raise UserError(f"the checks of the demo could not be run: {ended.text.strip()}")
        return record

    def load_outcome(self) -> str | None:
        return self.context.loops.load(self._loop).progress.outcome

    def build_view(self) -> LoopView:
        """Return what the loop's page shows."""
        record = self.context.loops.load(self._loop)
        return build_loop_view(record, self.context.loops.read_history(record))

    def read_rounds(self) -> tuple[Round, ...]:
        return self.context.loops.read_rounds(self._loop)


def _build_environ(home: Path, temporary: Path) -> dict[str, str]:
    """Return the user's variables without those that lead to their own state or agent."""
    inherited = {
        name: value
        for name, value in filter_environment(os.environ).items()
        if not name.startswith(("UNTILDONE_", "XDG_"))
    }
    # The checks run `python`, and only our own interpreter certainly exists.
    folder = str(Path(sys.executable).parent)
    return {
        **inherited,
        "PATH": os.pathsep.join((folder, inherited.get("PATH", os.defpath))),
        "HOME": str(home),
        "USERPROFILE": str(home),
        "UNTILDONE_HOME": str(home / "state"),
        # Hooks that are killed with the demo cannot remove their own files any more.
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
    }


@contextmanager
def open_demo_environment() -> Iterator[DemoEnvironment]:
    with tempfile.TemporaryDirectory(prefix="untildone-demo-", ignore_cleanup_errors=True) as top:
        yield DemoEnvironment(Path(top).resolve())
