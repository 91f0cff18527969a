"""What holds for every sequence of stops, by a generator that reaches every outcome."""

from collections.abc import Callable
from typing import NamedTuple

from hypothesis import event, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from core.samples import AGENT, LOST, SERVER, SLOW, TEST, contract, failing, make_evidence, result
from untildone.core.contract import Amendment, Bounds, Claim, Contract
from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide, decide_before_checks
from untildone.core.evidence import Evidence
from untildone.core.progress import ClaimReport, Progress
from untildone.core.transitions import advance, resume_loop
from untildone.core.verdict import OUTCOMES, Continue, Finish, Pause, Verdict

# What may be true at a stop besides the checks' results; two at once are drawn too.
CONDITIONS = (
    make_evidence(cancelled=True),
    make_evidence(paused=True),
    make_evidence(ignore_reason="off"),
    make_evidence(broken_seal="cut"),
    make_evidence(turn="queued", prompt="p1"),
    make_evidence(turn="question", prompt="p2"),
    make_evidence(turn="plan"),
    make_evidence(turn="failed"),
    make_evidence(background=(AGENT,)),
    make_evidence(background=(SERVER,)),
    make_evidence(forbidden=("grep TODO",)),
    make_evidence(promises_given=("DONE",)),
    make_evidence(signalled=True),
    make_evidence(blocked="no key"),
    make_evidence(fault="late"),
    make_evidence(spend_usd=5.0),
    make_evidence(minutes=60),
    make_evidence(round_minutes=60),
    make_evidence(cap_reached=True),
    make_evidence(gate_question="which?"),
    make_evidence(concerns=()),
)
OUTCOMES_OF_A_CHECK = ("green", "green", "red", "flaky", "unrunnable", "timed-out", "no-evidence")


class Stop(NamedTuple):
    evidence: Evidence
    # what the slow checks and the comparison with the baseline find, once they run
    confirmation: Evidence
    met: bool


class Judged(NamedTuple):
    agreed: Contract
    before: Progress
    evidence: Evidence
    verdict: Verdict
    after: Progress


def _together(first: Evidence, second: Evidence) -> Evidence:
    default = Evidence()
    changed = {
        name: getattr(second, name)
        for name in Evidence.__struct_fields__
        if getattr(second, name) != getattr(default, name)
    }
    return replace(first, **changed)


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    outcomes = st.sampled_from(OUTCOMES_OF_A_CHECK)
    results = [result(draw(outcomes)) if draw(st.integers(0, 9)) else failing("t1")]
    if draw(st.integers(0, 3)) == 0:
        results.append(result(draw(outcomes), "other"))
    evidence = make_evidence(*results) if draw(st.integers(0, 9)) else make_evidence()
    for _ in range(draw(st.sampled_from((0, 0, 1, 2)))):
        evidence = _together(evidence, draw(st.sampled_from(CONDITIONS)))
    return evidence


@st.composite
def stops(draw: st.DrawFn) -> Stop:
    slow = result(draw(st.sampled_from(("green", "green", "red"))), "slow")
    lost = draw(st.sampled_from(((), (LOST,))))
    return Stop(draw(evidences()), make_evidence(slow, concerns=lost), draw(st.booleans()))


bounds = st.builds(
    Bounds,
    rounds=st.integers(0, 6),
    budget_usd=st.sampled_from((0, 4)),
    minutes=st.sampled_from((0, 30)),
    round_minutes=st.sampled_from((0, 30)),
    stagnation=st.sampled_from((None, 0, 1, 2)),
)
contracts = st.builds(
    contract,
    checks=st.sampled_from(((), (TEST,), (TEST,), (TEST, SLOW))),
    claims=st.sampled_from(((), (), (Claim(name="docs"),))),
    promises=st.sampled_from(((), (), ("DONE",))),
    done_when=st.sampled_from(("checks", "checks", "both", "promise", "either")),
    gated=st.sampled_from((False, False, False, True)),
    bounds=bounds,
)


def judge(asked: Contract, progress: Progress, stop: Stop) -> tuple[Evidence, Verdict]:
    """As the pipeline does it: what `done` rests on is looked at only when all else is met."""
    verdict = decide(asked, progress, stop.evidence)
    if isinstance(verdict, Continue) and verdict.cause == "unconfirmed":
        slow = [check for check in asked.checks if check.when == "done"]
        more = stop.confirmation.checks if slow else ()
        evidence = replace(
            stop.evidence,
            checks=stop.evidence.checks + more,
            concerns=stop.confirmation.concerns,
        )
        return evidence, decide(asked, progress, evidence)
    return stop.evidence, verdict


def walk(asked: Contract, given_stops: list[Stop], *, resuming: bool) -> list[Judged]:
    """One stop after the other until the loop ends; a pause is continued if `resuming`."""
    progress = Progress()
    judged: list[Judged] = []
    for stop in given_stops:
        if stop.met:
            report = ClaimReport(by="execution", evidence="seen")
            progress = replace(progress, met={"docs": report})
        evidence, verdict = judge(asked, progress, stop)
        after = advance(asked, progress, evidence, verdict)
        judged.append(Judged(asked, progress, evidence, verdict, after))
        if after.status == "finished" or (after.status == "paused" and not resuming):
            break
        progress = resume_loop(after) if after.status == "paused" else after
    return judged


def bounded(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(max_examples=examples, deadline=None, derandomize=True, database=None)


def test_the_generator_reaches_every_outcome() -> None:
    reached: set[str] = set()

    @given(contracts, st.lists(stops(), max_size=8))
    @bounded(1_500)
    def collect(asked: Contract, given_stops: list[Stop]) -> None:
        for judged in walk(asked, given_stops, resuming=True):
            if isinstance(judged.verdict, Finish | Pause):
                reached.add(judged.verdict.outcome)

    collect()
    assert reached == set(OUTCOMES) - {"vague"}


@given(contracts, st.lists(stops(), max_size=8))
@bounded(500)
def test_done_only_by_positive_evidence(asked: Contract, given_stops: list[Stop]) -> None:
    for judged in walk(asked, given_stops, resuming=True):
        if judged.verdict == Finish(outcome="done", reason="every check passes"):
            event("done")
            green = {check.name for check in judged.evidence.checks if check.green}
            assert asked.checks
            assert {check.name for check in asked.checks} <= green
            assert all(check.green or check.name == "other" for check in judged.evidence.checks)
            assert judged.evidence.concerns == ()
            assert not judged.evidence.fault
            assert asked.done_when != "promise"


@given(contracts, st.lists(stops(), max_size=8))
@bounded(500)
def test_both_is_done_only_with_the_agents_word_and_every_claim(
    asked: Contract, given_stops: list[Stop]
) -> None:
    for judged in walk(replace(asked, done_when="both"), given_stops, resuming=True):
        if isinstance(judged.verdict, Finish) and judged.verdict.outcome == "done":
            event("done")
            assert judged.evidence.signalled or judged.evidence.promises_given
            assert all(claim.name in judged.before.met for claim in asked.claims)


@given(contracts, st.lists(stops(), max_size=8))
@bounded(500)
def test_claimed_only_by_words(asked: Contract, given_stops: list[Stop]) -> None:
    for judged in walk(asked, given_stops, resuming=True):
        if isinstance(judged.verdict, Finish) and judged.verdict.outcome == "claimed":
            event("claimed")
            assert judged.evidence.promises_given or judged.evidence.signalled


@given(contracts, st.lists(stops(), max_size=20), st.integers(1, 6))
@bounded(500)
def test_every_bound_of_rounds_is_kept(
    asked: Contract, given_stops: list[Stop], rounds: int
) -> None:
    asked = replace(asked, bounds=replace(asked.bounds, rounds=rounds))
    judged = walk(asked, given_stops, resuming=False)

    holds = [each for each in judged if isinstance(each.verdict, Continue) and each.verdict.counted]
    event(f"{len(holds)} holds of {rounds}")
    assert len(holds) <= rounds - 1
    assert all(each.after.round <= rounds for each in judged)
    assert all(each.after.status != "active" for each in judged if each.after.round == rounds)


@given(contracts, st.lists(stops(), max_size=20), st.integers(1, 6))
@bounded(300)
def test_uncounted_holds_are_few(asked: Contract, given_stops: list[Stop], rounds: int) -> None:
    """One per command in the background, one per fault of ours with a judged stop in between."""
    asked = replace(asked, bounds=replace(asked.bounds, rounds=rounds))
    judged = walk(asked, given_stops, resuming=False)

    free = [
        each for each in judged if isinstance(each.verdict, Continue) and not each.verdict.counted
    ]
    assert len(free) <= 1 + rounds


@given(contracts, st.lists(stops(), max_size=5), evidences())
@bounded(300)
def test_the_users_cancel_always_wins(
    asked: Contract, given_stops: list[Stop], last: Evidence
) -> None:
    judged = walk(asked, given_stops, resuming=True)
    progress = judged[-1].after if judged else Progress()
    evidence = replace(last, cancelled=True, ignore_reason="")

    verdict = decide(asked, progress, evidence)

    assert verdict == Finish(outcome="cancelled", reason="cancelled by the user")
    assert advance(asked, progress, evidence, verdict).status == "finished"


@given(contracts, st.lists(stops(), max_size=8))
@bounded(300)
def test_what_is_known_early_is_what_is_decided(asked: Contract, given_stops: list[Stop]) -> None:
    for judged in walk(asked, given_stops, resuming=True):
        early = decide_before_checks(asked, judged.before, judged.evidence)
        assert early in (None, judged.verdict)


@given(contracts, st.lists(stops(), max_size=8))
@bounded(300)
def test_counters_only_grow_and_only_the_user_resumes(
    asked: Contract, given_stops: list[Stop]
) -> None:
    for judged in walk(asked, given_stops, resuming=True):
        assert judged.after.round - judged.before.round in (0, 1)
        assert set(judged.before.checks_seen_red) <= set(judged.after.checks_seen_red)
        assert (judged.after.spend_usd or 0) >= (judged.before.spend_usd or 0)
        assert (judged.after.status == "active") == (judged.after.outcome is None)


@given(contracts)
@bounded(100)
def test_the_agents_amendments_change_no_bound(asked: Contract) -> None:
    added = Amendment(by="agent", at="", claim=Claim(name="more"))

    now = apply_amendments(asked, (added,))

    assert now.done_when == "both"
    claims = (*asked.claims, Claim(name="more"))
    assert replace(now, done_when=asked.done_when) == replace(asked, claims=claims)


@given(contracts, st.lists(stops(), max_size=8))
@bounded(300)
def test_a_criterion_the_agent_adds_ends_no_loop_sooner(
    asked: Contract, given_stops: list[Stop]
) -> None:
    added = Amendment(by="agent", at="", claim=Claim(name="more"))
    for judged in walk(asked, given_stops, resuming=True):
        stricter = decide(apply_amendments(asked, (added,)), judged.before, judged.evidence)
        if isinstance(stricter, Finish):
            assert isinstance(judged.verdict, Finish)
