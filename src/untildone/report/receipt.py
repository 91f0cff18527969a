"""The receipt, which records an ended or paused loop, as a value.

It is built from the contract, the state and the journal alone: whoever has them can recompute it.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import Totals
from untildone.core.concerns import get_file, is_allowed
from untildone.core.contract import Amendment, LeftOut, Speaker
from untildone.core.evidence import ChangeEvidence
from untildone.core.failure_changes import FailureCounts
from untildone.core.progress import BaselineRun, Round
from untildone.core.proof import describe_change
from untildone.core.trust_rating import Trust, rate_trust
from untildone.core.verdict import Outcome, Wait
from untildone.report.receipt_checks import ReceiptCheck, count_repeated, list_checks
from untildone.report.receipt_rounds import describe_rounds
from untildone.store.history import History
from untildone.store.loops import Record

# Stands for the last round of a loop that has none.
_NO_ROUND = Round(number=0, at="", verdict=Wait(reason=""))


class Allowance(Struct, frozen=True, kw_only=True):
    """One thing that the user allowed; `covers` are the ids of the concerns it settles."""

    what: str
    by: Speaker
    at: str
    covers: tuple[str, ...] = ()
    # Whether it holds in every loop of the project: `approve --always`.
    always: bool = False


class ReceiptConcern(Struct, frozen=True, kw_only=True):
    """A concern that nobody approved; `change` is the diff from the baseline, cut if long."""

    id: str
    path: str
    because: str
    change: str = ""


class Receipt(Struct, frozen=True, kw_only=True, rename={"concerns": "lost"}):
    loop: str
    agent: str
    # All that worked on it, in their order.
    agents: tuple[str, ...] = ()
    session: str
    project: str
    task: str
    status: str
    outcome: Outcome | None
    reason: str
    done_when: str
    rounds: int
    max_rounds: int
    started_at: str
    # Empty while the loop is active.
    ended_at: str
    spend_usd: float | None
    tree: str
    checks: tuple[ReceiptCheck, ...]
    claims: dict[str, str]
    promises_said: tuple[str, ...]
    allowed: tuple[str, ...]
    by_words_alone: tuple[str, ...]
    history: tuple[str, ...]
    # None: not counted.
    initial: Totals | None
    final: Totals | None
    improved: int | None
    notes: tuple[str, ...]
    # Comparison with the baseline: what was proved, the open concerns, and who allowed what.
    proved: tuple[str, ...] = ()
    concerns: tuple[ReceiptConcern, ...] = ()
    approvals: tuple[Allowance, ...] = ()
    # The walls of the sandbox in which the checks were confirmed; empty if they were not.
    sandbox: str = ""
    # What shows the change, in figures and in words; None and empty if it was not looked at.
    change: ChangeEvidence | None = None
    shown_by: str = ""
    # Of a spec loop: how far to rely on it, what no command can verify, and the steps done.
    verdict: Trust | None = None
    unverified: tuple[str, ...] = ()
    steps_done: tuple[str, ...] = ()
    precheck: str = ""
    # The counts that had to be zero, the paths whose findings counted, and what is unmet.
    counts: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    # A line about configuration of the project that was ignored because it is not trusted.
    ignored_configuration: str = ""
    # A chain of loops.
    follows: str = ""
    followed_by: str = ""
    then: tuple[str, ...] = ()
    # The round that `checks`, `tree`, `final` and `proved` are of, its time, its folder and the
    # commit that was checked out there; 0 and empty where no stop was judged.
    judged_round: int = 0
    judged_at: str = ""
    judged_in: str = ""
    commit: str = ""
    # Whether that round ended the loop: if not, nothing was checked when it ended.
    ended_by_round: bool = False
    # Whether the tree was compared with the baseline in that round.
    compared: bool = False
    # The loop's checks without a result in that round.
    not_run: tuple[str, ...] = ()
    # The checks on the baseline; None where they were not run on it.
    baseline_checks: tuple[ReceiptCheck, ...] | None = None
    # What became of the baseline's failures, in the checks that ran on it.
    failures: FailureCounts | None = None
    # Findings that another check reports too: `final` counts each once.
    repeated_findings: int = 0
    # Checks that the user left out, and those that could not run and were not needed.
    left_out: tuple[LeftOut, ...] = ()
    # Concerns that are not listed, as there were too many.
    unlisted_concerns: int = 0
    # The git tree that the judged files had; empty where it is not known.
    git_tree: str = ""
    # The SHA-256 of the contract, and the number and hash of the journal's last entry.
    contract_sha256: str = ""
    journal_entries: int = 0
    journal_hash: str = ""


def build_receipt(record: Record, history: History) -> Receipt:
    contract, progress = record.agreed, record.progress
    last = _get_judged_round(record, history)
    is_rated = contract.preset == "loop" and progress.outcome in ("done", "claimed")
    return replace(
        _add_judgement(_build_essentials(record, history, last), record, history, last),
        concerns=tuple(_list_open_concerns(record, last)),
        approvals=tuple(_list_allowances(record, last)),
        sandbox=last.sandbox,
        change=last.change,
        shown_by=describe_change(last.change),
        verdict=rate_trust(contract, progress) if is_rated else None,
        unverified=tuple(f"must not: {limit}" for limit in contract.limits),
        steps_done=progress.steps_done,
        precheck=progress.precheck,
        counts=contract.counts,
        targets=contract.targets,
        unmet=_list_unmet(record),
        ignored_configuration=contract.ignored_configuration,
        follows=contract.after,
        followed_by=progress.followed_by,
        then=contract.then,
    )


def _get_judged_round(record: Record, history: History) -> Round:
    """Return the last round; of a loop that an approval ended, with what was shown for that."""
    last = history.rounds[-1] if history.rounds else _NO_ROUND
    shown = last.if_approved
    if shown is None or record.progress.outcome != "done":
        return last
    return replace(
        last,
        concerns=shown.concerns,
        comparisons=shown.comparisons,
        sandbox=shown.sandbox,
        change=shown.change,
    )


def _list_agents(record: Record) -> tuple[str, ...]:
    moved_to = (amendment.agent for amendment in record.progress.amendments)
    return tuple(filter(None, dict.fromkeys((record.contract.agent, *moved_to))))


def _build_essentials(record: Record, history: History, last: Round) -> Receipt:
    contract, progress, initial = record.agreed, record.progress, record.progress.baseline_totals
    claims = {name: f"{met.by}: {met.evidence}" for name, met in progress.met.items()}
    failures = last.failure_counts
    return Receipt(
        loop=contract.id,
        agent=contract.agent,
        agents=_list_agents(record),
        session=contract.session,
        project=contract.project,
        task=contract.task,
        status=progress.status,
        outcome=progress.outcome,
        reason=progress.reason,
        done_when=contract.done_when,
        rounds=progress.round,
        max_rounds=contract.bounds.rounds,
        started_at=contract.started_at,
        ended_at=history.ended_at,
        spend_usd=progress.spend_usd,
        tree=last.tree,
        checks=list_checks(last),
        claims=claims,
        promises_said=last.promises_given,
        allowed=contract.allow,
        by_words_alone=(*claims, *last.promises_given),
        history=describe_rounds(history, has_checks=bool(contract.checks)),
        initial=initial,
        # A round that another tool counted before an import has totals and no checks.
        final=last.totals if last.checks else None,
        improved=failures.percent_fixed if failures and initial else None,
        notes=progress.notes,
    )


def _add_judgement(receipt: Receipt, record: Record, history: History, last: Round) -> Receipt:
    """Return the receipt with what was run, on which tree, and what was not."""
    ran = {result.name for result in last.checks}.union(entry.name for entry in last.left_out)
    return replace(
        receipt,
        proved=last.comparisons,
        judged_round=last.number,
        judged_at=last.at,
        judged_in=last.project,
        commit=last.commit,
        ended_by_round=history.ended_by_round,
        compared=last.changed is not None,
        not_run=tuple(check.name for check in record.agreed.checks if check.name not in ran),
        left_out=(*record.agreed.left_out, *last.left_out),
        baseline_checks=_list_baseline_checks(history.baseline),
        failures=last.failure_counts,
        repeated_findings=count_repeated(last),
        unlisted_concerns=max(0, last.concern_count - len(last.concerns or ())),
        git_tree=last.git_tree,
        contract_sha256=history.contract,
        journal_entries=history.entries,
        journal_hash=history.head,
    )


def _list_baseline_checks(baseline: BaselineRun | None) -> tuple[ReceiptCheck, ...] | None:
    return None if baseline is None else list_checks(baseline)


def _list_open_concerns(record: Record, last: Round) -> Iterator[ReceiptConcern]:
    for concern in last.concerns or ():
        if not is_allowed(concern, record.agreed.allow):
            yield ReceiptConcern(
                id=concern.id,
                path=concern.path,
                because=concern.detail,
                change=last.diffs.get(get_file(concern), ""),
            )


def _list_allowances(record: Record, last: Round) -> Iterator[Allowance]:
    contract = record.contract
    at_start = Amendment(
        by=contract.started_by,
        at=contract.started_at,
        allow=contract.allow,
        always=contract.always,
    )
    for amendment in (at_start, *record.progress.amendments):
        for what in amendment.allow:
            covers = tuple(
                concern.id for concern in last.concerns or () if is_allowed(concern, (what,))
            )
            always = what in amendment.always
            # An agent may start a loop, but only the user approves for good.
            by = "user" if always else amendment.by
            yield Allowance(what=what, by=by, at=amendment.at, covers=covers, always=always)


def _list_unmet(record: Record) -> tuple[str, ...]:
    """Return what was unmet at the last stop."""
    progress = record.progress
    if progress.outcome == "done":
        return ()
    blocked = (f"blocked: {progress.reason}",) if progress.outcome == "blocked" else ()
    return (*blocked, *(progress.unmet or ()))
