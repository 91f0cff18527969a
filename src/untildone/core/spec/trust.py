"""How far an ended loop can be relied on, by the kinds of verification behind its criteria."""

from typing import Literal, TypeAlias

from untildone.core.contract import Contract, Verification
from untildone.core.progress import Progress

Trust: TypeAlias = Literal["SHIP", "MONITOR", "RESEARCH"]
_REPEATS = 3


def list_verifications(contract: Contract, progress: Progress) -> dict[str, Verification]:
    """Each criterion of an ended loop with how it was verified; what nobody reported is assumed."""
    found: dict[str, Verification] = {check.name: "execution" for check in contract.checks}
    for claim in contract.claims:
        report = progress.met.get(claim.name)
        found[claim.name] = report.by if report else "assumption"
    return found


def rate_trust(contract: Contract, progress: Progress) -> Trust:
    """What rests on the agent's words alone is never more than something to watch."""
    known = set(list_verifications(contract, progress).values())
    if not known or "assumption" in known:
        return "RESEARCH"
    if "review" in known or progress.outcome != "done":
        return "MONITOR"
    return "SHIP"


def find_repeated_work(steps_done: tuple[str, ...]) -> str:
    """The kind of work that was just done for the third time, by what its steps begin with."""
    last = [step.split()[0].casefold() for step in steps_done if step.split()]
    return last[-1] if last and last.count(last[-1]) == _REPEATS else ""
