"""What a contract asks for, and which of it a stop's evidence leaves unmet."""

import pytest
from msgspec.structs import replace

from core.samples import (
    AT,
    GREEN,
    RED,
    SLOW,
    TEST,
    after,
    bounds,
    contract,
    failing,
    finding,
    make_baseline,
    make_evidence,
    result,
)
from untildone.core.baseline_comparison import judge_results
from untildone.core.check_results import CheckOutcome, CheckResult, Tests
from untildone.core.contract import Amendment, Claim, Contract
from untildone.core.criteria import (
    ExitState,
    apply_amendments,
    apply_exit_rule,
    find_unmet,
    find_unmet_checks,
    has_measurements,
    hash_state,
    list_failure_ids,
    was_red,
)
from untildone.core.evidence import Evidence
from untildone.core.plan_task import TaskReport
from untildone.core.progress import ClaimReport, Progress

DOCS = Claim(name="docs", verification="observation")
SAID = make_evidence(promises_given=("ALL DONE",))


def test_amendments_change_what_they_name_and_only_add_claims() -> None:
    amendments = (
        Amendment(by="user", at=AT, bounds=bounds(20)),
        Amendment(by="agent", at=AT, claim=DOCS),
        Amendment(by="user", at=AT, allow=("config:a",)),
        Amendment(by="user", at=AT, session="s2"),
    )
    started = contract(allow=("config:b",), claims=(Claim(name="a"),))

    assert apply_amendments(started, amendments) == Contract(
        id="a1",
        agent="claude",
        session="s2",
        project="/p",
        task="make the tests pass",
        started_at=AT,
        checks=(TEST,),
        claims=(Claim(name="a"), DOCS),
        done_when="both",
        bounds=bounds(20),
        allow=("config:b", "config:a"),
    )
    assert apply_amendments(apply_amendments(started, amendments), amendments) == apply_amendments(
        started, amendments
    )


@pytest.mark.parametrize(
    ("evidence", "quick", "all_of_them"),
    [
        pytest.param(make_evidence(), ("test",), ("test", "slow"), id="nothing was run"),
        pytest.param(make_evidence(GREEN), (), ("slow",), id="the slow one is left for later"),
        pytest.param(
            make_evidence(GREEN, result("red", "slow")),
            ("slow",),
            ("slow",),
            id="a slow one counts once run",
        ),
        pytest.param(make_evidence(GREEN, result("green", "slow")), (), (), id="all green"),
        pytest.param(
            make_evidence(result("green", "other")),
            ("test",),
            ("test", "slow"),
            id="a check that vanished",
        ),
    ],
)
def test_unmet_checks(
    evidence: Evidence, quick: tuple[str, ...], all_of_them: tuple[str, ...]
) -> None:
    both = contract(checks=(TEST, SLOW))

    assert find_unmet_checks(both, evidence, slow=False) == quick
    assert find_unmet_checks(both, evidence, slow=True) == all_of_them


@pytest.mark.parametrize(
    ("rule", "evidence", "met", "expected"),
    [
        pytest.param("checks", make_evidence(RED), {}, ("test",), id="checks alone"),
        pytest.param(
            "both",
            make_evidence(RED),
            {},
            ("test", "docs", "promise `ALL DONE`"),
            id="every criterion",
        ),
        pytest.param("both", SAID, {}, ("test", "docs"), id="the promise is given"),
        pytest.param(
            "both",
            make_evidence(GREEN, promises_given=("ALL DONE",)),
            {"docs": ClaimReport(by="assumption", evidence="surely")},
            ("docs",),
            id="an assumption never counts",
        ),
        pytest.param(
            "both",
            make_evidence(GREEN, promises_given=("ALL DONE",)),
            {"docs": ClaimReport(by="observation", evidence="read")},
            (),
            id="all met",
        ),
        pytest.param("either", SAID, {}, ("test", "docs"), id="either"),
        pytest.param("promise", make_evidence(GREEN), {}, ("promise `ALL DONE`",), id="promise"),
    ],
)
def test_unmet(
    rule: str, evidence: Evidence, met: dict[str, ClaimReport], expected: tuple[str, ...]
) -> None:
    asked = contract(claims=(DOCS,), promises=("ALL DONE",), done_when=rule)

    assert find_unmet(asked, Progress(met=met), evidence) == expected


RED_BEFORE, GREEN_BEFORE = after(), Progress()


@pytest.mark.parametrize(
    ("asked", "progress", "evidence", "expected"),
    [
        pytest.param(contract(), RED_BEFORE, make_evidence(GREEN), "done", id="red, now green"),
        pytest.param(
            contract(), GREEN_BEFORE, make_evidence(GREEN), "signal", id="green all along"
        ),
        pytest.param(
            contract(),
            GREEN_BEFORE,
            make_evidence(GREEN, signalled=True),
            "done",
            id="green and signalled",
        ),
        pytest.param(
            contract(), RED_BEFORE, make_evidence(RED, signalled=True), "unmet", id="words on red"
        ),
        pytest.param(
            contract(checks=()), RED_BEFORE, make_evidence(), "unmet", id="no check at all"
        ),
        pytest.param(
            contract(promises=("A",), done_when="promise"),
            RED_BEFORE,
            make_evidence(GREEN, signalled=True),
            "unmet",
            id="a signal is not the promise",
        ),
        pytest.param(
            contract(),
            replace(RED_BEFORE, report=TaskReport(result="INCOMPLETE")),
            make_evidence(GREEN),
            "signal",
            id="green, but a verifier misses something",
        ),
        pytest.param(
            contract(),
            replace(RED_BEFORE, report=TaskReport(result="VERIFIED")),
            make_evidence(GREEN),
            "done",
            id="green, and a verifier says so too",
        ),
        pytest.param(
            contract(promises=("A",), done_when="promise"),
            RED_BEFORE,
            make_evidence(GREEN, promises_given=("A",)),
            "claimed",
            id="a promise",
        ),
        pytest.param(
            contract(checks=(), done_when="promise"),
            RED_BEFORE,
            make_evidence(signalled=True),
            "claimed",
            id="a signal where there is no promise",
        ),
        pytest.param(
            contract(done_when="both"),
            RED_BEFORE,
            make_evidence(GREEN),
            "signal",
            id="both, silent",
        ),
        pytest.param(
            contract(done_when="both"),
            GREEN_BEFORE,
            make_evidence(GREEN, signalled=True),
            "done",
            id="both, signalled",
        ),
        pytest.param(
            contract(done_when="both"),
            RED_BEFORE,
            make_evidence(signalled=True),
            "unmet",
            id="both, not run",
        ),
        pytest.param(
            contract(checks=(), done_when="both"),
            RED_BEFORE,
            make_evidence(signalled=True),
            "unmet",
            id="both, nothing asked",
        ),
        pytest.param(
            contract(checks=(), promises=("A",), done_when="both"),
            RED_BEFORE,
            make_evidence(promises_given=("A",)),
            "claimed",
            id="both, promises alone",
        ),
        pytest.param(
            contract(done_when="either"),
            RED_BEFORE,
            make_evidence(GREEN),
            "done",
            id="either by checks",
        ),
        pytest.param(
            contract(done_when="either"),
            RED_BEFORE,
            make_evidence(RED, signalled=True),
            "claimed",
            id="either by words",
        ),
        pytest.param(
            contract(done_when="either"),
            GREEN_BEFORE,
            make_evidence(GREEN, signalled=True),
            "done",
            id="either by both",
        ),
        pytest.param(
            contract(done_when="either"),
            GREEN_BEFORE,
            make_evidence(GREEN),
            "signal",
            id="either, silent",
        ),
        pytest.param(
            contract(done_when="either"),
            RED_BEFORE,
            make_evidence(RED),
            "unmet",
            id="either, neither",
        ),
    ],
)
def test_exit_rule(
    asked: Contract, progress: Progress, evidence: Evidence, expected: ExitState
) -> None:
    assert apply_exit_rule(asked, progress, evidence) == expected


def test_red_now_or_before_is_red() -> None:
    found = [
        was_red(Progress(), make_evidence(RED)),
        was_red(after(), make_evidence()),
        was_red(Progress(), make_evidence()),
    ]

    assert found == [True, True, False]


def test_failures_are_known_without_lines_and_counts() -> None:
    linted = result("red", "lint", findings=(finding(line=3), finding(line=90)))
    evidence = make_evidence(failing("t2", "t1"), linted, GREEN, result("timed-out", "build"))

    assert list_failure_ids(evidence) == (
        "a.py unused import",
        "build timed-out",
        "lint red",
        "test red",
        "test:t1",
        "test:t2",
    )


def test_more_than_an_exit_code_is_measured() -> None:
    linted = result("red", "lint", findings=(finding(),))

    assert [has_measurements(make_evidence(each)) for each in (RED, failing("t"), linted)] == [
        False,
        True,
        True,
    ]


def test_names_cannot_be_taken_for_failures() -> None:
    keys = {hash_state(("a",), ("b",)), hash_state(("a", "b"), ()), hash_state((), ("a", "b"))}

    assert len(keys) == 3
    assert hash_state(("\udcff",), ()) == hash_state(("\udcff",), ())


def run_result(
    tests: int | None, *, name: str = "tests", outcome: CheckOutcome = "green"
) -> CheckResult:
    counted = None if tests is None else Tests(passed=tests)
    return CheckResult(name=name, command="c", outcome=outcome, tests=counted)


@pytest.mark.parametrize(
    ("given", "allow", "expected"),
    [
        pytest.param(run_result(12), (), ("green", "12 tests ran, 15 in the baseline"), id="fewer"),
        pytest.param(run_result(15), (), ("green", ""), id="as many"),
        pytest.param(run_result(16), (), ("green", ""), id="more"),
        pytest.param(run_result(12), ("remove-test:test_a",), ("green", ""), id="fewer, allowed"),
        pytest.param(
            run_result(None),
            (),
            ("no-evidence", "0 tests ran, 15 in the baseline"),
            id="no tests told",
        ),
        pytest.param(run_result(12, outcome="red"), (), ("red", ""), id="red stays red"),
        pytest.param(run_result(1, name="other"), (), ("green", ""), id="another check"),
    ],
)
def test_tests_of_the_baseline_must_still_run(
    given: CheckResult, allow: tuple[str, ...], expected: tuple[str, str]
) -> None:
    evidence = make_evidence(given, baseline=make_baseline(run_result(15)))
    (judged,) = judge_results(contract(allow=allow), evidence).checks

    assert (judged.outcome, judged.reason) == expected


def result_with_tests(
    *ids: str, skipping: tuple[str, ...] = (), outcome: CheckOutcome = "green"
) -> CheckResult:
    tests = Tests(passed=len(ids), passing=ids, skipped=len(skipping), skipping=skipping)
    return CheckResult(name="tests", command="c", outcome=outcome, tests=tests)


@pytest.mark.parametrize(
    ("given", "allow", "expected"),
    [
        pytest.param(result_with_tests("a", "b::c", "d"), (), ("green", ""), id="the same"),
        pytest.param(
            result_with_tests("a"),
            (),
            ("green", "2 tests of the baseline did not run: b::c, d"),
            id="two vanished",
        ),
        pytest.param(
            result_with_tests("a", "b::c", skipping=("d",)),
            (),
            ("green", "1 test of the baseline did not run: d"),
            id="one is skipped",
        ),
        pytest.param(
            result_with_tests("a", "b::c", "renamed"),
            (),
            ("green", "1 test of the baseline did not run: d"),
            id="renamed",
        ),
        pytest.param(
            result_with_tests("a", "d"), ("remove-test:b",), ("green", ""), id="a file allowed"
        ),
        pytest.param(
            result_with_tests("a", "b::c"), ("remove-test:d",), ("green", ""), id="allowed by name"
        ),
        pytest.param(
            result_with_tests("a"),
            ("remove-test:d",),
            ("green", "1 test of the baseline did not run: b::c"),
            id="another one than was allowed",
        ),
        pytest.param(
            result_with_tests("a", "x"),
            ("remove-test:d",),
            ("green", "1 test of the baseline did not run: b::c"),
            id="renamed beside what was allowed",
        ),
        pytest.param(result_with_tests("a", outcome="red"), (), ("red", ""), id="red stays red"),
    ],
)
def test_tests_that_vanished_are_named(
    given: CheckResult, allow: tuple[str, ...], expected: tuple[str, str]
) -> None:
    evidence = make_evidence(given, baseline=make_baseline(result_with_tests("a", "b::c", "d")))
    (judged,) = judge_results(contract(allow=allow), evidence).checks

    assert (judged.outcome, judged.reason) == expected


def test_of_many_vanished_tests_a_few_are_named() -> None:
    evidence = make_evidence(
        result_with_tests("a"), baseline=make_baseline(result_with_tests(*"abcdefgh"))
    )
    (judged,) = judge_results(contract(), evidence).checks

    assert judged.reason == "7 tests of the baseline did not run: b, c, d, e, f and 2 more"
