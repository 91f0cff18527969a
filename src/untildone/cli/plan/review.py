"""`untildone plan validate` and `refine`: what is wrong with a plan, which tasks are too large."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from untildone.cli.options import json_option, print_report
from untildone.cli.plan.plan_path import with_plan
from untildone.core.text import pluralize
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_fields
from untildone.features.plans.plan import Mistake
from untildone.features.plans.plan_file import Document, read_plan, require_order
from untildone.features.plans.plan_rules import (
    check_references,
    check_rules,
    find_large_tasks,
    summarize,
)
from untildone.features.plans.refinement import correct_blocks, split_task

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
def validate_command(*, fix: bool, path: Path, as_json: bool) -> int:
    """List everything that is wrong: references, cycles, points, criteria; exit 0 if valid, else 1.

    \b
    untildone plan validate
    untildone plan validate --plan .shipspec/planning/login/TASKS.json --json
    """
    if fix:
        change_plan(path, lambda context: edit_fields(context, correct_blocks(context)))
    report = _validate(read_plan(path, all_mistakes=True))
    print_report(report, _format_report(report), as_json=as_json)
    return 0 if report.valid else 1


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


def _format_report(report: ValidationReport) -> Iterator[str]:
    for mistake in report.mistakes:
        kind = "warning: " if mistake.warning else ""
        yield f"{report.file}: {kind}{mistake}; {mistake.remedy}"
    if report.large:
        yield f"over 5 points, split them: {', '.join(report.large)}"
    if report.valid:
        points = pluralize(report.total_points, "point")
        yield f"valid: {pluralize(report.total_tasks, 'task')}, {points}"
        yield f"critical path: {' → '.join(report.critical_path)}"


class LargeTask(Struct, frozen=True, kw_only=True):
    id: str
    title: str
    points: int


class Refinement(Struct, frozen=True, kw_only=True):
    """What `plan refine --json` prints: the tasks that are still too large."""

    large: tuple[LargeTask, ...]


@click.command("refine")
@click.argument("task", required=False)
@click.option(
    "--into", metavar="FILE", help="The parts: a JSON object of tasks by id; `-` is stdin."
)
@with_plan
@json_option
def refine_command(task: str | None, *, into: str | None, path: Path, as_json: bool) -> int:
    """List the tasks over 5 points (exit 1 if there are any), or replace a task by its parts.

    Tasks that depended on it then depend on its last parts; its first parts take over its own
    dependencies.

    \b
    untildone plan refine
    untildone plan refine TASK-004 --into parts.json
    """
    if (task is None) != (into is None):
        raise UserError(
            "a task and its parts must be given together", hint="`plan refine TASK --into FILE`"
        )
    if task is not None and into is not None:
        parts = _read_parts(into)
        change_plan(path, lambda context: split_task(context, task, parts))
    plan = require_order(read_plan(path)).plan
    large = tuple(
        LargeTask(id=name, title=plan.tasks[name].title, points=plan.tasks[name].points)
        for name in find_large_tasks(plan.tasks)
    )
    lines = [f"{part.id}: {part.title} ({part.points} points)" for part in large]
    lines = lines or ["no task is over 5 points"]
    print_report(Refinement(large=large), lines, as_json=as_json)
    return 1 if large and task is None else 0


def _read_parts(into: str) -> dict[str, dict[str, Any]]:
    try:
        text = sys.stdin.read(_LARGEST) if into == "-" else Path(into).read_text(encoding="utf-8")
        parts = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"`{into}` cannot be read: {error}", hint="name a JSON file") from None
    if isinstance(parts, dict) and all(isinstance(part, dict) for part in parts.values()):
        return parts
    raise UserError(
        f"`{into}` is not a JSON object of tasks by id",
        hint='`{"TASK-004a": {"title": …, "points": 3, "acceptance_criteria": […],'
        ' "prompt": …}, …}`',
    )
