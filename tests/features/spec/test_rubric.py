"""How clear a spec is: the rubric's own examples, and what is agreed beside the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untildone.features.spec.rubric import (
    DIMENSIONS,
    QUESTIONS,
    AgreedTerms,
    Dimension,
    Opinion,
    Rating,
    Score,
    choose_grade,
    score_spec,
)

CLEAR = (
    "Fix `/api/auth/token`: p95 latency <100ms, no new dependencies."
    " Done when `make e2e` passes and the PR is merged."
)


def rate(text: str, **beside: int) -> dict[Dimension, int]:
    return {
        rating.dimension: rating.ours for rating in score_spec(text, AgreedTerms(**beside)).ratings
    }


@pytest.mark.parametrize(
    ("dimension", "texts"),
    [
        ("outcome", ("Make it better", "Improve performance", "p95 latency <100ms")),
        ("scope", ("Fix the app", "Fix auth", "Fix /api/auth/token")),
        ("constraints", ("None stated", "Use existing stack", "No new deps, <500 LOC")),
        ("success", ("None stated", "Tests pass", "All tests + manual QA")),
        ("done", ("Implied", "When it works", "PR merged to main")),
    ],
)
def test_the_examples_of_the_rubric(dimension: Dimension, texts: tuple[str, ...]) -> None:
    assert [rate(text)[dimension] for text in texts] == [0, 1, 2]


def test_the_whole_example_of_the_rubric() -> None:
    found = rate("refactor all API routes to use validation middleware")

    assert tuple(found.values()) == (2, 2, 1, 1, 1)


@pytest.mark.parametrize(
    ("text", "dimension", "seen"),
    [
        ("it returns 404 for all of them", "outcome", "returns 404"),
        ("less than 3 errors", "outcome", "3 errors"),
        ("rename `Loop` to `Round`", "outcome", "`Loop`"),
        ("mend src/app.py", "scope", "src/app.py"),
        ("mend parse() first", "scope", "parse()"),
        ("mend the max_rounds option", "scope", "max_rounds"),
        ("mend the maxRounds option", "scope", "maxRounds"),
        ("mend pass/fail output", "scope", "output"),
        ("type every public function", "scope", "every public function"),
        ("make all of it better", "scope", "nothing said"),
        ("rename the parser", "success", "rename: works as before"),
        ("don't touch the tests", "constraints", "don't touch"),
        ("don't stop until it is green", "constraints", "nothing said"),
        ("npm run e2e has to succeed", "success", "npm run e2e"),
        ("when `./run.sh` passes", "success", "`./run.sh` passes"),
        ("make it go on", "success", "nothing said"),
        ("go on until coverage is 90", "done", "until coverage is 90"),
        ("go on until done", "done", "until"),
        ("done when it works", "done", "when"),
    ],
)
def test_what_a_reading_rests_on(text: str, dimension: str, seen: str) -> None:
    found: dict[str, str] = {rating.dimension: rating.seen for rating in score_spec(text).ratings}

    assert found[dimension] == seen


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({}, (1, 1, 0, 0, 0)),
        ({"checks": 1}, (1, 1, 0, 1, 1)),
        ({"checks": 2}, (1, 1, 0, 2, 1)),
        ({"claims": 1}, (1, 1, 0, 1, 2)),
        ({"limits": 1}, (1, 1, 2, 0, 0)),
    ],
)
def test_what_is_agreed_beside_the_text_counts(
    beside: dict[str, int], expected: tuple[int, ...]
) -> None:
    assert tuple(rate("Rewrite parsing", **beside).values()) == expected


def test_a_clear_spec_is_tool_shaped_and_leaves_no_question() -> None:
    found = score_spec(CLEAR)

    assert (found.total, found.grade, found.questions) == (10, "tool", ())


def test_a_task_of_filler_words_is_vague_and_asks_for_everything() -> None:
    found = score_spec("Please make it all work properly")

    assert found.grade == "vague"
    assert found.questions == tuple(
        QUESTIONS[rating.dimension] for rating in found.ratings if rating.ours < 2
    )


def test_a_whole_score() -> None:
    opinion = Opinion(score=0, reason="no number")

    found = score_spec("Improve performance", opinions={"outcome": opinion})

    assert found == Score(
        total=1,
        grade="vague",
        ratings=(
            Rating(dimension="outcome", ours=1, seen="performance", theirs=0, reason="no number"),
            Rating(dimension="scope", ours=1, seen="performance"),
            Rating(dimension="constraints", ours=0, seen="nothing said"),
            Rating(dimension="success", ours=0, seen="nothing said"),
            Rating(dimension="done", ours=0, seen="nothing said"),
        ),
        questions=tuple(QUESTIONS.values()),
    )


@pytest.mark.parametrize(
    ("total", "expected"),
    [(10, "tool"), (8, "tool"), (7, "colleague"), (5, "colleague"), (4, "vague"), (0, "vague")],
)
def test_the_shape_of_a_total(total: int, expected: str) -> None:
    assert choose_grade(total) == expected


@given(
    st.text(max_size=200),
    st.dictionaries(st.sampled_from(DIMENSIONS), st.integers(0, 2)),
)
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_the_lower_total_counts(text: str, given_scores: dict[Dimension, int]) -> None:
    opinions = {name: Opinion(score=value, reason="so") for name, value in given_scores.items()}

    found = score_spec(text, opinions=opinions)

    assert found.total == min(
        score_spec(text).total, sum(rating.points_with_opinion for rating in found.ratings)
    )
