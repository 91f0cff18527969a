"""What must show the change of a loop in whose baseline nothing was red."""

from typing import Any

import pytest

from core.samples import GREEN, RED, contract, result
from untildone.core.check_results import BaselineResult, Tests
from untildone.core.contract import Contract, Proof
from untildone.core.evidence import ChangeEvidence, Evidence
from untildone.core.plan_task import PlanTask
from untildone.core.progress import Progress
from untildone.core.proof import (
    add_missing_proof,
    choose_proof,
    describe_change,
    describe_needed_proof,
    needs_proof,
)

BEFORE_GREEN = (BaselineResult(name="test", outcome="green"),)
BEFORE_RED = (BaselineResult(name="test", outcome="red"),)
TESTED = result("green", tests=Tests(passed=2))
TASK = contract(plan=PlanTask(task="TASK-001"))


@pytest.mark.parametrize(
    ("agreed", "seen_red", "baseline", "expected"),
    [
        pytest.param(contract(), (), BEFORE_GREEN, True, id="green before"),
        pytest.param(contract(), ("test",), BEFORE_GREEN, True, id="red on the way only"),
        pytest.param(contract(), (), BEFORE_RED, False, id="red before"),
        pytest.param(contract(), (), (), True, id="nothing is known of before"),
        pytest.param(contract(), (), None, True, id="never run before, never red"),
        pytest.param(contract(), ("test",), None, False, id="never run before, red on the way"),
        pytest.param(contract(checks=()), (), None, False, id="without a check"),
        pytest.param(contract(follows_done=True), (), BEFORE_GREEN, False, id="after a done loop"),
        pytest.param(TASK, (), BEFORE_GREEN, True, id="a task of a plan"),
        pytest.param(
            contract(plan=PlanTask(task="TASK-002"), follows_done=True),
            *((), BEFORE_GREEN, True),
            id="the next task of a plan",
        ),
        pytest.param(
            contract(plan=PlanTask(task=""), follows_done=True),
            *((), BEFORE_GREEN, False),
            id="the feature as a whole",
        ),
    ],
)
def test_when_a_change_must_be_shown(
    agreed: Contract,
    seen_red: tuple[str, ...],
    baseline: tuple[BaselineResult, ...] | None,
    expected: bool,
) -> None:
    evidence = Evidence(checks=(GREEN,), baseline=baseline)

    assert needs_proof(agreed, Progress(checks_seen_red=seen_red), evidence) is expected


@pytest.mark.parametrize(
    ("agreed", "evidence", "expected"),
    [
        (contract(), Evidence(checks=(TESTED,)), "tests"),
        (contract(), Evidence(checks=(GREEN,)), "files"),
        (contract(proof="tests"), Evidence(checks=(GREEN,)), "tests"),
        (contract(proof="files"), Evidence(checks=(TESTED,)), "files"),
        (TASK, Evidence(checks=(TESTED,)), "files"),
    ],
)
def test_tests_are_asked_for_where_a_check_reports_any(
    agreed: Contract, evidence: Evidence, expected: Proof
) -> None:
    assert choose_proof(agreed, evidence) == expected


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({}, False),
        ({"missing": "no test was added"}, False),
        ({"missing_names": 3}, False),
        ({"fail_to_pass": 1}, True),
        ({"approved_removals": ("test_old",)}, True),
        ({"dropped_versions": ("Python 3.8 \u2192 3.9",)}, True),
        ({"biting_tests": 2}, True),
        ({"biting_tests": 2, "missing": "these pass: test_b"}, False),
    ],
)
def test_what_shows_a_change(change: dict[str, Any], shown: bool) -> None:
    evidence = Evidence(
        checks=(TESTED,),
        baseline=BEFORE_GREEN,
        concerns=(),
        changed=True,
        change=ChangeEvidence(**change),
    )

    found = add_missing_proof(contract(), Progress(), evidence).concerns or ()

    assert [concern.id for concern in found] == ([] if shown else ["proof:tests"])


@pytest.mark.parametrize(("changed", "asked"), [(True, []), (None, ["proof:files"])])
def test_changed_files_must_be_known(changed: bool | None, asked: list[str]) -> None:
    evidence = Evidence(
        checks=(GREEN,),
        baseline=BEFORE_GREEN,
        concerns=(),
        changed=changed,
        change=ChangeEvidence(),
    )

    found = add_missing_proof(contract(), Progress(), evidence).concerns or ()

    assert [concern.id for concern in found] == asked


def test_nothing_is_asked_of_a_loop_that_was_red() -> None:
    evidence = Evidence(checks=(TESTED,), baseline=BEFORE_RED, change=ChangeEvidence())

    assert add_missing_proof(contract(), Progress(), evidence) == evidence


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (None, ""),
        (ChangeEvidence(fail_to_pass=3, pass_to_pass=120), "fail-to-pass 3, pass-to-pass 120"),
        (
            ChangeEvidence(fail_to_pass=1, turned_green=("test", "lint")),
            "fail-to-pass 1, from red to green: test, lint",
        ),
        (ChangeEvidence(pass_to_pass=0), "only changed files show the change, pass-to-pass 0"),
        (
            ChangeEvidence(missing="no test was added or changed"),
            "no test shows the change (no test was added or changed)",
        ),
        (ChangeEvidence(approved_removals=("a", "b")), "2 approved removals"),
        (ChangeEvidence(biting_tests=1), "1 new test of unchanged code"),
        (
            ChangeEvidence(dropped_versions=("Python 3.8 \u2192 3.9",), pass_to_pass=9),
            "requires Python 3.8 \u2192 3.9, pass-to-pass 9",
        ),
        (
            ChangeEvidence(fail_to_pass=1, edited_tests=("`test_a`", "`b`", "`c`", "`d`")),
            "fail-to-pass 1, assertions dropped or changed in `test_a`, `b`, `c` and 1 more",
        ),
    ],
)
def test_the_ending_says_what_shows_the_change(change: ChangeEvidence | None, text: str) -> None:
    assert describe_change(change) == text


def test_the_start_says_what_is_needed() -> None:
    green = "nothing is red, so green proves nothing: `done` needs "

    assert describe_needed_proof(contract(), (TESTED,)) == (
        f"{green}a test that fails without the change (`--refactor` if the task needs none)"
    )
    assert describe_needed_proof(contract(), (RED,)) == (
        f"{green}changed files, and the agent must say that it is done"
    )
