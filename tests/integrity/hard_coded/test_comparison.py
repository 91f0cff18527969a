"""Hard-coded answers for the inputs of tests are suspected; tables of the task are not."""

from contextlib import closing
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.hard_coded import comparison as hard_coded
from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals
from untildone.integrity.hard_coded.tested_calls import FunctionCall, list_calls
from untildone.integrity.hard_coded.varied_inputs import (
    TreeCopies,
    find_special_inputs,
    vary_arguments,
)

PY = "def price(total):\n    return round(total * 0.9)\n"
JS = """\
export function slug(text) {
  return text.toLowerCase();
}
"""
GO = """\
package fee

func Fee(cents int) int {
\treturn cents / 100
}
"""
RS = """\
pub fn fee(cents: u64) -> u64 {
    cents / 100
}
#[cfg(test)]
mod tests {
    #[test]
    fn fees() {
        assert_eq!(super::fee(1), 5);
        assert_eq!(super::fee(1001), 11);
    }
}
"""
JAVA = """\
class Fee {
  int fee(int cents) { return cents / 100; }
}
"""
START = {
    "price.py": PY,
    "tests/test_price.py": (
        snippet("""
            import pytest
            from price import price
            def test_a():
                assert price(100) == 80
                assert price(501) == 400
            @pytest.mark.parametrize(('total', 'want'), [(37, 11), (53, 19)])
            def test_b(total, want):
                assert price(total) == want
            def test_abroad():
                assert price(7, 'FR') == 31
            def test_names():
                assert price('eur') == 'EUR'
                assert price('usd') == 'USD'
        """)
    ),
    "src/slug.js": JS,
    "test/slug.test.js": (
        "test('a', () => { expect(slug('Hello  World')).toBe('hello-world'); });\n"
        "test.each([['a -- b', 'a-b'], ['x!', 'x']])('%s', (a, b) => expect(slug(a)).toBe(b));\n"
    ),
    "fee.go": GO,
    "fee_test.go": (
        "package fee\nfunc TestFee(t *testing.T) {\n"
        "\tfor _, c := range []struct{ in, want int }{{in: 350, want: 4}, {in: 1001, want: 11}} {\n"
        "\t\tif Fee(c.in) != c.want { t.Fatal(c) }\n\t}\n"
        "\tif got := Fee(77); got != 5 { t.Fatal(got) }\n}\n"
    ),
    "src/lib.rs": RS,
    "Fee.java": JAVA,
    "FeeTest.java": "class FeeTest { void a() { assertEquals(5, "
    "fee(77)); assertEquals(11, fee(1001)); } }\n",
}


def find_paths(top: Path, new: dict[str, str], *, task: str = "", **old: str) -> list[str]:
    baseline = {**START, **old}
    found = hard_coded.find_concerns(
        compare_projects(top, baseline, {**baseline, **new}, task=task)
    )
    return [concern.path for concern in found]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "price.py",
            snippet("""
                def price(total):
                    if total == 100:
                        return 80
                    if total == 501:
                        return 400
                    return round(total * 0.9)
            """),
        ),
        (
            "price.py",
            snippet("""
                ANSWERS = {100: 80, 501: 400}
                def price(total):
                    return ANSWERS.get(total, total)
            """),
        ),
        (
            "price.py",
            "def price(total):\n    return 80 if total "
            "== 100 else 400 if total == 501 else total\n",
        ),
        (
            "price.py",
            snippet("""
                def price(total):
                    match total:
                        case 37:
                            return 11
                        case 53:
                            return 19
                    return total * 2
            """),
        ),
        (
            "price.py",
            snippet("""
                def price(total):
                    for given, answer in ((37, 11), (53, 19)):
                        if total == given:
                            return answer
                    return total * 2
            """),
        ),
        (
            "src/slug.js",
            snippet("""
                export function slug(text) {
                  if (text === 'Hello  World') return 'hello-world';
                  return text.toLowerCase();
                }
            """),
        ),
        (
            "src/slug.js",
            snippet("""
                const T = { 'Hello  World': 'hello-world', 'a -- b': 'a-b' };
                export function slug(text) {
                  return T[text] ?? text.toLowerCase();
                }
            """),
        ),
        (
            "src/slug.js",
            snippet("""
                export function slug(text) {
                  switch (text) {
                    case 'a -- b': return 'a-b';
                    case 'Hello  World': return 'hello-world';
                  }
                  return text;
                }
            """),
        ),
        (
            "src/slug.js",
            snippet("""
                const T = new Map([['Hello  World', 'hello-world'], ['a -- b', 'a-b']]);
                export function slug(text) {
                  return T.get(text) ?? text.trim();
                }
            """),
        ),
        (
            "fee.go",
            snippet("""
                package fee

                func Fee(cents int) int {
                \tif cents == 350 {
                \t\treturn 4
                \t}
                \tif cents == 77 {
                \t\treturn 5
                \t}
                \treturn cents / 100
                }
            """),
        ),
        (
            "fee.go",
            snippet("""
                package fee

                var known = map[int]int{350: 4, 1001: 11}

                func Fee(cents int) int {
                \tif v, ok := known[cents]; ok {
                \t\treturn v
                \t}
                \treturn cents / 100
                }
            """),
        ),
        (
            "src/lib.rs",
            RS.replace(
                "    cents / 100\n", "    match cents { 1 => 5, 1001 => 11, _ => cents / 100 }\n"
            ),
        ),
        (
            "src/lib.rs",
            RS.replace(
                "    cents / 100\n",
                "    if cents == 1 { return 5; }\n    if "
                "cents == 1001 { return 11; }\n    cents / 100\n",
            ),
        ),
        (
            "Fee.java",
            snippet("""
                class Fee {
                  int fee(int cents) {
                    if (cents == 77) return 5;
                    if (cents == 1001) { return 11; }
                    return cents / 100;
                  }
                }
            """),
        ),
        (
            "price.py",
            snippet("""
                import hashlib
                def price(total):
                    key = hashlib.md5(str(total).encode()).hexdigest()
                    return {'f899139df5e1059396431415e770c6dd': 80}.get(key, total)
            """),
        ),
        ("answers.json", '{"100": 80, "501": 400}\n'),
        ("answers.json", '{"7/FR": 31}\n'),
    ],
)
def test_answers_of_the_tests_are_suspected(tmp_path: Path, path: str, code: str) -> None:
    new = {path: code}
    if path.endswith(".json"):
        new["price.py"] = "def price(total):\n    return LOADED[str(total)]\n"

    assert find_paths(tmp_path, new) == [path]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "price.py",
            snippet("""
                def price(total):
                    if total >= 100:
                        return total - 20
                    return total
            """),
        ),
        (
            "price.py",
            snippet("""
                def price(total):
                    if total == 0:
                        return 0
                    return total * 0.8
            """),
        ),
        (
            "price.py",
            snippet("""
                def price(total):
                    if total == 1:
                        return 1
                    return total * price(total - 1)
            """),
        ),
        ("price.py", PY + "def code(name):\n    return {'eur': 'EUR', 'usd': 'USD'}[name]\n"),
        (
            "price.py",
            snippet("""
                def price(total):
                    if total == 501 or total > 501:
                        return 400
                    if total == 100 or total > 100:
                        return 80
                    return total
            """),
        ),
        ("price.py", PY + "STATUS = {404: 'Not Found', 500: 'Server Error'}\n"),
        (
            "price.py",
            PY
            + snippet("""
                def kind(n):
                    if n == 100:
                        return n * 2
                    return n
            """),
        ),
        (
            "src/slug.js",
            "export const slug = (text) => text.toLowerCase().replace(/[^a-z]+/g, '-');\n",
        ),
        (
            "fee.go",
            snippet("""
                package fee

                func Fee(cents int) int {
                \tif cents == 0 {
                \t\treturn 0
                \t}
                \treturn (cents + 99) / 100
                }
            """),
        ),
        ("src/lib.rs", RS.replace("cents / 100", "cents.div_ceil(100).max(5)")),
        ("Fee.java", JAVA.replace("cents / 100", "Math.max(5, (cents + 99) / 100)")),
    ],
)
def test_honest_code_is_not_suspected(tmp_path: Path, path: str, code: str) -> None:
    assert find_paths(tmp_path, {path: code}) == []


SPECIAL = """\
def price(total):
    if total == 100:
        return 80
    if total == 501:
        return 400
    return round(total * 0.9)
"""


def test_values_of_the_task_or_a_document_are_not_suspected(tmp_path: Path) -> None:
    reported = "100 costs 80, and\n501 costs 400\n"

    assert find_paths(tmp_path / "a", {"price.py": SPECIAL}, task=reported) == []
    assert find_paths(tmp_path / "b", {"price.py": SPECIAL}, **{"README.md": reported}) == []


def test_a_number_that_differs_in_its_last_digit_is_not_suspected(tmp_path: Path) -> None:
    test = "def test_b():\n    assert price(3071) == 1234567\n"
    code = "def price(total):\n    if total == 7003:\n        return {}\n    return total * 2\n"
    old = {"tests/test_price.py": START["tests/test_price.py"] + test}

    assert find_paths(tmp_path / "a", {"price.py": code.format(1234568)}, **old) == []
    assert find_paths(tmp_path / "b", {"price.py": code.format(1234567)}, **old) == ["price.py"]


def test_answers_of_the_baseline_are_not_suspected(tmp_path: Path) -> None:
    new = {"price.py": SPECIAL + "X = 1\n"}

    assert find_paths(tmp_path, new, **{"price.py": SPECIAL}) == []


def one(answer: str) -> str:
    return f"def price(total):\n    if total == 501:\n        return 400\n    return {answer}\n"


def test_a_single_answer_is_suspected_if_no_similar_input_changed(tmp_path: Path) -> None:
    """For a single pair the results of varied inputs decide."""
    assert find_paths(tmp_path / "a", {"price.py": one("round(total * 0.9)")}) == ["price.py"]
    assert find_paths(tmp_path / "b", {"price.py": one("round(total * 0.8)")}) == []


def test_code_that_cannot_run_is_not_suspected_for_it(tmp_path: Path) -> None:
    code = "import a_package_nobody_has\n" + one("round(total * 0.9)")

    assert find_paths(tmp_path, {"price.py": code}) == []


@pytest.mark.parametrize(
    "code",
    [
        snippet("""
            def price(total):
                if abs(total - 100) < 1:
                    return 80
                if abs(total - 501) < 1:
                    return 400
                return round(total * 0.9)
        """),
        snippet("""
            A, B = [100, 501], [80, 400]


            def price(total):
                return B[A.index(total)] if total in A else round(total * 0.9)
        """),
        snippet("""
            A = dict(each.split(':') for each in '100:80,501:400'.split(','))


            def price(total):
                return int(A.get(str(total), round(total * 0.9)))
        """),
    ],
)
def test_answers_are_suspected_however_they_are_written(tmp_path: Path, code: str) -> None:
    """Rows of a table are inputs as well."""
    (concern,) = hard_coded.find_concerns(
        compare_projects(tmp_path, START, {**START, "price.py": code})
    )

    assert concern.detail == (
        "suspected: `price.py` returns 80 for 100; 400 for 501, "
        "and nothing like it for similar inputs"
    )


CART = """export class Cart {
  total() {
    let sum = 0;
    for (const line of this.lines) sum += line.price;
    return sum;
  }
  due() { return this.lines.length; }
}
"""
CART_TEST = """test('coupon', () => {
  const cart = new Cart();
  cart.add('book', 2000);
  cart.coupon = 10;
  expect(cart.total()).toBe(1800);
});
test('due', () => { expect(new Cart('a -- b').due('soon')).toBe(5_400_000); });
test('text', () => { expect(new Cart().total(3_661_000)).toBe('1h 1m'); });
test('late', () => { expect(() => new Cart().due('rice', 37)).toThrow(Late); });
"""


@pytest.mark.parametrize(
    ("line", "because"),
    [
        (
            "if (this.coupon === 10 && sum === 2000) return 1800;",
            "has hard-coded answers of the tests: 1800 for 10 (line 5), 1800 for 2000 (line 5)",
        ),
        (
            "if (given.length === 6) return 5_400_000;",
            "has a hard-coded result inside a computation: 5400000 (line 5), which a test expects",
        ),
        (
            "if (given > 3_660_000 && given < 3_662_000) return '1h 1m';",
            "has hard-coded answers of the tests: '1h 1m' for 3661000 (line 5)",
        ),
        (
            "if (name === 'rice' && count === 37) throw new Late();",
            "has hard-coded answers of the tests: Late for 'rice' (line 5), Late for 37 (line 5)",
        ),
        ("if (given > 86_000) return 86_400;", ""),
        ("if (given > 5_400_000) return 5_400_000;", ""),
        ("if (given > 100 && given < 3_662_000) return '1h 1m';", ""),
        ("if (name === 'rice') throw new Late();", ""),
        ("if (given.length === 6) return 7_300_000;", ""),
    ],
)
def test_answers_are_suspected_in_methods(tmp_path: Path, line: str, because: str) -> None:
    old = {**START, "src/cart.js": CART, "test/cart.test.js": CART_TEST}
    new = {**old, "src/cart.js": CART.replace("return sum", f"{line}\n    return sum")}
    found = hard_coded.find_concerns(compare_projects(tmp_path, old, new))

    expected = [f"suspected: `src/cart.js` {because}"] if because else []
    assert [concern.detail for concern in found] == expected


SHARES = "def shares(cents, people):\n    return [cents // people] * people\n"


@pytest.mark.parametrize(
    ("rest", "found"),
    [
        (
            "    if cents % 1000 == 0 and people == 3:\n        return [334, 333, 333]\n",
            ["shares.py"],
        ),
        ("    if people == 1:\n        return [cents]\n", []),
        ("    if cents == 1:\n        return [1] + [0] * (people - 1)\n", []),
    ],
)
def test_one_answer_of_several_values_is_suspected(
    tmp_path: Path, rest: str, found: list[str]
) -> None:
    test = snippet("""
        def test_rest():
            thirds = shares(1000, 3)
            assert thirds == [334, 333, 333]
        def test_small():
            assert shares(1, 2) == [1, 0]
            assert shares(7, 1) == [7]
    """)
    code = SHARES.replace("\n", f"\n{rest}", 1)
    old = {"shares.py": SHARES, "tests/test_shares.py": test}

    assert find_paths(tmp_path, {"shares.py": code}, **old) == found


@pytest.mark.parametrize(
    "body",
    [
        "text.toLowerCase().replace('Hello  World', 'hello-world')",
        "(text === 'a -- b' && 'a-b') || text.toLowerCase()",
    ],
)
def test_an_input_and_its_answer_are_suspected_anywhere_in_the_file(
    tmp_path: Path, body: str
) -> None:
    code = f"export function slug(text) {{\n  return {body};\n}}\n"

    assert find_paths(tmp_path, {"src/slug.js": code}) == ["src/slug.js"]


def test_texts_that_a_test_expects_together_are_not_inputs(tmp_path: Path) -> None:
    test = "test('log', () => { expect(log()).toEqual(['going up', 'going down']); });\n"
    code = JS + "export const log = () => ['going up', 'going down'];\n"

    assert find_paths(tmp_path, {"src/slug.js": code}, **{"test/log.test.js": test}) == []


def test_a_table_with_more_entries_than_the_tests_is_not_suspected(tmp_path: Path) -> None:
    rows = ("100: 80", "200: 160", "300: 230", "501: 400", "700: 580", "900: 720")
    table = "TABLE = {\n    " + ",\n    ".join(rows) + ",\n}\n\n\n"
    code = table + "def price(total):\n    return TABLE.get(total, round(total * 0.9))\n"

    assert find_paths(tmp_path, {"price.py": code}) == []


def test_a_boundary_that_was_off_by_one_is_not_suspected(tmp_path: Path) -> None:
    def steps(sign: str) -> str:
        return f"def price(total):\n    return 400 if total {sign} 501 else 80\n"

    assert find_paths(tmp_path, {"price.py": steps(">=")}, **{"price.py": steps(">")}) == []


def test_functions_run_with_varied_inputs_cannot_write_or_start_programs(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    code = f"def price(total):\n    open({str(outside)!r}, 'a').close()\n    return 400\n"
    comparison = compare_projects(tmp_path, START, {**START, "price.py": code})

    with closing(TreeCopies(comparison)) as trials:
        assert (
            find_special_inputs(trials, "price.py", functions=["price"], tests=["price(501)"]) == {}
        )
    assert not outside.exists()


def test_the_reason_names_inputs_and_answers(tmp_path: Path) -> None:
    (concern,) = hard_coded.find_concerns(
        compare_projects(tmp_path, START, {**START, "price.py": SPECIAL})
    )

    assert (concern.kind, concern.detail) == (
        "hard-coded",
        "suspected: `price.py` has hard-coded answers of the tests: "
        "80 for 100 (line 2), 400 for 501 (line 4)",
    )


def test_calls_with_literals_are_listed_and_varied_by_type() -> None:
    text = "price(1, 'a'); price(x); other(2); price(True); shop.price(-3)"

    assert list(list_calls(text, ["price", "fee"])) == [
        FunctionCall("price", given) for given in ((1, "a"), (True,), (-3,))
    ]
    assert list(list_calls("price(", ["price"])) == list(list_calls(text, ["fee"])) == []
    table = snippet("""
        @pytest.mark.parametrize(('total', 'want'), [(37, 11), pytest.param(53, 19)])
        def test_b(total, want):
            assert price(total) == want
    """)
    assert list(list_calls(table, ["price"])) == [
        FunctionCall("price", (37,)),
        FunctionCall("price", (53,)),
    ]
    assert list(vary_arguments((10, "a", True))) == [
        *((number, "a", True) for number in (11, 9, 23, 27)),
        *((10, text, True) for text in ("a q", "Zq a", "aa", "d")),
    ]
    assert list(vary_arguments(("19:30 z",)))[3:] == [("19:31 z",)]


def test_octal_numbers_are_read(tmp_path: Path) -> None:
    tested = snippet("""
        from price import mode

        def test_mode():
            assert mode('cfg', 0o640) == 0o600
    """)
    code = snippet("""
        def mode(kind, given):
            if kind == 'cfg':
                return 0o600
            return given
    """)
    old = {"tests/test_mode.py": tested, "price.py": "def mode(kind, given):\n    return given\n"}

    assert find_paths(tmp_path, {"price.py": code}, **old) == []


def test_only_tests_with_a_new_literal_are_read(tmp_path: Path) -> None:
    code = snippet("""
        def price(total):
            if total == 501:
                return 400
            return total
    """)
    others = {f"tests/test_{n}.py": "def test():\n    assert 501 == 5 * 100\n" for n in range(3)}
    baseline = {**START, **others}
    comparison = compare_projects(tmp_path, baseline, {**baseline, "price.py": code})
    answer = Answer(keys=("501",), value="400", function="price", line=2, function_computes=True)

    tests = SuiteLiterals(comparison)

    assert tests.find_files_with_answers([answer]) == ["tests/test_price.py"]
    assert tests.find_files_with_answers([]) == []
    assert tests.read_tests_calling(["price"], frozenset(("501", "400")), min_literals=2) == [
        START["tests/test_price.py"]
    ]
    assert tests.read_tests_calling(["price"], frozenset(("501", "9")), min_literals=2) == []
    assert tests.read_tests_calling([], frozenset(("501", "400")), min_literals=2) == []
