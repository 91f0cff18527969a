"""A user's machine, and on it a project, its state folder and one session of an agent."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from untildone.app import open_context
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check, Contract
from untildone.core.criteria import apply_amendments
from untildone.core.progress import Progress
from untildone.core.sandbox_trial import Wall, WallTrial
from untildone.engine import prompt, stop
from untildone.engine.baseline_results import save_baseline_results
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request, name_checks
from untildone.engine.verbs import change_loop
from untildone.store.loops import Record
from untildone.store.sessions import Session

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
OTHER_SESSION = "5f0c2a9e-0000-4000-8000-00000000000b"
ENVIRON = {
    "PATH": os.environ["PATH"],
    "AI_AGENT": "claude-code_2-1-325_harness",
    "CLAUDE_CODE_SESSION_ID": SESSION,
}
# Whether a user types in the session, as the client says it.
ATTENDED = "CLAUDE_CODE_SESSION_ATTENDED"
# The check of a loop unless a test names others: red until `World.finish`.
CHECK = "test -f done.txt"
RED_BASELINE = CheckResult(name="check", command=CHECK, outcome="red", exit_code=1)
GIT_IDENTITY = {
    f"GIT_{who}_{what}": "a@example.org"
    for who in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


# The checks of the baseline were red, are run now, or were not run.
Baseline: TypeAlias = Literal["red", "run", "none"]


class Machine:
    """Folders of a user: `project` is where the agent works; nothing is installed."""

    def __init__(self, folder: Path, *, project: str = "project") -> None:
        self.folder = folder
        self.project = folder / project
        self.project.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, text: str) -> Path:
        """Write a file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_all(self, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            self.write(name, text)

    def read(self, name: str) -> str:
        return (self.project / name).read_text(encoding="utf-8")

    def git(self, *arguments: str) -> str:
        """What git prints in the project, without the settings of whoever runs the tests."""
        settings = {"HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *arguments],
            cwd=self.project,
            env={"PATH": os.environ["PATH"], **settings, **GIT_IDENTITY},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()


class World(Machine):
    """One session whose events are answered in this process; `loop` is the loop in it.

    A test may change `environ` (what the client sets) and `message` (what the agent says last at
    each stop).
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.state_folder = folder / "state"
        self.environ = dict(ENVIRON)
        self.message = ""
        self.loop = ""
        # Whether `stop` returns what the agent reads in the file that an answer names.
        self.reads_feedback = False

    @property
    def context(self) -> Context:
        return open_context(self.environ, home=str(self.state_folder))

    @property
    def session(self) -> Session:
        return self.context.session(SESSION)

    def start(
        self,
        *,
        baseline: Baseline = "red",
        **fields: Any,  # noqa: ANN401  any field of a request
    ) -> Record:
        """Start a loop, by default with the one red check."""
        request = self.request(**fields)
        record = begin_loop(self.context, request)
        self.loop = record.contract.id
        if request.checks and baseline == "red":
            self.save_baseline(RED_BASELINE)
        elif baseline == "run":
            self.save_baseline(*run_checks(request.checks, RunOptions(project=self.project)))
        return record

    def start_check(
        self,
        command: str,
        *,
        allow: tuple[str, ...] = (),
        oracle: Path | None = None,
        **check: Any,  # noqa: ANN401  any field of a check
    ) -> Record:
        """Start a loop with one check, which is run for the baseline."""
        checks = (Check(name="check", command=command, **check),)
        return self.start(baseline="run", checks=checks, allow=allow, oracle=oracle, task="")

    def request(self, **fields: Any) -> Request:  # noqa: ANN401  any field of a request
        defaults = {"checks": name_checks((CHECK,)), "task": "do it"}
        return Request(session=SESSION, project=self.project, **{**defaults, **fields})

    def save_baseline(self, *results: CheckResult) -> None:
        save_baseline_results(self.context, self.loop, results)

    def set_walls(self, *walls: Wall) -> None:
        """Wall the loop's sandboxes like this, as if that had been tried out."""
        trial = WallTrial(works=True, walls=walls)
        change_loop(
            self.context,
            self.loop,
            lambda record: replace(record.progress, sandbox=trial),
            kind="sandbox",
        )

    def finish(self) -> None:
        """Do what the default check asks for."""
        self.write("done.txt", "")

    def call(self, event: str, *, source: str = "settings", **payload: object) -> Call:
        call = Call(event, "claude", source, str(self.state_folder))
        call.environ = self.environ
        fields = {"session_id": SESSION, "cwd": str(self.project), "prompt_id": "p1"}
        call.data = {**fields, **payload}
        return call

    def stop(self, source: str = "settings", *, fault: str = "", **payload: object) -> Any:  # noqa: ANN401
        """The answer to a stop, None if there is none; `fault` is why its payload is unreadable."""
        said = {"last_assistant_message": self.message} if self.message else {}
        fields = {"stop_hook_active": False, **said, **payload}
        call = self.call("Stop", source=source, **fields)
        if fault:
            call.fault, call.data = fault, {}
        answer = _decode(stop.answer_stop(self.context, call))
        return self._follow_pointer(answer) if self.reads_feedback and answer else answer

    def _follow_pointer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer with the text of the file that it tells the agent to read."""
        pointer = re.search(r"Read `(.+?)` and go on", shown(answer))
        if pointer is None:
            return answer
        text = (self.project / pointer[1]).read_text(encoding="utf-8")
        return {**answer, "hookSpecificOutput": {"additionalContext": text}}

    def prompt(self, text: str, prompt_id: str = "p1") -> Any:  # noqa: ANN401  whatever is answered
        """The answer to what the user types, None if there is none."""
        call = self.call("UserPromptSubmit", prompt=text, prompt_id=prompt_id)
        return _decode(prompt.answer_prompt(self.context, call))

    def follow_session(self) -> str:
        """Make `loop` the loop that the session has now, if it has one."""
        self.loop = self.session.get_loop_id() or self.loop
        return self.loop

    @property
    def loop_folder(self) -> Path:
        return self.context.loops.get_folder(self.loop)

    @property
    def record(self) -> Record:
        return self.context.loops.load(self.loop)

    @property
    def contract(self) -> Contract:
        """The contract with all amendments."""
        return apply_amendments(self.record.contract, self.record.progress.amendments)

    @property
    def progress(self) -> Progress:
        return self.record.progress

    def state(self) -> tuple[str, str | None, int]:
        """Status, outcome and round."""
        progress = self.progress
        return progress.status, progress.outcome, progress.round

    @property
    def outcome(self) -> str | None:
        return self.progress.outcome

    @property
    def concerns(self) -> list[str]:
        """The concerns that were reported, without the digest of what they are about."""
        return [concern.partition("#")[0] for concern in self.progress.reported_concerns]

    @property
    def receipt(self) -> dict[str, Any]:
        text = (self.loop_folder / "receipt.json").read_text(encoding="utf-8")
        return dict(json.loads(text))


def shown(answer: dict[str, Any] | None) -> str:
    """The text that an answer shows to the agent, or to the user where the agent is let go."""
    if answer is None:
        return ""
    to_agent = answer.get("hookSpecificOutput", {}).get("additionalContext")
    return str(to_agent or answer.get("systemMessage", ""))


def _decode(answer: str) -> Any:  # noqa: ANN401  whatever is answered
    return json.loads(answer) if answer else None
