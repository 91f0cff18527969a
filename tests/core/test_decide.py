"""`decide`, step by step in the order of the contract, and which of two steps wins."""

from typing import Any, get_args

import pytest

from core.samples import (
    AGENT,
    GREEN,
    LOST,
    RED,
    SERVER,
    SLOW,
    TEST,
    after,
    bounds,
    contract,
    failing,
    make_baseline,
    make_evidence,
    result,
)
from untildone.core.concerns import make_concern
from untildone.core.contract import Amendment, Check, Claim, Contract
from untildone.core.criteria import apply_amendments, hash_state
from untildone.core.decide import decide, decide_before_checks, decide_between_stops
from untildone.core.evidence import (
    ChangeEvidence,
    Concern,
    ConcernKind,
    Evidence,
    StatusBlock,
)
from untildone.core.progress import ClaimReport, Progress
from untildone.core.verdict import (
    OUTCOMES,
    Continue,
    Finish,
    FinishOutcome,
    Ignore,
    Pause,
    PauseOutcome,
    Verdict,
    Wait,
)

DONE = Finish(outcome="done", reason="every check passes")
CLAIMED = Finish(outcome="claimed", reason="ended by the agent's words alone")
CANCELLED = Finish(outcome="cancelled", reason="cancelled by the user")
UNMET = Continue(cause="unmet", names=("test",))
MISSING = result("unrunnable", reason="pytest is not installed")
PROVED = make_evidence(GREEN, concerns=())
ALTERNATING = hash_state(("test",), ("test red",))
PROMISE = contract(checks=(), promises=("ALL DONE",), done_when="promise")
CLAIMS = contract(checks=(), claims=(Claim(name="docs"),), done_when="both")
REPORTED = ClaimReport(by="observation", evidence="read it")


def make_pause(outcome: PauseOutcome, reason: str) -> Pause:
    return Pause(outcome=outcome, reason=reason)


Row = tuple[Contract, Progress, Evidence, Verdict]

STEPS: dict[str, Row] = {
    "1 ignored": (contract(), after(), make_evidence(ignore_reason="off"), Ignore(reason="off")),
    "2 cancelled": (contract(), after(), make_evidence(cancelled=True), CANCELLED),
    "2 paused": (
        contract(),
        after(),
        make_evidence(paused=True),
        make_pause("paused", "paused by the user"),
    ),
    "3 tampered": (
        contract(),
        after(),
        make_evidence(broken_seal="cut"),
        make_pause("tampered", "cut"),
    ),
    "4 queued": (
        contract(),
        after(),
        make_evidence(turn="queued", prompt="p1"),
        Wait(reason="your queued input comes first"),
    ),
    "4 plan": (
        contract(),
        after(waited_for_prompt="p1"),
        make_evidence(turn="plan", prompt="p1"),
        Wait(reason="plan mode, in which the agent changes nothing"),
    ),
    "4 the model failed": (
        contract(),
        after(waited_for_prompt="p1"),
        make_evidence(turn="failed", prompt="p1"),
        Wait(reason="the model did not answer: a limit or a failure of its service"),
    ),
    "4 question": (
        contract(),
        after(waited_for_prompt="p1"),
        make_evidence(turn="question", prompt="p2"),
        Wait(reason="you asked a question and nothing was changed"),
    ),
    "4 once a prompt, queued": (
        contract(),
        after(waited_for_prompt="p1"),
        make_evidence(RED, turn="queued", prompt="p1"),
        UNMET,
    ),
    "4 once a prompt, question": (
        contract(),
        after(waited_for_prompt="p1"),
        make_evidence(RED, turn="question", prompt="p1"),
        UNMET,
    ),
    "4 prompts without an id": (
        contract(),
        after(),
        make_evidence(RED, turn="queued"),
        Wait(reason="your queued input comes first"),
    ),
    "5 subagent": (
        contract(),
        after(),
        make_evidence(background=(SERVER, AGENT)),
        Wait(reason="still working: a subagent"),
    ),
    "5 shell command": (
        contract(),
        after(),
        make_evidence(background=(SERVER,)),
        Continue(cause="background", names=("npm run dev",), counted=False),
    ),
    "5 shell command, told": (
        contract(),
        after(background_reported=("b2",)),
        make_evidence(RED, background=(SERVER,)),
        UNMET,
    ),
    "6 forbidden": (
        contract(),
        after(),
        make_evidence(RED, forbidden=("grep TODO a.py",)),
        make_pause("forbidden", "must not hold, but does: `grep TODO a.py`"),
    ),
    "7 done": (contract(), after(), PROVED, DONE),
    "7 integrity has not looked": (
        contract(),
        after(),
        make_evidence(GREEN),
        Continue(cause="unconfirmed", counted=False),
    ),
    "7 slow check not run": (
        contract(checks=(TEST, SLOW)),
        after(),
        PROVED,
        Continue(cause="unconfirmed", names=("slow",), counted=False),
    ),
    "7 slow check red": (
        contract(checks=(TEST, SLOW)),
        after(),
        make_evidence(GREEN, result("red", "slow")),
        Continue(cause="unmet", names=("slow",)),
    ),
    "7 slow check green": (
        contract(checks=(TEST, SLOW)),
        after(),
        make_evidence(GREEN, result("green", "slow"), concerns=()),
        DONE,
    ),
    "7 claimed": (PROMISE, after(), make_evidence(promises_given=("ALL DONE",)), CLAIMED),
    "7 gate before done": (
        contract(gated=True),
        after(),
        PROVED,
        make_pause("gate", "all criteria are met: confirm that it is done?"),
    ),
    "7 gate before claimed": (
        contract(checks=(), promises=("ALL DONE",), done_when="promise", gated=True),
        after(),
        make_evidence(promises_given=("ALL DONE",)),
        make_pause("gate", "the agent says it is done: confirm?"),
    ),
    "7 confirmed": (contract(gated=True), after(confirmed=True), PROVED, DONE),
    "7 claimed, confirmed": (
        contract(checks=(), promises=("ALL DONE",), done_when="promise", gated=True),
        after(confirmed=True),
        make_evidence(promises_given=("ALL DONE",)),
        CLAIMED,
    ),
    "7 a loss": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(LOST,)),
        Continue(cause="losses", names=("L1",)),
    ),
    "7 the same loss again": (
        contract(),
        after(reported_concerns=("L1",)),
        make_evidence(GREEN, concerns=(LOST,)),
        make_pause("needs-approval", "1 test no longer runs: `test_a.py`"),
    ),
    "7 more losses than fit one line": (
        contract(),
        after(reported_concerns=("remove-test:test_a.py::a",)),
        make_evidence(
            GREEN,
            concerns=tuple(
                make_concern(ConcernKind.REMOVE_TEST, f"test_a.py::{each}", reason="gone")
                for each in "abcde"
            ),
        ),
        make_pause(
            "needs-approval",
            "5 tests no longer run: `a`; `b`; `c`; 2 more of this kind",
        ),
    ),
    "7 another loss": (
        contract(),
        after(reported_concerns=("L0",)),
        make_evidence(GREEN, concerns=(LOST,)),
        Continue(cause="losses", names=("L1",)),
    ),
    "8 blocked": (
        contract(),
        after(),
        make_evidence(RED, blocked="no key"),
        Continue(cause="blocked", names=("no key",)),
    ),
    "8 blocked again": (
        contract(),
        after(blocked_reported=True),
        make_evidence(RED, blocked="no key"),
        make_pause("blocked", "no key"),
    ),
    "9 unrunnable": (
        contract(),
        after(),
        make_evidence(MISSING),
        Continue(cause="unrunnable", names=("test",)),
    ),
    "9 unrunnable again": (
        contract(),
        after(unrunnable_reported=True),
        make_evidence(MISSING),
        make_pause("unrunnable", "test: pytest is not installed"),
    ),
    "9 our fault": (
        contract(),
        after(),
        make_evidence(RED, fault="out of memory"),
        Continue(cause="fault", names=("out of memory",), counted=False),
    ),
    "9 our fault again": (
        contract(),
        after(faults=1),
        make_evidence(RED, fault="out of memory"),
        make_pause("unverified", "out of memory"),
    ),
    "10 rounds": (
        contract(bounds=bounds(3)),
        after(round=2),
        make_evidence(RED),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "10 budget": (
        contract(bounds=bounds(budget_usd=2)),
        after(),
        make_evidence(RED, spend_usd=2.5),
        make_pause("out-of-budget", "2.50 of 2 USD"),
    ),
    "10 minutes": (
        contract(bounds=bounds(minutes=30)),
        after(),
        make_evidence(RED, minutes=30),
        make_pause("out-of-time", "30 minutes are used up"),
    ),
    "10 minutes of one round": (
        contract(bounds=bounds(round_minutes=5)),
        after(),
        make_evidence(RED, round_minutes=6.7),
        make_pause("out-of-time", "one round took 7 minutes"),
    ),
    "10 bound without evidence": (
        contract(bounds=bounds(3)),
        after(round=2),
        make_evidence(),
        make_pause("unverified", "round 3 of 3, and no check was run"),
    ),
    "10 bound of a promise": (
        contract(checks=(), promises=("ALL DONE",), done_when="promise", bounds=bounds(3)),
        after(round=2),
        make_evidence(),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "10 no bound of rounds": (
        contract(bounds=bounds(0)),
        after(round=999),
        make_evidence(RED, spend_usd=0.5),
        UNMET,
    ),
    "10 a budget that nobody measures": (
        contract(bounds=bounds(0)),
        after(round=49),
        make_evidence(RED),
        make_pause("out-of-rounds", "round 50 of 50"),
    ),
    "10 cut off": (
        contract(),
        after(),
        make_evidence(RED, cap_reached=True),
        make_pause("cut-off", "the client would override the next hold"),
    ),
    "11 stagnated, exit code only": (
        contract(),
        after(unmet=("test",), failures=("test red",), seen_failures=("test red",), stale_rounds=4),
        make_evidence(RED),
        make_pause("stagnated", "nothing moved in 5 rounds"),
    ),
    "11 not yet, exit code only": (
        contract(),
        after(unmet=("test",), failures=("test red",), seen_failures=("test red",), stale_rounds=3),
        make_evidence(RED),
        UNMET,
    ),
    "11 a third state": (
        contract(),
        after(unmet=("test",), recent_states=(ALTERNATING, "other", ALTERNATING)),
        make_evidence(result("timed-out")),
        UNMET,
    ),
    "11 two states alternate": (
        contract(),
        after(unmet=("test",), recent_states=("other", ALTERNATING, "other")),
        make_evidence(RED),
        make_pause("stagnated", "the same two states alternate"),
    ),
    "12 gate": (
        contract(),
        after(),
        make_evidence(RED, gate_question="which?"),
        make_pause("gate", "Not green: test red. which?"),
    ),
    "13 unmet": (contract(), after(), make_evidence(RED), UNMET),
    "13 nothing was run": (contract(), after(), make_evidence(), UNMET),
    "13 silent": (contract(), Progress(), PROVED, Continue(cause="signal")),
}


@pytest.mark.parametrize(("agreed", "progress", "evidence", "expected"), STEPS.values(), ids=STEPS)
def test_each_step(
    agreed: Contract, progress: Progress, evidence: Evidence, expected: Verdict
) -> None:
    assert decide(agreed, progress, evidence) == expected


def test_every_verdict_and_outcome_has_a_row() -> None:
    verdicts = [verdict for *_, verdict in STEPS.values()]
    outcomes = {verdict.outcome for verdict in verdicts if isinstance(verdict, Finish | Pause)}

    assert {type(verdict) for verdict in verdicts} == set(get_args(Verdict))
    assert (
        outcomes == {*get_args(FinishOutcome), *get_args(PauseOutcome)} == set(OUTCOMES) - {"vague"}
    )


LATE = contract(bounds=bounds(3, minutes=30, budget_usd=2))

PRECEDENCE: dict[str, Row] = {
    "ignored beats cancelled": (
        contract(),
        after(),
        make_evidence(ignore_reason="off", cancelled=True),
        Ignore(reason="off"),
    ),
    "cancelled beats paused": (
        contract(),
        after(),
        make_evidence(cancelled=True, paused=True),
        CANCELLED,
    ),
    "cancelled beats tampered": (
        contract(),
        after(),
        make_evidence(cancelled=True, broken_seal="cut"),
        CANCELLED,
    ),
    "cancelled beats done": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), cancelled=True),
        CANCELLED,
    ),
    "tampered beats queued": (
        contract(),
        after(),
        make_evidence(broken_seal="cut", turn="queued", prompt="p"),
        make_pause("tampered", "cut"),
    ),
    "tampered beats done": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), broken_seal="cut"),
        make_pause("tampered", "cut"),
    ),
    "queued beats background": (
        contract(),
        after(),
        make_evidence(turn="queued", prompt="p", background=(SERVER,)),
        Wait(reason="your queued input comes first"),
    ),
    "queued beats done": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), turn="queued", prompt="p"),
        Wait(reason="your queued input comes first"),
    ),
    "background beats forbidden": (
        contract(),
        after(),
        make_evidence(background=(AGENT,), forbidden=("x",)),
        Wait(reason="still working: a subagent"),
    ),
    "background beats done": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), background=(AGENT,)),
        Wait(reason="still working: a subagent"),
    ),
    "time beats a subagent": (
        LATE,
        after(),
        make_evidence(RED, background=(AGENT,), minutes=31),
        make_pause("out-of-time", "30 minutes are used up"),
    ),
    "budget beats a shell command": (
        LATE,
        after(),
        make_evidence(RED, background=(SERVER,), spend_usd=3),
        make_pause("out-of-budget", "3.00 of 2 USD"),
    ),
    "the client's cap beats a shell command": (
        contract(),
        after(),
        make_evidence(RED, background=(SERVER,), cap_reached=True),
        make_pause("cut-off", "the client would override the next hold"),
    ),
    "forbidden beats done": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), forbidden=("x",)),
        make_pause("forbidden", "must not hold, but does: `x`"),
    ),
    "green wins at the last round": (LATE, after(round=2), PROVED, DONE),
    "green wins over time and budget": (
        LATE,
        after(round=2),
        make_evidence(GREEN, concerns=(), minutes=99, spend_usd=99, cap_reached=True),
        DONE,
    ),
    "green wins over stagnation": (
        contract(),
        after(unmet=(), stale_rounds=9),
        PROVED,
        DONE,
    ),
    "done beats blocked": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), blocked="no key"),
        DONE,
    ),
    "claimed wins at the last round": (
        contract(checks=(), promises=("ALL DONE",), done_when="promise", bounds=bounds(1)),
        after(),
        make_evidence(promises_given=("ALL DONE",)),
        CLAIMED,
    ),
    "a bound ends what a loss would hold": (
        LATE,
        after(round=2),
        make_evidence(GREEN, concerns=(LOST,)),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "a known loss beats the bound": (
        LATE,
        after(round=2, reported_concerns=("L1",)),
        make_evidence(GREEN, concerns=(LOST,)),
        make_pause("needs-approval", "1 test no longer runs: `test_a.py`"),
    ),
    "one known loss of two": (
        contract(),
        after(reported_concerns=("L1",)),
        make_evidence(
            GREEN,
            concerns=(
                Concern(id="L2", kind=ConcernKind.CONFIG, path="p.toml", detail="loosened"),
                LOST,
            ),
        ),
        make_pause(
            "needs-approval",
            "1 check setting changed: loosened; 1 test no longer runs: `test_a.py`",
        ),
    ),
    "our fault is never done": (
        contract(),
        after(),
        make_evidence(GREEN, concerns=(), fault="late"),
        Continue(cause="fault", names=("late",), counted=False),
    ),
    "blocked beats unrunnable": (
        contract(),
        after(unrunnable_reported=True),
        make_evidence(MISSING, blocked="no key"),
        Continue(cause="blocked", names=("no key",)),
    ),
    "a bound ends what being blocked would hold": (
        LATE,
        after(round=2),
        make_evidence(RED, blocked="no key"),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "blocked again beats the bound": (
        LATE,
        after(round=2, blocked_reported=True),
        make_evidence(RED, blocked="no key"),
        make_pause("blocked", "no key"),
    ),
    "unrunnable beats our fault": (
        contract(),
        after(faults=1),
        make_evidence(MISSING, fault="late"),
        Continue(cause="unrunnable", names=("test",)),
    ),
    "unrunnable again beats the bound": (
        LATE,
        after(round=2, unrunnable_reported=True),
        make_evidence(MISSING),
        make_pause("unrunnable", "test: pytest is not installed"),
    ),
    "a bound ends what an unrunnable check would hold": (
        LATE,
        after(round=2),
        make_evidence(MISSING),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "a bound ends what our fault would hold": (
        LATE,
        after(),
        make_evidence(fault="late", spend_usd=9),
        make_pause("unverified", "9.00 of 2 USD, and no check was run"),
    ),
    "budget beats time and rounds": (
        LATE,
        after(round=2),
        make_evidence(RED, spend_usd=9, minutes=99),
        make_pause("out-of-budget", "9.00 of 2 USD"),
    ),
    "time beats rounds": (
        LATE,
        after(round=2),
        make_evidence(RED, minutes=99),
        make_pause("out-of-time", "30 minutes are used up"),
    ),
    "rounds beat the client's cap": (
        LATE,
        after(round=2),
        make_evidence(RED, cap_reached=True),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "a bound beats stagnation": (
        LATE,
        after(
            round=2,
            unmet=("test",),
            failures=("test red",),
            seen_failures=("test red",),
            stale_rounds=9,
        ),
        make_evidence(RED),
        make_pause("out-of-rounds", "round 3 of 3"),
    ),
    "stagnation beats an open gate": (
        contract(bounds=bounds(stagnation=1)),
        after(unmet=("test",), failures=("test red",), seen_failures=("test red",)),
        make_evidence(RED, gate_question="which?"),
        make_pause("stagnated", "nothing moved in 1 rounds"),
    ),
    "an open gate beats going on": (
        contract(),
        after(),
        make_evidence(RED, gate_question="which?"),
        make_pause("gate", "Not green: test red. which?"),
    ),
}


@pytest.mark.parametrize(
    ("agreed", "progress", "evidence", "expected"), PRECEDENCE.values(), ids=PRECEDENCE
)
def test_the_earlier_step_wins(
    agreed: Contract, progress: Progress, evidence: Evidence, expected: Verdict
) -> None:
    assert decide(agreed, progress, evidence) == expected


def test_amendments_count() -> None:
    more = Amendment(by="user", at="", bounds=bounds(9))

    agreed = apply_amendments(contract(bounds=bounds(3)), (more,))

    assert decide(agreed, after(round=2), make_evidence(RED)) == UNMET


@pytest.mark.parametrize(
    "evidence", [make_evidence(), make_evidence(RED), PROVED, make_evidence(RED, blocked="no key")]
)
def test_what_is_known_without_a_check_stops_short_of_the_checks(evidence: Evidence) -> None:
    assert decide_before_checks(contract(bounds=bounds(1)), after(), evidence) is None


@pytest.mark.parametrize(
    "name",
    [
        "1 ignored",
        "2 cancelled",
        "2 paused",
        "3 tampered",
        "4 plan",
        "5 subagent",
        "5 shell command",
    ],
)
def test_what_is_known_without_a_check_is_the_whole_verdict(name: str) -> None:
    agreed, progress, evidence, expected = STEPS[name]

    assert decide_before_checks(agreed, progress, evidence) == expected


@pytest.mark.parametrize(
    ("agreed", "reported"),
    [
        pytest.param(CLAIMS, {"docs": REPORTED}, id="claims alone"),
        pytest.param(
            contract(checks=(), promises=("ALL DONE",), done_when="both"), {}, id="promises alone"
        ),
        pytest.param(contract(done_when="either"), {}, id="either, red checks"),
    ],
)
def test_words_alone_are_never_done(agreed: Contract, reported: dict[str, ClaimReport]) -> None:
    evidence = make_evidence(RED, promises_given=("ALL DONE",), signalled=True, concerns=())

    assert decide(agreed, after(met=reported), evidence) == CLAIMED


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (make_evidence(spend_usd=2), None),
        (
            make_evidence(minutes=31),
            make_pause("out-of-time", "30 minutes are used up, in the middle of round 3"),
        ),
        (
            make_evidence(spend_usd=9),
            make_pause("out-of-budget", "9.00 of 7 USD, in the middle of round 3"),
        ),
    ],
)
def test_money_and_minutes_within_a_round(evidence: Evidence, expected: Pause | None) -> None:
    raised = Amendment(by="user", at="", bounds=bounds(budget_usd=7, minutes=30))
    agreed = apply_amendments(contract(bounds=bounds(budget_usd=1)), (raised,))

    assert decide_between_stops(agreed, after(round=2), evidence) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, Continue(cause="unchanged")),
        ({"changed": True, "change": ChangeEvidence()}, DONE),
        ({"changed": True}, Continue(cause="unconfirmed", counted=False)),
        ({"changed": None, "change": ChangeEvidence()}, DONE),
        ({"baseline": make_baseline(RED)}, DONE),
        ({"baseline": ()}, Continue(cause="unchanged")),
    ],
)
def test_green_as_before_and_nothing_changed(fields: dict[str, Any], expected: Verdict) -> None:
    given = {"changed": False, "baseline": make_baseline(GREEN), "signalled": True, **fields}

    assert decide(contract(), after(), make_evidence(GREEN, concerns=(), **given)) == expected


@pytest.mark.parametrize("unattended", [True, False])
def test_nothing_changed_a_second_time(unattended: bool) -> None:
    given = {"changed": False, "baseline": make_baseline(GREEN), "signalled": True}
    evidence = make_evidence(GREEN, concerns=(), unattended=unattended, **given)

    verdict = decide(contract(), after(unchanged_reported=True), evidence)

    reason = "every check was green in the baseline, and no file was changed"
    claimed = Finish(outcome="claimed", reason=reason)
    assert verdict == (claimed if unattended else make_pause("unverified", reason))


def test_only_a_flaky_check_is_left() -> None:
    flaky = result("flaky", reason="green and red on the same tree: t1")
    other = contract(checks=(*contract().checks, Check(name="lint", command="ruff")))

    verdict = decide(contract(), after(), make_evidence(flaky, concerns=()))
    with_work_left = decide(other, after(), make_evidence(flaky, result("red", "lint")))

    reason = "test is flaky, green and red on the same tree: t1"
    assert verdict == make_pause("unverified", reason)
    assert with_work_left == Continue(cause="unmet", names=("test", "lint"))


@pytest.mark.parametrize("outcome", ["red", "timed-out", "no-evidence"])
def test_only_green_is_met(outcome: str) -> None:
    assert decide(contract(), after(), make_evidence(result(outcome), concerns=())) == UNMET


def test_failing_tests_are_measured_so_three_stale_rounds_are_enough() -> None:
    failed = ("test red", "test:t1")
    progress = after(unmet=("test",), failures=failed, seen_failures=failed, stale_rounds=2)

    verdict = decide(contract(), progress, make_evidence(failing("t1")))

    assert verdict == make_pause("stagnated", "nothing moved in 3 rounds")


UNPROVED = Concern(
    id="proof:tests", kind=ConcernKind.PROOF, path="tests", detail="no test shows the change: none"
)


@pytest.mark.parametrize(
    ("progress", "fields", "expected"),
    [
        pytest.param(after(), {}, Continue(cause="unproved", names=("proof:tests",)), id="first"),
        pytest.param(
            after(reported_concerns=("proof:tests",)),
            {},
            make_pause("needs-approval", "no test shows the change: none. Accept it?"),
            id="again",
        ),
        pytest.param(
            after(reported_concerns=("proof:tests",)),
            {"unattended": True},
            Finish(outcome="claimed", reason="no test shows the change: none"),
            id="again, without a user",
        ),
    ],
)
def test_a_change_that_no_test_shows(
    progress: Progress, fields: dict[str, Any], expected: Verdict
) -> None:
    given = {"changed": True, "baseline": make_baseline(GREEN), "signalled": True, **fields}
    evidence = make_evidence(GREEN, concerns=(UNPROVED,), change=ChangeEvidence(), **given)

    assert decide(contract(), progress, evidence) == expected
    approved = apply_amendments(contract(), (Amendment(by="user", at="", allow=("proof:tests",)),))
    assert decide(approved, progress, evidence) == DONE


def test_a_gate_names_what_is_red_and_contradicts_the_agents_report() -> None:
    status = StatusBlock(criteria={"test": True})
    evidence = make_evidence(
        failing("t1"), gate_question="round 1 is over: continue?", status=status
    )

    verdict = decide(contract(gated=True), Progress(), evidence)

    assert verdict == Pause(
        outcome="gate",
        reason="Not green: test red, 1 passed, 1 failed. The agent's report is wrong:"
        " `test`: true, but the check `test` is red. round 1 is over: continue?",
    )
