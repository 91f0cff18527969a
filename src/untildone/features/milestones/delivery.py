"""The detached process that delivers milestones, started as `untildone milestone FILE`.

It runs the user's command, or sends the notification, of each delivery in the file, all at once
and for at most a minute. In quiet hours notifications are kept in files, and one process waits
for the hours to end; if it is killed, the next delivery sends them.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from untildone.config.proposals import load_user_settings
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.milestones.events import Delivery
from untildone.features.milestones.failures import record_results
from untildone.features.milestones.page_link import add_links
from untildone.features.milestones.quiet_hours import is_quiet
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import Finished, run
from untildone.store.durable_files import write_atomically
from untildone.store.lock import LockTimeoutError, hold_lock

TIMEOUT_SECONDS = 60.0
_MAX_OUTPUT_CHARACTERS = 300
_DELIVERY_NAME = re.compile(r"[0-9a-f]{16}\.json")
_KEPT = "quiet-*.json"
_LOOK_EVERY = 30.0


def deliver(
    context: Context,
    name: str,
    *,
    timeout: float = TIMEOUT_SECONDS,
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Run the deliveries in the file of this name, which is removed: each is sent once.

    A name that is not one of ours is ignored, because it comes from a command line.
    """
    path = context.home / "milestones" / name
    if not _DELIVERY_NAME.fullmatch(name):
        return
    due = _take(path)
    if _is_quiet_now(context):
        later = [delivery for delivery in due if delivery.milestone.notify]
        due = [delivery for delivery in due if not delivery.milestone.notify]
        if later:
            kept = path.with_name(f"quiet-{name}")
            write_atomically(kept, msgspec.json.encode(later), keep_previous=False)
    if due:
        record_results(context, send(context, due, timeout=timeout))
    _deliver_kept(context, timeout=timeout, sleep=sleep)


def send(
    context: Context, deliveries: Sequence[Delivery], *, timeout: float = TIMEOUT_SECONDS
) -> list[tuple[Delivery, str]]:
    """Send the deliveries now, all at once; return with each what went wrong, or an empty text."""
    linked = [
        replace(delivery, message=add_links(delivery.message, context.home))
        for delivery in deliveries
    ]
    with ThreadPoolExecutor(max_workers=8) as pool:
        problems = list(pool.map(partial(_run_receiver, timeout=timeout), linked))
    return list(zip(deliveries, problems, strict=True))


def _deliver_kept(context: Context, *, timeout: float, sleep: Callable[[float], object]) -> None:
    """Wait for the quiet hours to end, unless another process does, and send what was kept."""
    folder = context.home / "milestones"
    if not any(folder.glob(_KEPT)):
        return
    with suppress(LockTimeoutError), hold_lock(folder / "quiet.lock", timeout=0):
        # A sleeping machine wakes up later than it should, so the clock is asked again.
        while _is_quiet_now(context):
            sleep(_LOOK_EVERY)
        paths = sorted(folder.glob(_KEPT), key=lambda path: path.stat().st_mtime_ns)
        # Of several events of a loop in the night a receiver gets only the newest.
        newest = {
            (delivery.message.loop, delivery.milestone.notify): delivery
            for path in paths
            for delivery in _take(path)
        }
        if newest:
            record_results(context, send(context, [*newest.values()], timeout=timeout))


def _take(path: Path) -> list[Delivery]:
    """Return the deliveries in the file and remove it; none if another process did."""
    try:
        data = path.read_bytes()
        path.unlink()
    except FileNotFoundError:
        return []
    return msgspec.json.decode(data, type=list[Delivery])


def _is_quiet_now(context: Context) -> bool:
    """Say whether these are quiet hours, by the user's settings as they are now."""
    try:
        hours = load_user_settings(context.home / "config.toml").notify.quiet
    except UserError:
        # The start of a loop and `notify test` report the mistake.
        return False
    return is_quiet(hours, datetime.fromtimestamp(context.clock()).time())  # noqa: DTZ006  the user's own time


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
    failure = _describe_failure(finished, timeout)
    return f"`{milestone.run or 'notify'}` {failure}" if failure else ""


def _describe_failure(finished: Finished, timeout: float) -> str:
    """Return how the process failed, with the last line it printed; empty if it did not."""
    if finished.timed_out:
        return f"did not end within {timeout:g} seconds"
    if finished.exit_code == 0:
        return ""
    last_line = finished.text.strip().splitlines()[-1:] or [finished.missing]
    return f"ended with {finished.exit_code}: {last_line[0][:_MAX_OUTPUT_CHARACTERS]}"
