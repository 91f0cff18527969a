"""The gates of a colleague-shaped loop, and what the user's answer at one means."""

import re
from typing import Literal, TypeAlias

from msgspec.structs import replace

from untildone.core.contract import Contract
from untildone.core.progress import Progress
from untildone.core.transitions import resume_loop

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
    if contract.steps and not progress.steps_approved:
        return _ask_about_steps(contract.steps)
    done = progress.steps_done[progress.steps_reported :][-1:]
    left = [step for step in contract.steps if step not in progress.steps_done]
    what = f"step `{done[0]}` is complete" if done else f"round {progress.round + 1} is over"
    following = f" with `{left[0]}`" if left else ""
    return f"{what}: continue{following}?"


def _ask_about_steps(steps: tuple[str, ...]) -> str:
    shown = "; ".join(f"{n}. {step}" for n, step in enumerate(steps[:_STEPS_SHOWN], 1))
    more = f"; and {len(steps) - _STEPS_SHOWN} more" if len(steps) > _STEPS_SHOWN else ""
    return f"here are {len(steps)} steps: {shown}{more}. Proceed?"


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


def pass_gate(contract: Contract, progress: Progress, *, agreed_to: bool) -> Progress:
    """The loop active again after a gate; only a plain yes confirms that the task is done."""
    return replace(
        resume_loop(progress),
        steps_approved=bool(contract.steps),
        confirmed=agreed_to and not progress.unmet,
    )
