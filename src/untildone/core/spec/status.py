"""The agent's status block compared with the checks and the recorded reports."""

from collections.abc import Iterable

from untildone.core.agent_message import normalize
from untildone.core.contract import Contract
from untildone.core.criteria import index_results
from untildone.core.evidence import Evidence, StatusBlock
from untildone.core.progress import Progress
from untildone.core.stagnation import count_stale_rounds, get_round_state

_MAX_LINES = 6


def find_contradictions(
    contract: Contract, progress: Progress, evidence: Evidence
) -> tuple[str, ...]:
    """One line for each contradiction: what the agent reported, and what is known."""
    block = evidence.status or StatusBlock()
    found = [
        line
        for name, holds in block.criteria.items()
        if (line := _contradict(contract, progress, evidence, (name, holds)))
    ]
    state = get_round_state(contract, progress, evidence)
    if block.exit_signal and state.unmet:
        found.append(f"`EXIT_SIGNAL: true`, but unmet: {', '.join(state.unmet[:_MAX_LINES])}")
    stale = count_stale_rounds(progress, state)
    if block.stuck is not None and block.stuck < stale:
        found.append(f"`STUCK_COUNT: {block.stuck}`, but nothing has moved in {stale} rounds")
    return tuple(found[:_MAX_LINES])


def _contradict(
    contract: Contract, progress: Progress, evidence: Evidence, said: tuple[str, bool]
) -> str:
    name, holds = said
    check = _find_name(name, index_results(evidence))
    if check:
        result = index_results(evidence)[check]
        known = f"the check `{check}` is {result.outcome}"
        return f"`{name}`: {_format_bool(holds)}, but {known}" if holds != result.green else ""
    claim = _find_name(name, [claim.name for claim in contract.claims])
    if not claim:
        return f"`{name}` is no criterion of this loop: `untildone criterion add` makes it one"
    report = progress.met.get(claim)
    counts = report is not None and report.by != "assumption"
    if holds and not counts:
        how = "only assumed" if report else "not reported with `untildone met`"
        return f"`{name}`: true, but it is {how}"
    return f"`{name}`: false, but it is recorded as met" if counts and not holds else ""


def _find_name(name: str, known: Iterable[str]) -> str:
    return next((each for each in known if normalize(each) == normalize(name)), "")


def _format_bool(holds: bool) -> str:
    return "true" if holds else "false"
