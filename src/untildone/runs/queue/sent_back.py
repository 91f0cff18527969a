"""A task that a merge sent back: what its next loop is told and has to pass."""

from msgspec.structs import replace

from untildone.engine.request import Request
from untildone.runs.queue.values import MergeEvidence
from untildone.runs.tasks.merge_evidence import make_marker_checks, write_evidence
from untildone.runs.tasks.portable_checks import decode_checks


def add_evidence(request: Request, evidence: MergeEvidence) -> Request:
    """Return the request with the reason, and with the checks of those merged beside it."""
    known = {check.command for check in request.checks}
    others = decode_checks(evidence.checks)
    also = (
        *request.also,
        *(check for check in others if check.command not in known),
        *make_marker_checks(evidence.conflicts),
    )
    task = f"{write_evidence(evidence.reason)}\n\n{request.task}"
    return replace(request, task=task, also=also)
