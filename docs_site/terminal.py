"""A real terminal, tmux's, in which a command runs and whose screen is read with its colours."""

import shlex
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_ROWS = 120


def record_commands(
    commands: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    columns: int = 90,
    timeout: float = 180,
) -> str:
    """Type the commands one after another and return the screen, each behind its prompt."""
    lines = [f"printf '$ %s\\n' {shlex.quote(command)}; {command}; echo" for command in commands]
    with tempfile.TemporaryDirectory(prefix="untildone-scene-") as name:
        folder = Path(name)
        ended = folder / "ended"
        script = folder / "script"
        text = "\n".join((*lines, f": > {shlex.quote(str(ended))}", "exec sleep 600"))
        script.write_text(text, encoding="utf-8")
        variables = [f"{name}={value}" for name, value in environ.items()]
        size = ("-x", str(columns), "-y", str(_ROWS))
        start = ("new-session", "-d", *size, "-c", str(cwd))
        try:
            _tmux(folder, *start, "env", "-i", *variables, "TERM=tmux-256color", "sh", str(script))
            _wait_for(ended, timeout)
            return trim_screen(_tmux(folder, "capture-pane", "-p", "-e"))
        finally:
            _tmux(folder, "kill-server", check=False)


def trim_screen(screen: str) -> str:
    """Return the screen without the empty lines below its text."""
    return screen.rstrip("\n ") + "\n"


def _wait_for(file: Path, timeout: float) -> None:
    deadline = time.monotonic() + timeout
    while not file.exists():
        if time.monotonic() > deadline:
            raise TimeoutError(f"the scene did not end within {timeout:.0f} s")
        time.sleep(0.1)


def _tmux(folder: Path, *arguments: str, check: bool = True) -> str:
    argv = ["tmux", "-S", str(folder / "tmux"), "-f", "/dev/null", "-u", *arguments]
    return subprocess.run(argv, check=check, capture_output=True, text=True).stdout
