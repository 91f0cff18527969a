"""A loop as a comment on a pull request."""

import re

import pytest
from msgspec.structs import replace

from report.page.sample_loops import HOSTILE, make_history, make_lint, make_record, make_round
from untildone.core.contract import Check
from untildone.report.page.markdown import MARKER, escape_text, quote_code, render_markdown
from untildone.report.page.view import build_loop_view
from untildone.store.history import History


def test_it_says_the_outcome_first_then_what_shows_it() -> None:
    history = make_history()
    lines = render_markdown(build_loop_view(make_record(history), history)).splitlines()

    assert lines[:7:2] == [
        MARKER,
        "### ✅ Done, after 6 rounds",
        "**Give per cent off, not units off; tests and lint must pass.**: every check passes",
        "Rounds **6** of 10 · Tests failing **0** of 16; 6 at the start"
        " · Findings **0** 18 at the start · Cost **0.72** USD of 25 · Time **24 min** no bound",
    ]
    assert (
        "| test <code>pytest -q</code> | ❌ red, 8 passed, 6 failed, 1 skipped"
        " | ✅ green, 16 passed, 0 failed, 1 skipped |"
    ) in lines
    assert "- fail-to-pass: 2 tests fail on the baseline's code and pass now" in lines
    assert "**What stayed unknown**" in lines
    assert any(line.startswith("- ✅ <code>edit-expected:tests/test") for line in lines)
    assert lines[-1] == "</details>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@ada and #12", "&#64;&#8203;ada and &#35;&#8203;12"),
        ("GH-12", "GH&#45;&#8203;12"),
        ("https://evil.example www.evil.example", "https&#58;//evil.example www&#46;evil.example"),
        ("<b>|`x`*_~[a](b)$", "&#60;b&#62;&#124;&#96;x&#96;&#42;&#95;&#126;&#91;a&#93;(b)&#36;"),
        ("- a\n\n# b", "&#45; a &#35;&#8203; b"),
        ("12. twelve", "12&#46; twelve"),
        ("&lt; \\", "&#38;lt; &#92;"),
    ],
)
def test_no_sign_of_foreign_text_has_a_meaning(text: str, expected: str) -> None:
    assert escape_text(text) == expected


def test_code_can_be_copied() -> None:
    assert quote_code("npm test -- @scope/a | cat") == (
        "<code>npm test -- &#64;scope/a &#124; cat</code>"
    )
    assert quote_code("") == ""


def test_hostile_text_breaks_no_table_and_calls_nobody() -> None:
    history = make_history(1)
    checks = (replace(make_lint(1), name=HOSTILE, command=HOSTILE),)
    history = History(rounds=(replace(history.rounds[0], checks=checks, counted=()),))
    record = make_record(history, task=HOSTILE, checks=(Check(name=HOSTILE, command=HOSTILE),))

    text = render_markdown(build_loop_view(record, history))

    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {row.count("|") for row in rows} == {4}
    assert "<script" not in text
    assert "<img" not in text
    # In code GitHub looks for no mentions.
    outside = re.sub("<code>.*?</code>", "", text)
    assert outside.count("&#64;") == outside.count("&#64;&#8203;") > 0
    assert "@" not in outside


def test_a_loop_with_very_much_stays_short() -> None:
    many = tuple(replace(make_lint(1), name=f"lint{number}") for number in range(200))
    history = History(rounds=(make_round(1, *many),))
    record = make_record(history)
    approvals = replace(
        record.progress.amendments[0], allow=tuple(f"config:{number}" for number in range(90))
    )
    record = replace(record, progress=replace(record.progress, amendments=(approvals,)))

    text = render_markdown(build_loop_view(record, history))

    assert len(text) < 20_000
    assert "182 more checks are not listed here." in text
    assert "- 80 more" in text


def test_a_loop_without_a_round_has_no_table() -> None:
    text = render_markdown(build_loop_view(make_record(History(), checks=()), History()))

    assert "| check |" not in text
    assert "No stop was judged" in text
