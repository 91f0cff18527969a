"""How far an ended loop can be trusted, by the kinds of verification of its criteria."""

from typing import Literal, TypeAlias

from untildone.core.contract import Contract, Verification
from untildone.core.progress import Progress

Trust: TypeAlias = Literal["SHIP", "MONITOR", "RESEARCH"]


def list_verifications(contract: Contract, progress: Progress) -> dict[str, Verification]:
    """Return how each criterion was verified; a claim without a report is an assumption."""
    found: dict[str, Verification] = {check.name: "execution" for check in contract.checks}
    for claim in contract.claims:
        report = progress.met.get(claim.name)
        found[claim.name] = report.by if report else "assumption"
    return found


def rate_trust(contract: Contract, progress: Progress) -> Trust:
    """Return the rating; `SHIP` needs checks, the agent's words alone earn `MONITOR` at most."""
    known = set(list_verifications(contract, progress).values())
    if not known or "assumption" in known:
        return "RESEARCH"
    if "review" in known or progress.outcome != "done":
        return "MONITOR"
    return "SHIP"
