"""What a page says to show the work, and what it says is unknown."""

from msgspec.structs import replace

from report.page.sample_loops import make_history, make_record
from untildone.core.evidence import ChangeEvidence
from untildone.report.page.inert_text import make_inert
from untildone.report.page.proof import list_shown, list_unknown
from untildone.report.page.values import Fact
from untildone.report.page.view import build_loop_view
from untildone.report.receipt import build_receipt

HISTORY = make_history()
RECEIPT = build_receipt(make_record(HISTORY), HISTORY)


def show(**fields: object) -> list[tuple[str, str]]:
    change = ChangeEvidence(**fields)  # type: ignore[arg-type]  # fields by name
    receipt = replace(RECEIPT, change=change, proved=(), sandbox="")
    return [(fact.name, fact.text) for fact in list_shown(receipt)]


def test_runs_comparisons_and_walls() -> None:
    assert build_loop_view(make_record(HISTORY), HISTORY).shown_by == (
        Fact(
            name="fail-to-pass",
            text="2 tests fail on the baseline's code and pass now",
            tone="good",
            details=("test_ten", "test_five"),
        ),
        Fact(
            name="pass-to-pass", text="14 tests of the baseline passed on the new code", tone="good"
        ),
        Fact(
            name="compared",
            text="14 tests of the baseline are still there",
            details=("no setting was loosened",),
        ),
        Fact(
            name="sandbox walls",
            text="in a sandbox with its own home, processes and network",
            tone="good",
        ),
    )


def test_everything_else_that_shows_a_change() -> None:
    assert show(
        fail_to_pass=1,
        turned_green=("test", "lint"),
        biting_tests=1,
        dropped_versions=("Python 3.8 → 3.9",),
        approved_removals=("test_old",),
        edited_tests=("test_a", "test_b"),
    ) == [
        ("fail-to-pass", "1 test fails on the baseline's code and passes now"),
        ("turned green", "test, lint"),
        ("new tests", "1 new test of unchanged code, each fails without the function it names"),
        ("requires", "Python 3.8 → 3.9"),
        ("approved removals", "1 test"),
        ("edited tests", "2 tests"),
    ]
    assert list_shown(replace(RECEIPT, change=None, proved=(), sandbox="", verdict="SHIP")) == (
        Fact(name="trust", text="SHIP"),
    )


def test_what_nobody_knows() -> None:
    receipt = replace(
        RECEIPT,
        change=ChangeEvidence(missing="no test is new"),
        unlisted_concerns=3,
        by_words_alone=("docs",),
        unverified=("must not: be slow",),
        ignored_configuration="`untildone.toml` is not trusted",
    )

    assert list_unknown(receipt, replace(HISTORY, unjudged=())) == (
        "The baseline's tests were not run on the new code, or not counted.",
        "No test shows the change: no test is new.",
        "3 concerns more than are listed.",
        "Only the agent's words support: docs.",
        "No command verifies “must not: be slow”.",
        "`untildone.toml` is not trusted.",
    )


def test_very_much_that_is_unknown_is_counted() -> None:
    limits = tuple(f"limit {number}" for number in range(30))
    unknown = list_unknown(replace(RECEIPT, unverified=limits), HISTORY)

    assert (len(unknown), unknown[-1]) == (21, "and 11 more")


def test_a_text_that_is_nothing_but_escapes_is_marked_as_cut() -> None:
    assert make_inert("\x1b[31m" * 100 + "x" * 100, 50) == "…"
