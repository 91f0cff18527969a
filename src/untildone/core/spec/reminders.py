"""Reminders to the agent of a loop from a spec, in addition to the evidence."""

from untildone.core.contract import Contract
from untildone.core.criteria import PRECHECK, lacks_precheck
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.spec.status import find_contradictions
from untildone.core.spec.workflow import classify_workflow

_MAX_LENGTH = 200


def list_reminders(contract: Contract, progress: Progress) -> list[str]:
    """The constraints, the kind of work, the pre-check and the current step."""
    lines = [f"Must not: {limit[:_MAX_LENGTH]}" for limit in contract.limits]
    kind = classify_workflow(contract.task) if contract.preset == "loop" else None
    if kind:
        lines.append(f"Workflow {kind.letter} ({kind.name}): {kind.first}.")
    if lacks_precheck(contract, progress):
        lines.append(
            "This is hard to take back (type 1). Before you change anything, think of how it could"
            f" go wrong and record it: `untildone {PRECHECK} --evidence TEXT`."
        )
    left = [step for step in contract.steps if step not in progress.steps_done]
    if left:
        done = len(contract.steps) - len(left)
        lines.append(
            f"Step {done + 1} of {len(contract.steps)}: {left[0][:_MAX_LENGTH]}."
            " `untildone steps done STEP` when it is."
        )
    return lines


def list_contradictions(contract: Contract, progress: Progress, evidence: Evidence) -> list[str]:
    found = find_contradictions(contract, progress, evidence)
    head = ["Your status block does not agree with what is known:"] if found else []
    return head + [f"- {line[:_MAX_LENGTH]}" for line in found]
