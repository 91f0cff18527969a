"""What a verifier's result means for a loop."""

import pytest
from msgspec.structs import replace

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check, Claim, Contract
from untildone.core.decide import decide
from untildone.core.evidence import Evidence
from untildone.core.feedback import write_feedback
from untildone.core.plan_task import PlanTask, TaskReport, VerifierResult, list_missing
from untildone.core.progress import Progress
from untildone.core.transitions import advance
from untildone.core.verdict import Continue, Pause

PLAN = PlanTask(path="/p/TASKS.json", task="TASK-001")
CONTRACT = Contract(
    id="l",
    agent="claude",
    session="s",
    project="/p",
    task="Write it.",
    started_at="",
    claims=(Claim(name="reads well"),),
    done_when="both",
    plan=PLAN,
)


@pytest.mark.parametrize(
    ("plan", "name", "followed"),
    [
        (PLAN, "TASK-001", False),
        (PlanTask(path="", task="TASK-001", feature=True), "TASK-001", True),
        (PlanTask(path="", feature=True), "feature", False),
    ],
)
def test_a_feature_goes_on_until_it_was_judged_as_a_whole(
    plan: PlanTask, name: str, followed: bool
) -> None:
    assert (plan.name, plan.followed) == (name, followed)


@pytest.mark.parametrize("result", ["BLOCKED", "MISALIGNED"])
def test_a_result_that_work_does_not_fix_pauses(result: VerifierResult) -> None:
    progress = Progress(report=TaskReport(result=result, reason="no key"))

    assert decide(CONTRACT, progress, Evidence()) == Pause(
        outcome="blocked", reason=f"{result}: no key"
    )


def test_what_is_missing_is_reported_once() -> None:
    report = TaskReport(result="INCOMPLETE", missing={"reads well": "two typing errors"})
    progress = Progress(report=report)
    verdict = decide(CONTRACT, progress, Evidence())
    assert isinstance(verdict, Continue)

    reported = write_feedback(CONTRACT, progress, Evidence(), verdict, nonce="0")

    assert "Missing, by the verifier:\n- reads well: two typing errors\n" in reported
    assert advance(CONTRACT, progress, Evidence(), verdict).report is None


def test_a_task_whose_criteria_hold_is_said_to_be_done_by_verifying_it() -> None:
    asked = replace(CONTRACT, claims=(), checks=(Check(name="test", command="true"),))
    green = Evidence(checks=(CheckResult(name="test", command="true", outcome="green"),))
    verdict = decide(asked, Progress(), green)

    reported = write_feedback(asked, Progress(), green, Continue(cause="signal"), nonce="0")

    assert verdict == Continue(cause="signal")
    assert "say so with `untildone verify TASK-001 --result VERIFIED`; otherwise go on" in reported


def test_without_a_report_nothing_is_missing() -> None:
    assert (list_missing(None), list_missing(TaskReport(result="VERIFIED"))) == ((), ())
    assert TaskReport(result="BLOCKED").summary == "BLOCKED"
