"""A task that a merge sent back: what its next loop is told and has to pass."""

import msgspec
from msgspec.structs import replace

from untildone.core.contract import Check
from untildone.engine.request import Request
from untildone.runs.queue.values import MergeEvidence
from untildone.runs.tasks.merge_evidence import make_marker_checks, write_evidence


def add_evidence(request: Request, evidence: MergeEvidence) -> Request:
    """Return the request with the reason, and with the checks of those merged beside it."""
    known = {check.command for check in request.checks}
    others = msgspec.json.decode(evidence.checks, type=tuple[Check, ...])
    also = (
        *request.also,
        *(check for check in others if check.command not in known),
        *make_marker_checks(evidence.conflicts),
    )
    task = f"{write_evidence(evidence.reason)}\n\n{request.task}"
    return replace(request, task=task, also=also)
