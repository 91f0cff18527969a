"""pytest and unittest: which edits weaken a test."""

from pathlib import Path

import pytest

from integrity.tests.pricing import (
    EDIT,
    EXPECT,
    HUNDRED,
    PRODUCT,
    REMOVE,
    START,
    TABLE,
    UNIT,
    find_ids,
    find_ids_of_edit,
)
from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("    pass\n", EDIT, id="emptied"),
        pytest.param("    assert final_price(100)\n", EDIT, id="only true"),
        pytest.param("    assert final_price(100) is not None\n", EDIT, id="only there"),
        pytest.param("    assert final_price(100) == 90 or True\n", EDIT, id="or true"),
        pytest.param("    assert True or final_price(100) == 90\n", EDIT, id="true or"),
        pytest.param("    assert (final_price(100) == 90, 'x')\n", EDIT, id="a tuple"),
        pytest.param("    assert final_price(100) in (90, 100)\n", EDIT, id="one of several"),
        pytest.param("    assert final_price(100) >= 90\n", EDIT, id="at least"),
        pytest.param("    assert final_price(100) != 91\n", EDIT, id="another one not"),
        pytest.param("    assert 90 == 90\n    final_price(100)\n", EDIT, id="constants"),
        pytest.param("    x = 90\n    assert x == 90\n", EDIT, id="a variable of its own"),
        pytest.param("    return\n" + HUNDRED, EDIT, id="returns before"),
        pytest.param(
            "    if final_price(100) != 90:\n        return\n" + HUNDRED,
            EDIT,
            id="returns if wrong",
        ),
        pytest.param("    if rate(100) == 0.1:\n    " + HUNDRED, EDIT, id="only sometimes"),
        pytest.param("    if False:\n    " + HUNDRED, EDIT, id="never"),
        pytest.param(
            "    try:\n    " + HUNDRED + "    except Exception:\n        pass\n", EDIT, id="caught"
        ),
        pytest.param(
            "    try:\n    " + HUNDRED + "    except:\n        print('x')\n", EDIT, id="caught bare"
        ),
        pytest.param(
            "    with contextlib.suppress(AssertionError):\n    " + HUNDRED, EDIT, id="suppressed"
        ),
        pytest.param("    for _ in []:\n    " + HUNDRED, EDIT, id="a loop over nothing"),
        pytest.param("    def check():\n    " + HUNDRED, EDIT, id="in a function nobody calls"),
        pytest.param("    assert lambda: final_price(100) == 90\n", EDIT, id="a lambda is true"),
        pytest.param(
            "    assert final_price(100) == pytest.approx(90, rel=1)\n", EDIT, id="far off"
        ),
        pytest.param("    assert abs(final_price(100) - 90) < 20\n", EDIT, id="near by far"),
        pytest.param("    assert isinstance(final_price(100), int)\n", EDIT, id="only its type"),
        pytest.param(
            "    assert not final_price(100) is None\n", EDIT, id="not none the other way"
        ),
        pytest.param("    assert final_price(100) == 100\n", EXPECT, id="another value"),
        pytest.param("    assert final_price(101) == 90\n", EXPECT, id="another input"),
        pytest.param(
            "    total = 101\n    assert final_price(total) == 90\n",
            EXPECT,
            id="input in a variable",
        ),
        pytest.param("    assert final_price(90) == 100\n", EXPECT, id="swapped"),
        pytest.param("    pytest.skip('later')\n" + HUNDRED, EDIT, id="skips itself"),
        pytest.param(
            "    if rate(1):\n        pytest.skip('x')\n" + HUNDRED, EDIT, id="skips itself perhaps"
        ),
        pytest.param("    pytest.xfail('later')\n" + HUNDRED, EDIT, id="fails as expected"),
        pytest.param("    pytest.importorskip('ghost')\n" + HUNDRED, EDIT, id="wants a module"),
        pytest.param("    assert rate(100) == 90\n", EDIT, id="another function"),
    ],
)
def test_a_test_made_weaker_is_a_concern(tmp_path: Path, body: str, expected: str) -> None:
    assert find_ids_of_edit(tmp_path, START, (HUNDRED, body)) == {f"{expected}test_hundred"}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(("def test_hundred", "@pytest.mark.skip\ndef test_hundred"), id="skip"),
        pytest.param(
            ("def test_hundred", "@pytest.mark.skipif(True, reason='x')\ndef test_hundred"),
            id="skipif",
        ),
        pytest.param(("def test_hundred", "@pytest.mark.xfail\ndef test_hundred"), id="xfail"),
        pytest.param(("def test_hundred", "@unittest.skip('x')\ndef test_hundred"), id="unittest"),
        pytest.param(
            ("def test_hundred():", "def test_hundred(ready):"), id="a fixture that skips"
        ),
        pytest.param(
            ("def test_hundred", "@safe\ndef test_hundred"), id="a decorator that swallows"
        ),
        pytest.param(("def test_hundred", "if rate(3):\n  def test_hundred"), id="defined perhaps"),
    ],
)
def test_a_test_under_a_new_mark_is_a_concern(tmp_path: Path, change: tuple[str, str]) -> None:
    text = START.replace(*change).replace(
        "\n    assert final_price(100)", "\n     assert final_price(100)"
    )
    around = """
@pytest.fixture
def ready():
    pytest.skip('not ready')


def safe(test):
    def run():
        try:
            test()
        except Exception:
            pass
    return run
"""
    new = {"tests/test_pricing.py": text + around}
    assert find_ids(tmp_path, START, new) == {f"{EDIT}test_hundred"}


@pytest.mark.parametrize(
    "more",
    [
        "pytestmark = pytest.mark.skip\n",
        "pytestmark = [pytest.mark.xfail(strict=False)]\n",
        "pytest.skip('x', allow_module_level=True)\n",
        "__test__ = False\n",
        "raise unittest.SkipTest('x')\n",
        snippet("""
            @pytest.fixture(autouse=True)
            def ready():
                pytest.skip('x')
        """),
    ],
)
def test_a_file_under_a_new_mark_loses_its_tests(tmp_path: Path, more: str) -> None:
    new = START.replace("\n\n\ndef test_small", f"\n\n{more}\n\ndef test_small")

    found = find_ids(tmp_path, START, {"tests/test_pricing.py": new})

    assert found == {f"{EDIT}{name}" for name in ("test_small", "test_hundred", "test_negative")}


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(START.replace("def test_hundred", "def check_hundred"), id="renamed"),
        pytest.param(START.replace("def test_hundred", "def _test_hundred"), id="made private"),
        pytest.param(START + "\ndel test_hundred\n", id="deleted at the end"),
        pytest.param(START + "\ntest_hundred = None\n", id="overwritten at the end"),
        pytest.param(START.replace("def test_hundred():\n" + HUNDRED, ""), id="removed"),
        pytest.param(
            START.replace(
                "def test_hundred():\n", "def test_hundred_():\n  def test_hundred():\n  "
            ),
            id="nested",
        ),
    ],
)
def test_a_test_no_longer_collected_is_removed(tmp_path: Path, new: str) -> None:
    assert find_ids(tmp_path, START, {"tests/test_pricing.py": new}) == {f"{REMOVE}test_hundred"}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param("[(50, 50), (500, 400)]", EDIT, id="one row less"),
        pytest.param("[]", EDIT, id="none"),
        pytest.param(
            "[(50, 50), pytest.param(100, 90, marks=pytest.mark.xfail), (500, 400)]",
            EDIT,
            id="marked",
        ),
        pytest.param("[(50, 50), (100, 100), (500, 400)]", EXPECT, id="another value"),
    ],
)
def test_a_row_taken_from_a_table_is_a_concern(tmp_path: Path, rows: str, expected: str) -> None:
    change = ("[(50, 50), (100, 90), (500, 400)]", rows)
    assert find_ids_of_edit(tmp_path, TABLE, change) == {f"{expected}test_price"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("    def test_h", "    @unittest.skip('x')\n    def test_h"), EDIT),
        (("    def test_h", "    @unittest.skipUnless(False, 'x')\n    def test_h"), EDIT),
        (("    def test_h", "    @unittest.expectedFailure\n    def test_h"), EDIT),
        (("self.assertEqual(final_price(100), 90)", "self.assertTrue(final_price(100), 90)"), EDIT),
        (
            ("self.assertEqual(final_price(100), 90)", "self.assertIsNotNone(final_price(100))"),
            EDIT,
        ),
        (
            (
                "self.assertEqual(final_price(100), 90)",
                "self.assertAlmostEqual(final_price(100), 90, delta=20)",
            ),
            EDIT,
        ),
        (
            (
                "self.assertEqual(final_price(100), 90)",
                "self.assertIn(final_price(100), [90, 100])",
            ),
            EDIT,
        ),
        (("self.assertEqual(final_price(100), 90)", "self.skipTest('x')"), EDIT),
        (
            ("self.assertEqual(final_price(100), 90)", "self.assertEqual(final_price(100), 91)"),
            EXPECT,
        ),
    ],
)
def test_a_method_made_weaker_is_a_concern(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert find_ids_of_edit(tmp_path, UNIT, change) == {f"{expected}PriceTest::test_hundred"}


@pytest.mark.parametrize(
    "more",
    [
        "    def setUp(self):\n        self.skipTest('x')\n\n",
        "    def setUp(self):\n        if rate(1):\n            raise unittest.SkipTest('x')\n\n",
        "    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest('x')\n\n",
        "    __test__ = False\n\n",
        "    def assertEqual(self, a, b, msg=None):\n        pass\n\n",
    ],
)
def test_a_class_that_stops_its_tests_is_a_concern(tmp_path: Path, more: str) -> None:
    found = find_ids_of_edit(tmp_path, UNIT, ("    def test_small", f"{more}    def test_small"))

    assert f"{EDIT}PriceTest::test_hundred" in found


def test_a_test_that_became_a_row_of_another_is_recognized_by_its_assertions(
    tmp_path: Path,
) -> None:
    old = TABLE + "\n\ndef test_none():\n    assert len(final_price(7)) == 0\n"
    new = {"tests/test_pricing.py": TABLE.replace("(50, 50)", "(7, []), (50, 50)")}
    assert find_ids(tmp_path / "a", old, new) == {f"{EXPECT}test_none"}
    conditional = "@pytest.mark.skipif(rate(1), reason='slow')\n@pytest.mark.parametrize"
    old = old.replace("@pytest.mark.parametrize", conditional)
    new = {
        path: text.replace("@pytest.mark.parametrize", conditional) for path, text in new.items()
    }
    assert find_ids(tmp_path / "b", old, new) == {f"{EDIT}test_none"}


@pytest.mark.parametrize("base", ["unittest.TestCase", "SharedCase"])
def test_tests_may_move_to_a_base_class(tmp_path: Path, base: str) -> None:
    old = UNIT.replace("final_price(50), 50", "final_price(self.price), 50").replace(
        "    def test_small", "    def setUp(self):\n        self.price = 50\n\n    def test_small"
    )
    new = old.replace("class PriceTest(unittest.TestCase)", f"class Prices({base})").replace(
        "    def test_small", "class PriceTest(Prices):\n    def test_small"
    )
    assert find_ids(tmp_path, old, {"tests/test_pricing.py": new}) == set()


def test_a_renamed_test_is_recognized_by_its_assertions(tmp_path: Path) -> None:
    """A removed one is no matter of a replay."""
    renamed = START.replace("test_hundred", "test_from_a_hundred")

    for number, (now, expected) in enumerate(
        (("(100) == 90", set()), ("(100) == 91", {f"{EXPECT}test_hundred"})),
    ):
        new = {"tests/test_pricing.py": renamed.replace("(100) == 90", now)}
        assert find_ids(tmp_path / str(number), START, new) == expected
    other = {"tests/test_pricing.py": renamed.replace("(100) == 90", "(101) == 91")}
    assert find_ids(tmp_path / "other", START, other) == {f"{REMOVE}test_hundred"}


def test_a_raised_error_may_not_become_any_error(tmp_path: Path) -> None:
    new = START.replace("raises(ValueError)", "raises(Exception)")
    assert find_ids(tmp_path, START, {"tests/test_pricing.py": new}) == {f"{EDIT}test_negative"}


def test_an_expected_constant_of_the_module_counts(tmp_path: Path) -> None:
    old = START.replace("== 90", "== WANT").replace(
        "\n\n\ndef test_small", "\n\nWANT = 90\n\n\ndef test_small"
    )
    new = {"tests/test_pricing.py": old.replace("WANT = 90", "WANT = 100")}
    assert find_ids(tmp_path, old, new) == {f"{EXPECT}test_hundred"}


def test_a_helper_that_no_longer_asserts_is_a_concern(tmp_path: Path) -> None:
    old = snippet("""
        from pricing import final_price


        def check(a, b):
            assert final_price(a) == b


        def test_it():
            check(100, 90)
    """)
    new = {"tests/test_pricing.py": old.replace("assert final_price(a) == b", "final_price(a)")}
    assert find_ids(tmp_path, old, new) == {f"{EDIT}test_it"}


def test_steps_before_the_assertion_are_inputs(tmp_path: Path) -> None:
    old = snippet("""
        def test_it():
            cart = Cart()
            cart.add('a', 3)
            assert cart.total() == 9
    """)
    new = {"tests/test_pricing.py": old.replace("'a', 3", "'a', 9")}
    assert find_ids(tmp_path, old, new) == {f"{EXPECT}test_it"}


@pytest.mark.parametrize(
    "path",
    ["tests/pricing_checks.py", "tests/disabled/test_pricing.py", "tests/_old/test_pricing.py"],
)
def test_a_file_moved_to_where_the_runner_does_not_look_loses_its_tests(
    tmp_path: Path, path: str
) -> None:
    found = find_ids(tmp_path, START, {path: START})

    assert found == {f"{EDIT}{name}" for name in ("test_small", "test_hundred", "test_negative")}


def test_a_deleted_file_loses_its_tests(tmp_path: Path) -> None:
    assert find_ids(tmp_path, START, {}) == {
        f"{REMOVE}{name}" for name in ("test_small", "test_hundred", "test_negative")
    }


def test_a_fixture_given_to_all_that_skips_is_a_concern(tmp_path: Path) -> None:
    conftest = snippet("""
        import pytest


        @pytest.fixture(autouse=True)
        def ready():
            pytest.skip('x')
    """)
    found = find_ids(
        tmp_path, START, {"tests/test_pricing.py": START, "tests/conftest.py": conftest}
    )
    assert found == {f"{EDIT}{name}" for name in ("test_small", "test_hundred", "test_negative")}


def test_a_helper_of_another_file_that_no_longer_asserts_is_a_concern(tmp_path: Path) -> None:
    test = snippet("""
        from tests.checks import check


        def test_it():
            check(100, 90)
    """)
    helper = snippet("""
        from pricing import final_price


        def check(a, b):
            assert final_price(a) == b
    """)
    comparison = compare_projects(
        tmp_path,
        {**PRODUCT, "tests/test_pricing.py": test, "tests/checks.py": helper},
        {**PRODUCT, "tests/test_pricing.py": test, "tests/checks.py": helper.replace("== b", "")},
    )
    (only,) = tests_comparison.find_concerns(comparison)
    assert only.id.startswith(f"{EDIT}test_it#")


def test_a_concern_depends_on_its_own_test_and_not_on_the_rest_of_the_file(tmp_path: Path) -> None:
    def find_concerns_of_edit(top: str, new: str) -> set[str]:
        files = (
            {**PRODUCT, "tests/test_pricing.py": START},
            {**PRODUCT, "tests/test_pricing.py": new},
        )
        return {
            concern.id
            for concern in tests_comparison.find_concerns(compare_projects(tmp_path / top, *files))
        }

    first = START.replace("== 90", "== 95")
    more = first + "\n\ndef test_more():\n    assert rate(1) == 0.1\n"

    assert find_concerns_of_edit("first", first) == find_concerns_of_edit("more", more)
    assert find_concerns_of_edit("first", first) != find_concerns_of_edit(
        "again", START.replace("== 90", "== 99")
    )


@pytest.mark.parametrize(
    ("fixtures", "parameter"),
    [
        (
            snippet("""
                @pytest.fixture
                def hundred():
                    return 100
            """),
            "hundred: int",
        ),
        (
            snippet("""
                @pytest.fixture
                def whole():
                    return 100


                @pytest.fixture
                def hundred(whole):
                    return whole
            """),
            "hundred",
        ),
        (
            snippet("""
                @pytest.fixture(name="hundred")
                def make_hundred():
                    return 100


                def helper_after_a_fixture():
                    return 7
            """),
            "hundred",
        ),
        (
            snippet("""
                @pytest.fixture(name="hundred")
                @cached
                def make_hundred():
                    return 100
            """),
            "hundred",
        ),
    ],
)
def test_what_a_fixture_gives_is_found_however_it_is_asked_for(
    tmp_path: Path, fixtures: str, parameter: str
) -> None:
    fixture = "\n\n@pytest.fixture\ndef hundred():\n    return 100\n"
    asked = START.replace("(100)", "(hundred)")
    old = asked.replace("test_hundred()", "test_hundred(hundred)") + fixture
    new = asked.replace("test_hundred()", f"test_hundred({parameter})") + f"\n\n{fixtures}"
    assert find_ids(tmp_path, old, {"tests/test_pricing.py": new}) == set()


def test_a_fixture_that_stands_before_another_of_its_name_raises_no_error(tmp_path: Path) -> None:
    new = START.replace("test_hundred()", "test_hundred(hundred)").replace("(100)", "(hundred)")
    new += "\n\n@pytest.fixture\ndef hundred(hundred):\n    return hundred\n"
    assert find_ids(tmp_path, START, {"tests/test_pricing.py": new}) == {f"{EXPECT}test_hundred"}


def test_a_later_test_of_the_same_name_replaces_the_first(tmp_path: Path) -> None:
    new = START + "\n\ndef test_hundred():\n    assert final_price(101) == 101\n"
    assert find_ids(tmp_path, START, {"tests/test_pricing.py": new}) == {f"{EXPECT}test_hundred"}


def test_a_class_with_a_constructor_is_not_collected(tmp_path: Path) -> None:
    old = snippet("""
        from pricing import rate


        class TestRate:
            def test_it(self):
                assert rate(3) == 5
    """)
    new = {
        "tests/test_pricing.py": old.replace(
            "    def t", "    def __init__(self):\n        pass\n\n    def t"
        )
    }
    assert find_ids(tmp_path, old, new) == {f"{EDIT}TestRate::test_it"}


def test_removed_literals_are_a_concern(tmp_path: Path) -> None:
    change = (HUNDRED, "    assert final_price(some_total()) == some_price()\n")
    assert find_ids_of_edit(tmp_path, START, change) == {f"{EXPECT}test_hundred"}


def test_a_broken_file_raises_no_error(tmp_path: Path) -> None:
    new = {"tests/test_pricing.py": START + "\ndef test_broken(:\n    assert (((\n"}
    assert find_ids(tmp_path, START, new) == set()


def test_the_concern_names_the_old_and_the_new_expected_value(tmp_path: Path) -> None:
    new = START.replace("== 90", "== 100")
    comparison = compare_projects(
        tmp_path,
        {**PRODUCT, "tests/test_pricing.py": START},
        {**PRODUCT, "tests/test_pricing.py": new},
    )
    (only,) = tests_comparison.find_concerns(comparison)
    assert (
        only.detail == "`test_hundred` expected `90` for `100` in the baseline, now `100` for `100`"
    )


TWO_STORES = """\
import unittest

class MemoryTest(unittest.TestCase):
    def test_price(self):
        self.assertEqual(final_price(100), 90)

class FileTest(unittest.TestCase):
    def test_price(self):
        self.assertEqual(final_price(100), 90)
"""
CONTRACT = """\
class Contract:
    def test_price(self):
        self.assertEqual(final_price(100), 90)
"""
MIXED = """

class MemoryTest(Contract, unittest.TestCase):
    pass

class FileTest(Contract, unittest.TestCase):
    pass
"""
BOTH = {
    "remove-test:tests/test_pricing.py::MemoryTest::test_price",
    "remove-test:tests/test_pricing.py::FileTest::test_price",
}
ONE = {"remove-test:tests/test_pricing.py::FileTest::test_price"}


@pytest.mark.parametrize(
    ("files", "reported"),
    [
        pytest.param(
            {"tests/test_pricing.py": f"import unittest\n\n{CONTRACT}{MIXED}"}, set(), id="beside"
        ),
        pytest.param(
            {
                "tests/contract.py": CONTRACT,
                "tests/test_pricing.py": f"import unittest\nfrom contract import Contract\n{MIXED}",
            },
            set(),
            id="in a file of its own",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": "import unittest\n\n"
                + CONTRACT.replace("Contract", "Contract(unittest.TestCase)")
                + MIXED.replace("(Contract, unittest.TestCase)", "(Contract)")
                + "\ndel Contract\n"
            },
            set(),
            id="taken away from the module",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": f"import unittest\n\n{CONTRACT}{MIXED}".replace(
                    "FileTest(Contract, unittest.TestCase)", "FileTest(Contract)"
                )
            },
            ONE,
            id="one is not collected",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": f"import unittest\n\n{CONTRACT}{MIXED}"
                "    test_price = None\n"
            },
            ONE,
            id="one is taken away again",
        ),
        pytest.param(
            {
                "tests/test_pricing.py": f"import unittest\n\n{CONTRACT}{MIXED}"
                "    def test_price(self):\n        pass\n"
            },
            {"edit-test:tests/test_pricing.py:FileTest::test_price"},
            id="one is made anew, without a claim",
        ),
        pytest.param(
            {"tests/test_pricing.py": f"import unittest\n\n@unittest.skip\n{CONTRACT}{MIXED}"},
            {
                "edit-test:tests/test_pricing.py:MemoryTest::test_price",
                "edit-test:tests/test_pricing.py:FileTest::test_price",
            },
            id="all are skipped",
        ),
        pytest.param({"tests/test_pricing.py": f"import unittest\n\n{CONTRACT}"}, BOTH, id="gone"),
    ],
)
def test_tests_may_be_inherited_from_a_class_that_is_not_collected(
    tmp_path: Path, files: dict[str, str], reported: set[str]
) -> None:
    assert find_ids(tmp_path, TWO_STORES, files) == reported


NESTED_WITH = snippet("""
    from contextlib import suppress

    import pytest

    from pricing import final_price, rate


    def test_price(shop):
        with shop.open():
            with suppress(KeyError):
                rate(1)
            assert final_price(100) == 90


    def test_negative(shop):
        with shop.open():
            with pytest.raises(ValueError):
                final_price(-1)
""")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            ("assert final_price(100) == 90", "assert final_price(100)"),
            {f"{EDIT}test_price"},
            id="weaker beside a nested suppress",
        ),
        pytest.param(
            (
                "with shop.open():\n        with pytest.raises(ValueError):\n            ",
                "with pytest.raises(ValueError):\n        ",
            ),
            set(),
            id="an error asserted once",
        ),
    ],
)
def test_the_items_of_a_nested_with_belong_to_it_alone(
    tmp_path: Path, change: tuple[str, str], expected: set[str]
) -> None:
    assert find_ids_of_edit(tmp_path, NESTED_WITH, change) == expected


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param("assert final_price(100)", {f"{EDIT}test_hundred"}, id="only true"),
        pytest.param("assert 80 < final_price(100)", {f"{EDIT}test_hundred"}, id="one bound"),
        pytest.param("assert 80 < final_price(100) < 990", {f"{EXPECT}test_hundred"}, id="wider"),
        pytest.param("assert final_price(100) > 80 and final_price(100) < 99", set(), id="split"),
    ],
)
def test_a_chained_comparison_asserts_both_bounds(
    tmp_path: Path, new: str, expected: set[str]
) -> None:
    old = START.replace("assert final_price(100) == 90", "assert 80 < final_price(100) < 99")
    change = ("assert 80 < final_price(100) < 99", new)
    assert find_ids_of_edit(tmp_path, old, change) == expected
