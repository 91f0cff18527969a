"""Gates: the points at which a loop pauses and asks the user before it goes on.

A loop has gates if its spec left questions open. This module says what a gate asks ("step `a` is
complete: continue with `b`?") and how the user's next prompt is understood ("yes", "wait").
"""

import re
from typing import Literal, TypeAlias

from msgspec.structs import replace

from untildone.core.agent_message import truncate
from untildone.core.contract import Amendment, Contract
from untildone.core.progress import Progress
from untildone.core.transitions import pass_gate
from untildone.engine.active_time import read_clock
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop
from untildone.store.loops import Record

Answer: TypeAlias = Literal["yes", "no", "question", "instruction"]
_MAX_STEPS_SHOWN = 12
# "proceed without confirmation"
_SKIP_REQUEST = (
    r"(?i)\b(?:proceed|continue|go on|run|work) without (?:further )?(?:confirmation|asking)\b"
)
# A refusal is the whole prompt: "no", "not yet".
_NO = r"(?i)\W*(?:n|no|nope|wait|not yet|hold|don['\u2019]?t)\W*"
# An agreement begins the prompt: "yes", "looks good, thanks".
_YES = (
    r"(?i)\W*(?:y|yes|yep|yeah|ok|okay|sure|proceed|continue|go(?: ahead| on)?|confirm(?:ed)?|"
    r"lgtm|fine|good|great|perfect|approved?|done|do it|looks good|ship(?: it)?)\b(?P<rest>.*)"
)
# Words after an agreement that make it an instruction: "yes, but rename it first".
_RESERVATION = r"(?i)\b(?:but|except|also|instead|first|however|add|change|fix|not)\b"


def skips_gates(text: str) -> bool:
    """Say whether the text asks for no gates: "proceed without confirmation"."""
    return bool(re.search(_SKIP_REQUEST, text))


def ask_at_gate(contract: Contract, progress: Progress) -> str:
    """Return the question to the user if the loop is not done after this round.

    Empty if the loop has no gates. The first gate shows the steps, later ones the progress.
    """
    if not contract.gated:
        return ""
    steps = contract.steps
    if steps and not progress.steps_approved:
        shown = "; ".join(f"{n}. {step}" for n, step in enumerate(steps[:_MAX_STEPS_SHOWN], 1))
        hidden = len(steps) - _MAX_STEPS_SHOWN
        more = f"; and {hidden} more" if hidden > 0 else ""
        return f"here are {len(steps)} steps: {shown}{more}. Proceed?"
    # The last step done that the user has not been told about, if any.
    new_step = progress.steps_done[progress.steps_reported :][-1:]
    open_steps = [step for step in steps if step not in progress.steps_done]
    event = (
        f"step `{new_step[0]}` is complete" if new_step else f"round {progress.round + 1} is over"
    )
    following = f" with `{open_steps[0]}`" if open_steps else ""
    return f"{event}: continue{following}?"


def classify_answer(prompt: str) -> Answer:
    """Return how the user's prompt answers a gate.

    What is neither yes, no nor a question is an instruction, with which the loop goes on.
    """
    text = prompt.strip()
    if re.fullmatch(_NO, text):
        return "no"
    if text.endswith("?"):
        return "question"
    agreement = re.match(_YES, text, re.DOTALL)
    if agreement and not re.search(_RESERVATION, agreement["rest"]):
        return "yes"
    return "instruction"


def apply_gate_answer(context: Context, record: Record, prompt: str) -> Record | None:
    """Resume the loop if this prompt lets it pass the gate; remove its gates if it says so.

    Returns the changed loop, or None if the prompt changes nothing: "no" and a question leave the
    loop at the gate.
    """
    contract = record.agreed
    skips = contract.gated and skips_gates(prompt)
    at_gate = record.progress.outcome == "gate"
    passes = at_gate and classify_answer(prompt) in ("yes", "instruction")
    if not skips and not passes:
        return None

    def edit(now: Record) -> Progress:
        progress = now.progress
        if skips:
            amendment = Amendment(by="user", at=context.now(), gated=False)
            progress = replace(progress, amendments=(*progress.amendments, amendment))
        if progress.outcome != "gate":
            return progress
        # Only this can confirm that the task is done; an instruction means more work.
        agreed_to = skips or classify_answer(prompt) == "yes"
        return replace(pass_gate(contract, progress, agreed_to=agreed_to), clock=read_clock())

    return change_loop(context, record.contract.id, edit, kind="answered", prompt=truncate(prompt))
