"""The questions that a loop asks its user, as the last stop found them."""

from untildone.core.concerns import strip_content_digest
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.questions import OpenQuestion, list_open_questions
from untildone.engine.context import Context
from untildone.report.question_text import format_questions
from untildone.store.loops import Record

SLASH_COMMAND = "/untildone:approve"


def load_open_questions(context: Context, record: Record) -> tuple[OpenQuestion, ...]:
    """Return the questions of the last stop that nobody has answered."""
    reported = record.progress.open_concerns or record.progress.reported_concerns
    if not reported:
        return ()
    last = context.loops.read_last_round(record.contract.id)
    known = {concern.id: concern for concern in (last.concerns if last else None) or ()}
    asked = [known.get(finding) or _parse_concern(finding) for finding in reported]
    return list_open_questions(record.agreed, asked)


def describe_open_questions(
    context: Context, record: Record, *, command: str = SLASH_COMMAND
) -> list[str]:
    """Return what the user is asked, with a few lines of each change; empty if nothing is."""
    questions = load_open_questions(context, record)
    if not questions:
        return []
    last = context.loops.read_last_round(record.contract.id)
    return format_questions(questions, last.diffs if last else {}, command=command)


def _parse_concern(finding: str) -> Concern:
    """Return a concern that the journal does not list, as there were too many."""
    kind, _, rest = strip_content_digest(finding).partition(":")
    path = rest if "::" in rest else rest.partition(":")[0]
    return Concern(id=finding, kind=ConcernKind(kind), path=path, detail=f"`{rest}`")
