"""A client on a screen that a user types at."""

import shlex
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clients.machine import ClientMachine


class Terminal:
    """The client in `tmux`; what is typed first waits for its greeting."""

    def __init__(
        self, machine: "ClientMachine", program: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        self._environ = {**machine.environment, **variables}
        self._socket = str(machine.home / "tmux")
        size = ("-x", "150", "-y", "45")
        folder = str(machine.project)
        command = shlex.join(program)
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "-c", folder, command)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)
        self.wait_for(text[:20])
        # Keys that follow each other at once are pasted text to the client, Enter included.
        time.sleep(1)
        self.press("Enter")

    def press(self, key: str) -> None:
        """A key by the name that `tmux` has for it."""
        self._tmux("send-keys", key)

    def read(self) -> str:
        return self._tmux("capture-pane", "-p", "-J")

    def wait_for(self, text: str, *, seconds: float = 40) -> None:
        end = time.monotonic() + seconds
        while text not in self.read():
            assert time.monotonic() < end, self.read()
            time.sleep(0.2)

    def close(self) -> None:
        self._tmux("kill-server")

    def _tmux(self, *arguments: str) -> str:
        argv = ["tmux", "-S", self._socket, *arguments]
        done = subprocess.run(
            argv, env=self._environ, capture_output=True, text=True, timeout=20, check=False
        )
        return done.stdout
