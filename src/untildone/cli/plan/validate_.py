"""`untildone plan validate`: lists everything that is wrong with a plan."""

from pathlib import Path

import click
from msgspec import Struct

from untildone.cli.options import json_option, print_json
from untildone.cli.plan.plan_path import with_plan
from untildone.core.text import pluralize
from untildone.features.plans.editing import change_plan, edit_fields
from untildone.features.plans.plan import Mistake
from untildone.features.plans.plan_file import Document, read_plan
from untildone.features.plans.refinement import correct_blocks
from untildone.features.plans.rules import (
    check_references,
    check_rules,
    find_large_tasks,
    summarize,
)

_LARGEST = 4_000_000


class ValidationReport(Struct, frozen=True, kw_only=True):
    """What `plan validate --json` prints."""

    file: str
    valid: bool
    mistakes: tuple[Mistake, ...]
    large: tuple[str, ...]
    critical_path: tuple[str, ...]
    total_tasks: int
    total_points: int


@click.command("validate")
@click.option("--fix", is_flag=True, help="Correct `summary` and `blocks`.")
@with_plan
@json_option
def command(*, fix: bool, path: Path, as_json: bool) -> int:
    """List everything that is wrong: references, cycles, points, criteria; exit 0 if valid, else 1.

    \b
    untildone plan validate
    untildone plan validate --plan .shipspec/planning/login/TASKS.json --json
    """
    if fix:
        change_plan(path, lambda context: edit_fields(context, correct_blocks(context)))
    shown = _validate(read_plan(path, whole=True))
    if as_json:
        print_json(shown)
    else:
        click.echo("\n".join(_format_report(shown)))
    return 0 if shown.valid else 1


def _validate(document: Document) -> ValidationReport:
    plan = document.plan
    mistakes = (
        *document.mistakes,
        *check_rules(plan),
        *check_references(
            plan,
            prd=_read_sibling(document.path, "PRD.md"),
            sdd=_read_sibling(document.path, "SDD.md"),
        ),
    )
    summary = summarize(plan.tasks)
    return ValidationReport(
        file=str(document.path),
        valid=all(mistake.warning for mistake in mistakes),
        mistakes=mistakes,
        large=find_large_tasks(plan.tasks),
        critical_path=summary.critical_path,
        total_tasks=summary.total_tasks,
        total_points=summary.total_points,
    )


def _read_sibling(path: Path, name: str) -> str | None:
    try:
        with path.with_name(name).open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError:
        return None


def _format_report(shown: ValidationReport) -> list[str]:
    lines = []
    for mistake in shown.mistakes:
        kind = "warning: " if mistake.warning else ""
        lines.append(f"{shown.file}: {kind}{mistake}; {mistake.remedy}")
    if shown.large:
        lines.append(f"over 5 points, split them: {', '.join(shown.large)}")
    if shown.valid:
        tasks, points = pluralize(shown.total_tasks, "task"), pluralize(shown.total_points, "point")
        lines.append(f"valid: {tasks}, {points}")
        lines.append(f"critical path: {' → '.join(shown.critical_path)}")
    return lines
