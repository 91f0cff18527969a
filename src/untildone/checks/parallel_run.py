"""Runs checks in parallel, each with its own deadline, log and test report."""

import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Event, Lock
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.clean_output import write_clean_copy
from untildone.checks.preview import make_preview
from untildone.checks.reports import load_report, request_report
from untildone.checks.result import RunArtifacts, judge_result
from untildone.checks.result_cache import ResultCache
from untildone.commands.programs import find_programs
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import end_runs_on_signal, run
from untildone.worktree.fingerprint import fingerprint_contents

ProgressCallback: TypeAlias = Callable[[Check, CheckResult | None], None]
PreviewCallback: TypeAlias = Callable[[Check, CheckResult], None]
_TREE_CHANGED = "it changed the tree it judged"
# Other tools lock their folder themselves, or build into a folder of their own.
_BUILDERS = frozenset(
    (
        *("make", "gmake", "cmake", "ctest", "ninja", "mvn", "mvnw", "mvnd"),
        # Gradle waits for its own lock, but then the reports of the other run look like new ones.
        *("gradle", "gradlew"),
    )
)


class RunOptions(Struct, frozen=True, kw_only=True):
    """Where and how checks run.

    `logs` is the folder for their output. `on_preview` receives failures of a preview before the
    whole run, which still decides; without it there is no preview. In a sandbox `wrapper_argv`
    is the program that enters it, `environ` the environment there, and `written_project` the
    folder in which this process finds what the checks write into the project.
    """

    project: Path
    environ: dict[str, str] | None = None
    wrapper_argv: tuple[str, ...] = ()
    written_project: Path | None = None
    logs: Path | None = None
    cache: ResultCache | None = None
    stop: Event | None = None
    on_preview: PreviewCallback | None = None

    @property
    def stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()


def ignore_progress(check: Check, result: CheckResult | None) -> None:
    pass


def run_checks(
    checks: Sequence[Check], options: RunOptions, *, report: ProgressCallback = ignore_progress
) -> tuple[CheckResult, ...]:
    """Run the checks and return their results in the same order.

    `report` is called from threads, at the start of each check (with None) and with its result.
    """
    if not checks:
        return ()
    with end_runs_on_signal():
        if options.written_project is not None:
            # A sandbox is thrown away, so a check may change the tree there.
            return _run_all(checks, options, tree="", report=report)
        return _run_on_settled_tree(checks, options, report=report)


def _run_on_settled_tree(
    checks: Sequence[Check], options: RunOptions, *, report: ProgressCallback
) -> tuple[CheckResult, ...]:
    """Run the checks, and again if the tree changed; green counts on a settled tree only."""
    before = fingerprint_contents(options.project)
    results = _run_all(checks, options, tree=before.all_files, report=report)
    if all(result.cached for result in results):
        return results
    after = fingerprint_contents(options.project)
    # Only tracked files count: a run may leave others behind, such as its coverage data.
    if after.tracked_files == before.tracked_files or options.stopped:
        return results
    # A formatter changed files, or somebody edited them: the current tree is what counts.
    rerun = _run_all(checks, options, tree=after.all_files, report=report)
    if (
        fingerprint_contents(options.project).tracked_files == after.tracked_files
        or options.stopped
    ):
        return rerun
    return tuple(
        replace(result, outcome="no-evidence", reason=_TREE_CHANGED) if result.green else result
        for result in rerun
    )


def _run_all(
    checks: Sequence[Check], options: RunOptions, *, tree: str, report: ProgressCallback
) -> tuple[CheckResult, ...]:
    def run_one(
        check: Check, log: Path | None, lock: AbstractContextManager[object]
    ) -> CheckResult:
        with lock:
            report(check, None)
            result = _run_cached(check, options, tree=tree, log=log)
        report(check, result)
        return result

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return tuple(
            pool.map(run_one, checks, _choose_logs(checks, options.logs), assign_locks(checks))
        )


def _run_cached(check: Check, options: RunOptions, *, tree: str, log: Path | None) -> CheckResult:
    """Return a known green result for this tree, or run the check and store its result."""
    cache = options.cache
    if cache is None:
        return _run(check, options, log=log)
    key = cache.make_key(check, options.project, tree)
    entries = cache.load(check)
    cached_result = next((entry.result for entry in entries if entry.key == key), None)
    if cached_result and cached_result.green and cache.serve_green:
        return replace(cached_result, cached=True)
    _run_preview(check, options, entries[-1].result if entries else None)
    result = _run(check, options, log=log)
    contradicts = cached_result is not None and {cached_result.outcome, result.outcome} == {
        "green",
        "red",
    }
    if contradicts and not options.stopped:
        result = _compare_runs(result, _run(check, options, log=log))
    if not options.stopped:
        cache.store(check, key, result)
    return result


def _run_preview(check: Check, options: RunOptions, last_run: CheckResult | None) -> None:
    if options.on_preview is None:
        return
    preview = make_preview(check, last_run, options.project)
    result = _run(preview, options, log=None) if preview else None
    # A failure without details would not help the agent.
    if result and result.outcome == "red" and (result.findings or result.tests):
        options.on_preview(check, result)


def _compare_runs(first: CheckResult, second: CheckResult) -> CheckResult:
    """Return the result of two runs, the first of which contradicts the cache: it may be flaky."""
    if first.outcome == second.outcome:
        return second
    reason = "green and red on the same tree: run it alone until it is one of them"
    return replace(first if second.green else second, outcome="flaky", reason=reason)


def _run(check: Check, options: RunOptions, *, log: Path | None) -> CheckResult:
    folder = options.project / check.cwd
    with tempfile.TemporaryDirectory(prefix="untildone-", ignore_cleanup_errors=True) as temporary:
        path, output = Path(temporary) / "report.xml", Path(temporary) / "output"
        environ = filter_environment(options.environ or os.environ) | check.env
        is_sandbox = options.environ is not None
        request = request_report(
            check.command, path, folder=folder, environ=environ, in_sandbox=is_sandbox
        )
        finished = run(
            [*options.wrapper_argv, *parse_argv(check.command)],
            cwd=folder,
            timeout=check.timeout,
            env=request.environ,
            log=output,
            stop=options.stop,
        )
        written = (options.written_project or options.project) / check.cwd
        return judge_result(
            check,
            finished,
            project=options.project,
            output_path=str(log) if log and _write_log(output, log) else "",
            artifacts=RunArtifacts(
                report=load_report(check.command, path, folder=written),
                report_expected=request.expected,
                output=output,
            ),
        )


def _write_log(output: Path, log: Path) -> bool:
    """Say whether a copy without secrets could be written; the agent reads it."""
    try:
        write_clean_copy(output, log)
    except OSError:
        # A full or read-only disk costs the log, never the verdict.
        return False
    return True


def _choose_logs(checks: Sequence[Check], folder: Path | None) -> list[Path | None]:
    if folder is None:
        return [None] * len(checks)
    folder.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    for check in checks:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", check.name).strip(".-")[:80] or "check"
        # Two names may become one: `lint:ruff` and `lint/ruff`.
        names.append(name if name not in names else f"{name}-{len(names)}")
    return [folder / f"{name}.log" for name in names]


def assign_locks(checks: Sequence[Check]) -> list[AbstractContextManager[object]]:
    """Return the lock for each check to hold while it runs."""
    folders: dict[str, Lock] = defaultdict(Lock)
    return [
        nullcontext() if _BUILDERS.isdisjoint(find_programs(check.command)) else folders[check.cwd]
        for check in checks
    ]
