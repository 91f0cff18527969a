"""A scene of the drill: its own project, sessions and loops, and the installed hooks."""

import json
import os
import shlex
import shutil
import sys
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from untildone.agents.imitation import ImitatedAnswer
from untildone.core.contract import Check
from untildone.core.progress import Progress
from untildone.engine.context import Context, project_folder
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request
from untildone.process.git import run_git
from untildone.runs.claude_hooks import Answer, Settings, read_hooks, run_hooks
from untildone.runs.scripted_agent import Agent, build_stop_fields

_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "drill"), ("EMAIL", "drill@localhost"))
}
_GIT_TIMEOUT = 30.0
_CHECKS = {
    "wants_done.py": "import pathlib, sys\nsys.exit(not pathlib.Path('done').exists())\n",
    "hangs.py": "import time\ntime.sleep(60)\n",
}


class HookAnswer(Struct, frozen=True, kw_only=True):
    """The answers of all hooks of one stop, and what the client takes from them."""

    answers: tuple[Answer, ...]
    taken: tuple[ImitatedAnswer, ...]

    @property
    def held(self) -> bool:
        return any(answer.hold for answer in self.taken)

    @property
    def notice(self) -> str:
        return " ".join(answer.notice for answer in self.taken if answer.notice)

    @property
    def silent(self) -> bool:
        return not any(answer.stdout.strip() or answer.stderr.strip() for answer in self.answers)

    @property
    def fault(self) -> str:
        """Say why the client would ignore the answer of a hook; empty if it would not."""
        if not self.answers:
            return "no hook was run"
        for answer in self.answers:
            if answer.timed_out:
                return f"the client ends the hook after {answer.hook.timeout:g} seconds"
            if answer.exit_code != 0:
                line = _get_last_line(answer.stderr)
                return f"the hook ended with exit code {answer.exit_code}: {line}"
        return ""

    @property
    def summary(self) -> str:
        """Return what came instead of what was expected, for the report of a failure."""
        if self.fault:
            return self.fault
        return self.notice or ("silence" if self.silent else _get_last_line(self.answers[0].stdout))


def _get_last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no output"])[-1][:200]


class DrillScene:
    """`settings` holds only our hooks; other hooks are not run."""

    def __init__(self, context: Context, settings: Sequence[Settings], folder: Path) -> None:
        self.context = context
        self.folder = folder
        self.project = folder / "project"
        self.session = str(uuid.uuid4())
        self._settings = settings
        self._loops: list[str] = []
        self._sessions: list[str] = []
        self.project.mkdir(parents=True)
        for name, text in _CHECKS.items():
            self.write(name, text)
        self.run_git("init", "-q")
        self.run_git("add", "-A")
        self.run_git("commit", "-qm", "start")

    def run_git(self, *arguments: str) -> None:
        # The user may have set up signatures and hooks that ask for a passphrase.
        no_configuration = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        run_git(
            arguments,
            cwd=self.project,
            timeout=_GIT_TIMEOUT,
            environ=self.context.environ,
            variables=_AUTHOR | no_configuration,
        )

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text, encoding="utf-8")

    def open_agent(self, session: str = "", *, cwd: Path | None = None) -> Agent:
        agent = Agent(
            self.project,
            settings=self._settings,
            environ=self.context.environ,
            session=session or self.session,
            client=self.context.agent.NAME,
        )
        agent.cwd = cwd or self.project
        self._sessions.append(agent.session)
        return agent

    def start(self, script: str = "wants_done.py", *, timeout: float = 20) -> str:
        """Start a loop in a new session; its check is one of the scripts above."""
        self.open_agent().begin()
        python = sys.executable if os.name == "nt" else shlex.quote(sys.executable)
        check = Check(name="drill", command=f"{python} {script}", timeout=timeout)
        request = Request(
            session=self.session, project=self.project, task="A drill.", checks=(check,)
        )
        loop = begin_loop(self.context, request).contract.id
        self._loops.append(loop)
        return loop

    def stop(self, session: str = "", *, cwd: Path | None = None) -> HookAnswer:
        agent = self.open_agent(session, cwd=cwd)
        return self._read(agent.fire("Stop", build_stop_fields("Done.", held_before=False)))

    def stop_with(self, stdin: bytes) -> HookAnswer:
        """Send a stop with a payload that the client would not send."""
        stop = self.context.agent.LAYOUT.events["Stop"]
        hooks = [hook for hook in read_hooks(self._settings) if hook.event == stop]
        environ = self.open_agent().hook_environment
        return self._read(run_hooks(hooks, stdin, cwd=self.project, env=environ))

    def _read(self, answers: tuple[Answer, ...]) -> HookAnswer:
        imitation = self.context.agent.load_imitation()
        taken = (imitation.read_answer(each.stdout) for each in answers if each.exit_code == 0)
        return HookAnswer(answers=answers, taken=tuple(taken))

    def load_progress(self) -> Progress:
        return self.context.loops.load(self._loops[-1]).progress

    def close(self) -> None:
        """Remove everything of the drill from the user's state."""
        for loop in self._loops:
            shutil.rmtree(self.context.loops.get_folder(loop), ignore_errors=True)
            self.context.loops.forget(loop)
        for name in self._sessions:
            session = self.context.session(name)
            session.release()
            shutil.rmtree(session.folder, ignore_errors=True)
        for project in self.folder.iterdir():
            folder = project_folder(self.context.home, project)
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):
                # Removed only if it holds no project of the user.
                folder.parent.rmdir()


def make_settings(hooks: dict[str, list[dict[str, object]]], env: dict[str, object]) -> Settings:
    """Return settings that hold only these hooks and variables."""
    groups = {event: [{"hooks": ours}] for event, ours in hooks.items()}
    value: Settings = json.loads(json.dumps({"hooks": groups, "env": env}))
    return value
