"""`untildone check`: run the checks now."""

import json
import os
import sys
import time
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.result_cache import ResultCache
from untildone.cli.check_progress import show_progress
from untildone.cli.loops import open_context
from untildone.cli.options import FILE, find_project, json_option, print_json, project_option
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.verdict import OUTCOMES
from untildone.engine import project_checks
from untildone.engine.context import Context, project_folder
from untildone.errors import UserError
from untildone.process.command import filter_environment
from untildone.report.checks import build_report, print_results
from untildone.report.exports import build_sarif, render_junit
from untildone.store.home import prepare_home
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.worktree.fingerprint import fingerprint_tree
from untildone.worktree.listing import find_tracking_root, list_changed_files

_EXIT_CODES = {"green": 0, "red": 1, "unrunnable": OUTCOMES["unrunnable"].exit_code}
_LOCK_TIMEOUT = 3_600.0
_PIPE_WIDTH = 10_000
_HINTS = {
    "unrunnable": "\nhint: install what is missing, or set another command in `untildone.toml`",
    "timed-out": "\nhint: raise the `timeout` of the check in `untildone.toml`",
}


class CheckOptions(Struct, frozen=True, kw_only=True):
    """How to run the checks and where to report."""

    cache: bool
    changed: bool
    watch: bool
    wait: bool
    as_json: bool
    sarif: Path | None
    junit: Path | None


@click.command("check")
@click.argument("names", nargs=-1)
@click.option(
    "--no-cache",
    "cache",
    flag_value=False,
    default=True,
    help="Run every check, also those known to be green.",
)
@click.option(
    "--changed", is_flag=True, help="Report only findings in files changed since the last commit."
)
@click.option("--watch", is_flag=True, help="Run again whenever the tree changes.")
@click.option("--wait", is_flag=True, help="Wait for another run of these checks to end.")
@click.option("--sarif", type=FILE, metavar="F", help="Also write the findings there, as SARIF.")
@click.option(
    "--junit", type=FILE, metavar="F", help="Also write the results there, as JUnit's XML."
)
@project_option
@json_option
def check_command(names: tuple[str, ...], *, project: Path | None, **values: object) -> int:
    """Run the project's checks, all or the named ones: exit 0 green, 1 red, 17 unrunnable.

    A check that was green on the same tree is not run again.

    \b
    untildone check
    untildone check test lint --no-cache
    untildone check --json | jq .outcome
    untildone check --sarif findings.sarif --junit checks.xml
    """
    context = open_context()
    folder = project_checks.find_configured_folder(find_project(project))
    checks = _select_checks(_find_checks(context, folder), names, folder)
    options = CheckOptions(**values)  # type: ignore[arg-type]  # click has checked them
    if options.changed and find_tracking_root(folder) is None:
        raise UserError(
            f"`--changed` needs a git repository, and `{folder}` is in none",
            hint="leave out `--changed`",
        )
    while True:
        before = fingerprint_tree(folder) if options.watch else ""
        code = _run_once(context, folder, checks, options)
        if not options.watch:
            return code
        _wait_for_change(folder, before)


def _run_once(context: Context, project: Path, checks: list[Check], options: CheckOptions) -> int:
    """Run the checks, write the reports and return the exit code."""
    results = _run(context, project, checks, options)
    if options.changed:
        results = _limit_to_files(results, list_changed_files(project))
    if options.sarif:
        _write(options.sarif, json.dumps(build_sarif(results), indent=2) + "\n")
    if options.junit:
        _write(options.junit, render_junit(results))
    report = build_report(results)
    if options.as_json:
        print_json(report)
    else:
        _print_results(results, project)
        for outcome in _HINTS.keys() & {result.outcome for result in results}:
            click.echo(_HINTS[outcome], err=True)
    return _EXIT_CODES[report.outcome]


def _print_results(results: tuple[CheckResult, ...], project: Path) -> None:
    console = Console(highlight=False)
    if console.is_terminal:
        print_results(console, results, project)
        return
    # A pipe gets whole lines, without the blanks that fill a table's cells.
    console.width = _PIPE_WIDTH
    with console.capture() as captured:
        print_results(console, results, project)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _find_checks(context: Context, project: Path) -> tuple[Check, ...]:
    checks, untrusted = project_checks.list_checks(context, project)
    if untrusted and not checks:
        raise project_checks.make_untrusted_error(project, untrusted)
    if untrusted:
        click.echo(untrusted, err=True)
    return checks


def _select_checks(checks: tuple[Check, ...], names: tuple[str, ...], project: Path) -> list[Check]:
    if not checks:
        raise UserError(
            f"no check was found in `{project}`",
            hint='add `[checks.test]` with `command = "YOUR COMMAND"` to `untildone.toml`, then run'
            " `untildone trust`",
        )
    known = {check.name: check for check in checks}
    unknown = ", ".join(f"`{name}`" for name in names if name not in known)
    if unknown:
        available = ", ".join(f"`{name}`" for name in known)
        raise UserError(
            f"there is no check {unknown} (available: {available})",
            hint="`untildone detect` shows where they come from",
        )
    return [known[name] for name in dict.fromkeys(names)] or list(checks)


def _run(
    context: Context, project: Path, checks: list[Check], options: CheckOptions
) -> tuple[CheckResult, ...]:
    """Run the checks under a lock: one run per project at a time."""
    prepare_home(context.home)
    folder = project_folder(context.home, project)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    environment = filter_environment(os.environ)
    cache = ResultCache(folder / "checks", environment, serve_green=options.cache)
    last = {check.name: result for check in checks if (result := cache.load_last(check))}
    timeout = _LOCK_TIMEOUT if options.wait or options.watch else 0
    # On a terminal the table of results replaces the progress display.
    transient = sys.stdout.isatty()
    try:
        with (
            hold_lock(folder / "checks.lock", timeout=timeout),
            show_progress(checks, last=last, transient=transient) as progress,
        ):
            running = RunOptions(project=project, cache=cache, on_preview=progress.show_preview)
            return run_checks(checks, running, report=progress)
    except LockTimeoutError:
        raise UserError(
            f"another run of the checks of `{project}` is in progress",
            hint="`untildone check --wait` waits for it",
        ) from None


def _limit_to_files(
    results: tuple[CheckResult, ...], files: frozenset[str]
) -> tuple[CheckResult, ...]:
    """Keep findings in `files`; a red check whose findings are all elsewhere becomes green."""
    limited = []
    for result in results:
        # A change may break any test, so those of unchanged files stay.
        findings = tuple(
            finding for finding in result.findings if result.tests or finding.path in files
        )
        result_in_files = replace(result, findings=findings)
        if result.outcome == "red" and result.findings and not findings:
            reason = "findings only in unchanged files"
            result_in_files = replace(result_in_files, outcome="green", reason=reason)
        limited.append(result_in_files)
    return tuple(limited)


def _wait_for_change(project: Path, before: str) -> None:
    """Wait until the tree differs from `before`, which was taken before the checks ran."""
    click.echo(f"\n{time.strftime('%H:%M:%S')}  watching; press Ctrl-C to end\n", err=True)
    while fingerprint_tree(project) == before:
        time.sleep(1)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(
            f"`{path}` cannot be written: {error.strerror}", hint="give another file"
        ) from None
