"""All checks at once within the cores, each with its own deadline and log."""

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import TypeAlias

from untildone.checks.output import clean
from untildone.checks.patterns import validate
from untildone.checks.result import judge_result
from untildone.loop.model import Check, CheckResult
from untildone.process import argv_of, environment, run

__all__ = ["Report", "judge_result", "quiet", "run_checks", "validate"]

Report: TypeAlias = Callable[[Check, CheckResult | None], None]


def quiet(check: Check, result: CheckResult | None) -> None:
    """The reporter that says nothing."""


def run_checks(
    checks: Sequence[Check],
    *,
    project: Path,
    log_folder: Path | None,
    report: Report = quiet,
    stop: Event | None = None,
) -> tuple[CheckResult, ...]:
    """In the order given; `report` hears of each start (None) and each result, from threads."""
    logs = _logs(checks, log_folder)

    def one(check: Check, log: Path | None) -> CheckResult:
        report(check, None)
        result = _run(check, project=project, log=log, stop=stop)
        report(check, result)
        return result

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return tuple(pool.map(one, checks, logs))


def _run(check: Check, *, project: Path, log: Path | None, stop: Event | None) -> CheckResult:
    finished = run(
        argv_of(check.command),
        cwd=project / check.cwd,
        timeout=check.timeout,
        env=environment(os.environ),
        log=log,
        stop=stop,
    )
    if log:
        _clean_log(log)
    return judge_result(check, finished, project=project, output_path=str(log) if log else "")


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
