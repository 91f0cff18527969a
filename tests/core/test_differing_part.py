"""The part of a line that differs, as it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untildone.core.differing_part import find_differing_part

LONG = "a very long sentence that says the same on both sides of this comparison and then "


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    assert fare(15) == 6", "    assert fare(15) == 12", ("6", "12")),
        ("assertEqual(fare(15), 18)", "assertEqual(fare(15), 18.5)", ("18", "18.5")),
        ("expect(fare(15)).toBe(6);", "expect(fare(15)).toBe(12);", ("6", "12")),
        ("envlist = py{38,39},lint", "envlist = py{39},lint", ("py{38,39}", "py{39}")),
        ('select = ["E", "F"]', 'select = ["E"]', ('["E", "F"]', '["E"]')),
        ("x = [1, f(2), 3]", "x = [f(2), 3]", ("[1, f(2), 3]", "[f(2), 3]")),
        ("1, 2)", "2)", ("1,", "")),
        ("fail_under = 90", "fail_under = 50", ("90", "50")),
        ('== "a red fox"', '== "a rad fox"', ('"a red fox"', '"a rad fox"')),
        ("strict = true", "strict = false", ("true", "false")),
        ("pytest -q", "pytest -q || true", ("", "|| true")),
        ("  x = 1", "x  =  1", ("", "")),
    ],
)
def test_the_part_that_differs(old: str, new: str, expected: tuple[str, str]) -> None:
    assert find_differing_part(old, new) == expected


def test_a_difference_far_behind_is_shown_all_the_same() -> None:
    old, new = find_differing_part(f'"{LONG}6"', f'"{LONG}12"')

    assert (old, new) == ("6", "12")


@given(st.text("ab1\"'([{}]) .,", max_size=90), st.text("ab1\"'([{}]) .,", max_size=90))
def test_the_two_parts_are_never_equal(old: str, new: str) -> None:
    parts = find_differing_part(old, new)

    assert (parts[0] == parts[1]) == (old.split() == new.split())
    assert max(map(len, parts)) <= 42
