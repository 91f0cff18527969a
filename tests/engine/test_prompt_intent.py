"""Which prompts ask for an answer, which for work, and which say that the loop goes on."""

import pytest

from untildone.engine.prompt_intent import is_question, says_go_on

QUESTIONS = (
    "how far are you?",
    "what is left",
    "why does a.py fail",
    "ok, so why is it red?",
    "is it done",
    "does this handle negative ages?",
    "do you need anything from me?",
    "can you explain why it fails?",
    "could you please tell me what you changed?",
    "explain the last diff",
    "Thanks. What's next?",
    "Was ist noch offen?",
    "残りは\uff1f",
    "should I install it",
)
ORDERS = (
    "please fix it",
    "go on please",
    "can you fix it?",
    "could you please also run the linter?",
    "would you mind fixing the parser?",
    "why don't you fix it?",
    "how about fixing the parser?",
    "why is it red? Fix it.",
    "do it again",
    "have a look at the parser",
    "when it is green, run the linter",
    "use the new layout everywhere",
    "",
    "!.",
)


@pytest.mark.parametrize("prompt", QUESTIONS)
def test_questions(prompt: str) -> None:
    assert is_question(prompt)


@pytest.mark.parametrize("prompt", ORDERS)
def test_orders(prompt: str) -> None:
    assert not is_question(prompt)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("go on", True),
        ("go on please", True),
        ("OK, continue.", True),
        ("please keep going until it is green", True),
        ("yes, go ahead", True),
        ("carry on with the loop!", True),
        ("continue with another approach: rewrite the parser", False),
        ("do not go on", False),
        ("should we go on?", False),
        ("resume.pdf is missing", False),
    ],
)
def test_words_that_resume_a_paused_loop(prompt: str, *, expected: bool) -> None:
    assert says_go_on(prompt) is expected
