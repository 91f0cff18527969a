"""`SHAPE.md` as its skill writes it, and as people write it by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snippets import snippet
from untildone.core.contract import Claim
from untildone.features.spec.shape_file import ShapeContents, parse_shape_file

WRITTEN = """## Shape: Move the routes

### Relevant Aspects
- API: it changes

### Implementation Criteria

criteria:
- tests pass
- "API returns 200"
- [ ] UI renders
- p95 is below 100 ms
- reads well

### Must-NOT Constraints

mustNot:
- `grep -rn TODO src`
- break the public API

### Verification Plan

| Criterion | Verification Type | Command/Method |
|-----------|------------------|----------------|
| tests pass | execution output | `npm test` |
| UI renders | observation | look |
| p95 is below 100 ms | measurement | wrk |
| reads well | code review | |

### Expert Decisions
- nobody: asked
"""


def test_the_file_of_its_skill() -> None:
    assert parse_shape_file(WRITTEN) == ShapeContents(
        claims=(
            Claim(name="tests pass"),
            Claim(name="API returns 200"),
            Claim(name="UI renders", verification="observation"),
            Claim(name="p95 is below 100 ms", verification="measurement"),
            Claim(name="reads well", verification="review"),
        ),
        commands=("grep -rn TODO src",),
        limits=("break the public API",),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ShapeContents()),
        ("# Notes\n- nothing of ours\n", ShapeContents()),
        (
            "criteria: [a, 'b c']\nmust not: []",
            ShapeContents(claims=(Claim(name="a"), Claim(name="b c"))),
        ),
        (
            snippet("""
                **Criteria:**
                1. one
                2) one
            """),
            ShapeContents(claims=(Claim(name="one"),)),
        ),
        (
            "criteria:\r\n  - it holds\r\nverification:\r\n  it holds: assumption\r\n",
            ShapeContents(claims=(Claim(name="it holds", verification="assumption"),)),
        ),
        (
            snippet("""
                Must Not:
                - ` `
                - run `rm`
            """),
            ShapeContents(limits=("` `", "run `rm`")),
        ),
        (
            snippet("""
                criteria:
                plain words
                - one
                # Else
                - two
            """),
            ShapeContents(claims=(Claim(name="one"),)),
        ),
        (
            snippet("""
                verification:
                - one: by faith
                no kind
            """),
            ShapeContents(),
        ),
    ],
)
def test_other_ways_to_write_it(text: str, expected: ShapeContents) -> None:
    assert parse_shape_file(text) == expected


@given(st.text())
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_any_text_can_be_read(text: str) -> None:
    found = parse_shape_file(f"criteria:\n- known one\n{text}")

    assert found.claims[0].name == "known one"
