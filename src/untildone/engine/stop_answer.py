"""The answer to a judged stop: the verdict, feedback for the agent, a notice for the user."""

import os
from pathlib import Path

from msgspec import Struct

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence
from untildone.core.feedback import write_feedback
from untildone.core.progress import Progress
from untildone.core.verdict import Continue, Verdict
from untildone.engine.context import Context
from untildone.report.notices import describe_verdict
from untildone.store.loops import Record


class JudgedStop(Struct, frozen=True):
    """`progress` is that of before this stop, `record` what was read after it."""

    record: Record
    # With its amendments, those of this stop included.
    contract: Contract
    progress: Progress
    evidence: Evidence
    verdict: Verdict
    # The worktree that the agent works in.
    project: Path


class Answer(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    feedback: str = ""
    notice: str = ""


def build_answer(context: Context, record: Record, judged: JudgedStop) -> Answer:
    text = ""
    if isinstance(judged.verdict, Continue):
        text = write_feedback(
            judged.contract,
            judged.progress,
            judged.evidence,
            judged.verdict,
            nonce=os.urandom(4).hex(),
        )
    lines = (
        describe_verdict(record, judged.verdict, judged.evidence.checks),
        *record.warnings,
        context.session_of(record).take("tell"),
    )
    return Answer(verdict=judged.verdict, feedback=text, notice=" | ".join(filter(None, lines)))
