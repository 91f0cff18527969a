"""`SHAPE.md` as its skill writes it, and as people write it by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untildone.core.contract import Claim
from untildone.core.spec.shape_file import Shaped, read

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
    assert read(WRITTEN) == Shaped(
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
        ("", Shaped()),
        ("# Notes\n- nothing of ours\n", Shaped()),
        (
            "criteria: [a, 'b c']\nmust not: []",
            Shaped(claims=(Claim(name="a"), Claim(name="b c"))),
        ),
        ("**Criteria:**\n1. one\n2) one\n", Shaped(claims=(Claim(name="one"),))),
        (
            "criteria:\r\n  - it holds\r\nverification:\r\n  it holds: assumption\r\n",
            Shaped(claims=(Claim(name="it holds", verification="assumption"),)),
        ),
        ("Must Not:\n- ` `\n- run `rm`\n", Shaped(limits=("` `", "run `rm`"))),
        ("criteria:\nplain words\n- one\n# Else\n- two\n", Shaped(claims=(Claim(name="one"),))),
        ("verification:\n- one: by faith\nno kind\n", Shaped()),
    ],
)
def test_other_ways_to_write_it(text: str, expected: Shaped) -> None:
    assert read(text) == expected


@given(st.text())
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_any_text_can_be_read(text: str) -> None:
    found = read(f"criteria:\n- known one\n{text}")

    assert found.claims[0].name == "known one"
