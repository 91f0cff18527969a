"""No text an agent can say makes a loop `done` while a criterion is red or nothing was done."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from core.samples import TEST, contract, finding, result
from untildone.core import agent_message
from untildone.core.check_results import BaselineResult
from untildone.core.contract import Amendment, Claim, Contract, ExitRule, Proof
from untildone.core.criteria import apply_amendments
from untildone.core.decide import decide
from untildone.core.evidence import ChangeEvidence, Evidence, Todo
from untildone.core.plan_task import PlanTask
from untildone.core.progress import ClaimReport, Progress
from untildone.core.verdict import Finish

FRAGMENTS = (
    "<loop-complete>",
    "<untildone:done />",
    "<promise>ALL DONE</promise>",
    "ALL DONE",
    "EXIT_SIGNAL: true",
    "---LOOP_STATUS---",
    'CRITERIA: {"test": true, "docs": true, "precheck": true}',
    "NEXT: none",
    "---END_STATUS---",
    "<untildone:blocked>x</untildone:blocked>",
    "proceed without confirmation",
    "yes",
    "test: green",
    "```",
    "> ",
    "\n",
)
messages = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=20))).map("\n".join)
verifications = st.sampled_from(("execution", "review", "assumption"))


def read_message(message: str, asked: Contract, outcome: str) -> Evidence:
    """As a stop reads the agent's last message, with everything else in the agent's favour."""
    return Evidence(
        checks=(result(outcome),),
        promises_given=agent_message.find_promises(message, asked.promises),
        signalled=agent_message.has_signal(message),
        blocked=agent_message.find_blocked_reason(message),
        status=agent_message.parse_status_block(message),
        concerns=(),
    )


@given(
    messages,
    st.sampled_from(("checks", "both")),
    st.sampled_from(("red", "flaky", "unrunnable", "timed-out", "no-evidence")),
    verifications,
)
@settings(max_examples=600, deadline=None, derandomize=True, database=None)
def test_a_red_check(message: str, rule: ExitRule, outcome: str, by: str) -> None:
    asked = contract(
        checks=(TEST,), done_when=rule, claims=(Claim(name="docs"),), promises=("ALL DONE",)
    )
    progress = Progress(
        checks_seen_red=("test",),
        signalled=True,
        met={"docs": ClaimReport(by=by, evidence=message)},  # type: ignore[arg-type]  # of the table
        notes=(message,),
        steps_done=(message,),
        precheck=message,
    )

    verdict = decide(asked, progress, read_message(message, asked, outcome))

    assert not isinstance(verdict, Finish)


LACKING: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a count": (
        {"counts": ("zero-warnings",)},
        {"checks": (result("green", findings=(finding(severity="warning"),)),)},
    ),
    "an item": ({"todos": ("write it",)}, {"todos": (Todo(text="write it"),)}),
    "an item that is gone": ({"todos": ("write it",)}, {}),
    "the pre-check": ({"reversibility": "1"}, {}),
    "a criterion added": ({}, {}),
}


@given(messages, st.sampled_from(("checks", "both")), st.sampled_from(sorted(LACKING)))
@settings(max_examples=400, deadline=None, derandomize=True, database=None)
def test_anything_else_that_is_not_met(message: str, rule: ExitRule, lacking: str) -> None:
    terms, evidence = LACKING[lacking]
    claim = Amendment(by="agent", at="", claim=Claim(name="docs"))
    added = (claim,) if lacking == "a criterion added" else ()
    asked = apply_amendments(contract(done_when=rule, **terms), added)
    progress = Progress(checks_seen_red=("test",), signalled=True, notes=(message,))

    verdict = decide(asked, progress, replace(read_message(message, asked, "green"), **evidence))

    assert not isinstance(verdict, Finish)


@given(messages)
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
def test_an_unreported_or_assumed_claim(message: str) -> None:
    asked = contract(done_when="both", claims=(Claim(name="docs"), Claim(name="api")))
    met = {"api": ClaimReport(by="assumption", evidence=message)}
    progress = Progress(checks_seen_red=("test",), signalled=True, met=met)

    verdict = decide(asked, progress, read_message(message, asked, "green"))

    assert not isinstance(verdict, Finish)


@given(
    messages,
    st.sampled_from(("checks", "both", "either")),
    st.booleans(),
    st.sampled_from((None, "tests", "files")),
    verifications,
)
@settings(max_examples=600, deadline=None, derandomize=True, database=None)
def test_a_green_tree_that_equals_the_baseline(
    message: str, rule: ExitRule, planned: bool, proof: Proof | None, by: str
) -> None:
    """Whatever was red on the way, reported or approved: nothing was done."""
    asked = contract(
        done_when=rule,
        proof=proof,
        claims=(Claim(name="docs"),),
        promises=("ALL DONE",),
        plan=PlanTask(task="TASK-001") if planned else None,
        allow=("proof:tests", "proof:files"),
    )
    progress = Progress(
        checks_seen_red=("test",),
        signalled=True,
        confirmed=True,
        unchanged_reported=message.startswith("<"),
        reported_concerns=("proof:tests",),
        met={"docs": ClaimReport(by=by, evidence=message)},  # type: ignore[arg-type]  # of the table
    )
    evidence = replace(
        read_message(message, asked, "green"),
        baseline=(BaselineResult(name="test", outcome="green"),),
        changed=False,
        change=ChangeEvidence(),
    )

    verdict = decide(asked, progress, evidence)

    assert not (isinstance(verdict, Finish) and verdict.outcome == "done")
