"""The detached process that delivers milestones, started as `untildone milestone FILE`.

It runs the user's command, or sends the notification, of each delivery in the file, all at once
and for at most a minute, and writes failures to `milestones.log` in our home folder.
"""

import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import msgspec

from untildone.engine.context import Context
from untildone.features.milestones.milestones import Delivery
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import Finished, run

TIMEOUT_SECONDS = 60.0
LOG_FILE = "milestones.log"
_MAX_LOG_BYTES = 200_000
_MAX_OUTPUT_CHARACTERS = 300
_DELIVERY_NAME = re.compile(r"[0-9a-f]{16}\.json")


def deliver(context: Context, name: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
    """Run the deliveries in the file of this name, which is removed: each is sent once.

    A name that is not one of ours is ignored, because it comes from a command line.
    """
    path = context.home / "milestones" / name
    if not _DELIVERY_NAME.fullmatch(name) or not path.is_file():
        return
    deliveries = msgspec.json.decode(path.read_bytes(), type=list[Delivery])
    path.unlink()
    with ThreadPoolExecutor(max_workers=8) as pool:
        lines = list(pool.map(partial(_run_receiver, timeout=timeout), deliveries))
    _append_log(context.home / LOG_FILE, [f"{context.now()} {line}\n" for line in lines if line])


def _run_receiver(delivery: Delivery, *, timeout: float) -> str:
    """Run the command or the notification; return what went wrong, or an empty text."""
    milestone, message = delivery.milestone, delivery.message
    argv = parse_argv(milestone.run)
    stdin = msgspec.json.encode(message)
    if milestone.notify:
        argv = [sys.executable, "-I", "-m", "untildone.features.milestones.notify"]
        # On stdin: an address may contain a password, and every user can see arguments.
        stdin = msgspec.json.encode(delivery)
    project = message.project if Path(message.project).is_dir() else os.curdir
    finished = run(
        argv, cwd=project, timeout=timeout, env=filter_environment(os.environ), stdin=stdin
    )
    receiver = milestone.run or "notify"
    failure = _describe_failure(finished, timeout)
    return f"{message.loop} {message.event}: `{receiver}` {failure}" if failure else ""


def _describe_failure(finished: Finished, timeout: float) -> str:
    """Return how the process failed, with the last line it printed; empty if it did not."""
    if finished.timed_out:
        return f"did not end within {timeout:g} seconds"
    if finished.exit_code == 0:
        return ""
    last_line = finished.text.strip().splitlines()[-1:] or [finished.missing]
    return f"ended with {finished.exit_code}: {last_line[0][:_MAX_OUTPUT_CHARACTERS]}"


def _append_log(path: Path, lines: list[str]) -> None:
    """Append the lines; a log that has become too large is started anew."""
    if not lines:
        return
    if path.exists() and path.stat().st_size > _MAX_LOG_BYTES:
        path.unlink()
    with path.open("a", encoding="utf-8", errors="replace") as file:
        file.writelines(lines)
