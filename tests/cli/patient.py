"""A machine that can be made ill, and what the doctor says of it."""

import json
import subprocess
from pathlib import Path
from typing import Any, TypeAlias

from cli.world import Terminal
from client.world import ClientWorld

Found: TypeAlias = tuple[int, list[tuple[str, str, str, str]]]


class Patient(ClientWorld):
    """A machine whose environment can be made ill too."""

    extra: dict[str, str]

    def __init__(
        self, folder: Path, *, install: str = "settings", terminal: Terminal | None = None
    ) -> None:
        self.extra = {}
        self.terminal = terminal
        super().__init__(folder, install=install)

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **self.extra}

    def untildone(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """In this process where a terminal was given, which is quicker."""
        if self.terminal is None:
            return super().untildone(*arguments, check=check)
        code, stdout, stderr = self.terminal(arguments, self.environment, self.project)
        assert not check or code == 0, stderr
        return subprocess.CompletedProcess(arguments, code, stdout, stderr)

    @property
    def settings(self) -> Path:
        return self.home / ".claude" / "settings.json"

    def change(self, old: str, new: str) -> None:
        text = self.settings.read_text(encoding="utf-8")
        assert old in text
        self.settings.write_text(text.replace(old, new), encoding="utf-8")

    def findings(self) -> Found:
        done = self.untildone("doctor", "--json", check=False)
        assert done.stderr == ""
        report: dict[str, Any] = json.loads(done.stdout)
        assert report["ok"] is (done.returncode == 0)
        fields = ("level", "name", "text", "mend")
        found = [tuple(each[field] for field in fields) for each in report["findings"]]
        # What file system the tests run on is not their subject.
        return done.returncode, [each for each in found if "after a restart" not in each[2]]


def error(name: str, text: str, mend: str) -> Found:
    return 1, [("error", name, text, mend)]


def note(name: str, text: str, mend: str = "") -> Found:
    return 0, [("note", name, text, mend)]
