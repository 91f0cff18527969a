"""What a judged stop comes to: the verdict, what the agent is told, what the person sees."""

import os

from msgspec import Struct

from untildone.core.evidence import Evidence
from untildone.core.feedback import feedback
from untildone.core.progress import Progress
from untildone.core.verdict import Continue, Verdict
from untildone.engine.context import Context
from untildone.report.notices import describe_verdict
from untildone.store.loops import Record


class Judged(Struct, frozen=True):
    """`progress` is that of before this stop, `record` what was read after it."""

    record: Record
    progress: Progress
    evidence: Evidence
    verdict: Verdict


class Answer(Struct, frozen=True, kw_only=True):
    verdict: Verdict
    feedback: str = ""
    notice: str = ""


def answered(context: Context, record: Record, judged: Judged) -> Answer:
    text = ""
    if isinstance(judged.verdict, Continue):
        text = feedback(
            record.contract,
            judged.progress,
            judged.evidence,
            judged.verdict,
            nonce=os.urandom(4).hex(),
        )
    told = (
        describe_verdict(record, judged.verdict, judged.evidence.checks),
        *record.warnings,
        context.session_of(record).taken("tell"),
    )
    shown = " | ".join(filter(None, told)) + _announced(record, judged)
    return Answer(verdict=judged.verdict, feedback=text, notice=shown)


def _announced(record: Record, judged: Judged) -> str:
    if record.contract.preset != "loop":
        return ""
    from untildone.report.announcements import announce_verdict

    status = judged.evidence.status
    told = announce_verdict(
        record,
        judged.verdict,
        announced=judged.progress.steps_told,
        next_step=status.next if status else "",
    )
    return f"\n{told}" if told else ""
