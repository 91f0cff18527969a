"""The process that delivers milestones: each receiver has a minute."""

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

SECONDS = 60.0
LOG = "milestones.log"
_LARGEST_LOG = 200_000
_DELIVERY_NAME = re.compile(r"[0-9a-f]{16}\.json")


def deliver(context: Context, name: str, *, seconds: float = SECONDS) -> None:
    """Each file of deliveries is read once, by the first process that finds it."""
    path = context.home / "milestones" / name
    if not _DELIVERY_NAME.fullmatch(name) or not path.is_file():
        return
    deliveries = msgspec.json.decode(path.read_bytes(), type=list[Delivery])
    path.unlink()
    with ThreadPoolExecutor(max_workers=8) as pool:
        lines = list(pool.map(partial(_run_receiver, seconds=seconds), deliveries))
    _append_log(context.home / LOG, [f"{context.now()} {line}\n" for line in lines if line])


def _run_receiver(delivery: Delivery, *, seconds: float) -> str:
    """What went wrong, or an empty text."""
    milestone, happened = delivery.milestone, delivery.happened
    argv = parse_argv(milestone.run)
    data = msgspec.json.encode(happened)
    if milestone.notify:
        argv = [sys.executable, "-I", "-m", "untildone.features.milestones.notify"]
        # On stdin: an address may contain a password, and every user can see arguments.
        data = msgspec.json.encode(delivery)
    project = happened.project if Path(happened.project).is_dir() else os.curdir
    finished = run(
        argv, cwd=project, timeout=seconds, env=filter_environment(os.environ), stdin=data
    )
    what = milestone.run or "notify"
    why = _describe_failure(finished, seconds)
    return f"{happened.loop} {happened.event}: `{what}` {why}" if why else ""


def _describe_failure(finished: Finished, seconds: float) -> str:
    if finished.timed_out:
        return f"did not end within {seconds:g} seconds"
    if finished.exit_code == 0:
        return ""
    last = finished.text.strip().splitlines()[-1:] or [finished.missing]
    return f"ended with {finished.exit_code}: {last[0][:300]}"


def _append_log(path: Path, lines: list[str]) -> None:
    if not lines:
        return
    if path.exists() and path.stat().st_size > _LARGEST_LOG:
        path.unlink()
    with path.open("a", encoding="utf-8", errors="replace") as file:
        file.writelines(lines)
