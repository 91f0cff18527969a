"""A stop that is judged in a process of its own, by a check that takes its time."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.world import CommandLine
from untildone.store.sessions import Session
from world import SESSION

# Seconds until what is asked for must have happened.
PATIENCE = 30
# Run by `sh`, which is the client: it starts the hook and waits for it.
CLIENT = "untildone hook Stop --agent claude <payload.json >answer.json & wait"


class SlowStop:
    """A session whose client waits for the Stop hook, which runs a check of 20 seconds."""

    def __init__(self, cli: CommandLine) -> None:
        self.cli = cli
        self.transcript = cli.folder / "transcript.jsonl"
        self.transcript.touch()
        cli.run("init")
        cli.event("SessionStart", source="startup", transcript_path=str(self.transcript))
        self.loop = cli.start("--check", "test -f done.txt || sleep 20")
        self.session = Session(str(cli.state_folder), "claude", SESSION)
        self.client: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        fields = {"session_id": SESSION, "cwd": str(self.cli.project), "prompt_id": "p1"}
        payload = {**fields, "transcript_path": str(self.transcript)}
        folder = self.cli.folder
        (folder / "payload.json").write_text(json.dumps(payload), encoding="utf-8")
        self.client = subprocess.Popen(
            ["sh", "-c", CLIENT],
            cwd=folder,
            env={**self.cli.environ, "CLAUDE_CODE_SESSION_ID": SESSION},
        )
        facts = self.session.read_json("session.json")
        self.session.write_json("session.json", {**facts, "process": str(self.client.pid)})

    def wait_until(self, is_so: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait without a command in this process, which would make the hook one of a check."""
        end = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < end
            time.sleep(0.05)

    @property
    def hook(self) -> int:
        return int(self.session.read("judging"))

    def send(self, number: signal.Signals) -> None:
        """Send the hook a signal and wait for its end."""
        os.kill(self.hook, number)
        self.wait_for_answer()

    def wait_for_answer(self, seconds: float = PATIENCE) -> str:
        """What the hook has answered, within this time."""
        assert self.client
        self.client.wait(timeout=seconds)
        return (self.cli.folder / "answer.json").read_text(encoding="utf-8")

    def end(self) -> None:
        assert self.client
        if self.client.poll() is None:
            self.send(signal.SIGTERM)

    def record(self, **entry: object) -> None:
        """Append to the client's transcript."""
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def read_status_line(self) -> str:
        fields = {"session_id": SESSION, "cwd": str(self.cli.project)}
        done = self.cli.untildone(
            "hook", "StatusLine", "--agent", "claude", stdin=json.dumps(fields)
        )
        return done.stdout.strip()

    @property
    def status(self) -> Any:  # noqa: ANN401  JSON
        return self.cli.json("show", self.loop)["status"]

    @property
    def receipt(self) -> str:
        folder = self.cli.state_folder / "loops" / self.loop
        return Path(folder, "receipt.md").read_text(encoding="utf-8")
