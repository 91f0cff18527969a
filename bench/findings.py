"""Very many findings: read from a report, compared with the round before, made into feedback."""

import json
import os
from pathlib import Path

from bench.table import Row, measure_medians
from untildone.checks.result import RunArtifacts, judge_result
from untildone.core.contract import Check, Contract
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.feedback import write_feedback
from untildone.core.progress import Progress
from untildone.core.transitions import advance
from untildone.core.verdict import Continue
from untildone.process.output import HEAD_LIMIT, TAIL_LIMIT
from untildone.process.runner import Finished

COUNT = 100_000
CHECK = Check(name="lint", command="ruff check --output-format json .")
CONTRACT = Contract(
    id="bench",
    agent="claude",
    session="s",
    project="/app",
    task="fix it",
    started_at="2026-01-01T00:00:00Z",
    checks=(CHECK,),
)


def measure(folder: Path) -> list[Row]:
    report = folder / "report.json"
    report.write_text(
        json.dumps([make_finding(number) for number in range(COUNT)]), encoding="utf-8"
    )
    before = advance_progress(judge_report(report), Progress())

    def load() -> object:
        with report.open(encoding="utf-8") as file:
            return json.load(file)

    def ours() -> None:
        now = judge_report(report)
        verdict = decide(CONTRACT, before, now)
        if not isinstance(verdict, Continue) or len(now.checks[0].findings) != COUNT:
            raise ValueError("the findings were not all read")
        advance_progress(now, before)
        write_feedback(CONTRACT, before, now, verdict, nonce="0")

    loaded, taken = measure_medians([load, ours], rounds=5)
    return [Row("100,000 findings to feedback", taken / loaded, 3, "json.load of the report")]


def judge_report(report: Path) -> Evidence:
    """As a run leaves it: the beginning and the end at hand, all of it in a file."""
    with report.open("rb") as file:
        head = file.read(HEAD_LIMIT)
        file.seek(-TAIL_LIMIT, os.SEEK_END)
        tail = file.read()
    finished = Finished(exit_code=1, head=head, tail=tail, size=report.stat().st_size)
    artifacts = RunArtifacts(output=report)
    return Evidence(
        checks=(judge_result(CHECK, finished, project=report.parent, artifacts=artifacts),)
    )


def advance_progress(now: Evidence, before: Progress) -> Progress:
    return advance(CONTRACT, before, now, decide(CONTRACT, before, now))


def make_finding(number: int) -> dict[str, object]:
    """As `ruff check --output-format json` writes it."""
    place = {"column": 8, "row": number % 900 + 1}
    edit = {"content": "", "end_location": place, "location": place}
    return {
        "cell": None,
        "code": "F401",
        "end_location": place,
        "filename": f"/app/package{number % 97}/module{number % 1_009}.py",
        "fix": {"applicability": "safe", "edits": [edit], "message": "Remove unused import"},
        "location": place,
        "message": f"`name{number}` imported but unused",
        "noqa_row": 1,
        "severity": "error",
        "url": "https://docs.astral.sh/ruff/rules/unused-import",
    }
