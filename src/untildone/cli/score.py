"""`untildone score`: how clear a spec is, by the agent's scores and our own."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from untildone.cli import options
from untildone.cli.authority import require_own_loop
from untildone.cli.loops import choose_loop, open_context
from untildone.core.reminders import classify_workflow
from untildone.core.verdict import OUTCOMES
from untildone.errors import UserError
from untildone.features.spec import rubric
from untildone.features.spec.scoring import score_loop

_LARGEST = 200_000
_GATES = ("after the steps are known", "after each round", "before it is done")


class ScoreReport(Struct, frozen=True, kw_only=True):
    """What `score --json` prints."""

    total: int
    of: int
    shape: str
    workflow: str | None
    first: str
    gates: tuple[str, ...]
    ratings: tuple[rubric.Rating, ...]
    questions: tuple[str, ...]


def _add_dimension_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for dimension in reversed(rubric.DIMENSIONS):
        option = click.option(f"--{dimension}", metavar="N:REASON", help="0, 1 or 2, and why.")
        command = option(command)
    return command


@click.command("score")
@click.argument("spec", required=False)
@click.option("--file", "path", type=options.EXISTING_FILE, help="Read the spec from there.")
@_add_dimension_options
@options.loop_option
@options.project_option
@options.json_option
def score_command(
    spec: str | None,
    *,
    path: Path | None,
    loop: str | None,
    project: Path | None,
    as_json: bool,
    **values: str | None,
) -> int:
    """Score a spec from 0 to 10; untildone scores it too, and the lower total counts.

    8 and more is tool-shaped, 5 to 7 colleague-shaped (the agent asks the user at gates), less is
    vague (exit 19). Without a spec, the task of this session's loop is scored and may gain gates.

    \b
    untildone score "Fix /api/token: p95 <100 ms, no new packages, done when make e2e passes"
    untildone score --scope "2:names the route" --outcome "1:no number"
    """
    opinions = {
        name: _parse_opinion(name, text) for name in rubric.DIMENSIONS if (text := values[name])
    }
    text = _read_spec(spec, path)
    if text is None:
        text, result = _score_loop(opinions, loop, project)
    else:
        result = rubric.score_spec(text, opinions=opinions)
    report = _build_report(text, result)
    options.print_report(report, _format_report(report), as_json=as_json)
    return OUTCOMES["vague"].exit_code if result.grade == "vague" else 0


def _parse_opinion(name: rubric.Dimension, text: str) -> rubric.Opinion:
    opinion = re.fullmatch(r"([0-2])\s*[:=]?\s*(.*\S)", text.strip(), re.DOTALL)
    if opinion is None:
        raise UserError(
            f"`--{name} {text}` is not a score with a reason",
            hint=f'for example `--{name} "1:no number is named"`',
        )
    return rubric.Opinion(score=int(opinion[1]), reason=opinion[2])


def _read_spec(spec: str | None, path: Path | None) -> str | None:
    if path is not None:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    return sys.stdin.read(_LARGEST) if spec == "-" else spec


def _score_loop(
    opinions: dict[rubric.Dimension, rubric.Opinion], loop: str | None, project: Path | None
) -> tuple[str, rubric.Score]:
    context = open_context()
    record = choose_loop(context, loop, project)
    require_own_loop(context, record)
    return record.contract.task, score_loop(context, record, opinions)


def _build_report(text: str, result: rubric.Score) -> ScoreReport:
    workflow = classify_workflow(text)
    return ScoreReport(
        total=result.total,
        of=rubric.MAX_SCORE,
        shape=result.grade,
        workflow=workflow.name if workflow else None,
        first=workflow.first if workflow else "",
        gates=_GATES if result.grade == "colleague" else (),
        ratings=result.ratings,
        questions=result.questions,
    )


def _format_report(report: ScoreReport) -> Iterator[str]:
    shape = report.shape if report.shape == "vague" else f"{report.shape}-shaped"
    yield f"{report.total} of {report.of}: {shape}"
    for rating in report.ratings:
        theirs = f", yours {rating.theirs} ({rating.reason})" if rating.theirs is not None else ""
        yield f"  {rating.dimension:12} {rating.ours} ({rating.seen}){theirs}"
    if report.workflow:
        yield f"workflow: {report.workflow}; {report.first}"
    yield from (f"asks the user {gate}" for gate in report.gates)
    if report.shape != "tool":
        yield "answer these to make it clearer:"
        yield from (f"  - {question}" for question in report.questions)
