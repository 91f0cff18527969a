"""What the agent's final message says, and what it merely shows."""

import time

import pytest

from snippets import snippet
from untildone.core.agent_message import (
    find_blocked_reason,
    find_promises,
    has_signal,
    is_vague,
    parse_status_block,
)
from untildone.core.evidence import StatusBlock

PROMISE = "ALL TESTS GREEN"

SAID = {
    "tagged": "<promise>ALL TESTS GREEN</promise>",
    "tagged in a sentence": "So I say it: <promise>ALL TESTS GREEN</promise>.",
    "tagged and announced": "Everything passes, I will now say <promise>ALL TESTS GREEN</promise>",
    "tagged, other case and spaces": snippet("""
        <PROMISE>
          all tests
         green </PROMISE>"""),
    "tagged, then an offer": "<promise>ALL TESTS GREEN</promise>\n\nIf you like, I can go on.",
    "tagged after a sentence about not": "It did not pass. <promise>ALL TESTS GREEN</promise>",
    "plain": "ALL TESTS GREEN",
    "plain, other case": "Finished: all tests green.",
    "plain among others": "I fixed the parser. All tests green! Bye.",
    "plain after a negation of something else": "Nothing is not done.\nALL TESTS GREEN",
    "plain, folded spaces": "ALL  TESTS\tGREEN",
    "bold": "**ALL TESTS GREEN**",
    "bold in part": "So: **ALL** tests _green_.",
    "a heading": "## ALL TESTS GREEN",
    "tagged and bold": "<promise>**ALL TESTS GREEN**</promise>",
    "over a line's end": "It took long, but now: all tests\ngreen.",
    "beside a repeated task": "Make all of it work.\nALL TESTS GREEN",
}
NOT_SAID = {
    "empty": "",
    "something else": "All done.",
    "fenced code": "```\nALL TESTS GREEN\n```",
    "fenced code, tilde": snippet("""
        ~~~text
        <promise>ALL TESTS GREEN</promise>
        ~~~"""),
    "a fence that does not end": "```\n<promise>ALL TESTS GREEN</promise>",
    "inline code": "I would say `<promise>ALL TESTS GREEN</promise>`",
    "block quote": "> ALL TESTS GREEN",
    "quotation": 'You asked for "ALL TESTS GREEN" at the end',
    "curly quotation": "You asked for “ALL TESTS GREEN” at the end",
    "quoted tag": 'You asked for "<promise>ALL TESTS GREEN</promise>".',
    "negation": "It is not true that ALL TESTS GREEN",
    "negation, short": "I can't say ALL TESTS GREEN",
    "negation, typographic": "I can\u2019t say ALL TESTS GREEN",
    "negated tag": "I cannot say <promise>ALL TESTS GREEN</promise> yet",
    "condition before": "When the suite passes: ALL TESTS GREEN",
    "condition before a tag": "If CI agrees I say <promise>ALL TESTS GREEN</promise>",
    "condition after": "ALL TESTS GREEN once CI agrees",
    "condition after a tag": "I say <promise>ALL TESTS GREEN</promise> as soon as they are",
    "future": "I will tell you ALL TESTS GREEN",
    "nearly": "Almost ALL TESTS GREEN",
    "question": "ALL TESTS GREEN?",
    "part of another word": "MALL TESTS GREENER",
    "another tag's text": "<promise>ALL TESTS GREEN, nearly</promise>",
    "single quotation": "You asked for 'ALL TESTS GREEN' at the end",
    "struck through": "~~ALL TESTS GREEN~~",
    "not yet": "Not yet ALL TESTS GREEN",
    "once": "Once CI agrees I'll output ALL TESTS GREEN",
    "announced": "I'll say ALL TESTS GREEN at the end",
    "far from it": "We are far from ALL TESTS GREEN",
    "in another language": "Noch nicht: ALL TESTS GREEN",
    "denied after": "ALL TESTS GREEN is false",
    "with an exception": "ALL TESTS GREEN, except two",
    "spoken about": "The completion promise is ALL TESTS GREEN",
}


@pytest.mark.parametrize("message", SAID.values(), ids=SAID)
def test_a_promise_given(message: str) -> None:
    assert find_promises(message, ("OTHER", PROMISE)) == (PROMISE,)


@pytest.mark.parametrize("message", NOT_SAID.values(), ids=NOT_SAID)
def test_a_promise_not_given(message: str) -> None:
    assert find_promises(message, (PROMISE,)) == ()


@pytest.mark.parametrize("message", ["incomplete", "completely", "uncompleted"])
def test_a_promise_is_a_word_of_its_own(message: str) -> None:
    assert find_promises(f"The work is {message}.", ("COMPLETE",)) == ()


def test_a_sentence_of_the_task_gives_no_promise() -> None:
    task = "Repair it.\nEnd with the words ALL TESTS GREEN at the bottom."

    repeated = "My task: end with the words **ALL TESTS GREEN** at the bottom."
    assert find_promises(repeated.removeprefix("My task: "), (PROMISE,), task=task) == ()
    assert find_promises("ALL TESTS GREEN", (PROMISE,), task=task) == (PROMISE,)
    assert find_promises("ALL TESTS GREEN", (PROMISE,), task=PROMISE) == (PROMISE,)


@pytest.mark.parametrize("promise", ["done", "OK", "Finished.", "**complete**", "yes!"])
def test_a_vague_promise(promise: str) -> None:
    assert is_vague(promise)


@pytest.mark.parametrize("promise", ["ALL TESTS GREEN", "work is done", "DONE: 12 pages"])
def test_a_promise_that_says_something(promise: str) -> None:
    assert not is_vague(promise)


def test_an_empty_promise_is_never_given() -> None:
    assert find_promises("anything <promise>else</promise>", ("", "  ")) == ()


def test_several_promises_in_the_order_asked() -> None:
    assert find_promises("B DONE.\nA DONE.", ("A DONE", "B DONE", "C DONE")) == (
        "A DONE",
        "B DONE",
    )


@pytest.mark.parametrize(
    "message",
    [
        "EXIT_SIGNAL: true",
        snippet("""
            ---STATUS---
              exit_signal: TRUE
            ---"""),
        "<untildone:done/>",
        "ok <untildone:complete />",
        "<jikime>DONE</jikime>",
        "<jikime:done/>",
        "<untildone> COMPLETE </untildone>",
        "<loop-complete>",
    ],
)
def test_a_signal(message: str) -> None:
    assert has_signal(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "done",
        "EXIT_SIGNAL: false",
        "EXIT_SIGNAL: trueish",
        "I would write EXIT_SIGNAL: true",
        "`EXIT_SIGNAL: true`",
        snippet("""
            ```
            EXIT_SIGNAL: true
            ```"""),
        "> EXIT_SIGNAL: true",
        "`<untildone:done/>`",
        "<untildone>NOT DONE</untildone>",
    ],
)
def test_no_signal(message: str) -> None:
    assert not has_signal(message)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("<untildone:blocked> no access\nto the key </untildone:blocked>", "no access\nto the key"),
        ("`<untildone:blocked>x</untildone:blocked>`", ""),
        ("I am blocked", ""),
    ],
)
def test_being_blocked(message: str, reason: str) -> None:
    assert find_blocked_reason(message) == reason


@pytest.mark.parametrize(
    "part",
    [
        "<promise>",
        "<promise></promise>",
        '"<promise>',
        "«",
        "“",
        '"',
        "`",
        "```\n",
        "> ",
        " ",
        "\n",
    ],
)
def test_a_hostile_message_costs_no_more_the_longer_it_is(part: str) -> None:
    costs = []
    for length in (100_000, 2_000_000):
        message = part * (length // len(part))
        began = time.process_time()
        found = (
            find_promises(message, (PROMISE,)),
            has_signal(message),
            find_blocked_reason(message),
        )
        costs.append(time.process_time() - began)
        assert found == ((), False, "")

    assert costs[1] < 6 * costs[0] + 0.5


BLOCK = """Working on it.
---LOOP_STATUS---
EXIT_SIGNAL: {signal}
CRITERIA: {criteria}
STUCK_COUNT: 0
NEXT: Fix failing tests
---END_STATUS---"""


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ('{"tests pass": false, "lint": true}', {"tests pass": False, "lint": True}),
        ('{"a": {"met": true}, "b": {"met": "yes"}}', {"a": True, "b": False}),
        ("{}", {}),
        ("none yet", {}),
        ('{"a": 1}', {}),
        ("{broken}", {}),
    ],
)
def test_the_status_block(criteria: str, expected: dict[str, bool]) -> None:
    message = BLOCK.format(signal="true", criteria=criteria)

    assert parse_status_block(message) == StatusBlock(
        exit_signal=True, criteria=expected, stuck=0, next="Fix failing tests"
    )
    assert parse_status_block(f"```\n{message}\n```") == parse_status_block(message)


def test_the_last_status_block_counts() -> None:
    first = BLOCK.format(signal="true", criteria='{"a": true}')
    last = "---LOOP_STATUS--- EXIT_SIGNAL: false ---END_STATUS---"

    assert parse_status_block(f"{first}\n{last}") == StatusBlock()
    assert parse_status_block("EXIT_SIGNAL: true") is None
