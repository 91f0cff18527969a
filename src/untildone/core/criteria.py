"""The criteria of a contract: which of them a stop's evidence leaves unmet."""

import zlib
from typing import Literal, TypeAlias

from msgspec.structs import replace

from untildone.core.agent_message import normalize
from untildone.core.check_results import CheckResult
from untildone.core.contract import Amendment, Contract
from untildone.core.counts import find_unmet_counts
from untildone.core.evidence import Evidence, Todo
from untildone.core.plan_task import is_doubted
from untildone.core.progress import Progress
from untildone.core.run_noise import remove_run_noise

# The extra criterion of a loop whose changes are hard to undo (reversibility 1).
PRECHECK = "precheck"
# What a loop lacks that has nothing by which it could be judged.
NO_CRITERION = "a criterion (none is agreed yet)"
# Of a check without findings, so many of the last lines of its output are its message.
_LAST_LINES = 5
# Of a check with very many findings, the messages of the first ones are enough.
_MOST_MESSAGES = 1_000
# `signal`: everything is met except that the agent has not signalled completion.
ExitState: TypeAlias = Literal["done", "claimed", "signal", "unmet"]


def apply_amendments(contract: Contract, amendments: tuple[Amendment, ...]) -> Contract:
    """Return the contract with its amendments; terms that it has already are not added twice."""
    for amendment in amendments:
        claims = (amendment.claim,) if amendment.claim else ()
        contract = replace(
            contract,
            bounds=amendment.bounds or contract.bounds,
            claims=tuple(dict.fromkeys(contract.claims + claims)),
            # An added claim must be met, even if checks or a promise alone were enough before.
            done_when="both" if claims else contract.done_when,
            allow=tuple(dict.fromkeys(contract.allow + amendment.allow)),
            session=amendment.session or contract.session,
            agent=amendment.agent or contract.agent,
            steps=tuple(dict.fromkeys(contract.steps + amendment.steps)),
            gated=contract.gated if amendment.gated is None else amendment.gated,
        )
    return contract


def index_results(evidence: Evidence) -> dict[str, CheckResult]:
    return {result.name: result for result in evidence.checks}


def find_unmet_checks(contract: Contract, evidence: Evidence, *, slow: bool) -> tuple[str, ...]:
    """Return checks that are not green or have no result; with `slow` also the `done` checks."""
    results = index_results(evidence)
    return tuple(
        check.name
        for check in contract.checks
        if (slow or check.when == "round" or check.name in results)
        and not (check.name in results and results[check.name].green)
    )


def find_unmet_claims(contract: Contract, progress: Progress) -> tuple[str, ...]:
    """Return claims without a report, or with one by `assumption`, which never counts."""
    return tuple(
        claim.name
        for claim in contract.claims
        if claim.name not in progress.met or progress.met[claim.name].by == "assumption"
    )


def find_unfinished(todos: tuple[Todo, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(todo.text for todo in todos if not todo.done))


def find_unmet_todos(contract: Contract, evidence: Evidence) -> tuple[str, ...]:
    """Return items that are unfinished, and items of the contract that left the list."""
    if not contract.todos:
        return ()
    known = {todo.text for todo in evidence.todos}
    gone = tuple(text for text in contract.todos if text not in known)
    return tuple(f"todo `{text}`" for text in find_unfinished(evidence.todos)) + tuple(
        f"todo `{text}` (removed from the list, not finished)" for text in gone
    )


def lacks_precheck(contract: Contract, progress: Progress) -> bool:
    """Say whether changes that are hard to undo still need their recorded pre-check."""
    return contract.reversibility == "1" and not progress.precheck


def lacks_criteria(contract: Contract) -> bool:
    """Say whether nothing is agreed that must hold, so that the loop could never be done."""
    agreed = contract.checks or contract.claims or contract.promises or contract.todos
    return contract.done_when == "both" and not agreed


def find_denied_claims(contract: Contract, evidence: Evidence) -> tuple[str, ...]:
    """Return the claims that the agent's status block reports as not met."""
    reported = evidence.status.criteria if evidence.status else {}
    names = {normalize(name) for name, holds in reported.items() if not holds}
    return tuple(claim.name for claim in contract.claims if normalize(claim.name) in names)


def find_unmet(contract: Contract, progress: Progress, evidence: Evidence) -> tuple[str, ...]:
    """Return the name of every criterion that does not hold."""
    names = find_unmet_checks(contract, evidence, slow=False)
    if lacks_precheck(contract, progress):
        names = (PRECHECK, *names)
    names = (*find_unmet_counts(contract, evidence), *names, *find_unmet_todos(contract, evidence))
    if contract.done_when in ("both", "either"):
        claims = find_unmet_claims(contract, progress)
        names += claims + tuple(
            name for name in find_denied_claims(contract, evidence) if name not in claims
        )
    if contract.promises and contract.done_when != "checks" and not evidence.promises_given:
        names += tuple(f"promise `{promise}`" for promise in contract.promises)
    return (NO_CRITERION, *names) if lacks_criteria(contract) else names


def apply_exit_rule(contract: Contract, progress: Progress, evidence: Evidence) -> ExitState:
    """Return how far this round's evidence satisfies the contract's `done_when`."""
    if lacks_precheck(contract, progress) or find_unmet_todos(contract, evidence):
        return "unmet"
    # A user who confirmed at a gate that the task is done has signalled for the agent.
    word = evidence.signalled or bool(evidence.promises_given) or progress.confirmed
    unproved = find_unmet_checks(contract, evidence, slow=False) or find_unmet_counts(
        contract, evidence
    )
    proved = bool(contract.checks) and not unproved
    match contract.done_when:
        case "checks":
            by_themselves = was_red(progress, evidence) and not is_doubted(progress.report)
            return _judge_by_checks(proved, word=word or by_themselves)
        case "promise":
            claimed = evidence.promises_given if contract.promises else evidence.signalled
            return "claimed" if claimed else "unmet"
        case "both":
            return _judge_by_both(contract, progress, evidence, word=word)
        case "either":
            if proved and (word or was_red(progress, evidence)):
                return "done"
            return "claimed" if word else _judge_by_checks(proved, word=False)


def _judge_by_checks(proved: bool, *, word: bool) -> ExitState:
    if not proved:
        return "unmet"
    return "done" if word else "signal"


def _judge_by_both(
    contract: Contract, progress: Progress, evidence: Evidence, *, word: bool
) -> ExitState:
    if find_unmet(contract, progress, evidence):
        return "unmet"
    # A finished todo list counts as the agent's signal.
    if not (word or (contract.todos and not contract.checks)):
        return "signal"
    # Claims and promises are only the agent's words; a check is our own proof.
    return "done" if contract.checks else "claimed"


def was_red(progress: Progress, evidence: Evidence) -> bool:
    """Say whether a check was red during the loop: checks that were always green prove nothing."""
    return bool(progress.checks_seen_red) or any(
        result.outcome == "red" for result in evidence.checks
    )


def list_failure_ids(evidence: Evidence) -> tuple[str, ...]:
    """Return ids of everything that fails, independent of line numbers and counts."""
    found: set[str] = set()
    for result in evidence.checks:
        if result.green:
            continue
        failing = result.tests.failing if result.tests else ()
        found.update(f"{result.name}:{test}" for test in failing)
        found.update(finding.fingerprint for finding in result.findings)
        found.add(f"{result.name} {result.outcome}")
    return tuple(sorted(found))


def list_failure_messages(evidence: Evidence) -> tuple[str, ...]:
    """Return a key for each check that is not green, which changes with what its failures say.

    `assert 11 == 6` and `assert 10 == 6` have different keys. What differs from run to run on the
    same code (durations, addresses, line numbers, temporary folders) does not count.
    """
    return tuple(
        f"{result.name} {zlib.crc32(said.encode('utf-8', 'surrogatepass')):08x}"
        for result in evidence.checks
        if not result.green and (said := _read_messages(result))
    )


def _read_messages(result: CheckResult) -> str:
    """Return what a check says about its failures: its findings, else the end of its output."""
    texts = [f"{finding.path} {finding.text}" for finding in result.findings[:_MOST_MESSAGES]]
    texts = texts or [line for line in result.output.splitlines() if line.strip()][-_LAST_LINES:]
    return "\n".join(sorted(remove_run_noise(text) for text in texts))


def has_measurements(evidence: Evidence) -> bool:
    """Say whether the checks report tests or findings, not only an exit status."""
    return any(result.tests is not None or result.findings for result in evidence.checks)


def hash_state(unmet_names: tuple[str, ...], failure_names: tuple[str, ...]) -> str:
    text = "\n".join((*unmet_names, "", *failure_names)).encode("utf-8", "surrogatepass")
    return f"{zlib.crc32(text):08x}-{len(text)}"
