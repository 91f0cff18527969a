"""The real Claude Code client as a user sees it: interactive, in a tmux of its own."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from client.harness import Client, missing
from client.processes import kill_tree

READY = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
_BUSY = "esc to interrupt"


class Terminal:
    """`claude` in a terminal of 60 lines; leaving the context ends client and tmux."""

    def __init__(self, client: Client, *arguments: str, columns: int = 140) -> None:
        if shutil.which("tmux") is None:
            missing("`tmux` is not installed")
        self._client = client
        self._argv = [str(client.binary), *arguments]
        # A socket's path may have about 100 characters: too few for a test's own folder.
        self._folder = Path(tempfile.mkdtemp(prefix="untildone-"))
        self._pane = 0
        self._columns = columns

    def __enter__(self) -> Self:
        variables = [f"{name}={value}" for name, value in self._client.environment.items()]
        size = ("-x", str(self._columns), "-y", "60")
        project = str(self._client.project)
        pane = self._tmux(
            *("new-session", "-d", "-P", "-F", "#{pane_pid}", *size, "-c", project),
            *("env", "-i", *variables, *self._argv),
        )
        self._pane = int(pane)
        self._tmux("set-option", "-g", "remain-on-exit", "on")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        kill_tree(self._pane)
        self._tmux("kill-server", check=False)
        shutil.rmtree(self._folder)

    @property
    def pid(self) -> int:
        """The client's process: `env` became it."""
        return self._pane

    def screen(self, *, history: bool = False, colours: bool = False) -> str:
        """The visible text; with `history` also what scrolled away, with `colours` its codes."""
        scrolled = ("-S", "-") if history else ()
        return self._tmux("capture-pane", "-p", *scrolled, *(("-e",) if colours else ()))

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", "--", text)

    def press(self, *keys: str) -> None:
        """Keys by tmux's names: `Enter`, `Escape`, `C-c`, `Up`."""
        self._tmux("send-keys", *keys)

    def submit(self, text: str) -> None:
        """Types `text` into the prompt and sends it once it stands there."""
        self.type(text)
        self.wait_for(text[:60])
        self.press("Enter")

    def wait_until_ready(self, timeout: float = 20) -> None:
        self.wait_for(READY, timeout=timeout)

    def wait_for(self, text: str, *, timeout: float = 40) -> str:
        """The screen as soon as it shows `text`."""
        deadline = time.monotonic() + timeout
        while text not in (screen := self.screen()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {text!r} within {timeout} s on this screen:\n{screen}")
            time.sleep(0.05)
        return screen

    def wait_until_idle(self, *, timeout: float = 15) -> None:
        """Until the client waits for the user again."""
        deadline = time.monotonic() + timeout
        while _BUSY in (screen := self.screen()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"still busy after {timeout} s on this screen:\n{screen}")
            time.sleep(0.05)

    def _tmux(self, *arguments: str, check: bool = True) -> str:
        argv = ["tmux", "-S", str(self._folder / "tmux"), "-f", "/dev/null", "-u", *arguments]
        return subprocess.run(argv, check=check, capture_output=True, text=True).stdout
