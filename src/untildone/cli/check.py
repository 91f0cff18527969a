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

from untildone.checks.result_cache import ResultCache
from untildone.checks.runner import RunOptions, run_checks
from untildone.cli.check_progress import show_progress
from untildone.cli.loops import open_context
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.project import find_project
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.verdict import OUTCOMES
from untildone.engine.context import Context, project_folder
from untildone.engine.project_checks import (
    find_configured_folder,
    list_checks,
    make_untrusted_error,
)
from untildone.errors import UserError
from untildone.process.command import environment
from untildone.report.checks import build_report, print_results
from untildone.report.junit import render_junit
from untildone.report.sarif import build_sarif
from untildone.store.home import prepare_home
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.worktree.files import find_tracking_root, list_changed_files
from untildone.worktree.fingerprint import fingerprint_tree

_EXIT_CODES = {"green": 0, "red": 1, "unrunnable": OUTCOMES["unrunnable"].exit_code}
_PATIENCE = 3_600.0
_WHOLE_LINES = 10_000
_HINTS = {
    "unrunnable": "\nhint: install what is missing, or name another command in `untildone.toml`",
    "timed-out": "\nhint: `timeout` of the check in `untildone.toml` gives it more seconds",
}


class CheckOptions(Struct, frozen=True, kw_only=True):
    """How the results are wanted."""

    cache: bool
    changed: bool
    watch: bool
    wait: bool
    as_json: bool
    sarif: Path | None
    junit: Path | None


@click.command("check")
@click.argument("names", nargs=-1)
@click.option("--no-cache", "cache", flag_value=False, default=True, help="Run everything.")
@click.option("--changed", is_flag=True, help="Only findings in files changed since the commit.")
@click.option("--watch", is_flag=True, help="Run again whenever the tree changes.")
@click.option("--wait", is_flag=True, help="Wait for another run of these checks to end.")
@click.option(
    "--sarif",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="F",
    help="Also write the findings there, as SARIF.",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="F",
    help="Also write the results there, as JUnit's XML.",
)
@project_option
@json_option
def command(names: tuple[str, ...], *, project: Path | None, **wishes: object) -> int:
    """Run the project's checks, all or the named ones: exit 0 green, 1 red, 17 unrunnable.

    A check that was green on this very tree is not run again.

    \b
    untildone check
    untildone check test lint --no-cache
    untildone check --json | jq .outcome
    untildone check --sarif findings.sarif --junit checks.xml
    """
    context = open_context()
    place = find_configured_folder(find_project(project))
    wanted = _select_checks(_find_checks(context, place), names, place)
    asked = CheckOptions(**wishes)  # type: ignore[arg-type]  # click has checked them
    if asked.changed and find_tracking_root(place) is None:
        raise UserError(
            f"nothing tells what changed: `{place}` is in no git repository",
            hint="leave out `--changed`",
        )
    while True:
        seen = fingerprint_tree(place) if asked.watch else ""
        code = _run_once(context, place, wanted, asked)
        if not asked.watch:
            return code
        _wait_for_change(place, seen)


def _run_once(context: Context, place: Path, wanted: list[Check], asked: CheckOptions) -> int:
    results = _run(context, place, wanted, asked)
    if asked.changed:
        results = _limit_to_files(results, list_changed_files(place))
    if asked.sarif:
        _write(asked.sarif, json.dumps(build_sarif(results), indent=2) + "\n")
    if asked.junit:
        _write(asked.junit, render_junit(results))
    found_out = build_report(results)
    if asked.as_json:
        print_json(found_out)
        return _EXIT_CODES[found_out.outcome]
    _print_results(results, place)
    for outcome in _HINTS.keys() & {result.outcome for result in results}:
        click.echo(_HINTS[outcome], err=True)
    return _EXIT_CODES[found_out.outcome]


def _print_results(results: tuple[CheckResult, ...], place: Path) -> None:
    console = Console(highlight=False)
    if console.is_terminal:
        print_results(console, results, place)
        return
    # Who reads a pipe wants whole lines, without the blanks that fill a table's cells.
    console.width = _WHOLE_LINES
    with console.capture() as captured:
        print_results(console, results, place)
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _find_checks(context: Context, place: Path) -> tuple[Check, ...]:
    checks, untrusted = list_checks(context, place)
    if untrusted and not checks:
        raise make_untrusted_error(place, untrusted)
    if untrusted:
        click.echo(untrusted, err=True)
    return checks


def _select_checks(checks: tuple[Check, ...], names: tuple[str, ...], place: Path) -> list[Check]:
    if not checks:
        raise UserError(
            f"no check was found in `{place}`",
            hint="name one in `untildone.toml`, then `untildone trust`:"
            ' `[checks.test]` with `command = "YOUR COMMAND"`',
        )
    known = {check.name: check for check in checks}
    unknown = ", ".join(f"`{name}`" for name in names if name not in known)
    if unknown:
        listed = ", ".join(f"`{name}`" for name in known)
        raise UserError(
            f"there is no check {unknown} here (there are: {listed})",
            hint="`untildone detect` tells where they come from",
        )
    return [known[name] for name in dict.fromkeys(names)] or list(checks)


def _run(
    context: Context, place: Path, wanted: list[Check], asked: CheckOptions
) -> tuple[CheckResult, ...]:
    """One run of a project's checks at a time, whoever asks for it."""
    prepare_home(context.home)
    shared = project_folder(context.home, place)
    shared.mkdir(parents=True, exist_ok=True, mode=0o700)
    memory = ResultCache(shared / "checks", environment(os.environ), serve_green=asked.cache)
    last = {check.name: known for check in wanted if (known := memory.load_last(check))}
    # On a terminal the table of results takes the place of what was shown meanwhile.
    shown_again = sys.stdout.isatty()
    try:
        with (
            hold_lock(
                shared / "checks.lock", timeout=_PATIENCE if asked.wait or asked.watch else 0
            ),
            show_progress(wanted, last=last, transient=shown_again) as progress,
        ):
            running = RunOptions(project=place, cache=memory, on_preview=progress.early)
            return run_checks(wanted, running, report=progress)
    except LockTimeoutError:
        raise UserError(
            f"another run of the checks of `{place}` is under way",
            hint="`untildone check --wait` waits for it",
        ) from None


def _limit_to_files(
    results: tuple[CheckResult, ...], files: frozenset[str]
) -> tuple[CheckResult, ...]:
    """A red check whose findings all lie elsewhere is none of this change's business."""
    kept = []
    for result in results:
        # A change may break any test.
        here = tuple(each for each in result.findings if result.tests or each.path in files)
        elsewhere = bool(result.findings) and not here
        outcome = "green" if elsewhere and result.outcome == "red" else result.outcome
        reason = "findings only in unchanged files" if outcome != result.outcome else result.reason
        kept.append(replace(result, findings=here, outcome=outcome, reason=reason))
    return tuple(kept)


def _wait_for_change(place: Path, seen: str) -> None:
    """Also what changed while the checks ran is a change."""
    click.echo(f"\n{time.strftime('%H:%M:%S')}  watching; Ctrl-C ends\n", err=True)
    while fingerprint_tree(place) == seen:
        time.sleep(1)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(
            f"`{path}` cannot be written: {error.strerror}", hint="name another file"
        ) from None
