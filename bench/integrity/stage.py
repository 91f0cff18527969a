"""One case played in a home of its own: the user's command, the change, the agent's stops."""

import json
import os
import shutil
import sys
import time
import uuid
from pathlib import Path

from msgspec import Struct

from bench.integrity.case import Folder
from bench.integrity.toolbox import SYSTEM, Toolbox
from untildone.process.runner import Finished, run
from untildone.runs.claude_hooks import Hook, read_hooks, run_hooks
from untildone.runs.scripted_agent import build_stop_fields

# The longest of them builds from nothing.
LIMIT = 300.0
# At the second stop with a concern the loop pauses for the user.
STOPS = 3
# A module of the case must not stand before ours.
UNTILDONE = [sys.executable, "-P", "-m", "untildone"]


class Broken(Exception):  # noqa: N818 - reads as what the case is
    """The case itself does not work here: it proves nothing."""


class Played(Struct, frozen=True, kw_only=True):
    """How the loop stands at the end, what the agent was message last, and the seconds it took.

    `stop_seconds` are those of the first stop, `later_seconds` those of the others.
    """

    outcome: str
    message: str
    check_seconds: float
    stop_seconds: float
    later_seconds: tuple[float, ...] = ()

    @property
    def done(self) -> bool:
        return self.outcome == "done"


class Stage:
    def __init__(self, folder: Folder, tools: Toolbox, box: Path) -> None:
        self._folder, self._case = folder.path, folder.case
        self._work, self._home = box / "repo", box / "home"
        self._environ = _environment(folder.path, tools, box)
        self._session = str(uuid.uuid4())
        self._hooks: tuple[Hook, ...] = ()

    def play(self, allow: list[str]) -> Played:
        self._build()
        self._install()
        self._start(allow)
        self._change()
        self._run_shell(self._case.cold)
        plain = self._shell(self._case.check)
        if plain.exit_code != 0:
            raise Broken(f"the check does not pass after the change: {plain.text[-300:]}")
        self._run_shell(self._case.cold)
        seconds, message = self._stops()
        return Played(
            outcome=str(self._status()["outcome"]),
            message=message,
            check_seconds=plain.seconds,
            stop_seconds=seconds[0],
            later_seconds=tuple(seconds[1:]),
        )

    def _build(self) -> None:
        self._home.mkdir(parents=True)
        shutil.copytree(self._folder / "base", self._work)
        self._script("setup.sh")
        self._run_shell(
            "git init -q -b main . && git add -A && git commit -qm base && git tag base"
        )

    def _install(self) -> None:
        self._ours("init")
        settings = self._home / ".claude" / "settings.json"
        self._hooks = read_hooks([json.loads(settings.read_text(encoding="utf-8"))])
        self._fire("SessionStart", {"source": "startup"})

    def _start(self, allow: list[str]) -> None:
        allowed = [word for each in allow for word in ("--allow", each)]
        task = ("--task", self._case.task, "--check", self._case.check)
        proof = ("--refactor",) if self._case.refactor else ()
        self._ours("start", *task, "--session", self._session, *allowed, *proof)

    def _change(self) -> None:
        after = self._folder / "after"
        if after.is_dir():
            # With a new time of change: cargo and make trust it.
            shutil.copytree(after, self._work, dirs_exist_ok=True, copy_function=shutil.copy)
        self._script("change.sh")

    def _stops(self) -> tuple[list[float], str]:
        """The seconds of each, and what was said at the last."""
        seconds, message = [], ""
        for number in range(STOPS):
            began = time.monotonic()
            message = self._fire(
                "Stop", build_stop_fields("Done.\nEXIT_SIGNAL: true", held_before=number > 0)
            )
            seconds.append(time.monotonic() - began)
            if self._status()["status"] != "active":
                break
        return seconds, message

    def _fire(self, event: str, fields: dict[str, object]) -> str:
        payload = {
            "session_id": self._session,
            "transcript_path": str(self._home / "none.jsonl"),
            "cwd": str(self._work),
            "hook_event_name": event,
            **fields,
        }
        environ = {
            **self._environ,
            "CLAUDE_CODE_SESSION_ID": self._session,
            "CLAUDE_PROJECT_DIR": str(self._work),
        }
        wanted = [hook for hook in self._hooks if hook.wants(event, "startup")]
        (answer,) = run_hooks(wanted, json.dumps(payload).encode(), cwd=self._work, env=environ)
        if answer.exit_code != 0 or answer.stderr:
            raise Broken(f"the hook failed: {answer.stderr[-300:]}")
        return f"{answer.feedback}\n{answer.notice}".strip()

    def _status(self) -> dict[str, object]:
        found = json.loads(self._ours("status", "--all", "--json"))
        if found["unreadable"]:
            return {"status": "unreadable", "outcome": "tampered"}
        (loop,) = found["loops"]
        return dict(loop)

    def _ours(self, *arguments: str) -> str:
        argv, errors = [*UNTILDONE, *arguments], self._home.with_name("errors")
        ended = run(argv, cwd=self._work, timeout=LIMIT, env=self._environ, errors=errors)
        if ended.exit_code != 0:
            message = errors.read_text(encoding="utf-8", errors="replace")
            raise Broken(f"`untildone {arguments[0]}` failed: {message[-300:]}")
        return ended.text

    def _script(self, name: str) -> None:
        if (self._folder / name).exists():
            self._run_shell(f'sh "$CASE/{name}"')

    def _run_shell(self, command: str) -> None:
        ended = self._shell(command)
        if ended.exit_code != 0:
            raise Broken(f"`{command}` failed: {ended.text[-300:]}")

    def _shell(self, command: str) -> Finished:
        return run(["sh", "-c", command], cwd=self._work, timeout=LIMIT, env=self._environ)


def _environment(case: Path, tools: Toolbox, box: Path) -> dict[str, str]:
    """Nothing of the caller's but the toolchains."""
    home = box / "home"
    path = (home / ".local" / "bin", *tools.programs, *SYSTEM)
    who = {
        f"GIT_{role}_{part}": "case@localhost"
        for role in ("AUTHOR", "COMMITTER")
        for part in ("NAME", "EMAIL")
    }
    return who | {
        "HOME": str(home),
        "PATH": os.pathsep.join(map(str, path)),
        "LANG": "C.UTF-8",
        "CASE": str(case),
        "WORK": str(box / "repo"),
        "TOOLS": str(tools.folder),
        "BASEPYTHON": os.path.realpath(sys.executable),
        "PYTHONDONTWRITEBYTECODE": "1",
        "CI": "1",
        "NO_COLOR": "1",
        "UNTILDONE_HOME": str(box / "state"),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(Path.home() / ".rustup")),
        "CARGO_HOME": str(home / ".cargo"),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(home / "target"),
        "GOCACHE": str(tools.folder / "gocache"),
        "GOTOOLCHAIN": "local",
        "GOPROXY": "off",
        "GOTELEMETRY": "off",
        "GIT_CONFIG_NOSYSTEM": "1",
        "npm_config_update_notifier": "false",
        "npm_config_cache": str(home / ".npm"),
    }
