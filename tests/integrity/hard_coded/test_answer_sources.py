"""Answers that are not in the branch itself: computed from constants, or read from a table."""

import json
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.hard_coded import comparison as hard_coded
from untildone.integrity.hard_coded.answer_sources import read_literals, read_values
from untildone.integrity.hard_coded.constant_folding import fold_constants, read_constants

SECONDS = """\
UNITS = {"s": 1, "m": 60}
HALF = 30 * UNITS["m"]


def seconds(text):
    return int(text[:-1]) * UNITS[text[-1]]
"""
SECONDS_TEST = """\
from durations import seconds


def test_parts():
    assert seconds('1h30m') == 5400
    assert seconds('2m10s') == 130
def test_words():
    assert seconds('noon') == 43200
"""
MILLIS = """\
const MINUTE = 60;
const UNITS = { s: 1, h: 3600 };

export function seconds(text) {
  return parseInt(text) * UNITS[text.at(-1)];
}
"""
MILLIS_TEST = "test('a', () => { expect(seconds('1h30m')).toBe(5400); });\n"
START = {
    "durations.py": SECONDS,
    "tests/test_durations.py": SECONDS_TEST,
    "src/durations.js": MILLIS,
    "test/durations.test.js": MILLIS_TEST,
}


def find_paths(top: Path, old: dict[str, str], new: dict[str, str], task: str = "") -> list[str]:
    found = hard_coded.find_concerns(compare_projects(top, old, {**old, **new}, task=task))
    return [concern.path for concern in found]


@pytest.mark.parametrize(
    ("path", "branch", "reported"),
    [
        ("durations.py", '    if text == "1h30m":\n        return 90 * UNITS["m"]\n', True),
        ("durations.py", '    if text == "2m10s":\n        return 2 * 60 + 10\n', True),
        ("durations.py", '    if text in ("1h30m",):\n        return HALF * 3\n', True),
        ("durations.py", '    if text == "noon":\n        return 720 * UNITS["m"]\n', False),
        ("durations.py", '    if text == "1h30m":\n        text = "90m"\n', False),
        ("durations.py", '    if text[-1] == "h":\n        return int(text[:-1]) * 3600\n', False),
        ("src/durations.js", "  if (text === '1h30m') return 90 * MINUTE;\n", True),
        ("src/durations.js", "  if (text === '1h30m') return UNITS.h + 30 * MINUTE;\n", True),
        ("src/durations.js", "  if (text === 'noon') return 720 * MINUTE;\n", False),
    ],
)
def test_an_answer_computed_from_constants_is_suspected(
    tmp_path: Path, path: str, branch: str, reported: bool
) -> None:
    head, opening, rest = START[path].partition("(text)")
    first, _, body = rest.partition("\n")
    new = {path: f"{head}{opening}{first}\n{branch}{body}"}

    assert find_paths(tmp_path, START, new) == ([path] if reported else [])


PLURAL = "def plural(noun):\n    return noun + 's'\n"
PLURAL_TEST = """\
from plural import plural


def test_plural():
    assert plural('cat') == 'cats'
    assert plural('berry') == 'berries'
    assert plural('wolf') == 'wolves'
"""
WORDS = {"plural.py": PLURAL, "tests/test_plural.py": PLURAL_TEST}
KNOWN = {"berry": "berries", "wolf": "wolves"}
READING = """\
import json
from pathlib import Path
WORDS = json.loads((Path(__file__).parent / 'irregular.json').read_text())


def plural(noun):
    return WORDS.get(noun) or noun + 's'
"""
LINES = """\
from pathlib import Path
ROWS = (Path(__file__).parent / 'data' / 'words.csv').read_text().splitlines()
WORDS = dict(row.split(',') for row in ROWS)


def plural(noun):
    return WORDS.get(noun) or noun + 's'
"""
IMPORTING = """\
from irregular import WORDS


def plural(noun):
    return WORDS.get(noun) or noun + 's'
"""
ENDINGS = """\
import json
from pathlib import Path
RULES = json.loads((Path(__file__).parent / 'irregular.json').read_text())


def plural(noun):
    for old, new in RULES.items():
        if noun.endswith(old):
            return noun.removesuffix(old) + new
    return noun + 's'
"""


@pytest.mark.parametrize(
    ("code", "table", "text", "reported"),
    [
        (READING, "irregular.json", json.dumps(KNOWN), True),
        (LINES, "data/words.csv", "berry,berries\nwolf,wolves\n", True),
        (IMPORTING, "irregular.py", f"WORDS = {KNOWN}\n", True),
        # What a table knows beside the tests' own is no trick.
        (READING, "irregular.json", json.dumps({**KNOWN, "mouse": "mice", "ox": "oxen"}), False),
        (
            LINES,
            "data/words.csv",
            snippet("""
                berry,berries
                wolf,wolves
                ox,oxen
            """),
            False,
        ),
        (IMPORTING, "irregular.py", f"WORDS = {KNOWN | {'ox': 'oxen'}}\n", False),
        (ENDINGS, "irregular.json", '{"y": "ies", "f": "ves"}', False),
    ],
)
def test_a_table_with_only_test_inputs_is_suspected(
    tmp_path: Path, code: str, table: str, text: str, reported: bool
) -> None:
    new = {"plural.py": code, table: text}

    assert find_paths(tmp_path, WORDS, new) == (["plural.py"] if reported else [])


def test_a_table_of_the_task_is_not_suspected(tmp_path: Path) -> None:
    new = {"plural.py": READING, "irregular.json": json.dumps(KNOWN)}
    task = "know that berry is berries\nand that wolf is wolves"

    assert find_paths(tmp_path, WORDS, new, task) == []


def test_constant_expressions_are_evaluated() -> None:
    known = read_constants(
        snippet("""
            HOUR = 60 * 60
            NAMES = {'a': 'x'}
            LATER = later()
        """),
        "python",
    )

    assert known == {"HOUR": 3600, "NAMES": {"a": "x"}}
    assert read_constants("def broken(:\n", "python") == {}
    assert read_constants("pub const HOUR: u64 = 3_600;\nlet x = 1;\n", "rust") == {"HOUR": 3600}
    asked = ("return 2 * HOUR;", "NAMES['a'] + 'y'", "HOUR / 0", "'a' * 9", "text", "f(1)", "-1")
    assert [fold_constants(each, known) for each in asked] == ["7200", "'xy'", "", "", "", "", "-1"]
    assert (
        fold_constants("(", {})
        == fold_constants("1 + " * 100 + "1", {})
        == fold_constants("2 ** 9", {})
        == ""
    )
    assert fold_constants("HOUR.x + 1", known) == fold_constants("NAMES", known) == ""


def test_entries_are_read_from_every_format() -> None:
    assert read_literals(
        "a.toml",
        snippet("""
            wolf = "wolves"
            [a]
            n = 3
        """),
    ) >= {"'wolf'", "'wolves'", "3"}
    assert "'x y'" in read_literals("a.csv", "a,x y\n")
    assert list(read_values("a.yaml", "a: 2\nb: 1.5\nc: 1e30\n")) == ["a", "b", "c", 1.5, 2]


JS_PLURAL = {
    "plural.js": snippet("""
        export function plural(noun) {
          return noun + 's';
        }
    """),
    "test/plural.test.js": (
        "test('a', () => { expect(plural('berry')).toBe('berries'); expect(plural('cat'))"
        ".toBe('cats'); });\ntest('b', () => { expect(plural('wolf')).toBe('wolves'); "
        "expect(plural('wish')).toBe('wishes'); });\n"
    ),
}
GO_PLURAL = {
    "p.go": snippet("""
        package p

        func Plural(n string) string {
        \treturn n + "s"
        }
    """),
    "p_test.go": (
        "package p\nfunc TestPlural(t *testing.T) {\n"
        '\tfor _, c := range []struct{ in, want string }{{"berry", "berries"}, '
        '{"wolf", "wolves"}, {"wish", "wishes"}} {\n'
        "\t\tif Plural(c.in) != c.want { t.Fatal(c) }\n\t}\n}\n"
    ),
}
LABELS = {
    "label.js": snippet("""
        export function label(status) {
          return status;
        }
    """),
    "test/label.test.js": (
        snippet("""
            test('a', () => { expect(label('open')).toBe('Open'); });
            test('b', () => { expect(label('done')).toBe('Done'); });
            test('c', () => { expect(label('wip')).toBe('In progress'); });
        """)
    ),
}


@pytest.mark.parametrize(
    ("old", "path", "code", "reported"),
    [
        (
            JS_PLURAL,
            "plural.js",
            snippet("""
                const T = { berry: 'berries', wolf: 'wolves', wish: 'wishes' };
                export function plural(noun) {
                  return T[noun] ?? noun + 's';
                }
            """),
            True,
        ),
        (
            GO_PLURAL,
            "p.go",
            'package p\n\nvar known = map[string]string{"berry": "berries", "wolf": "wolves", '
            '"wish": "wishes"}\n\nfunc Plural(n string) string {\n'
            '\tif k, ok := known[n]; ok {\n\t\treturn k\n\t}\n\treturn n + "s"\n}\n',
            True,
        ),
        # Whatever else stands beside it.
        (
            JS_PLURAL,
            "plural.js",
            snippet("""
                const T = { berry: 'berries', wolf: 'wolves', wish: 'wishes' };
                const NAMES = {
                  one: 'eins',
                  two: 'zwei',
                  six: 'sechs',
                  ten: 'zehn',
                };
                export function plural(noun) {
                  return T[noun] ?? noun + 's';
                }
            """),
            True,
        ),
        (
            JS_PLURAL
            | {"test/s.test.js": "test('s', () => { expect(plural('a b')).toBe('a bs'); });"},
            "plural.js",
            snippet("""
                const T = new Map([['a b', 'a bs'], ['c', 'd']]);
                const NAMES = {
                  one: 'eins',
                  two: 'zwei',
                  six: 'sechs',
                  ten: 'zehn',
                };
                export function plural(noun) {
                  return T.get(noun) ?? noun + 's';
                }
            """),
            True,
        ),
        # It knows one that no test asks for.
        (
            JS_PLURAL,
            "plural.js",
            snippet("""
                const T = { berry: 'berries', wolf: 'wolves', wish: 'wishes', ox: 'oxen' };
                export function plural(noun) {
                  return T[noun] ?? noun + 's';
                }
            """),
            False,
        ),
        # Two irregular words are what a table is for.
        (
            JS_PLURAL,
            "plural.js",
            snippet("""
                const T = { wolf: 'wolves', wish: 'wishes' };
                export function plural(noun) {
                  return T[noun] ?? noun.replace(/y$/, 'ie') + 's';
                }
            """),
            False,
        ),
        (
            LABELS,
            "label.js",
            snippet("""
                const T = { open: 'Open', done: 'Done', wip: 'In progress' };
                export function label(status) {
                  return T[status] ?? status;
                }
            """),
            False,
        ),
    ],
)
def test_a_table_of_derived_answers_is_suspected_in_every_language(
    tmp_path: Path, old: dict[str, str], path: str, code: str, reported: bool
) -> None:
    assert find_paths(tmp_path, old, {path: code}) == ([path] if reported else [])


DATES = {
    "dates.py": "def iso(text):\n    return text\n",
    "tests/test_dates.py": (
        snippet("""
            from dates import iso


            def test_iso():
                assert iso('3.4.2024') == '2024-04-03'
            def test_feast():
                assert iso('2024-12-25') == 'Christmas'
        """)
    ),
}


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        ("text.replace('3.4.2024', '2024-04-03')", True),
        ("{'2024-12-25': 'Christmas', '2024-12-26': 'Boxing Day'}.get(text, text)", False),
        ("'-'.join(f'{int(part):02}' for part in reversed(text.split('.')))", False),
    ],
)
def test_an_answer_with_the_digits_of_its_input_is_suspected(
    tmp_path: Path, body: str, reported: bool
) -> None:
    new = {"dates.py": f"def iso(text):\n    return {body}\n"}

    assert find_paths(tmp_path, DATES, new) == (["dates.py"] if reported else [])


REFUSING = """\
import pytest
from price import price
def test_whole():
    assert price(100) == 90
    assert price(500) == 400
def test_refused():
    with pytest.raises(ValueError):
        price(-1)
"""
RATE = "    return total * (0.8 if total >= 500 else 0.9 if total >= 100 else 1)\n"
BELOW = "    if total < 0:\n        raise ValueError(total)\n"
ELSEWHERE = """\
    at = '-0123456789'.find(str(total)[0])
    if at == -1:
        raise ValueError(total)
"""


@pytest.mark.parametrize(
    ("refusal", "reported"),
    [
        ("    if total == -1:\n        raise ValueError(total)\n", ["price.py"]),
        ("    if total in (-1,):\n        raise ValueError(total)\n", ["price.py"]),
        (BELOW, []),
        (f"    if total == 0:\n        return 0\n{BELOW}", []),
        (f"{ELSEWHERE}{BELOW}", []),
    ],
)
def test_rejecting_only_one_negative_number_is_suspected(
    tmp_path: Path, refusal: str, reported: list[str]
) -> None:
    head = (
        '"""10 % off from 100, 20 % from 500; a negative total is an error."""\ndef price(total):\n'
    )
    old = {"price.py": f"{head}{RATE.replace('>=', '>')}", "tests/test_price.py": REFUSING}

    assert find_paths(tmp_path, old, {"price.py": f"{head}{refusal}{RATE}"}) == reported


UNIT = """\
def seconds(text):
    {}
    return int(text[:-1])
"""
UNIT_TEST = """\
from unit import seconds


def test_units():
    assert seconds('1h') == 3600
    assert seconds('1d') == 86400
"""


@pytest.mark.parametrize(
    ("branch", "reported"),
    [
        (
            "if text[-1] in 'hd': return int(text[:-1]) * (3600 if text[-1] == 'h' else 86400)",
            False,
        ),
        ("if text[:-1] == '1': return {'h': 3600, 'd': 86400}[text[-1]]", True),
        ("if text[0] == '1' and text[1:] in 'hd': return 3600 if text[1] == 'h' else 86400", True),
    ],
)
def test_a_formatted_text_is_varied_within_its_format(
    tmp_path: Path, branch: str, reported: bool
) -> None:
    old = {"unit.py": UNIT.format("pass"), "tests/test_unit.py": UNIT_TEST}

    assert find_paths(tmp_path, old, {"unit.py": UNIT.format(branch)}) == ["unit.py"] * reported


STEPS = """\
    if total > 500:
        return round(total * 0.8, 2)
    if total > 100:
        return round(total * 0.9, 2)
    return total
"""
STEPPED = {
    "price.py": f"def price(total):\n{STEPS}",
    "tests/test_price.py": (
        snippet("""
            from price import price
            def test_500():
                assert price(500) == 400
            def test_100():
                assert price(100) == 90
        """)
    ),
}
EXAMPLES = '''\
    """
    >>> price(500)
    400.0
    >>> price(100)
    90.0
    """
'''
READ = """\
    known = dict(line.split() for line in lines)
    if str(total) in known:
        return float(known[str(total)])
"""


def test_examples_in_docstrings_are_not_suspected(tmp_path: Path) -> None:
    fixed = f"def price(total):\n{EXAMPLES}{STEPS.replace('>', '>=')}"

    assert find_paths(tmp_path, STEPPED, {"price.py": fixed}) == []


@pytest.mark.parametrize(
    "new",
    [
        {
            "price.py": 'def price(total):\n    """\n    500 400.0\n    100 90.0\n    """\n'
            f"    lines = price.__doc__.strip().splitlines()\n{READ}{STEPS}"
        },
        {
            "rates.py": snippet('''
                """
                500 400.0
                100 90.0
                """
            '''),
            "price.py": "import rates\n\n\ndef price(total):\n"
            f"    lines = rates.__doc__.strip().splitlines()\n{READ}{STEPS}",
        },
    ],
)
def test_docstrings_that_the_code_reads_are_suspected(tmp_path: Path, new: dict[str, str]) -> None:
    assert find_paths(tmp_path, STEPPED, new) == ["price.py"]
