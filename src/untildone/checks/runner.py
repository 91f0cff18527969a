"""All checks at once within the cores, each with its own deadline, log and report."""

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.content import content_of
from untildone.checks.memory import Memory
from untildone.checks.output import clean
from untildone.checks.patterns import validate
from untildone.checks.reports import asking, can_report, written
from untildone.checks.result import Reported, judge_result
from untildone.loop.model import Check, CheckResult
from untildone.process import argv_of, environment, run

__all__ = ["Report", "Running", "judge_result", "quiet", "run_checks", "validate"]

Report: TypeAlias = Callable[[Check, CheckResult | None], None]
_CHANGED = "it changed the tree it judged"


class Running(Struct, frozen=True, kw_only=True):
    """Where checks run; `logs` keeps their output, `memory` what they came to before."""

    project: Path
    logs: Path | None = None
    memory: Memory | None = None
    stop: Event | None = None


def quiet(check: Check, result: CheckResult | None) -> None:
    """The reporter that says nothing."""


def run_checks(
    checks: Sequence[Check], running: Running, *, report: Report = quiet
) -> tuple[CheckResult, ...]:
    """In the order given; `report` hears of each start (None) and each result, from threads."""
    if not checks:
        return ()
    before = content_of(running.project)
    results = _all(checks, running, tree=before.whole, report=report)
    after = content_of(running.project)
    # What a run leaves behind beside the recorded files, such as its coverage, is its own affair.
    if after.recorded == before.recorded or _stopped(running):
        return results
    # A formatter that wrote, or somebody at work meanwhile: what counts is the tree as it is now.
    again = _all(checks, running, tree=after.whole, report=report)
    if content_of(running.project).recorded == after.recorded or _stopped(running):
        return again
    return tuple(_unsettled(result) for result in again)


def _stopped(running: Running) -> bool:
    return running.stop is not None and running.stop.is_set()


def _unsettled(result: CheckResult) -> CheckResult:
    return replace(result, outcome="no-evidence", reason=_CHANGED) if result.green else result


def _all(
    checks: Sequence[Check], running: Running, *, tree: str, report: Report
) -> tuple[CheckResult, ...]:
    def one(check: Check, log: Path | None) -> CheckResult:
        report(check, None)
        result = _remembered(check, running, tree=tree, log=log)
        report(check, result)
        return result

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return tuple(pool.map(one, checks, _logs(checks, running.logs)))


def _remembered(check: Check, running: Running, *, tree: str, log: Path | None) -> CheckResult:
    memory = running.memory
    if memory is None:
        return _run(check, running, log=log)
    key = memory.key(check, running.project, tree)
    known = memory.green(check, key)
    if known:
        return known
    before = memory.outcome(check, key)
    result = _run(check, running, log=log)
    if {before, result.outcome} == {"green", "red"} and not _stopped(running):
        result = _settled(result, _run(check, running, log=log))
    if not _stopped(running):
        memory.remember(check, key, result)
    return result


def _settled(first: CheckResult, second: CheckResult) -> CheckResult:
    """The same tree gave another answer before: believed if it gives it twice."""
    if first.outcome == second.outcome:
        return second
    reason = "green and red on the same tree: run it alone until it is one of them"
    shown = first if second.green else second
    return replace(shown, outcome="flaky", reason=reason)


def _run(check: Check, running: Running, *, log: Path | None) -> CheckResult:
    folder = running.project / check.cwd
    with tempfile.TemporaryDirectory(prefix="untildone-", ignore_cleanup_errors=True) as place:
        path = Path(place) / "report.xml"
        finished = run(
            argv_of(check.command),
            cwd=folder,
            timeout=check.timeout,
            env=asking(check.command, path, folder, environment(os.environ) | check.env),
            log=log,
            stop=running.stop,
        )
        report = written(path)
    if log:
        _clean_log(log)
    return judge_result(
        check,
        finished,
        project=running.project,
        output_path=str(log) if log else "",
        reported=Reported(inventory=report, possible=can_report(check.command)),
    )


def _clean_log(log: Path) -> None:
    """The agent is told where it lies: what it may not see is not in it."""
    try:
        text = log.read_bytes().decode("utf-8", "replace")
        log.write_text(clean(text, environ=os.environ), encoding="utf-8", errors="replace")
    except OSError:
        log.unlink(missing_ok=True)


def _logs(checks: Sequence[Check], folder: Path | None) -> list[Path | None]:
    if folder is None:
        return [None] * len(checks)
    folder.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    for check in checks:
        safe = re.sub(r"[^A-Za-z0-9._-]+", "-", check.name).strip(".-")[:80] or "check"
        # Two names may become one: `lint:ruff` and `lint/ruff`.
        names.append(safe if safe not in names else f"{safe}-{len(names)}")
    return [folder / f"{name}.log" for name in names]
