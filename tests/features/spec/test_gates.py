"""The gates of a colleague-shaped loop: what is asked when, and what an answer says."""

import pytest

from core.samples import GREEN, RED, after, contract, make_evidence
from untildone.core.contract import Claim, Contract
from untildone.core.decide import decide
from untildone.core.progress import ClaimReport, Progress
from untildone.core.transitions import advance, pass_gate
from untildone.core.verdict import Continue, Finish, Pause
from untildone.features.spec.gates import ask_at_gate, classify_answer, skips_gates

STEPS = ("find it", "mend it")
MET = {"docs": ClaimReport(by="review", evidence="read")}


def make_gated_contract(**given: object) -> Contract:
    return contract(**{"gated": True, "done_when": "both", "preset": "loop", **given})


@pytest.mark.parametrize(
    ("asked", "progress", "expected"),
    [
        (contract(steps=STEPS), Progress(), ""),
        (make_gated_contract(), Progress(round=2), "round 3 is over: continue?"),
        (
            make_gated_contract(steps=STEPS),
            Progress(),
            "here are 2 steps: 1. find it; 2. mend it. Proceed?",
        ),
        (
            make_gated_contract(steps=STEPS),
            Progress(steps_approved=True),
            "round 1 is over: continue with `find it`?",
        ),
        (
            make_gated_contract(steps=STEPS),
            Progress(steps_approved=True, steps_done=("find it",)),
            "step `find it` is complete: continue with `mend it`?",
        ),
        (
            make_gated_contract(steps=STEPS),
            Progress(steps_approved=True, steps_done=STEPS),
            "step `mend it` is complete: continue?",
        ),
        (
            make_gated_contract(steps=STEPS),
            Progress(steps_approved=True, steps_done=("find it",), steps_reported=1, round=2),
            "round 3 is over: continue with `mend it`?",
        ),
    ],
)
def test_what_the_user_is_asked(asked: Contract, progress: Progress, expected: str) -> None:
    assert ask_at_gate(asked, progress) == expected


def test_the_user_is_asked_while_steps_remain_though_every_check_is_green() -> None:
    gated = make_gated_contract(steps=STEPS)
    halfway = after(steps_approved=True, steps_done=("find it",))
    question = ask_at_gate(gated, halfway)

    verdict = decide(gated, halfway, make_evidence(GREEN, gate_question=question))

    assert verdict == Pause(
        outcome="gate", reason="step `find it` is complete: continue with `mend it`?"
    )


def test_of_many_steps_the_first_are_shown() -> None:
    steps = tuple(f"s{number}" for number in range(14))

    shown = ask_at_gate(make_gated_contract(steps=steps), Progress())

    assert shown.startswith("here are 14 steps: 1. s0; ")
    assert shown.endswith("; 12. s11; and 2 more. Proceed?")


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        *((text, "yes") for text in ("y", "Yes.", "ok", "go ahead", "LGTM, ship it", "done")),
        *((text, "no") for text in ("n", "No!", "not yet", "wait")),
        *((text, "question") for text in ("why two?", "yes?")),
        ("yes, but keep the old name", "instruction"),
        ("no, take the other library", "instruction"),
        ("yesterday's data first", "instruction"),
        ("use the other file", "instruction"),
        ("", "instruction"),
    ],
)
def test_what_an_answer_says(prompt: str, expected: str) -> None:
    assert classify_answer(prompt) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Refactor it; proceed without confirmation.", True),
        ("run without asking", True),
        ("do not proceed before I confirm", False),
    ],
)
def test_gates_are_skipped_by_the_users_words(text: str, expected: bool) -> None:
    assert skips_gates(text) is expected


def test_an_unmet_round_ends_at_the_gate() -> None:
    evidence = make_evidence(RED, gate_question="continue?")

    assert decide(make_gated_contract(), after(), evidence) == Pause(
        outcome="gate", reason="Not green: test red. continue?"
    )


def test_where_only_the_agents_word_is_missing_it_is_asked_for_that() -> None:
    evidence = make_evidence(GREEN, gate_question="continue?")

    assert decide(make_gated_contract(), after(), evidence) == Continue(cause="signal")


def test_done_waits_for_the_users_yes_which_stands_for_the_signal() -> None:
    asked = make_gated_contract(claims=(Claim(name="docs"),))
    said = make_evidence(GREEN, signalled=True, concerns=())
    verdict = decide(asked, after(met=MET), said)
    assert verdict == Pause(outcome="gate", reason="all criteria are met: confirm that it is done?")
    paused = advance(asked, after(met=MET), said, verdict)

    going = pass_gate(asked, paused, agreed_to=True)

    assert (going.status, going.confirmed, going.steps_approved) == ("active", True, False)
    assert decide(asked, going, make_evidence(GREEN, concerns=())) == Finish(
        outcome="done", reason="every check passes"
    )


def test_instructions_at_the_last_gate_confirm_nothing() -> None:
    paused = Progress(status="paused", outcome="gate", unmet=())

    assert not pass_gate(make_gated_contract(), paused, agreed_to=False).confirmed


def test_a_yes_to_go_on_does_not_confirm_the_end() -> None:
    paused = Progress(status="paused", outcome="gate", unmet=("test",))

    going = pass_gate(make_gated_contract(steps=STEPS), paused, agreed_to=True)

    assert (going.confirmed, going.steps_approved) == (False, True)


def test_what_was_confirmed_lapses_when_something_is_unmet_again() -> None:
    confirmed = after(confirmed=True)
    evidence = make_evidence(RED)

    later = advance(
        make_gated_contract(), confirmed, evidence, Continue(cause="unmet", names=("test",))
    )

    assert not later.confirmed
