"""The user's answer at a gate, which is their next prompt."""

from msgspec.structs import replace

from untildone.core.agent_message import truncate
from untildone.core.contract import Amendment
from untildone.core.progress import Progress
from untildone.core.spec.gates import classify_answer, pass_gate, skips_gates
from untildone.engine.active_time import read_clock
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop
from untildone.store.loops import Record


def apply_gate_answer(context: Context, record: Record, prompt: str) -> Record | None:
    """The loop that this prompt resumes; None if the prompt does not answer a gate."""
    contract = record.agreed
    skips = contract.gated and skips_gates(prompt)
    at_gate = record.progress.outcome == "gate"
    if not skips and not (at_gate and classify_answer(prompt) in ("yes", "instruction")):
        return None

    def edit(now: Record) -> Progress:
        progress = now.progress
        if skips:
            amendment = Amendment(by="user", at=context.now(), gated=False)
            progress = replace(progress, amendments=(*progress.amendments, amendment))
        if progress.outcome != "gate":
            return progress
        agreed_to = skips or classify_answer(prompt) == "yes"
        return replace(pass_gate(contract, progress, agreed_to=agreed_to), clock=read_clock())

    return change_loop(context, record.contract.id, edit, kind="answered", prompt=truncate(prompt))
