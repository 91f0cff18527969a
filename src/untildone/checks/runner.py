"""All checks at once within the cores, each with its own deadline, log and report."""

import os
import re
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.early import early_look
from untildone.checks.memory import Memory
from untildone.checks.output import keep_clean
from untildone.checks.patterns import validate
from untildone.checks.reports import asking, witnessed, written
from untildone.checks.result import Reported, judge_result
from untildone.checks.turns import turns
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.process import argv_of, ending_with_us, environment, run
from untildone.worktree.fingerprint import fingerprint_contents

__all__ = ["Report", "Running", "judge_result", "quiet", "run_checks", "validate"]

Report: TypeAlias = Callable[[Check, CheckResult | None], None]
Early: TypeAlias = Callable[[Check, CheckResult], None]
_CHANGED = "it changed the tree it judged"


class Running(Struct, frozen=True, kw_only=True):
    """Where checks run; `logs` keeps their output, `memory` what they came to before.

    `early` hears what is found before the whole run of a check, which still decides; without
    anybody to hear it, nothing is looked at early. `through` is a program that runs the check in
    its own surroundings, which are `environ`; what it writes into the project is found in `seen`.
    """

    project: Path
    environ: dict[str, str] | None = None
    through: tuple[str, ...] = ()
    seen: Path | None = None
    logs: Path | None = None
    memory: Memory | None = None
    stop: Event | None = None
    early: Early | None = None


def quiet(check: Check, result: CheckResult | None) -> None:
    """The reporter that says nothing."""


def run_checks(
    checks: Sequence[Check], running: Running, *, report: Report = quiet
) -> tuple[CheckResult, ...]:
    """In the order given; `report` hears of each start (None) and each result, from threads."""
    if not checks:
        return ()
    with ending_with_us():
        if running.seen is not None:
            # A copy is thrown away: what a run changes there changes nothing that counts.
            return _all(checks, running, tree="", report=report)
        return _on_one_tree(checks, running, report=report)


def _on_one_tree(
    checks: Sequence[Check], running: Running, *, report: Report
) -> tuple[CheckResult, ...]:
    before = fingerprint_contents(running.project)
    results = _all(checks, running, tree=before.whole, report=report)
    if all(result.cached for result in results):
        return results
    after = fingerprint_contents(running.project)
    # What a run leaves behind beside the recorded files, such as its coverage, is its own affair.
    if after.recorded == before.recorded or _stopped(running):
        return results
    # A formatter that wrote, or somebody at work meanwhile: what counts is the tree as it is now.
    again = _all(checks, running, tree=after.whole, report=report)
    if fingerprint_contents(running.project).recorded == after.recorded or _stopped(running):
        return again
    return tuple(_unsettled(result) for result in again)


def _stopped(running: Running) -> bool:
    return running.stop is not None and running.stop.is_set()


def _unsettled(result: CheckResult) -> CheckResult:
    return replace(result, outcome="no-evidence", reason=_CHANGED) if result.green else result


def _all(
    checks: Sequence[Check], running: Running, *, tree: str, report: Report
) -> tuple[CheckResult, ...]:
    def one(check: Check, log: Path | None, turn: AbstractContextManager[object]) -> CheckResult:
        with turn:
            report(check, None)
            result = _remembered(check, running, tree=tree, log=log)
        report(check, result)
        return result

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return tuple(pool.map(one, checks, _logs(checks, running.logs), turns(checks)))


def _remembered(check: Check, running: Running, *, tree: str, log: Path | None) -> CheckResult:
    memory = running.memory
    if memory is None:
        return _run(check, running, log=log)
    key = memory.key(check, running.project, tree)
    known = memory.green(check, key)
    if known:
        return known
    before = memory.outcome(check, key)
    _look_early(check, running, memory.last(check))
    result = _run(check, running, log=log)
    if {before, result.outcome} == {"green", "red"} and not _stopped(running):
        result = _settled(result, _run(check, running, log=log))
    if not _stopped(running):
        memory.remember(check, key, result)
    return result


def _look_early(check: Check, running: Running, last: CheckResult | None) -> None:
    if running.early is None:
        return
    look = early_look(check, last, running.project)
    found = _run(look, running, log=None) if look else None
    if found and found.outcome == "red" and (found.findings or found.tests):
        running.early(check, found)


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
        path, output = Path(place) / "report.xml", Path(place) / "output"
        environ = environment(running.environ or os.environ) | check.env
        wish = asking(check.command, path, folder=folder, environ=environ)
        if running.environ is not None:
            wish = witnessed(wish, check.command, path)
        finished = run(
            [*running.through, *argv_of(check.command)],
            cwd=folder,
            timeout=check.timeout,
            env=wish.environ,
            log=output,
            stop=running.stop,
        )
        seen = (running.seen or running.project) / check.cwd
        reported = Reported(
            inventory=written(check.command, path, folder=seen),
            expected=wish.expected,
            output=output,
        )
        kept = log if log and _keep(output, log) else None
        return judge_result(
            check,
            finished,
            project=running.project,
            output_path=str(kept) if kept else "",
            reported=reported,
        )


def _keep(output: Path, log: Path) -> bool:
    """The agent is told where it lies: what it may not see is not in it."""
    try:
        keep_clean(output, log)
    except OSError:
        # A full or read-only disk costs the log, never the verdict.
        return False
    return True


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
