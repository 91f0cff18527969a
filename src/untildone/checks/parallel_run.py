"""Runs checks in parallel, each with its own deadline, log and test report."""

import os
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from threading import Event, Lock
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.check_order import find_prerequisites, sort_by_prerequisites
from untildone.checks.checking_command import make_checking_check
from untildone.checks.clean_output import write_clean_copy
from untildone.checks.edited_files import CheckedTree, blame_checks, describe_change
from untildone.checks.preview import make_preview
from untildone.checks.reports import load_report, request_report
from untildone.checks.result import RunArtifacts, judge_result
from untildone.checks.result_cache import CachedRun, ResultCache
from untildone.commands.programs import find_programs
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import (
    DEFAULT_RULES,
    TimeRules,
    explain_time_out,
    find_time_limit,
)
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import end_runs_on_signal, run
from untildone.worktree.fingerprint import Contents, read_contents

ProgressCallback: TypeAlias = Callable[[Check, CheckResult | None], None]
# Called from threads with each chunk that a check prints.
CheckOutputCallback: TypeAlias = Callable[[Check, bytes], None]
PreviewCallback: TypeAlias = Callable[[Check, CheckResult], None]
# Called with the fingerprint of the tree that the results are about.
TreeCallback: TypeAlias = Callable[[str], None]
# After a contradiction on one tree, so many equal runs in a row are believed.
_GREEN_RUNS = 3
_RED_RUNS = 2
_MOST_NAMED = 3
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

    `cache` replaces runs and remembers them. Without it `history` may still tell how long the
    checks took, from which `time_rules` derive their limits.
    """

    project: Path
    environ: dict[str, str] | None = None
    wrapper_argv: tuple[str, ...] = ()
    written_project: Path | None = None
    # A folder for reports that is the same inside and outside; None: any temporary folder is.
    exchange_folder: Path | None = None
    logs: Path | None = None
    cache: ResultCache | None = None
    history: ResultCache | None = None
    time_rules: TimeRules = DEFAULT_RULES
    stop: Event | None = None
    on_preview: PreviewCallback | None = None
    on_output: CheckOutputCallback | None = None
    on_tree: TreeCallback | None = None
    # Whether a green result stands while only packages change that its own does not use.
    by_package: bool = False

    @property
    def stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    def load_past_runs(self, check: Check) -> list[CachedRun]:
        """Return the remembered runs of the check, the newest at the end."""
        source = self.cache or self.history
        return source.load(check) if source else []


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
            return _run_all(checks, options, read_tree=lambda _: "", report=report)[0]
        return _run_on_settled_tree(checks, options, report=report)


def _run_on_settled_tree(
    checks: Sequence[Check], options: RunOptions, *, report: ProgressCallback
) -> tuple[CheckResult, ...]:
    """Run the checks, and again if the tree changed; green counts on a settled tree only."""
    before = read_contents(options.project)
    read_tree = _make_tree_reader(checks, options, before)
    results, spans = _run_all(checks, options, read_tree=read_tree, report=report)
    if all(result.cached for result in results):
        _report_tree(options, before)
        return results
    first = _compare(options, before, spans)
    if not first.edited or options.stopped:
        _report_tree(options, first.after)
        return results
    blamed = blame_checks(checks, first)
    _forget_green_runs([checks[index] for index in blamed], options, read_tree)
    # A check edited files, or somebody else did: the current tree is what counts.
    read_tree = _make_tree_reader(checks, options, first.after)
    rerun, spans = _run_all(checks, options, read_tree=read_tree, report=report)
    second = _compare(options, first.after, spans)
    _report_tree(options, second.after)
    if second.edited and not options.stopped:
        # Nothing is known about a tree that does not settle.
        reason = describe_change(second)
        blamed = dict.fromkeys(range(len(checks)), reason) | blame_checks(checks, second)
    return tuple(_doubt(result, blamed.get(index, "")) for index, result in enumerate(rerun))


def _report_tree(options: RunOptions, contents: Contents) -> None:
    if options.on_tree:
        options.on_tree(contents.all_files)


def _make_tree_reader(
    checks: Sequence[Check], options: RunOptions, contents: Contents
) -> Callable[[Check], str]:
    """Return a function from a check to a text that is equal for equal content of what it judges.

    That is the whole tree, or `by_package` all but the packages that the check's own does not use.
    """
    whole = contents.all_files
    if not options.by_package or len({check.cwd for check in checks}) == 1:
        return lambda _: whole
    # Imported where it is used: most projects are one package.
    from untildone.checks.affected_packages import find_unused_packages

    unused = find_unused_packages(checks, options.project)
    trees = {
        package: contents.hash_without(options.project / other for other in others)
        for package, others in unused.items()
        if others
    }
    return lambda check: trees.get(check.cwd, whole)


def _compare(
    options: RunOptions, before: Contents, spans: Mapping[int, tuple[int, int]]
) -> CheckedTree:
    after = read_contents(options.project)
    return CheckedTree(project=options.project, before=before, after=after, spans=spans)


def _doubt(result: CheckResult, reason: str) -> CheckResult:
    """Return the result with the reason, if there is one: green is then no evidence."""
    if not reason:
        return result
    if result.green:
        return replace(result, outcome="no-evidence", reason=reason)
    return replace(result, reason=f"{result.reason}; {reason}" if result.reason else reason)


def _forget_green_runs(
    checks: Sequence[Check], options: RunOptions, read_tree: Callable[[Check], str]
) -> None:
    """Replace what the cache holds of checks that did not judge this tree but edited it."""
    cache = options.cache
    if cache is None:
        return
    for check in checks:
        result = CheckResult(name=check.name, command=check.command, outcome="no-evidence")
        cache.store(check, cache.make_key(check, options.project, read_tree(check)), result)


def _run_all(
    checks: Sequence[Check],
    options: RunOptions,
    *,
    read_tree: Callable[[Check], str],
    report: ProgressCallback,
) -> tuple[tuple[CheckResult, ...], dict[int, tuple[int, int]]]:
    """Run the checks at the same time, but each after those whose output it reads.

    The second value has by index when each check ran; none of those whose result was cached.
    """
    logs, locks = _choose_logs(checks, options.logs), assign_locks(checks)
    prerequisites = find_prerequisites(checks, options.project)
    runs: dict[int, Future[CheckResult]] = {}
    spans: dict[int, tuple[int, int]] = {}

    def run_one(index: int) -> CheckResult:
        check = checks[index]
        before = [runs[number].result() for number in sorted(prerequisites[index])]
        with locks[index]:
            report(check, None)
            start = time.time_ns()
            result = _run_cached(check, options, tree=read_tree(check), log=logs[index])
            if not result.cached:
                spans[index] = (start, time.time_ns())
        result = _doubt_without_prerequisites(result, before)
        report(check, result)
        return result

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        # Prerequisites are submitted first: a check that waits for one never takes its thread.
        for index in sort_by_prerequisites(prerequisites):
            runs[index] = pool.submit(run_one, index)
    return tuple(runs[index].result() for index in range(len(checks))), spans


def _doubt_without_prerequisites(result: CheckResult, before: Sequence[CheckResult]) -> CheckResult:
    """Return the result as no evidence if it is green, but what it needs is not."""
    broken = ", ".join(f"`{other.name}`" for other in before if not other.green)
    if not result.green or not broken:
        return result
    reason = f"{broken}, which it comes after, is not green"
    return replace(result, outcome="no-evidence", reason=reason)


def _run_cached(check: Check, options: RunOptions, *, tree: str, log: Path | None) -> CheckResult:
    """Return a known green result for this tree, or run the check and store its result."""
    cache, entries = options.cache, options.load_past_runs(check)
    past = [entry.result for entry in entries]
    if cache is None:
        return _run(check, options, past, log=log)
    key = cache.make_key(check, options.project, tree)
    cached_result = next((entry.result for entry in entries if entry.key == key), None)
    if cached_result and cache.can_serve(cached_result):
        return replace(cached_result, cached=True)
    _run_preview(check, options, past)
    result = _run(check, options, past, log=log)
    if cached_result and _contradicts(cached_result, result) and not options.stopped:
        result = _settle_contradiction(check, result, lambda: _run(check, options, past, log=log))
    if not options.stopped:
        # The key has changed if the check wrote files that later checks read.
        cache.store(check, cache.make_key(check, options.project, tree), result)
    return result


def _run_preview(check: Check, options: RunOptions, past: Sequence[CheckResult]) -> None:
    if options.on_preview is None:
        return
    preview = make_preview(check, past[-1] if past else None, options.project)
    result = _run(preview, options, past, log=None) if preview else None
    # A failure without details would not help the agent.
    if result and result.outcome == "red" and (result.findings or result.tests):
        options.on_preview(check, result)


def _contradicts(known: CheckResult, result: CheckResult) -> bool:
    """Say whether two results on the same tree differ: one is green, the other was or is red."""
    return known.green != result.green and not {known.outcome, result.outcome}.isdisjoint(
        ("red", "flaky")
    )


def _settle_contradiction(
    check: Check, first: CheckResult, run_again: Callable[[], CheckResult]
) -> CheckResult:
    """Return the result of a check that was green and red on the same tree.

    Three green runs in a row count as green, two red ones as red; all else is flaky.
    """
    results = [first]
    needed = _GREEN_RUNS if first.green else _RED_RUNS
    while len(results) < needed and results[-1].green == first.green:
        results.append(run_again())
    red = next((result for result in results if not result.green), None)
    if red is None:
        reason = f"it was red on the same tree, then green in {_GREEN_RUNS} runs in a row"
        return replace(results[-1], reason=reason)
    if all(not result.green for result in results):
        return results[-1]
    tests = ", ".join(red.tests.failing[:_MOST_NAMED]) if red.tests else ""
    names = f": {tests}" if tests else ""
    if check.flaky == "tolerate":
        green = next(result for result in results if result.green)
        return replace(green, reason=f"flaky{names}; tolerated by the configuration")
    return replace(red, outcome="flaky", reason=f"green and red on the same tree{names}")


def _run(
    check: Check, options: RunOptions, past: Sequence[CheckResult], *, log: Path | None
) -> CheckResult:
    """Run the check to its end or its time limit, which its `past` runs may extend."""
    limit = find_time_limit(check.timeout, past, options.time_rules)
    result = _run_to_limit(replace(check, timeout=limit), options, log=log)
    if result.outcome != "timed-out" or check.timeout is not None:
        return result
    result = replace(result, seconds=limit)
    next_limit = find_time_limit(None, (*past, result), options.time_rules)
    return replace(result, reason=explain_time_out(limit, next_limit))


def _run_to_limit(check: Check, options: RunOptions, *, log: Path | None) -> CheckResult:
    """Run the check in the form in which its tools edit nothing."""
    folder = options.project / check.cwd
    environ = filter_environment(options.environ or os.environ)
    written = options.written_project / check.cwd if options.written_project else None
    check = make_checking_check(check, folder, environ, source=written or folder)
    with tempfile.TemporaryDirectory(
        prefix="untildone-", dir=options.exchange_folder, ignore_cleanup_errors=True
    ) as temporary:
        path, output = Path(temporary) / "report.xml", Path(temporary) / "output"
        request = request_report(
            check.command, path, folder=folder, environ=environ | check.env, written_folder=written
        )
        finished = run(
            [*options.wrapper_argv, *parse_argv(check.command)],
            cwd=folder,
            timeout=check.timeout,
            env=request.environ,
            log=output,
            stop=options.stop,
            on_output=partial(options.on_output, check) if options.on_output else None,
        )
        return judge_result(
            check,
            finished,
            project=options.project,
            output_path=str(log) if log and _write_log(output, log) else "",
            artifacts=RunArtifacts(
                report=load_report(check.command, path, folder=written or folder),
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
