"""The record of an ended or paused loop, for people and for scripts."""

import json

from loop.samples import AT, GREEN, RED, contract, result, seen
from untildone.loop.model import Claim, Continue, Met, Progress, Round, Totals
from untildone.report.receipt import Receipt, as_json, as_text, receipt
from untildone.store.loops import Record

LATER = "2025-03-01T11:00:00+00:00"


def paper(**progress: object) -> Receipt:
    agreed = contract(claims=(Claim(name="docs"),), allow=("config:a",), promises=("DONE",))
    record = Record(contract=agreed, progress=Progress(**progress), generation=1)  # type: ignore[arg-type]  # fields by name
    rounds = (Round(number=1, at=AT, verdict=Continue(because="unmet"), checks=(GREEN, RED)),)
    evidence = seen(GREEN, result("unrunnable", "lint", reason="not found"), said=("DONE",))
    return receipt(record, evidence, rounds, at=LATER)


PAUSED: dict[str, object] = {
    "status": "paused",
    "outcome": "out-of-rounds",
    "reason": "round 10 of 10",
    "round": 10,
    "met": {"docs": Met(by="review", evidence="read them")},
    "notes": ("look here",),
    "spend_usd": 1.5,
    "start_totals": Totals(errors=2, infos=1),
    "totals": Totals(errors=1, security=1),
}


def test_as_text() -> None:
    assert as_text(paper(**PAUSED)).splitlines() == [
        "# Receipt of loop a1: out-of-rounds",
        "round 10 of 10",
        "",
        "- task: make the tests pass",
        "- rounds: 10 of 10",
        "- done when: checks",
        "- initial: 2 errors, 1 note, 0 security findings;"
        " final: 1 error, 0 notes, 1 security finding",
        f"- from {AT} to {LATER}, cost: 1.50 USD",
        "",
        "## Checked",
        "- test: green  `pytest`",
        "- lint: unrunnable (not found)  `pytest`",
        "",
        "## Reported by the agent",
        "- docs: review: read them",
        "",
        "## Said by the agent",
        "- DONE",
        "",
        "## Allowed by the person",
        "- config:a",
        "",
        "## Round by round",
        "- round 1: continue; test green, test red",
        "",
        "## Notes",
        "- look here",
        "",
        "## What next",
        "- go on with `untildone continue --rounds +N`",
        "- or address what is named above first",
    ]


def test_a_gate_is_answered_in_a_prompt() -> None:
    text = as_text(paper(status="paused", outcome="gate", reason="may I?"))

    assert "- answer in a prompt" in text.splitlines()


def test_what_is_finished_needs_nothing_more() -> None:
    text = as_text(paper(status="finished", outcome="done", reason="every check passes"))

    assert "## What next" not in text


def test_as_json() -> None:
    written = json.loads(as_json(paper(**PAUSED)))

    assert set(written) == set(Receipt.__struct_fields__)
    assert (written["outcome"], written["by_words_alone"], written["claims"]) == (
        "out-of-rounds",
        ["docs", "DONE"],
        {"docs": "review: read them"},
    )


def test_a_path_that_is_not_utf8_is_kept() -> None:
    record = Record(contract=contract(task="fix by\udcfftes"), progress=Progress(), generation=1)

    written = as_json(receipt(record, seen(), (), at=AT))

    assert json.loads(written)["task"] == "fix by\udcfftes"
