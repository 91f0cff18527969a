"""What the agent of a loop from a spec is reminded of."""

from core.samples import GREEN, RED, after, contract, make_evidence
from untildone.core.criteria import apply_exit_rule, find_unmet
from untildone.core.evidence import StatusBlock
from untildone.core.feedback import write_feedback
from untildone.core.progress import Progress
from untildone.core.reminders import list_reminders
from untildone.core.verdict import Continue

ASKED = contract(
    task="Fix the parser",
    preset="loop",
    done_when="both",
    limits=("change the public API",),
    reversibility="1",
    steps=("find it", "mend it"),
)
RULES = [
    "Must not: change the public API",
    "Workflow B (debug): find the root cause before any workaround.",
    "This is hard to take back (type 1). Before you change anything, think of how it could"
    " go wrong and record it: `untildone precheck --evidence TEXT`.",
    "Step 2 of 2: mend it. `untildone steps done STEP` when it is.",
]


def test_the_rules_and_the_step() -> None:
    assert list_reminders(ASKED, Progress(steps_done=("find it",))) == RULES


def test_nothing_is_left_to_say_of_another_loop() -> None:
    assert list_reminders(contract(), Progress()) == []
    everything = Progress(steps_done=ASKED.steps, precheck="thought of it")
    assert list_reminders(ASKED, everything) == RULES[:2]


def test_the_feedback_carries_them_with_what_is_contradicted() -> None:
    evidence = make_evidence(RED, status=StatusBlock(criteria={"test": True}))
    verdict = Continue(cause="unmet", names=("precheck", "test"))

    reported = write_feedback(
        ASKED, Progress(steps_done=("find it",)), evidence, verdict, nonce="n"
    )

    contradiction = [
        "Your status block does not agree with what is known:",
        "- `test`: true, but the check `test` is red",
    ]
    assert "\n".join([*contradiction, *RULES]) in reported


def test_a_status_block_is_answered_in_any_loop() -> None:
    evidence = make_evidence(RED, status=StatusBlock(exit_signal=True))
    verdict = Continue(cause="unmet", names=("test",))

    reported = write_feedback(contract(), Progress(), evidence, verdict, nonce="n")

    assert "- `EXIT_SIGNAL: true`, but unmet: test\n" in reported
    agreeing = make_evidence(RED, status=StatusBlock(criteria={"test": False}))
    assert "status block" not in write_feedback(
        contract(), Progress(), agreeing, verdict, nonce="n"
    )


def test_without_its_precheck_a_change_of_type_1_is_not_done() -> None:
    asked = contract(reversibility="1")
    evidence = make_evidence(GREEN, signalled=True)

    assert apply_exit_rule(asked, after(), evidence) == "unmet"
    assert find_unmet(asked, after(), evidence) == ("precheck",)
    assert apply_exit_rule(asked, after(precheck="thought"), evidence) == "done"
