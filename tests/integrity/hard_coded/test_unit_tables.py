"""Tables of units, whose rows are subtracted from the input, are no hard-coded answers."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.hard_coded import comparison as hard_coded

TEST_JS = """\
import { toRoman } from '../src/roman.js';

for (const [n, roman] of [[4, 'IV'], [9, 'IX'], [40, 'XL'], [90, 'XC'], [1994, 'MCMXCIV']]) {
  test(`${n}`, () => expect(toRoman(n)).toBe(roman));
}
"""
TEST_PY = """\
from roman import to_roman


def test_digits():
    assert to_roman(4) == 'IV'
    assert to_roman(9) == 'IX'
    assert to_roman(40) == 'XL'
    assert to_roman(90) == 'XC'
"""
TEST_GO = """\
package roman

import "testing"

func TestRoman(t *testing.T) {
	for _, c := range []struct{ in int; want string }{{4, "IV"}, {9, "IX"}, {40, "XL"}} {
		if got := Roman(c.in); got != c.want {
			t.Error(got)
		}
	}
}
"""
START = {
    "src/roman.js": snippet("""
        export function toRoman(n) {
          throw new Error('todo');
        }
    """),
    "test/roman.test.js": TEST_JS,
    "roman.py": "def to_roman(n):\n    raise NotImplementedError\n",
    "tests/test_roman.py": TEST_PY,
    "roman.go": 'package roman\n\nfunc Roman(n int) string { return "" }\n',
    "roman_test.go": TEST_GO,
}
ROWS = "[90, 'XC'], [40, 'XL'], [10, 'X'], [9, 'IX'], [4, 'IV'], [1, 'I']"
JS = f"""\
const DIGITS = [
  {ROWS},
];

export function toRoman(n) {{
  let rest = n;
  let roman = '';
  for (const [value, letters] of DIGITS) {{
    while (rest >= value) {{
      roman += letters;
      rest -= value;
    }}
  }}
  return roman;
}}
"""
PY = """\
DIGITS = ((90, 'XC'), (40, 'XL'), (9, 'IX'), (4, 'IV'), (1, 'I'))


def to_roman(n):
    roman = ''
    for value, letters in DIGITS:
        count, n = divmod(n, value)
        roman += letters * count
    return roman
"""
GO = """\
package roman

var digits = []struct {
	value   int
	letters string
}{{40, "XL"}, {9, "IX"}, {4, "IV"}, {1, "I"}}

func Roman(n int) string {
	roman := ""
	for _, digit := range digits {
		for n >= digit.value {
			roman += digit.letters
			n -= digit.value
		}
	}
	return roman
}
"""


def find_paths(top: Path, new: dict[str, str]) -> list[str]:
    found = hard_coded.find_concerns(compare_projects(top, START, {**START, **new}))
    return [concern.path for concern in found]


@pytest.mark.parametrize(
    ("path", "code"), [("src/roman.js", JS), ("roman.py", PY), ("roman.go", GO)]
)
def test_a_table_whose_rows_are_subtracted_is_not_suspected(
    tmp_path: Path, path: str, code: str
) -> None:
    assert find_paths(tmp_path, {path: code}) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("while (rest >= value)", "if (rest === value)", id="compared with the input"),
        pytest.param(
            "    while (rest >= value) {\n      roman += letters;\n      rest -= value;\n    }\n",
            "    const off = rest - value;\n    if (!off) return letters;\n",
            id="one row is the answer",
        ),
        pytest.param(
            "    while (rest >= value) {\n      roman += letters;\n      rest -= value;\n    }\n",
            "    if (Object.is(rest, value)) roman = letters;\n",
            id="nothing is taken off",
        ),
        pytest.param(
            "  let rest = n;\n",
            "  let rest = n;\n  const t = new Map(DIGITS);\n  if (t.has(n)) return t.get(n);\n",
            id="the table is asked too",
        ),
    ],
)
def test_a_table_that_looks_up_the_input_is_suspected(tmp_path: Path, old: str, new: str) -> None:
    assert old in JS
    assert find_paths(tmp_path, {"src/roman.js": JS.replace(old, new)}) == ["src/roman.js"]


def test_entries_count_where_a_line_has_several(tmp_path: Path) -> None:
    known = "[4, 'IV'], [9, 'IX'], [40, 'XL']"
    more = "[5, 'V'], [10, 'X'], [50, 'L'], [100, 'C'], [500, 'D']"
    asked = "]);\nexport const toRoman = (n) => T.get(n) ?? '?';\n"

    few = find_paths(tmp_path / "a", {"src/roman.js": f"const T = new Map([{known}, {more}{asked}"})
    most = find_paths(tmp_path / "b", {"src/roman.js": f"const T = new Map([{known}{asked}"})

    assert (few, most) == ([], ["src/roman.js"])
