"""A loop as spans: what is below what, from when to when, and which ids they have."""

from msgspec.structs import replace

from core.samples import AT, GREEN, contract, failing, finding, result
from untildone.core.check_results import Totals
from untildone.core.contract import Bounds
from untildone.core.evidence import ChangeEvidence
from untildone.core.progress import BaselineRun, Progress, Round
from untildone.core.verdict import Continue, Finish, Outcome, Pause
from untildone.features.telemetry.spans import Span, build_spans, make_trace_id
from untildone.store.history import History
from untildone.store.loops import Record

SECOND = 1_000_000_000
START = 1_740_823_200 * SECOND
RED = replace(failing("a"), seconds=3.0)
ROUNDS = (
    Round(
        number=1,
        at="2025-03-01T10:01:00+00:00",
        verdict=Continue(cause="unmet", names=("test",)),
        checks=(RED, result("green", "lint", seconds=100.0), replace(GREEN, cached=True)),
        unmet=("test",),
        totals=Totals(passed=1, failed=1),
        spend_usd=0.5,
        written_files=("a.py",),
        agent="codex",
    ),
    Round(
        number=2,
        at="2025-03-01T10:02:00+00:00",
        verdict=Finish(outcome="done", reason="every check passes"),
        change=ChangeEvidence(fail_to_pass=2, pass_to_pass=0),
        sandbox="walled",
        spend_usd=0.75,
    ),
)
HISTORY = History(rounds=ROUNDS, ended_at="2025-03-01T10:02:00+00:00")


def record(**progress: object) -> Record:
    agreed = contract(bounds=Bounds(budget_usd=5))
    return Record(contract=agreed, progress=Progress(**progress), generation=1)  # type: ignore[arg-type]  # fields by name


DONE = record(status="finished", outcome="done", round=2, spend_usd=0.75, reason="all green")


def list_tree(spans: list[Span]) -> list[tuple[str, str]]:
    """The name of each span and of the one above it."""
    names = {span.id: span.name for span in spans}
    return [(span.name, names.get(span.parent, "")) for span in spans]


def test_rounds_are_below_the_loop_and_checks_below_rounds() -> None:
    baseline = BaselineRun(checks=(RED,), totals=Totals(failed=1))

    spans = build_spans(DONE, replace(HISTORY, baseline=baseline))

    assert list_tree(spans) == [
        ("invoke_agent claude", ""),
        ("baseline", "invoke_agent claude"),
        ("check test", "baseline"),
        ("round 1", "invoke_agent claude"),
        ("check test", "round 1"),
        ("check lint", "round 1"),
        ("check test", "round 1"),
        ("round 2", "invoke_agent claude"),
        ("experiment fail-to-pass", "round 2"),
        ("experiment pass-to-pass", "round 2"),
    ]


def test_times_lie_within_the_span_above() -> None:
    times = {
        span.name: ((span.start - START) / SECOND, (span.end - START) / SECOND)
        for span in reversed(build_spans(DONE, HISTORY))
    }

    assert times == {
        "invoke_agent claude": (0, 120),
        "round 1": (0, 60),
        "check test": (57, 60),
        # Longer than its round: the journal's times are in seconds, and results are reused.
        "check lint": (0, 60),
        "round 2": (60, 120),
        "experiment fail-to-pass": (120, 120),
        "experiment pass-to-pass": (120, 120),
    }


def test_attributes() -> None:
    loop, first, test = (build_spans(DONE, HISTORY)[at] for at in (0, 1, 2))

    assert loop.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert loop.attributes["gen_ai.conversation.id"] == "s1"
    assert (loop.attributes["untildone.spend_usd"], loop.status) == (0.75, "ok")
    assert first.attributes == {
        "gen_ai.agent.name": "codex",
        "untildone.round": 1,
        "untildone.verdict": "held",
        "untildone.hold_cause": "unmet",
        "untildone.unmet": ("test",),
        "untildone.fixed": 0,
        "untildone.files_written": 1,
        "untildone.concerns": 0,
        "untildone.tree": "",
        "untildone.commit": "",
        "untildone.spend_usd": 0.5,
        "untildone.findings.errors": 0,
        "untildone.findings.warnings": 0,
        "untildone.findings.security": 0,
        "untildone.tests.passed": 1,
        "untildone.tests.failed": 1,
        "untildone.tests.skipped": 0,
    }
    assert (test.attributes["process.exit.code"], test.status) == (1, "error")


def test_texts_are_sent_only_if_asked_for() -> None:
    plain = build_spans(DONE, HISTORY)
    spoken = build_spans(DONE, HISTORY, with_texts=True)

    def find_texts(spans: list[Span]) -> set[str]:
        return {
            str(value)
            for span in spans
            for key, value in span.attributes.items()
            if key.endswith((".task", ".reason"))
        }

    assert find_texts(plain) == set()
    assert find_texts(spoken) == {"make the tests pass", "all green", "every check passes"}


def test_ids_are_the_same_each_time_and_another_loop_has_others() -> None:
    spans, again = build_spans(DONE, HISTORY), build_spans(DONE, HISTORY)
    other = replace(DONE, contract=replace(DONE.contract, started_at="2025-03-01T10:00:01+00:00"))

    assert spans == again
    assert make_trace_id(DONE) == make_trace_id(DONE) != make_trace_id(other)
    assert all(0 < span.id < 2**64 for span in spans)
    assert 0 < make_trace_id(DONE) < 2**128


def test_the_status_follows_the_outcome() -> None:
    outcomes: tuple[Outcome | None, ...] = (None, "done", "claimed", "cancelled", "stagnated")
    loops = (record(outcome=outcome) for outcome in outcomes)

    found = [build_spans(loop, History())[0].status for loop in loops]

    assert found == ["", "ok", "", "", "error"]


def test_an_unknown_cost_and_a_loop_without_rounds() -> None:
    paused = Pause(outcome="blocked", reason="no key")
    rounds = (Round(number=1, at=AT, verdict=paused), replace(ROUNDS[0], number=2))
    history = History(rounds=rounds)

    spans = build_spans(record(), history, with_texts=True)

    assert all("untildone.spend_usd" not in span.attributes for span in spans)
    assert spans[1].attributes["untildone.reason"] == "no key"
    assert len(build_spans(record(), History())) == 1


def test_counts_are_not_those_of_the_cut_list() -> None:
    many = result("red", "lint", findings=(finding(),), finding_count=900)
    entry = Round(
        number=1,
        at=AT,
        verdict=Continue(cause="unmet"),
        checks=(many,),
        change=ChangeEvidence(biting_tests=3),
    )

    _, _, check, canary = build_spans(record(), History(rounds=(entry,)))

    assert check.attributes["untildone.check.findings"] == 900
    assert (canary.name, canary.attributes["untildone.experiment.tests"]) == (
        "experiment canary",
        3,
    )
