"""Tests that are the same in both trees are not read, unless something that they use changed."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison
from untildone.integrity.tests.same_tests import drop_same_tests

PATH = "test_ferry.py"
START = snippet("""
    import pytest
    from ferry import fare

    YOUTH = 15


    def check(age, expected):
        assert fare(age) == expected


    def test_youths():
        check(YOUTH, 6)


    @pytest.mark.parametrize("age", [20, 40])
    def test_adults(age):
        check(age, 12)


    class TestDogs:
        def test_small(self):
            assert fare("dog") == 2
""")
EDITED = START.replace("check(YOUTH, 6)", "check(YOUTH, 7)")
GO_PATH = "ferry_test.go"
GO_START = """package ferry

import "testing"

func TestYouths(t *testing.T) {
	if Fare(15) != 6 {
		t.Error("youths")
	}
}

// TestAdults is the other one.
func TestAdults(t *testing.T) {
	if Fare(20) != 12 {
		t.Error("adults")
	}
}
"""


def read_left(top: Path, path: str, old: str, new: str) -> tuple[str, str]:
    before, after = drop_same_tests(compare_projects(top, {path: old}, {path: new}), [path])
    return before.text(path), after.text(path)


@pytest.mark.parametrize(
    ("new", "left"),
    [
        pytest.param(EDITED, {"test_youths"}, id="one edited"),
        pytest.param(START.replace("== 2", "== 3"), {"TestDogs"}, id="a class edited"),
        pytest.param(START + "def test_more(): assert fare(1)\n", {"test_more"}, id="one added"),
        pytest.param(
            EDITED.replace("import pytest\n", "import pytest\nimport json\n"),
            {"test_youths"},
            id="an import added",
        ),
        pytest.param(
            EDITED.replace("import fare", "import fare, find_port"),
            {"test_youths"},
            id="a name imported",
        ),
    ],
)
def test_only_tests_that_differ_are_left(tmp_path: Path, new: str, left: set[str]) -> None:
    before, after = read_left(tmp_path, PATH, START, new)
    names = ("test_youths", "test_adults", "TestDogs", "test_more")
    assert {name for name in names if f"{name}(" in before + after or f"{name}:" in after} == left
    assert "def check(age" in before
    assert "def check(age" in after


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(EDITED.replace("YOUTH = 15", "YOUTH = 99"), id="a constant"),
        pytest.param(EDITED.replace("assert fare(age) ==", "return fare(age) !="), id="a helper"),
        pytest.param(EDITED.replace("from ferry", "from boat"), id="another source"),
        pytest.param(EDITED.replace("import fare", "import fare, fee as check"), id="a known name"),
        pytest.param(EDITED.replace("import pytest\n", ""), id="an import removed"),
        pytest.param("from boat import *\n" + EDITED, id="any name"),
        pytest.param("import sys\nsys.exit(0)\n" + EDITED, id="a statement"),
        pytest.param(EDITED + "def test_adults(): pass\n", id="the same name again"),
        pytest.param(
            EDITED + "@pytest.fixture\ndef test_data(): return 1\n", id="a fixture like a test"
        ),
    ],
)
def test_all_tests_are_left_if_something_else_changed(tmp_path: Path, new: str) -> None:
    assert read_left(tmp_path, PATH, START, new) == (START, new)


def test_a_test_whose_name_is_used_elsewhere_is_left(tmp_path: Path) -> None:
    uses = "def test_all():\n    test_adults(20)\n"
    before, after = read_left(tmp_path, PATH, START + uses, EDITED + uses)
    assert "def test_adults" in before
    assert "def test_adults" in after


def test_a_new_file_of_helpers_leaves_all_tests(tmp_path: Path) -> None:
    both = {PATH: EDITED, "conftest.py": "def pytest_runtest_call(item): return None\n"}
    comparison = compare_projects(tmp_path, {PATH: START}, both)
    assert drop_same_tests(comparison, [PATH, "conftest.py"]) == comparison.trees


BASE = "class BaseTestCase(TestCase):\n    def check(self, a, b):\n        self.assertEqual(a, b)\n"
SHOP = "class ShopTest(BaseTestCase):\n    def test_it(self):\n        self.check(fare(15), 6)\n"
WITHOUT_CHECK = BASE.replace("self.assertEqual(a, b)", "pass")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            {PATH: BASE + SHOP}, {PATH: WITHOUT_CHECK + SHOP}, id="a class that others inherit"
        ),
        pytest.param(
            {PATH: SHOP, "tests/base.py": BASE},
            {PATH: SHOP, "tests/base.py": WITHOUT_CHECK},
            id="a class in a file of helpers",
        ),
        pytest.param(
            {PATH: SHOP},
            {PATH: "class BaseTestCase(TestCase):\n    def check(self, *values): pass\n" + SHOP},
            id="a class in place of an imported one",
        ),
        pytest.param(
            {PATH: "def test_price(a, b=6): assert fare(a) == b\ndef test_all(): test_price(15)\n"},
            {PATH: "def test_price(a, b=6): assert fare(a)\ndef test_all(): test_price(15)\n"},
            id="a test that another one calls",
        ),
        pytest.param(
            {PATH: START},
            {PATH: START + "@shared(autouse=True)\ndef test_guard(): pytest.skip('slow')\n"},
            id="a fixture for all tests under another name",
        ),
        pytest.param(
            {GO_PATH: GO_START, "old_test.go": "package ferry\nfunc check() {}\n"},
            {GO_PATH: GO_START, "new_test.go": "package ferry\nfunc check() {}\n"},
            id="helpers of Go in another file",
        ),
    ],
)
def test_what_other_tests_use_is_no_mere_test(
    tmp_path: Path, old: dict[str, str], new: dict[str, str]
) -> None:
    comparison = compare_projects(tmp_path, old, new)
    assert drop_same_tests(comparison, sorted({*old, *new})) == comparison.trees


def test_a_file_of_helpers_is_kept_as_it_is(tmp_path: Path) -> None:
    old = {PATH: SHOP, "tests/base.py": BASE}
    new = {PATH: SHOP.replace("6)", "7)"), "tests/base.py": "import json\n" + BASE}
    before, after = drop_same_tests(compare_projects(tmp_path, old, new), sorted(old))
    assert "assertEqual" in before.text("tests/base.py")
    assert "assertEqual" in after.text("tests/base.py")


def test_a_new_file_with_tests_alone_changes_nothing_for_others(tmp_path: Path) -> None:
    other = GO_START.replace("func Test", "func TestOther")
    comparison = compare_projects(
        tmp_path,
        {GO_PATH: GO_START},
        {GO_PATH: GO_START.replace("!= 12", "!= 13"), "other_test.go": other},
    )
    before, after = drop_same_tests(comparison, [GO_PATH, "other_test.go"])
    assert ("TestYouths" in before.text(GO_PATH), "TestYouths" in after.text(GO_PATH)) == (
        False,
        False,
    )


@pytest.mark.parametrize(
    ("new", "is_whole"),
    [
        pytest.param(GO_START.replace("!= 12", "!= 13"), False, id="one edited"),
        pytest.param(
            GO_START.replace('import "testing"', 'import (\n\t"strings"\n\t"testing"\n)'),
            False,
            id="an import added",
        ),
        pytest.param("//go:build never\n\n" + GO_START, True, id="a build constraint"),
        pytest.param(
            GO_START.replace('import "testing"', 'import (\n\t"testing"\n\t. "strings"\n)'),
            True,
            id="all names imported",
        ),
        pytest.param(GO_START + "func init() {}\n", True, id="a function that runs first"),
        pytest.param(GO_START + "func TestMain(m *testing.M) {}\n", True, id="another runner"),
    ],
)
def test_go(tmp_path: Path, new: str, is_whole: bool) -> None:
    before, after = read_left(tmp_path, GO_PATH, GO_START, new)
    assert ("TestYouths" in before, "TestYouths" in after) == (is_whole, is_whole)


def test_a_costly_test_that_did_not_change_takes_no_part(tmp_path: Path) -> None:
    numbers = ", ".join(map(str, range(60)))
    loops = "".join(f"{'    ' * n}for n{n} in ({numbers}):\n" for n in range(1, 5))
    costly = f"def test_costly():\n{loops}{'    ' * 5}assert fare(n1 + n2 + n3 + n4) == 12\n"
    comparison = compare_projects(tmp_path, {PATH: START + costly}, {PATH: EDITED + costly})
    (concern,) = tests_comparison.find_concerns(comparison)
    assert (concern.path, "test_youths" in concern.detail) == (PATH, True)
