"""The record of an ended or paused loop, for people and for scripts."""

import json
from typing import Any

from msgspec.structs import replace

from core.samples import AT, GREEN, RED, SLOW, TEST, contract, finding, result
from snippets import snippet
from untildone.core.check_results import CheckResult, Tests, Totals
from untildone.core.contract import Amendment, Claim
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.failure_changes import FailureCounts
from untildone.core.progress import BaselineRun, ClaimReport, Progress, Round
from untildone.core.totals import count_totals
from untildone.core.verdict import Continue
from untildone.report.receipt import Allowance, Receipt, build_receipt
from untildone.report.receipt_text import encode_receipt, render_receipt
from untildone.report.times import format_time
from untildone.store.history import History
from untildone.store.loops import Record

FOUND = (finding(), finding(severity="security"))
LATER = "2025-03-01T11:00:00+00:00"


def build(record: Record, *rounds: Round, **history: Any) -> Receipt:  # noqa: ANN401  any field
    return build_receipt(record, History(rounds=rounds, ended_at=LATER, **history))


def make_round(*checks: CheckResult, number: int = 1, **fields: Any) -> Round:  # noqa: ANN401  any field
    counted = tuple(count_totals((each,)) for each in checks)
    given = {"verdict": Continue(cause="unmet"), "checks": checks, "counted": counted, **fields}
    return Round(number=number, at=AT, **given)


def make_receipt(**progress: object) -> Receipt:
    agreed = contract(claims=(Claim(name="docs"),), allow=("config:a",), promises=("DONE",))
    record = Record(contract=agreed, progress=Progress(**progress), generation=1)  # type: ignore[arg-type]  # fields by name
    last = make_round(
        replace(GREEN, cached=True, seconds=0.25, findings=FOUND),
        result("unrunnable", "lint", reason="not found"),
        number=2,
        promises_given=("DONE",),
        totals=Totals(errors=1, security=1),
        failure_counts=FailureCounts(in_baseline=4, fixed=2, remaining=2, new=1),
        tree="3f" * 32,
        commit="1b" * 20,
    )
    baseline = BaselineRun(
        checks=(replace(RED, seconds=1.5),), counted=(Totals(errors=2, infos=1),)
    )
    return build(record, make_round(GREEN, RED), last, baseline=baseline, ended_by_round=True)


PAUSED: dict[str, object] = {
    "status": "paused",
    "outcome": "out-of-rounds",
    "reason": "round 10 of 10",
    "round": 10,
    "met": {"docs": ClaimReport(by="review", evidence="read them")},
    "notes": ("look here",),
    "spend_usd": 1.5,
    "baseline_totals": Totals(errors=2, infos=1),
}


def test_as_text() -> None:
    assert render_receipt(make_receipt(**PAUSED)).splitlines() == [
        "# Receipt of loop a1: paused (out-of-rounds)",
        "round 10 of 10",
        "",
        "- task: make the tests pass",
        "- rounds: 10 of 10",
        "- done when: checks",
        f"- judged: round 2 at {format_time(AT)}, tree 3f3f3f3f3f3f, HEAD 1b1b1b1b1b1b",
        "- initial: 2 errors, 1 note, 0 security findings;"
        " final: 1 error, 0 notes, 1 security finding; improvement: 25 %",
        "- since the baseline: 2 of 4 failures fixed, 2 remaining, 1 new, 0 regressed;"
        " not compared: lint",
        f"- from {format_time(AT)} to {format_time(LATER)} (60 min), cost: 1.50 USD",
        "",
        "## Checked",
        "- test: green, 1 error, 1 security finding, not run again:"
        " green in an earlier run on the same tree (0.25 s)  `pytest`",
        "- lint: unrunnable (not found)  `pytest`",
        "",
        "## Checked on the baseline",
        "- test: red, 2 errors, 1 note, ran 1.50 s  `pytest`",
        "",
        "## Compared with the baseline",
        "- not compared: this is done once every check is green",
        "",
        "## Reported by the agent",
        "- docs: review: read them",
        "",
        "## Said by the agent",
        "- DONE",
        "",
        "## Allowed by the user",
        f"- `config:a` at {format_time(AT)}",
        "",
        "## Round by round",
        "- round 1: held; test green; test red",
        "- round 2: held; test green, 1 error, 1 security finding, not run again; lint unrunnable",
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
    rounds = (
        make_round(fixed=2, written_files=tuple("abcdefg")),
        make_round(number=2, fixed=1, notes=("tried\nthe cache",)),
    )
    record = Record(contract=agreed, progress=blocked, generation=1)

    lines = render_receipt(build(record, *rounds)).splitlines()

    assert lines[7:10] == [
        "- counted: zero-errors",
        "- only findings in: src",
        "- follows loop b2",
    ]
    assert lines[-12:-5] == [
        "## Round by round",
        "- round 1: held; no check was run; fixed 2; touched a, b, c, d, e and 2 more",
        "- round 2: held; no check was run; 1 no longer fixed; note: tried the cache",
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

    written = encode_receipt(build(record))

    assert json.loads(written)["task"] == "fix by\udcfftes"


def test_each_round_has_its_cost_and_says_where_that_is_unknown() -> None:
    record = Record(contract=contract(checks=()), progress=Progress(), generation=1)
    spent = (None, 1.0, 1.25, 1.25)
    rounds = [make_round(number=number, spend_usd=sum_) for number, sum_ in enumerate(spent, 1)]

    assert build(record, *rounds).history == (
        "round 1: held; cost unknown",
        "round 2: held; cost unknown",
        "round 3: held; 0.25 USD",
        "round 4: held; 0.00 USD",
    )
    assert build(record, rounds[0]).history == ("round 1: held",)


def test_what_is_asked_about_is_shown_with_its_change_and_the_ways_on() -> None:
    change = snippet("""
        --- a.py at the start
        +++ a.py now
        -assert x""")
    kind = ConcernKind.REMOVE_TEST
    lost = tuple(
        Concern(id=f"remove-test:a.py::{name}#12", kind=kind, path=f"a.py::{name}", detail="gone")
        for name in "xy"
    )
    last = make_round(GREEN, concerns=lost, concern_count=3, diffs={"a.py": change})
    record = Record(
        contract=contract(),
        progress=Progress(status="paused", outcome="needs-approval", reason="lost"),
        generation=1,
    )

    text = render_receipt(build(record, last))

    listed = text[text.index("\n## Concerns") : text.index("\n## Round by round")]
    assert (listed + text[text.index("\n## Next steps") :]).splitlines() == [
        "",
        "## Concerns",
        "- `remove-test:a.py::x`: gone",
        "- `remove-test:a.py::y`: gone",
        "- and 1 more, not listed here",
        "",
        "    --- a.py at the start",
        "    +++ a.py now",
        "    -assert x",
        "",
        "## Next steps",
        "- if you wanted the change: `untildone approve --loop a1`",
        "- if not: undo it (`untildone show --at-start PATH` prints a file of the baseline),"
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

    receipt = build(record, make_round(GREEN, concerns=(lost,), changed=True))

    assert receipt.concerns == ()
    assert receipt.approvals == (
        Allowance(what="config:a.toml", by="user", at=AT, covers=(lost.id,)),
        Allowance(what=lost.id, by="user", at=LATER, covers=(lost.id,)),
    )
    assert (
        f"- `config:a.toml:k` at {format_time(LATER)}, covers config:a.toml:k\n"
        in render_receipt(receipt)
    )


def test_nothing_is_known_before_the_first_round() -> None:
    record = Record(contract=contract(), progress=Progress(), generation=1)

    lines = render_receipt(build_receipt(record, History())).splitlines()

    assert lines[-5:] == [
        "- judged: no round, so nothing is known about the work",
        f"- from {format_time(AT)}, not ended, cost so far: unknown",
        "",
        "## Checked on the baseline",
        "- not run, so it is unknown what failed before",
    ]


def test_a_check_without_a_result_in_the_last_round_is_named() -> None:
    record = Record(contract=contract(checks=(TEST, SLOW)), progress=Progress(), generation=1)

    text = render_receipt(build(record, make_round(RED, project="/other", tree="ab")))

    assert (
        f"- judged: round 1 at {format_time(AT)}, in /other, tree ab;"
        " nothing was checked after that\n"
    ) in text
    assert "- test: red, ran 0.00 s  `pytest`\n- slow: not run in round 1\n" in text


def test_without_the_initial_totals_no_improvement_is_stated() -> None:
    record = Record(contract=contract(), progress=Progress(), generation=1)
    counts = FailureCounts(in_baseline=1, fixed=1)
    last = make_round(RED, totals=Totals(errors=248), failure_counts=counts)

    receipt = build(record, last)

    assert (receipt.initial, receipt.improved) == (None, None)
    assert "- initial: unknown; final: 248 errors\n" in render_receipt(receipt)


def test_findings_are_counted_by_severity_beside_tests_and_once_over_all_checks() -> None:
    record = Record(contract=contract(), progress=Progress(), generation=1)
    tests = Tests(passed=1, failed=1, failing=("t",))
    test = result("red", tests=tests, findings=(finding(code="t"), finding(severity="warning")))
    lint = result("red", "lint", findings=(finding(severity="warning"),))
    last = make_round(test, lint, totals=count_totals((test, lint)))

    receipt = build(record, last)

    assert [check.summary for check in receipt.checks] == [
        "red, 1 passed, 1 failed, 1 warning",
        "red, 1 warning",
    ]
    assert (receipt.final, receipt.repeated_findings) == (
        Totals(passed=1, failed=1, warnings=1),
        1,
    )
    text = "- 1 finding is reported by another check too and counted once\n"
    assert text in render_receipt(receipt)


def test_a_test_that_fails_in_two_checks_is_one_failing_test() -> None:
    record = Record(contract=contract(), progress=Progress(), generation=1)
    tests = Tests(passed=1, failed=1, failing=("a.py::t",))
    test = result("red", tests=tests, findings=(finding(code="t"),))
    ship = result("red", "ship", tests=tests, findings=(finding(code="t"),))

    receipt = build(record, make_round(test, ship, totals=count_totals((test, ship))))

    assert receipt.final == Totals(passed=2, failed=1)
    text = "- 1 failing test is reported by another check too and counted once\n"
    assert text in render_receipt(receipt)


def test_a_round_of_an_older_journal_is_described_by_what_it_has() -> None:
    record = Record(contract=contract(), progress=Progress(), generation=1)
    lint = result("red", findings=(finding(),), finding_count=248)
    old = make_round(lint, counted=(), totals=Totals(errors=248))

    receipt = build(record, old, baseline=BaselineRun())
    (check,) = receipt.checks

    assert (check.summary, check.findings, check.tests) == ("red, 248 findings", None, None)
    assert (receipt.repeated_findings, receipt.baseline_checks) == (0, ())
