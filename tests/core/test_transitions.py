"""How a verdict moves a loop on, and when nothing moved."""

import pytest
from msgspec.structs import replace

from core.samples import (
    AGENT,
    GREEN,
    LOST,
    RED,
    SERVER,
    after,
    bounds,
    contract,
    failing,
    make_baseline,
    make_evidence,
)
from untildone.checks.findings import Diagnostic, make_findings
from untildone.core.check_results import Totals
from untildone.core.contract import Claim, Contract
from untildone.core.criteria import hash_state, list_failure_ids
from untildone.core.decide import decide
from untildone.core.evidence import Evidence, Turn
from untildone.core.progress import STOPPED_CLOCK, Progress
from untildone.core.stagnation import (
    MAX_FAILURES,
    explain_stagnation,
    get_round_state,
    get_stagnation_limit,
    has_moved,
)
from untildone.core.transitions import advance, resume_loop
from untildone.core.verdict import Continue, Finish, Ignore, Pause, Verdict, Wait

HELD = Continue(cause="unmet", names=("test",))


def walk(agreed: Contract, stops: list[Evidence], progress: Progress | None = None) -> list[str]:
    """The verdicts of one stop after the other, in a word each."""
    progress = progress or Progress()
    words = []
    for evidence in stops:
        verdict = decide(agreed, progress, evidence)
        progress = advance(agreed, progress, evidence, verdict)
        words.append(_word(verdict))
    return words


def _word(verdict: Verdict) -> str:
    match verdict:
        case Continue():
            return verdict.cause
        case Finish() | Pause():
            return verdict.outcome
        case Wait() | Ignore():
            return type(verdict).__name__.lower()


def test_a_held_round_is_remembered() -> None:
    evidence = make_evidence(RED, spend_usd=1.5)
    before = Progress(idle_holds=2, faults=1, signalled=True, blocked="x", round_seconds=9)

    assert advance(contract(), before, evidence, HELD) == Progress(
        round=1,
        unmet=("test",),
        failures=("test red",),
        open_failures=1,
        remaining=1,
        repeated=1,
        totals=Totals(),
        seen_failures=("test red",),
        checks_seen_red=("test",),
        recent_states=(hash_state(("test",), ("test red",)),),
        idle_holds=3,
        spend_usd=1.5,
    )


@pytest.mark.parametrize(
    ("verdict", "evidence", "expected"),
    [
        pytest.param(Ignore(reason="off"), make_evidence(), Progress(), id="ignored"),
        pytest.param(
            Wait(reason="queued"),
            make_evidence(turn="queued", prompt="p1"),
            Progress(waited_for_prompt="p1"),
            id="the person's turn",
        ),
        pytest.param(
            Wait(reason="still working"),
            make_evidence(prompt="p1", background=(AGENT,)),
            Progress(),
            id="background work does not use up the person's turn",
        ),
        pytest.param(
            Wait(reason="plan mode"),
            make_evidence(turn="plan", prompt="p1"),
            Progress(),
            id="plan mode does not either",
        ),
        pytest.param(
            Continue(cause="background", counted=False),
            make_evidence(background=(SERVER,)),
            Progress(background_reported=("b2",), idle_holds=1),
            id="a command in the background",
        ),
        pytest.param(
            Continue(cause="fault", counted=False),
            make_evidence(fault="late"),
            Progress(faults=1, idle_holds=1),
            id="our fault",
        ),
        pytest.param(
            Finish(outcome="cancelled", reason="cancelled by the user"),
            make_evidence(RED, cancelled=True),
            Progress(status="finished", outcome="cancelled", reason="cancelled by the user"),
            id="cancelled",
        ),
        pytest.param(
            Pause(outcome="paused", reason="paused by the user"),
            make_evidence(RED, paused=True),
            Progress(status="paused", outcome="paused", reason="paused by the user"),
            id="paused",
        ),
        pytest.param(
            Pause(outcome="tampered", reason="cut"),
            make_evidence(broken_seal="cut"),
            Progress(status="paused", outcome="tampered", reason="cut"),
            id="tampered",
        ),
    ],
)
def test_what_is_no_attempt_at_the_task_counts_no_round(
    verdict: Verdict, evidence: Evidence, expected: Progress
) -> None:
    assert advance(contract(), Progress(), evidence, verdict) == expected


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        pytest.param(Finish(outcome="done", reason="r"), "finished", id="done"),
        pytest.param(Finish(outcome="claimed", reason="r"), "finished", id="claimed"),
        pytest.param(Pause(outcome="out-of-rounds", reason="r"), "paused", id="out of rounds"),
        pytest.param(Pause(outcome="gate", reason="r"), "paused", id="gate"),
    ],
)
def test_an_ending_is_a_round_too(verdict: Finish | Pause, status: str) -> None:
    ended = advance(contract(), Progress(round=4), make_evidence(GREEN, concerns=()), verdict)

    found = (ended.round, ended.status, ended.outcome, ended.reason)
    assert found == (5, status, verdict.outcome, "r")


@pytest.mark.parametrize(
    ("turn", "clock"),
    [
        ("agent", ("boot", 9.0)),
        ("queued", ("boot", 9.0)),
        ("plan", STOPPED_CLOCK),
        ("question", STOPPED_CLOCK),
        ("failed", STOPPED_CLOCK),
    ],
)
def test_the_clock_stops_where_the_agent_rests(turn: Turn, clock: tuple[str, float]) -> None:
    progress = Progress(clock=("boot", 9.0))

    assert advance(contract(), progress, make_evidence(turn=turn), Wait(reason="")).clock == clock


def test_spend_never_goes_down_and_unknown_keeps_what_was_known() -> None:
    progress = advance(contract(), Progress(spend_usd=3), make_evidence(RED, spend_usd=1), HELD)

    assert advance(contract(), progress, make_evidence(RED), HELD).spend_usd == 3


def test_a_concern_is_reported_only_if_the_agent_saw_it() -> None:
    evidence = make_evidence(GREEN, concerns=(LOST,))

    reported = advance(contract(), after(), evidence, Continue(cause="losses", names=("L1",)))
    cut_short = advance(contract(), after(), evidence, Pause(outcome="out-of-rounds", reason="r"))

    assert (reported.reported_concerns, cut_short.reported_concerns) == (("L1",), ())


def test_ten_thousand_failures_leave_a_small_state() -> None:
    many = failing(*(f"t{number}" for number in range(10_000)))

    progress = advance(contract(), Progress(), make_evidence(many), HELD)

    assert len(progress.failures) == len(progress.seen_failures) == MAX_FAILURES


MANY = failing(*(f"t{number:05}" for number in range(MAX_FAILURES + 2)))


def test_more_failures_than_are_remembered_stagnate_all_the_same() -> None:
    assert walk(contract(), [make_evidence(MANY)] * 4) == ["unmet"] * 3 + ["stagnated"]


def test_one_failure_less_moves_however_many_there_are() -> None:
    fewer = failing(*(f"t{number:05}" for number in range(MAX_FAILURES + 1)))
    progress = advance(contract(), Progress(), make_evidence(MANY), HELD)

    assert has_moved(progress, get_round_state(contract(), progress, make_evidence(fewer)))


def test_the_same_failures_are_counted_round_after_round() -> None:
    progress, repeated = Progress(), []
    for evidence in (A, A, A, B, make_evidence(GREEN), make_evidence(GREEN), A):
        progress = advance(contract(), progress, evidence, HELD)
        repeated.append(progress.repeated)

    assert repeated == [1, 2, 3, 1, 0, 0, 1]


def test_totals_go_from_the_first_round_known_to_the_last() -> None:
    start = make_baseline(failing("a", "b"))
    progress = Progress(baseline_totals=Totals(passed=1, failed=2))
    progress = advance(
        contract(), progress, make_evidence(failing("a"), baseline=start, tree="x"), HELD
    )

    found = (progress.baseline_totals, progress.totals, progress.improved, progress.tree)
    assert found == (Totals(passed=1, failed=2), Totals(passed=1, failed=1), 50, "x")


def test_resumed_counts_anew_what_led_to_the_pause_and_keeps_the_rest() -> None:
    kept = Progress(
        round=7,
        checks_seen_red=("test",),
        reported_concerns=("L1",),
        background_reported=("b1",),
        spend_usd=2,
        unmet=("test",),
    )
    before = replace(
        kept,
        status="paused",
        outcome="stagnated",
        reason="r",
        stale_rounds=3,
        recent_states=("a", "b"),
        idle_holds=8,
        blocked_reported=True,
        unrunnable_reported=True,
        faults=2,
        round_seconds=60,
    )

    assert resume_loop(before) == kept


def failing_with(text: str) -> Evidence:
    """One failing test whose message is the text."""
    (found,) = make_findings("test", [Diagnostic(path="test_a.py", code="t1", text=text)])
    return make_evidence(replace(failing("t1"), findings=(found,)))


def failing_by_output(output: str) -> Evidence:
    """A red check that reports neither tests nor findings."""
    return make_evidence(replace(RED, output=output))


@pytest.mark.parametrize(
    "rounds",
    [
        pytest.param([failing_with(f"assert {n} == 6") for n in range(11, 6, -1)], id="a finding"),
        pytest.param(
            [failing_by_output(f"expected 6, got {n}\nexit 1") for n in range(17, 6, -1)],
            id="the end of the output",
        ),
    ],
)
def test_a_failure_whose_values_change_moves(rounds: list[Evidence]) -> None:
    agreed = contract(bounds=bounds(rounds=0))

    assert walk(agreed, rounds) == ["unmet"] * len(rounds)


@pytest.mark.parametrize(
    "template",
    [
        "AssertionError in 0.1{n}s",
        "<Cart object at 0x7f3a{n}>",
        "cart.py:1{n}:4: wrong, line {n}",
        "/tmp/pytest-{n}/out.txt differs, pid {n}, 12:30:0{n}",
        "duration_ms 4.{n} (1{n} ms)",
    ],
)
def test_what_differs_from_run_to_run_does_not_move(template: str) -> None:
    rounds = [failing_with(template.format(n=number)) for number in range(4)]

    assert walk(contract(), rounds) == ["unmet"] * 3 + ["stagnated"]


def test_values_that_come_back_alternate() -> None:
    rounds = [failing_with(f"assert {value} == 6") for value in (11, 10, 11, 10)]

    assert walk(contract(), rounds) == ["unmet"] * 3 + ["stagnated"]


FIRST = make_evidence(failing("t1", "t2"))


@pytest.mark.parametrize(
    ("progress", "evidence", "expected"),
    [
        pytest.param(Progress(), FIRST, True, id="the first round"),
        pytest.param(after(unmet=("test",)), FIRST, True, id="a failure not seen before"),
        pytest.param(
            after(
                unmet=("test",),
                seen_failures=list_failure_ids(FIRST),
                failures=list_failure_ids(FIRST),
            ),
            FIRST,
            False,
            id="the same failures",
        ),
        pytest.param(
            after(
                unmet=("test",),
                seen_failures=list_failure_ids(FIRST),
                failures=list_failure_ids(FIRST),
            ),
            make_evidence(failing("t1")),
            True,
            id="a failing test is gone",
        ),
        pytest.param(
            after(unmet=("test",), seen_failures=list_failure_ids(FIRST), failures=("test red",)),
            FIRST,
            False,
            id="an old failure came back",
        ),
        pytest.param(
            after(unmet=("test", "lint"), seen_failures=("test red",), failures=("test red",)),
            make_evidence(RED),
            True,
            id="a criterion is newly met",
        ),
    ],
)
def test_moved(progress: Progress, evidence: Evidence, expected: bool) -> None:
    assert has_moved(progress, get_round_state(contract(), progress, evidence)) is expected


@pytest.mark.parametrize(
    ("agreed", "evidence", "expected"),
    [
        pytest.param(contract(), FIRST, 3, id="tests are measured"),
        pytest.param(contract(), make_evidence(RED), 5, id="an exit code only"),
        pytest.param(contract(checks=(), promises=("A",)), make_evidence(), 0, id="promises"),
        pytest.param(
            contract(checks=(), claims=(Claim(name="a"),)), make_evidence(), 0, id="claims"
        ),
        pytest.param(contract(bounds=bounds(stagnation=7)), FIRST, 7, id="given"),
        pytest.param(contract(bounds=bounds(stagnation=0)), FIRST, 0, id="switched off"),
    ],
)
def test_stagnation_limit(agreed: Contract, evidence: Evidence, expected: int) -> None:
    assert get_stagnation_limit(agreed, evidence) == expected


A, B, C = make_evidence(failing("a")), make_evidence(failing("b")), make_evidence(failing("c"))


@pytest.mark.parametrize(
    ("agreed", "stops", "expected"),
    [
        pytest.param(contract(), [A] * 4, ["unmet"] * 3 + ["stagnated"], id="measured"),
        pytest.param(
            contract(), [make_evidence(RED)] * 6, ["unmet"] * 5 + ["stagnated"], id="exit code"
        ),
        pytest.param(
            contract(bounds=bounds(stagnation=1)), [A] * 2, ["unmet", "stagnated"], id="given"
        ),
        pytest.param(contract(bounds=bounds(0, stagnation=0)), [A] * 9, ["unmet"] * 9, id="off"),
        pytest.param(contract(), [A, B, A, B], ["unmet"] * 3 + ["stagnated"], id="alternating"),
        pytest.param(
            contract(bounds=bounds(0, stagnation=0)), [A, B] * 5, ["unmet"] * 10, id="off, too"
        ),
        pytest.param(contract(), [A, B, C, A, B, C], ["unmet"] * 6, id="three states go round"),
        pytest.param(contract(), [A, A, A, B, B, B], ["unmet"] * 6, id="movement counts anew"),
    ],
)
def test_stagnation(agreed: Contract, stops: list[Evidence], expected: list[str]) -> None:
    assert walk(agreed, stops) == expected


def test_stagnation_says_why() -> None:
    progress = after(
        unmet=("test",), failures=("test red",), seen_failures=("test red",), stale_rounds=4
    )

    assert (
        explain_stagnation(contract(), progress, make_evidence(RED)) == "nothing moved in 5 rounds"
    )


@pytest.mark.parametrize(
    ("stops", "expected"),
    [
        pytest.param([make_evidence(RED, blocked="k")] * 2, ["blocked", "blocked"], id="blocked"),
        pytest.param(
            [make_evidence(RED, blocked="k"), make_evidence(RED), make_evidence(RED, blocked="k")],
            ["blocked", "unmet", "blocked"],
            id="got past it in between",
        ),
        pytest.param(
            [make_evidence(GREEN, concerns=(LOST,))] * 2, ["losses", "needs-approval"], id="losses"
        ),
        pytest.param(
            [make_evidence(RED, background=(SERVER,))] * 3,
            ["background", "unmet", "unmet"],
            id="a service",
        ),
        pytest.param([make_evidence(fault="late")] * 2, ["fault", "unverified"], id="our fault"),
        pytest.param(
            [make_evidence(fault="late"), make_evidence(RED), make_evidence(fault="late")],
            ["fault", "unmet", "fault"],
            id="a fault that passed",
        ),
        pytest.param(
            [make_evidence(RED, turn="question", prompt="p")] * 2,
            ["wait", "unmet"],
            id="a question",
        ),
        pytest.param(
            [make_evidence(RED), make_evidence(GREEN, concerns=())],
            ["unmet", "done"],
            id="red, then green",
        ),
    ],
)
def test_reported_first_then_paused(stops: list[Evidence], expected: list[str]) -> None:
    agreed = contract(bounds=bounds(stagnation=0))

    assert walk(agreed, stops, after() if stops[0].concerns else None) == expected


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_n_rounds_are_n_minus_one_holds(rounds: int) -> None:
    agreed = contract(bounds=bounds(rounds, stagnation=0))

    assert walk(agreed, [make_evidence(RED)] * rounds) == ["unmet"] * (rounds - 1) + [
        "out-of-rounds"
    ]
