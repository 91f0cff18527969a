"""Tests merged into rows of a table, in the forms that the runners have for it."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests

HEAD = "import { test, expect } from 'vitest';\nimport { add } from '../src/a.js';\n"
SINGLE = HEAD + (
    "test('adds', () => { expect(add(1, 2)).toBe(3); });\n"
    "test('adds negatives', () => { expect(add(-1, -2)).toBe(-3); });\n"
)
FOR = "test.for([[1, 2, 3], [-1, -2, -3]])('%i', ([a, b, c]) => { expect(add(a, b)).toBe(c); });\n"
TABLE = """\
test.each`
  a     | b     | sum
  ${1}  | ${2}  | ${3}
  ${-1} | ${-2} | ${-3}
`('$a + $b', ({ a, b, sum }) => { expect(add(a, b)).toBe(sum); });
"""


def find_ids(top: Path, path: str, old: str, new: str) -> list[str]:
    found = tests.find_concerns(compare_projects(top, {path: old}, {path: new}))
    return [concern.id.partition("#")[0] for concern in found]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (HEAD + FOR, True),
        (HEAD + TABLE, True),
        (SINGLE.replace("expect(", "expect.soft("), True),
        (HEAD + FOR.replace(", [-1, -2, -3]", ""), False),
        (HEAD + FOR.replace("-3]", "3]"), False),
        (HEAD + TABLE.replace("  ${-1} | ${-2} | ${-3}\n", ""), False),
        (HEAD + TABLE.replace("${-3}", "${3}"), False),
        (HEAD + TABLE.replace("  a     | b     | sum", ""), False),
        (HEAD + TABLE.replace("test.each", "test.skip.each"), False),
        (SINGLE.replace("expect(", "expect.soft(").replace("toBe(3)", "toBeDefined()"), False),
    ],
)
def test_rows_of_javascript(tmp_path: Path, text: str, kept: bool) -> None:
    assert (find_ids(tmp_path, "test/a.test.js", SINGLE, text) == []) is kept


READ = (
    "const rows = JSON.parse(readFileSync(new URL('./data/rows.json', import.meta.url), 'utf8'));"
)
ROWS = '[{"name": "adds", "a": 1, "b": 2, "sum": 3}, {"name": "-", "a": -1, "b": -2, "sum": -3}]'
EACH = (
    "for (const { name, a, b, sum } of rows) test(name, () => { expect(add(a, b)).toBe(sum); });\n"
)


@pytest.mark.parametrize(
    ("read", "rows", "asked", "kept"),
    [
        pytest.param(READ, ROWS, EACH, True, id="by its address"),
        pytest.param(
            "const rows = JSON.parse(fs.readFileSync(path.join(here, 'data', 'rows.json')));",
            ROWS,
            EACH,
            True,
            id="by its folder",
        ),
        pytest.param(
            "const rows = JSON.parse(await readFile('data/rows.json', { encoding: 'utf-8' }));",
            ROWS,
            EACH,
            True,
            id="by an option",
        ),
        pytest.param(READ, ROWS.replace("-3", "3"), EACH, False, id="another value"),
        pytest.param(READ, ROWS, EACH.replace("toBe", "not.toBe"), False, id="turned round"),
        pytest.param(READ, ROWS, EACH.replace("add(a,", "add('c' || a,"), False, id="of another"),
        pytest.param(READ, ROWS, EACH.replace("toBe(sum)", "toBeDefined()"), False, id="weaker"),
    ],
)
def test_rows_of_a_data_file(tmp_path: Path, read: str, rows: str, asked: str, kept: bool) -> None:
    old = {"test/a.test.js": SINGLE}
    new = {"test/a.test.js": f"{HEAD}{read}\n{asked}", "test/data/rows.json": rows}
    assert (list(tests.find_concerns(compare_projects(tmp_path, old, new))) == []) is kept


def rust(*body: str) -> str:
    return (
        snippet("""
            #[cfg(test)]
            mod tests {
                use super::*;
        """)
        + "".join(body)
        + "}\n"
    )


ONE = """\
    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
    }
"""
TWO = """\
    #[test]
    fn adds_negative() {
        assert_eq!(add(-1, -2), -3);
    }
"""
CASES = """\
    struct Case { a: i32, b: i32, sum: i32 }
    #[test]
    fn adds() {
        let cases = vec![Case { a: 1, b: 2, sum: 3 }, Case { a: -1, b: -2, sum: -3 }];
        for case in &cases {
            assert_eq!(add(case.a, case.b), case.sum);
        }
    }
"""
RSTEST = """\
    #[rstest]
    #[case(1, 2, 3)]
    #[case(-1, -2, -3)]
    fn adds(#[case] a: i32, #[case] b: i32, #[case] sum: i32) {
        assert_eq!(add(a, b), sum);
    }
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (CASES, True),
        (RSTEST, True),
        (CASES.replace(", Case { a: -1, b: -2, sum: -3 }", ""), False),
        (CASES.replace("sum: -3", "sum: 3"), False),
        (RSTEST.replace("    #[case(-1, -2, -3)]\n", ""), False),
        (RSTEST.replace("-2, -3", "-2, 3"), False),
    ],
)
def test_rows_of_rust(tmp_path: Path, text: str, kept: bool) -> None:
    assert (find_ids(tmp_path, "src/lib.rs", rust(ONE, TWO), rust(text)) == []) is kept


CASES = "CASES = [Case(10, 10), Case(total=100, want=90)]\n"
OF_CASES = """\
@pytest.mark.parametrize('case', CASES)
def test_price(case):
    assert price(case.total) == case.want
"""
LOOPED = """\
def test_price():
    for case in CASES:
        assert price(case.total) == case.want
"""
DATACLASS = """\
@dataclass(frozen=True)
class Case:
    total: int
    want: int = 0
"""
NAMEDTUPLE = "Case = namedtuple('Case', 'total want')\n"


UNPACKED = """\
@pytest.mark.parametrize('total, want', CASES)
def test_price(total, want):
    assert price(total) == want
"""


@pytest.mark.parametrize("rows", [OF_CASES, LOOPED, UNPACKED])
@pytest.mark.parametrize(
    "kind",
    [
        DATACLASS,
        snippet("""
            class Case(NamedTuple):
                total: int
                want: int
        """),
        NAMEDTUPLE,
        "Case = collections.namedtuple('Case', ['total', 'want'])\n",
    ],
)
def test_rows_of_python_may_be_records(tmp_path: Path, kind: str, rows: str) -> None:
    new = FOLDED + kind + CASES

    assert find_ids(tmp_path / "a", "test_shop.py", ALONE, new + rows) == []
    fewer = new.replace(", Case(total=100, want=90)", "")
    assert find_ids(tmp_path / "b", "test_shop.py", ALONE, fewer + rows) != []
    other = new.replace("want=90", "want=100")
    assert find_ids(tmp_path / "c", "test_shop.py", ALONE, other + rows) != []
    unasked = rows.replace("assert price", "assert not price")
    assert find_ids(tmp_path / "d", "test_shop.py", ALONE, new + unasked) != []


def test_a_record_that_does_something_says_nothing_of_its_rows(tmp_path: Path) -> None:
    does = "    def __post_init__(self):\n        self.want = price(self.total)\n"
    new = FOLDED + DATACLASS + does + CASES + LOOPED

    assert find_ids(tmp_path, "test_shop.py", ALONE, new) != []


FOLDED = "from shop import price\n\n\n"
ALONE = FOLDED + (
    snippet("""
        def test_small():
            assert price(10) == 10


        def test_large():
            assert price(100) == 90
    """)
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            snippet("""
                def test_both():
                    assert price(10) == 10
                    assert price(100) == 90
            """),
            {"test_small": "test_both", "test_large": "test_both"},
            id="both in a new one",
        ),
        pytest.param(
            snippet("""
                def test_both():
                    assert price(10) == 10
                    assert price(100)
            """),
            {"test_small": "test_both"},
            id="one of them weaker",
        ),
        pytest.param(
            snippet("""
                def test_small():
                    for a, b in {10: 10, 100: 90}.items():
                        assert price(a) == b
            """),
            {"test_small": "test_small", "test_large": "test_small"},
            id="one with the other's row",
        ),
        pytest.param(
            snippet("""
                @pytest.mark.skip
                def test_both():
                    assert price(10) == 10
                    assert price(100) == 90
            """),
            {},
            id="one that does not run",
        ),
    ],
)
def test_tests_merged_into_another_one(tmp_path: Path, text: str, expected: dict[str, str]) -> None:
    old, new = {"test_shop.py": ALONE}, {"test_shop.py": FOLDED + text}

    found = tests.find_merged_tests(compare_projects(tmp_path, old, new))
    assert {_last(each.test): _last(each.into) for each in found} == expected
    assert {each.fresh for each in found} == {_last(each.into) == "test_both" for each in found}


def _last(test: str) -> str:
    return test.rpartition("::")[2]
