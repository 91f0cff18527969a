"""The gates of a colleague-shaped loop: what they ask, and what the user's next prompt answers."""

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
_STEPS_SHOWN = 12
_SKIPS = r"(?i)\b(?:proceed|continue|go on|run|work) without (?:further )?(?:confirmation|asking)\b"
_NO = r"(?i)\W*(?:n|no|nope|wait|not yet|hold|don['\u2019]?t)\W*"
_YES = (
    r"(?i)\W*(?:y|yes|yep|yeah|ok|okay|sure|proceed|continue|go(?: ahead| on)?|confirm(?:ed)?|"
    r"lgtm|fine|good|great|perfect|approved?|done|do it|looks good|ship(?: it)?)\b(?P<rest>.*)"
)
_BUT = r"(?i)\b(?:but|except|also|instead|first|however|add|change|fix|not)\b"


def skips_gates(text: str) -> bool:
    """Whether the text asks for no gates: "proceed without confirmation"."""
    return bool(re.search(_SKIPS, text))


def ask_at_gate(contract: Contract, progress: Progress) -> str:
    """The question to the user if the loop is not met after this round; empty without gates."""
    if not contract.gated:
        return ""
    steps = contract.steps
    if steps and not progress.steps_approved:
        shown = "; ".join(f"{n}. {step}" for n, step in enumerate(steps[:_STEPS_SHOWN], 1))
        more = f"; and {len(steps) - _STEPS_SHOWN} more" if len(steps) > _STEPS_SHOWN else ""
        return f"here are {len(steps)} steps: {shown}{more}. Proceed?"
    done = progress.steps_done[progress.steps_reported :][-1:]
    left = [step for step in steps if step not in progress.steps_done]
    what = f"step `{done[0]}` is complete" if done else f"round {progress.round + 1} is over"
    following = f" with `{left[0]}`" if left else ""
    return f"{what}: continue{following}?"


def classify_answer(prompt: str) -> Answer:
    """What is neither yes, no nor a question is an instruction, with which the loop goes on."""
    text = prompt.strip()
    if re.fullmatch(_NO, text):
        return "no"
    if text.endswith("?"):
        return "question"
    agreed = re.match(_YES, text, re.DOTALL)
    if agreed and not re.search(_BUT, agreed["rest"]):
        return "yes"
    return "instruction"


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
