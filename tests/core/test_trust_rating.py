"""SHIP, MONITOR or RESEARCH, by the kinds of verification; patterns worth learning."""

from typing import Any

import pytest

from core.samples import contract
from untildone.core.contract import Claim
from untildone.core.progress import ClaimReport, Progress
from untildone.core.trust_rating import list_verifications, rate_trust
from untildone.core.verdict import Outcome

DOCS = Claim(name="docs")


def by(kind: Any) -> dict[str, ClaimReport]:  # noqa: ANN401  any verification
    return {"docs": ClaimReport(by=kind, evidence="seen")}


@pytest.mark.parametrize(
    ("asked", "met", "outcome", "expected"),
    [
        ({}, {}, "done", "SHIP"),
        ({"claims": (DOCS,)}, by("execution"), "done", "SHIP"),
        ({"claims": (DOCS,)}, by("measurement"), "done", "SHIP"),
        ({"claims": (DOCS,)}, by("review"), "done", "MONITOR"),
        ({"claims": (DOCS,), "checks": ()}, by("observation"), "claimed", "MONITOR"),
        ({"claims": (DOCS,)}, by("assumption"), "claimed", "RESEARCH"),
        ({"claims": (DOCS,)}, {}, "claimed", "RESEARCH"),
        ({"checks": ()}, {}, "claimed", "RESEARCH"),
    ],
)
def test_how_far_an_ended_loop_can_be_relied_on(
    asked: dict[str, Any], met: dict[str, ClaimReport], outcome: Outcome, expected: str
) -> None:
    assert rate_trust(contract(**asked), Progress(met=met, outcome=outcome)) == expected


def test_each_criterion_has_its_kind() -> None:
    asked = contract(claims=(DOCS, Claim(name="api")))

    assert list_verifications(asked, Progress(met=by("review"))) == {
        "test": "execution",
        "docs": "review",
        "api": "assumption",
    }
