"""What the contract asks for, and which of it a stop's evidence leaves unmet."""

import zlib
from typing import Literal, TypeAlias

from msgspec.structs import replace

from untildone.core.agent_message import folded
from untildone.core.check_results import CheckResult
from untildone.core.contract import Amendment, Contract
from untildone.core.counts import counted, unmet_counts
from untildone.core.evidence import Evidence
from untildone.core.missing_tests import with_all_tests
from untildone.core.plan_task import doubted
from untildone.core.progress import Progress
from untildone.core.todos import unmet_todos

# The criterion that a change which is hard to take back brings with it.
PRECHECK = "precheck"
# `signal`: everything holds but the agent has not said so, where its word is asked for too.
ExitRule: TypeAlias = Literal["done", "claimed", "signal", "unmet"]


def apply_amendments(contract: Contract, amendments: tuple[Amendment, ...]) -> Contract:
    """The contract as it stands now; what is in it already comes to the same."""
    for amendment in amendments:
        claims = (amendment.claim,) if amendment.claim else ()
        contract = replace(
            contract,
            bounds=amendment.bounds or contract.bounds,
            claims=tuple(dict.fromkeys(contract.claims + claims)),
            # A criterion that was added must hold, whatever was enough before.
            done_when="both" if claims and contract.done_when != "either" else contract.done_when,
            allow=tuple(dict.fromkeys(contract.allow + amendment.allow)),
            session=amendment.session or contract.session,
            steps=tuple(dict.fromkeys(contract.steps + amendment.steps)),
            gated=contract.gated if amendment.gated is None else amendment.gated,
        )
    return contract


def results_by_name(evidence: Evidence) -> dict[str, CheckResult]:
    return {result.name: result for result in evidence.checks}


def unmet_checks(contract: Contract, evidence: Evidence, *, slow: bool) -> tuple[str, ...]:
    """Checks that are not green, or have no result; with `slow` also those run only at the end."""
    results = results_by_name(evidence)
    return tuple(
        check.name
        for check in contract.checks
        if (slow or check.when == "round" or check.name in results)
        and not (check.name in results and results[check.name].green)
    )


def unmet_claims(contract: Contract, progress: Progress) -> tuple[str, ...]:
    """Claims not reported, or reported by `assumption`, which never counts."""
    return tuple(
        claim.name
        for claim in contract.claims
        if claim.name not in progress.met or progress.met[claim.name].by == "assumption"
    )


def lacks_precheck(contract: Contract, progress: Progress) -> bool:
    """What is hard to take back is thought through and recorded first."""
    return contract.reversibility == "1" and not progress.precheck


def denied(contract: Contract, evidence: Evidence) -> tuple[str, ...]:
    """Claims of which the agent's last word is that they do not hold."""
    said = evidence.status.criteria if evidence.status else {}
    names = {folded(name) for name, holds in said.items() if not holds}
    return tuple(claim.name for claim in contract.claims if folded(claim.name) in names)


def unmet(contract: Contract, progress: Progress, evidence: Evidence) -> tuple[str, ...]:
    """Every criterion that does not hold, by name."""
    names = unmet_checks(contract, evidence, slow=False)
    if lacks_precheck(contract, progress):
        names = (PRECHECK, *names)
    names = (*unmet_counts(contract, evidence), *names, *unmet_todos(contract, evidence))
    if contract.done_when in ("both", "either"):
        claims = unmet_claims(contract, progress)
        names += claims + tuple(name for name in denied(contract, evidence) if name not in claims)
    if contract.promises and contract.done_when != "checks" and not evidence.said:
        names += tuple(f"promise `{promise}`" for promise in contract.promises)
    return names


def exit_rule(contract: Contract, progress: Progress, evidence: Evidence) -> ExitRule:
    """How far the round's own evidence satisfies `done_when`."""
    if lacks_precheck(contract, progress) or unmet_todos(contract, evidence):
        return "unmet"
    # The person who confirmed that it is done has said it in the agent's place.
    word = evidence.signalled or bool(evidence.said) or progress.confirmed
    unproved = unmet_checks(contract, evidence, slow=False) or unmet_counts(contract, evidence)
    proved = bool(contract.checks) and not unproved
    match contract.done_when:
        case "checks":
            by_themselves = was_red(progress, evidence) and not doubted(progress.report)
            return _by_checks(proved, word=word or by_themselves)
        case "promise":
            said = evidence.said if contract.promises else evidence.signalled
            return "claimed" if said else "unmet"
        case "both":
            return _by_both(contract, progress, evidence, word=word)
        case "either":
            if proved and (word or was_red(progress, evidence)):
                return "done"
            return "claimed" if word else _by_checks(proved, word=False)


def _by_checks(proved: bool, *, word: bool) -> ExitRule:
    if not proved:
        return "unmet"
    return "done" if word else "signal"


def _by_both(contract: Contract, progress: Progress, evidence: Evidence, *, word: bool) -> ExitRule:
    asked = contract.checks or contract.claims or contract.promises or contract.todos
    if unmet(contract, progress, evidence) or not asked:
        return "unmet"
    # A list that is worked off has said it.
    if not (word or (contract.todos and not contract.checks)):
        return "signal"
    # Claims and promises are the agent's words: without one check nothing was proved by us.
    return "done" if contract.checks else "claimed"


def compare_with_baseline(
    contract: Contract, evidence: Evidence, *, strict: bool = False
) -> Evidence:
    """By what counts, and with the start's tests that do not run now; with `strict` a green run of
    fewer tests is no evidence, otherwise the person is asked about them."""
    evidence = replace(evidence, checks=counted(contract, evidence.checks, evidence.baseline))
    start = {result.name: result.tests for result in evidence.baseline or () if result.tests}
    checks = tuple(
        with_all_tests(result, start[result.name], allow=contract.allow, strict=strict)
        if result.name in start
        else result
        for result in evidence.checks
    )
    return replace(evidence, checks=checks)


def was_red(progress: Progress, evidence: Evidence) -> bool:
    """A criterion that was green all along proves nothing."""
    return bool(progress.seen_red) or any(result.outcome == "red" for result in evidence.checks)


def failures(evidence: Evidence) -> tuple[str, ...]:
    """Identities of what fails, independent of line numbers and counts."""
    found: set[str] = set()
    for result in evidence.checks:
        if result.green:
            continue
        failing = result.tests.failing if result.tests else ()
        found.update(f"{result.name}:{test}" for test in failing)
        found.update(finding.fingerprint for finding in result.findings)
        found.add(f"{result.name} {result.outcome}")
    return tuple(sorted(found))


def measured(evidence: Evidence) -> bool:
    """Whether more than an exit code is known of the checks."""
    return any(result.tests is not None or result.findings for result in evidence.checks)


def state_key(unmet_names: tuple[str, ...], failure_names: tuple[str, ...]) -> str:
    text = "\n".join((*unmet_names, "", *failure_names)).encode("utf-8", "surrogatepass")
    return f"{zlib.crc32(text):08x}-{len(text)}"
