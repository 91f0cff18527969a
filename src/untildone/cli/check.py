"""`untildone check`: run the checks now."""

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console

from untildone.checks.missing_tools import find_missing_tool
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.cli.check_progress import show_progress
from untildone.cli.loops import open_context
from untildone.cli.options import FILE, find_project, json_option, print_json, project_option
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import describe_time_limit, find_time_limit
from untildone.core.verdict import OUTCOMES
from untildone.engine import project_checks
from untildone.engine.check_run import open_result_cache
from untildone.engine.context import Context, project_folder
from untildone.engine.left_out_checks import is_named
from untildone.errors import UserError
from untildone.report.checks import build_report, print_results
from untildone.report.exports import build_sarif, render_junit
from untildone.store.home import prepare_home
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.worktree.fingerprint import fingerprint_tree
from untildone.worktree.incomplete import describe_missing_parts
from untildone.worktree.listing import find_tracking_root, list_changed_files

_EXIT_CODES = {"green": 0, "red": 1, "unrunnable": OUTCOMES["unrunnable"].exit_code}
_LOCK_TIMEOUT = 3_600.0
_PIPE_WIDTH = 10_000
_HINTS = {
    "unrunnable": "\nhint: install what is missing, or set another command or `skip = true` in"
    " `untildone.toml`",
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
    "--changed",
    is_flag=True,
    help="Only packages and findings that changes since the last commit reach.",
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
    for line in describe_missing_parts(folder):
        click.echo(line, err=True)
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
    files = list_changed_files(project) if options.changed else None
    if files is not None:
        checks = _leave_out_unaffected(checks, project, files)
    results = _run(context, project, checks, options, files=files)
    if options.sarif:
        _write(options.sarif, json.dumps(build_sarif(results), indent=2) + "\n")
    if options.junit:
        _write(options.junit, render_junit(results))
    report = build_report(results)
    if options.as_json:
        print_json(report)
    else:
        _print_results(results, project)
        for line in _list_hints(context, project, checks, results):
            click.echo(line, err=True)
    return _EXIT_CODES[report.outcome]


def _leave_out_unaffected(checks: list[Check], project: Path, files: frozenset[str]) -> list[Check]:
    """Return the checks of the packages that the files may break; the others are named."""
    # Imported where it is used: most runs check everything.
    from untildone.checks.affected_packages import select_affected

    selected = select_affected(checks, project, files)
    others = [check.name for check in checks if check not in selected]
    if others:
        click.echo(f"not run, as no change reaches their package: {', '.join(others)}", err=True)
    return list(selected)


def _list_hints(
    context: Context, project: Path, checks: list[Check], results: tuple[CheckResult, ...]
) -> Iterator[str]:
    """Yield what to do about checks that could not run or end."""
    for outcome in _HINTS.keys() & {result.outcome for result in results}:
        yield _HINTS[outcome]
    for check, result in zip(checks, results, strict=True):
        tool = find_missing_tool(check, project, context.environ)
        if result.outcome == "unrunnable" and tool and tool.install:
            yield f"hint: `{tool.install}` installs what `{check.name}` needs"


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
    selected = {name: [check for check in checks if is_named(check, name)] for name in names}
    unknown = ", ".join(f"`{name}`" for name, found in selected.items() if not found)
    if unknown:
        available = ", ".join(f"`{check.name}`" for check in checks)
        raise UserError(
            f"there is no check {unknown} (available: {available})",
            hint="`untildone detect` shows where they come from",
        )
    chosen = {check.name: check for found in selected.values() for check in found}
    return list(chosen.values()) or list(checks)


def _run(
    context: Context,
    project: Path,
    checks: list[Check],
    options: CheckOptions,
    *,
    files: frozenset[str] | None,
) -> tuple[CheckResult, ...]:
    """Run the checks under a lock: one run per project at a time.

    With `files`, only findings in these are shown and returned.
    """
    prepare_home(context.home)
    folder = project_folder(context.home, project)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    cache = open_result_cache(folder, serve_green=options.cache)
    past = {check.name: cache.load_past_runs(check) for check in checks}
    _print_time_limits(checks, past)
    last = {name: runs[-1] for name, runs in past.items() if runs}
    timeout = _LOCK_TIMEOUT if options.wait or options.watch else 0
    # On a terminal the table of results replaces the progress display.
    transient = sys.stdout.isatty()
    try:
        with (
            hold_lock(folder / "checks.lock", timeout=timeout),
            show_progress(checks, last=last, transient=transient) as progress,
        ):
            preview = progress.show_preview if files is None else None
            running = RunOptions(project=project, cache=cache, on_preview=preview)

            def report(check: Check, result: CheckResult | None) -> None:
                progress(check, result and _limit_to_files(result, files))

            results = run_checks(checks, running, report=report)
            return tuple(_limit_to_files(result, files) for result in results)
    except LockTimeoutError:
        raise UserError(
            f"another run of the checks of `{project}` is in progress",
            hint="`untildone check --wait` waits for it",
        ) from None


def _print_time_limits(checks: Sequence[Check], past: Mapping[str, Sequence[CheckResult]]) -> None:
    """Print the time limit of each check whose past runs make it another than usual."""
    for check in checks:
        limit = find_time_limit(check.timeout, past[check.name])
        if text := describe_time_limit(limit):
            click.echo(f"{check.name}: {text}", err=True)


def _limit_to_files(result: CheckResult, files: frozenset[str] | None) -> CheckResult:
    """Keep findings in `files`; a red check whose findings are all elsewhere becomes green.

    A change may break any test, so findings of tests stay. None means all files.
    """
    if files is None or result.tests:
        return result
    findings = tuple(finding for finding in result.findings if finding.path in files)
    if result.outcome == "red" and result.findings and not findings:
        reason = "findings only in unchanged files"
        return replace(result, findings=(), outcome="green", reason=reason)
    return replace(result, findings=findings)


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
