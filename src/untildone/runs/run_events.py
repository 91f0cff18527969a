"""Events of a run beside those of the client: shown to the user, printed by `--json`."""

from typing import Literal

from untildone.agents.headless import ClientFault, RunEvent
from untildone.core.progress import Status
from untildone.core.verdict import Outcome, Verdict


class Started(RunEvent, frozen=True, kw_only=True):
    """A run started or resumed; `rounds` counts those judged so far."""

    loop: str
    session: str
    agent: str
    project: str
    task: str
    checks: tuple[str, ...]
    rounds: int
    max_rounds: int
    budget_usd: float


class Asked(RunEvent, frozen=True, kw_only=True):
    """The client is called; `round` is the number its return will have."""

    round: int
    session: str
    conversation: Literal["new", "resumed"]


class HandedOver(RunEvent, frozen=True, kw_only=True):
    """Another agent goes on with the loop."""

    agent: str
    session: str
    reason: str


class Waiting(RunEvent, frozen=True, kw_only=True):
    """The run waits for the end of a usage limit, or before another try."""

    reason: str
    until: str
    seconds: float
    fault: ClientFault


class Judged(RunEvent, frozen=True, kw_only=True):
    round: int
    verdict: Verdict
    unmet: tuple[str, ...]
    notice: str
    spend_usd: float | None


class Ended(RunEvent, frozen=True, kw_only=True):
    loop: str
    session: str
    status: Status
    outcome: Outcome | None
    reason: str
    rounds: int
    spend_usd: float | None
    exit_code: int
    # The command that resumes it; empty if it is finished.
    resume: str
    receipt: str
    # The failure of the client that ended the run, if any.
    fault: ClientFault | None
    # If it was a usage limit: how many seconds it still lasts; 0 if unknown.
    limit_seconds: float = 0
