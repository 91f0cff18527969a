"""What a prompt of the user's says to us: a verb, a loop to start, or nothing."""

import pytest

from snippets import snippet
from untildone.engine.phrases import (
    PromptVerb,
    Verb,
    asks_about_loops,
    find_loop_request,
    find_verb,
)
from untildone.engine.request import PromptedLoop


@pytest.mark.parametrize(
    ("prompt", "verb", "rest"),
    [
        ("stop", "cancel", ""),
        ("Stop.", "cancel", ""),
        (" STOP! \n", "cancel", ""),
        ("cancel", "cancel", ""),
        ("cancel relentless mode", "cancel", ""),
        ("Cancel Relentless Mode.", "cancel", ""),
        ("stop relentless mode", "cancel", ""),
        ("cancel the loop", "cancel", ""),
        ("Stop this loop.", "cancel", ""),
        ("pause the loop", "pause", ""),
        ("resume", "continue", ""),
        ("resume the loop", "continue", ""),
        ("pause", "pause", ""),
        ("continue", "continue", ""),
        ("status", "status", ""),
        ("/untildone:cancel", "cancel", ""),
        ("$untildone-cancel", "cancel", ""),
        ("/untildone:stop", "cancel", ""),
        ("/untildone:cancel now, please", "cancel", "now, please"),
        ("/untildone:pause", "pause", ""),
        ("/untildone:status", "status", ""),
        ("/untildone:approve L1 L2", "approve", "L1 L2"),
        ("/untildone:continue --rounds +5", "continue", "--rounds +5"),
        ("/untildone:loop continue --budget=10", "continue", "--budget=10"),
        ("/untildone:loop status", "status", ""),
        ("/untildone:test --cancel", "cancel", ""),
        ("/untildone:build cancel", "cancel", ""),
        ("/untildone:loop cancel", "cancel", ""),
    ],
)
def test_a_verb_is_the_whole_prompt(prompt: str, verb: Verb, rest: str) -> None:
    assert find_verb(prompt, has_loop=True) == PromptVerb(verb=verb, rest=rest)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "stop the server",
        "please stop",
        "stop?",
        '"stop"',
        "don't stop",
        "do not cancel",
        "what does cancel do?",
        "continue with the parser",
        "the status page is broken",
        "cancel relentless mode tomorrow",
        "/cancel",
        "/other:cancel",
        "/untildone",
        "/untildone:explain",
        "/untildone:test the parser",
        "/untildone:loop make it fast",
        "run /untildone:cancel",
        "stop\nthe server",
    ],
)
def test_anything_else_is_no_verb(prompt: str) -> None:
    assert find_verb(prompt, has_loop=True) is None


@pytest.mark.parametrize("prompt", ["stop", "cancel", "pause", "continue", "status"])
def test_plain_words_mean_us_only_where_there_is_a_loop(prompt: str) -> None:
    assert find_verb(prompt, has_loop=False) is None
    assert find_verb(f"/untildone:{prompt}", has_loop=False) is not None


@pytest.mark.parametrize(
    ("prompt", "verb"),
    [
        ("cancel the loop", "cancel"),
        ("Pause this loop.", "pause"),
        ("resume the loop!", "continue"),
        ("cancel relentless mode", "cancel"),
        ("resume", None),
        ("go on", None),
        ("keep going", None),
        ("stop the loop", None),
        ("cancel the loop in main.py", None),
        ("pause the loop while the queue is empty", None),
    ],
)
def test_words_that_name_the_loop_mean_us_in_any_session(prompt: str, verb: Verb | None) -> None:
    found = find_verb(prompt, has_loop=False)
    assert (found.verb if found else None) == verb


@pytest.mark.parametrize(
    ("prompt", "preset", "task"),
    [
        ("build relentlessly", "build", ""),
        ("keep building until it compiles", "build", "keep building until it compiles"),
        ("fix all build errors", "build", "fix all build errors"),
        ("test relentlessly", "test", ""),
        ("keep testing until green", "test", "keep testing until green"),
        ("fix all failing tests", "test", "fix all failing tests"),
        ("make tests pass", "test", "make tests pass"),
        ("lint relentlessly", "lint", ""),
        ("fix all lint errors", "lint", "fix all lint errors"),
        ("clean up code style", "lint", "clean up code style"),
        ("ship relentlessly", "ship", ""),
        ("build relentlessly - migrate this to TypeScript", "build", "migrate this to TypeScript"),
        ("test relentlessly: write the parser", "test", "write the parser"),
        ("Test Relentlessly!! Write it.", "test", "Write it."),
        ("lint relentlessly \u2014 src only", "lint", "src only"),
        ("test relentlessly the UserService class", "test", "the UserService class"),
        ("Fix all the type errors in src/", "build", "Fix all the type errors in src/"),
        ("Make all the tests pass, please", "test", "Make all the tests pass, please"),
        ("don't stop until the tests pass", "test", "don't stop until the tests pass"),
        ("Don\u2019t stop until lint is clean", "lint", "Don\u2019t stop until lint is clean"),
        ("do not stop until it builds", "build", "do not stop until it builds"),
        ("never stop until all is well", "ship", "never stop until all is well"),
        ("keep going until green", "test", "keep going until green"),
        ("keep working until it compiles", "build", "keep working until it compiles"),
        ("continue until lint is clean", "lint", "continue until lint is clean"),
        ("loop until the tests pass", "test", "loop until the tests pass"),
        ("until tests pass: port it", "test", "until tests pass: port it"),
        ("implement the full feature", "implement-feature", ""),
        ("Implement the whole feature: auth", "implement-feature", "auth"),
        ("fix all problems", "fix", "fix all problems"),
        ("Fix all TypeScript errors", "fix", "Fix all TypeScript errors"),
        (
            snippet("""
                  test relentlessly:
                first
                second
            """),
            "test",
            "first\nsecond",
        ),
        ("loop: port the parser", "loop", "port the parser"),
        ("Loop - refactor all API routes", "loop", "refactor all API routes"),
        ("LOOP:\nport the parser", "loop", "port the parser"),
    ],
)
def test_a_phrase_at_the_beginning_starts_a_loop(prompt: str, preset: str, task: str) -> None:
    assert find_loop_request(prompt) == PromptedLoop(preset=preset, task=task, explicit=False)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "hello",
        "what is test relentlessly",
        "What does `build relentlessly` do?",
        "does lint relentlessly work?",
        "test relentlessly?",
        "fix all failing tests?",
        "make tests pass, or is that too much?",
        "test relentlessly is what the old tool said",
        "build relentlessly or test relentlessly",
        "how would I keep testing until green",
        '"test relentlessly" is a phrase',
        "'build relentlessly'",
        "`lint relentlessly`",
        "> test relentlessly",
        "\u201ctest relentlessly\u201d",
        "don't test relentlessly",
        "do not fix all build errors",
        "never build relentlessly",
        "please never lint relentlessly",
        "I tested relentlessly",
        "test relentlesslyish",
        "make tests passable",
        "retest relentlessly",
        "don't stop",
        "keep going",
        "loop",
        "loop:",
        "loop -",
        "loop over the files",
        "loop: is that a label?",
        "loop::next",
        "the loop: it is slow",
        "loops: port them",
        "stop until I say so",
        "explain: test relentlessly",
        "/untildone:cancel",
        "/untildone:unknown x",
        "/other:test x",
    ],
)
def test_questions_quotations_and_negations_start_nothing(prompt: str) -> None:
    assert find_loop_request(prompt) is None


@pytest.mark.parametrize("preset", ["build", "test", "lint", "ship", "fix", "loop"])
def test_a_slash_command_starts_its_preset(preset: str) -> None:
    task = 'Is it `a`? $(no) "---"\nsecond line'

    assert find_loop_request(f"/untildone:{preset} {task}") == PromptedLoop(
        preset=preset, task=task, explicit=True
    )
    assert find_loop_request(f"/untildone:{preset}") == PromptedLoop(
        preset=preset, task="", explicit=True
    )


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("what is loop", True),
        ("What is Loop?", True),
        ("loop help", True),
        ("How does loop work?", True),
        ("what is a loop?", False),
        ("what is loop unrolling", False),
        ("loop helper is broken", False),
    ],
)
def test_a_question_about_loops_is_the_whole_prompt(prompt: str, asks: bool) -> None:
    assert asks_about_loops(prompt) is asks
