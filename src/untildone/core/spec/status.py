"""What the agent's status block claims, held against the checks and the record."""

from collections.abc import Iterable

from untildone.core.agent_message import normalize
from untildone.core.contract import Contract
from untildone.core.criteria import index_results
from untildone.core.evidence import Evidence, StatusBlock
from untildone.core.progress import Progress
from untildone.core.stagnation import count_stale_rounds, get_round_state

_MOST_TOLD = 6


def find_contradictions(
    contract: Contract, progress: Progress, evidence: Evidence
) -> tuple[str, ...]:
    """Each in a line for the agent: what it said, and what is known instead."""
    block = evidence.status or StatusBlock()
    found = [
        line
        for name, holds in block.criteria.items()
        if (line := _against(contract, progress, evidence, (name, holds)))
    ]
    state = get_round_state(contract, progress, evidence)
    if block.exit_signal and state.unmet:
        found.append(f"`EXIT_SIGNAL: true`, but unmet: {', '.join(state.unmet[:_MOST_TOLD])}")
    stale = count_stale_rounds(progress, state)
    if block.stuck is not None and block.stuck < stale:
        found.append(f"`STUCK_COUNT: {block.stuck}`, but nothing has moved in {stale} rounds")
    return tuple(found[:_MOST_TOLD])


def _against(
    contract: Contract, progress: Progress, evidence: Evidence, said: tuple[str, bool]
) -> str:
    name, holds = said
    check = _meant(name, index_results(evidence))
    if check:
        result = index_results(evidence)[check]
        known = f"the check `{check}` is {result.outcome}"
        return f"`{name}`: {_word(holds)}, but {known}" if holds != result.green else ""
    claim = _meant(name, [claim.name for claim in contract.claims])
    if not claim:
        return f"`{name}` is no criterion of this loop: `untildone criterion add` makes it one"
    report = progress.met.get(claim)
    counts = report is not None and report.by != "assumption"
    if holds and not counts:
        how = "only assumed" if report else "not reported with `untildone met`"
        return f"`{name}`: true, but it is {how}"
    return f"`{name}`: false, but it is recorded as met" if counts and not holds else ""


def _meant(name: str, known: Iterable[str]) -> str:
    return next((each for each in known if normalize(each) == normalize(name)), "")


def _word(holds: bool) -> str:
    return "true" if holds else "false"
