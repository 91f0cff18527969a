"""The record of an ended or paused loop, for people and for scripts."""

import json

from core.samples import AT, GREEN, RED, contract, make_evidence, result
from snippets import snippet
from untildone.core.check_results import Totals
from untildone.core.contract import Amendment, Claim
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.progress import ClaimReport, Progress, Round
from untildone.core.verdict import Continue
from untildone.report.receipt import Allowance, Receipt, ReceiptConcern, build_receipt
from untildone.report.receipt_text import encode_receipt, render_receipt
from untildone.store.loops import Record

LATER = "2025-03-01T11:00:00+00:00"


def make_receipt(**progress: object) -> Receipt:
    agreed = contract(claims=(Claim(name="docs"),), allow=("config:a",), promises=("DONE",))
    record = Record(contract=agreed, progress=Progress(**progress), generation=1)  # type: ignore[arg-type]  # fields by name
    rounds = (Round(number=1, at=AT, verdict=Continue(cause="unmet"), checks=(GREEN, RED)),)
    evidence = make_evidence(
        GREEN, result("unrunnable", "lint", reason="not found"), promises_given=("DONE",)
    )
    return build_receipt(record, evidence, rounds, at=LATER)


PAUSED: dict[str, object] = {
    "status": "paused",
    "outcome": "out-of-rounds",
    "reason": "round 10 of 10",
    "round": 10,
    "met": {"docs": ClaimReport(by="review", evidence="read them")},
    "notes": ("look here",),
    "spend_usd": 1.5,
    "baseline_totals": Totals(errors=2, infos=1),
    "totals": Totals(errors=1, security=1),
}


def test_as_text() -> None:
    assert render_receipt(make_receipt(**PAUSED)).splitlines() == [
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
        "## Allowed by the user",
        "- `config:a` at 2025-03-01T10:00:00+00:00",
        "",
        "## Round by round",
        "- round 1: continue; test green, test red",
        "",
        "## Notes",
        "- look here",
        "",
        "## Next steps",
        "- continue with `untildone continue --rounds +N`",
        "- or fix what is listed above first",
        "- to give up: `untildone cancel`",
    ]


def test_what_was_tried_round_by_round_what_counted_and_what_remains() -> None:
    agreed = contract(
        counts=("zero-errors",), targets=("src",), after="b2", then=("next",), preset="fix"
    )
    blocked = Progress(status="paused", outcome="blocked", reason="no key", unmet=("zero-errors",))
    tried = {"at": AT, "verdict": Continue(cause="unmet")}
    rounds = (
        Round(number=1, fixed=2, written_files=tuple("abcdefg"), **tried),  # type: ignore[arg-type]  # fields by name
        Round(number=2, fixed=1, notes=("tried\nthe cache",), **tried),  # type: ignore[arg-type]  # as above
    )
    record = Record(contract=agreed, progress=blocked, generation=1)

    lines = render_receipt(build_receipt(record, make_evidence(), rounds, at=LATER)).splitlines()

    assert lines[6:9] == [
        "- counted: zero-errors",
        "- only findings in: src",
        "- follows loop b2",
    ]
    assert lines[-12:-5] == [
        "## Round by round",
        "- round 1: continue; fixed 2; touched a, b, c, d, e and 2 more",
        "- round 2: continue; note: tried the cache",
        "",
        "## Remaining",
        "- blocked: no key",
        "- zero-errors",
    ]


def test_words_alone_are_to_be_looked_at() -> None:
    text = render_receipt(make_receipt(status="finished", outcome="claimed", followed_by="c3"))

    assert "- followed by loop c3" in text
    assert text.endswith(
        "## Next steps\n- review the work yourself: only the agent's words support it\n"
    )


def test_what_was_cancelled_unfinished_can_begin_again() -> None:
    text = render_receipt(make_receipt(status="finished", outcome="cancelled", unmet=("test",)))

    assert text.endswith("- start again with `untildone start`, or continue by hand\n")
    assert "## Next steps" not in render_receipt(
        make_receipt(status="finished", outcome="cancelled")
    )


def test_a_gate_is_answered_in_a_prompt() -> None:
    text = render_receipt(make_receipt(status="paused", outcome="gate", reason="may I?"))

    assert "- answer in a prompt" in text.splitlines()


def test_what_is_finished_needs_nothing_more() -> None:
    text = render_receipt(
        make_receipt(status="finished", outcome="done", reason="every check passes")
    )

    assert "## Next steps" not in text


def test_as_json() -> None:
    written = json.loads(encode_receipt(make_receipt(**PAUSED)))

    assert set(written) == set(Receipt.__struct_encode_fields__)
    assert (written["outcome"], written["by_words_alone"], written["claims"]) == (
        "out-of-rounds",
        ["docs", "DONE"],
        {"docs": "review: read them"},
    )


def test_a_path_that_is_not_utf8_is_kept() -> None:
    record = Record(contract=contract(task="fix by\udcfftes"), progress=Progress(), generation=1)

    written = encode_receipt(build_receipt(record, make_evidence(), (), at=AT))

    assert json.loads(written)["task"] == "fix by\udcfftes"


def test_each_round_has_its_cost_where_that_is_known() -> None:
    record = Record(contract=contract(), progress=Progress(), generation=1)
    held = Continue(cause="unmet")
    totals = (None, 1.0, 1.25, 1.25)
    rounds = tuple(
        Round(number=number, at=AT, verdict=held, spend_usd=total)
        for number, total in enumerate(totals, 1)
    )

    assert build_receipt(record, make_evidence(), rounds, at=AT).history == (
        "round 1: continue",
        "round 2: continue",
        "round 3: continue; 0.25 USD",
        "round 4: continue; 0.00 USD",
    )


def test_what_is_asked_about_is_shown_with_its_change_and_the_ways_on() -> None:
    change = snippet("""
        --- a.py at the start
        +++ a.py now
        -assert x""")
    lost = tuple(
        ReceiptConcern(
            id=f"remove-test:a.py::{name}#12", path=f"a.py::{name}", because="gone", change=change
        )
        for name in "xy"
    )
    record = Record(
        contract=contract(),
        progress=Progress(status="paused", outcome="needs-approval", reason="lost"),
        generation=1,
    )

    text = render_receipt(build_receipt(record, make_evidence(GREEN), (), at=LATER, concerns=lost))

    assert text[text.index("\n## Concerns") :].splitlines() == [
        "",
        "## Concerns",
        "- `remove-test:a.py::x`: gone",
        "- `remove-test:a.py::y`: gone",
        "",
        "    --- a.py at the start",
        "    +++ a.py now",
        "    -assert x",
        "",
        "## Next steps",
        "- if you wanted the change: `untildone approve --all --loop a1`",
        "- if not: restore it (`untildone show --at-start PATH` prints a file of the baseline),"
        " then `untildone continue a1`",
        "- to give up: `untildone cancel a1`",
    ]


def test_an_allowance_is_reported_with_its_time_and_what_it_covers() -> None:
    lost = Concern(
        id="config:a.toml:k#12", kind=ConcernKind.CONFIG, path="a.toml", detail="loosened"
    )
    later = Amendment(by="user", at=LATER, allow=(lost.id,))
    progress = Progress(amendments=(later,))
    record = Record(contract=contract(allow=("config:a.toml",)), progress=progress, generation=1)

    receipt = build_receipt(record, make_evidence(GREEN, concerns=(lost,)), (), at=LATER)

    assert receipt.approvals == (
        Allowance(what="config:a.toml", by="user", at=AT, covers=(lost.id,)),
        Allowance(what=lost.id, by="user", at=LATER, covers=(lost.id,)),
    )
    assert f"- `config:a.toml:k` at {LATER}, covers config:a.toml:k\n" in render_receipt(receipt)
