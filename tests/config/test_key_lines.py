"""The line of each key in a TOML file."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untildone.config.key_lines import KeyPath, find_key_lines, find_line

TEXT = '''\
a = """
[not.a.table]
b = 1
"""
c.d = 1   # x = 1
"e.f" = [
  1,

  {g = 2},
]

  [h."i.j"]  # comment
k = 1
[[l]]
m = 1
[[l]]
n = 1
[[l.o]]
p = 1
[l.q]
r = 1
'''


def test_every_key_has_the_line_of_its_statement() -> None:
    assert find_key_lines(TEXT) == {
        ("a",): 1,
        ("c",): 5,
        ("c", "d"): 5,
        ("e.f",): 6,
        ("e.f", 0): 6,
        ("e.f", 1): 6,
        ("e.f", 1, "g"): 6,
        ("h",): 12,
        ("h", "i.j"): 12,
        ("h", "i.j", "k"): 13,
        ("l",): 14,
        ("l", 0): 14,
        ("l", 0, "m"): 15,
        ("l", 1): 16,
        ("l", 1, "n"): 17,
        ("l", 1, "o"): 18,
        ("l", 1, "o", 0): 18,
        ("l", 1, "o", 0, "p"): 19,
        ("l", 1, "q"): 20,
        ("l", 1, "q", "r"): 21,
    }


@pytest.mark.parametrize(
    ("place", "line"),
    [(("h", "i.j", "k"), 13), (("h", "i.j", "z"), 12), (("z",), 1), ((), 1)],
)
def test_what_is_missing_has_the_line_of_its_table(place: KeyPath, line: int) -> None:
    assert find_line(find_key_lines(TEXT), place) == line


def test_a_statement_without_end_is_given_up() -> None:
    text = "a = 1\nb = [\n" + "1,\n" * 1_000 + "]\nc = 1\n"

    assert find_key_lines(text) == {("a",): 1}


KEYS = st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=3)


@given(st.lists(st.lists(KEYS, min_size=1, max_size=3), max_size=5, unique_by=tuple))
def test_whatever_the_keys_are(tables: list[list[str]]) -> None:
    headers = [".".join(json.dumps(key, ensure_ascii=False) for key in table) for table in tables]
    text = "".join(f'# \n[{header}]\nx-1 = """ \n"""\n' for header in headers)

    found = find_key_lines(text)

    for number, table in enumerate(tables):
        assert found[(*table, "x-1")] == 4 * number + 3
