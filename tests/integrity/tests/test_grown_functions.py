"""A test that only gives a parameter which the product needs now is as good as the baseline's."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.renamed_names import find_renamed_only_tests
from untildone.integrity.tests import comparison as tests
from untildone.integrity.tests.grown_functions import find_grown_functions

PRODUCT = "package semver\n\nfunc check(v string) bool {\n\treturn v == want\n}\n"
GROWN = PRODUCT.replace("v string", "v string, pre bool").replace("want", "want || pre")
TEST = snippet("""
    package semver

    func TestCheck(t *testing.T) {
    \ttests := []struct {
    \t\tversion string
    \t\twant    bool
    \t}{
    \t\t{"1.2.3", true},
    \t\t{"2.0", false},
    \t}
    \tfor _, tc := range tests {
    \t\tgot := check(tc.version)
    \t\tif got != tc.want {
    \t\t\tt.Errorf("got %v", got)
    \t\t}
    \t}
    }
""")


def compare(top: Path, test: str, product: str = GROWN) -> Comparison:
    old = {"semver.go": PRODUCT, "semver_test.go": TEST}
    return compare_projects(top, old, {"semver.go": product, "semver_test.go": test})


def follows(comparison: Comparison) -> tuple[bool, bool]:
    """Say whether the current test runs as it is, and whether the comparison finds no loss."""
    concerns = list(tests.find_concerns(comparison))
    return bool(find_renamed_only_tests(comparison)), not concerns


VARIABLE = TEST.replace(
    "\t\tgot := check(tc.version)",
    '\t\tpre := false\n\t\tif tc.version == "x" {\n\t\t\tpre = true\n\t\t}\n'
    "\t\tgot := check(tc.version, pre)",
)
CONSTANT = TEST.replace("check(tc.version)", "check(tc.version, false)")


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        pytest.param(CONSTANT, (True, True), id="a constant"),
        pytest.param(VARIABLE, (True, True), id="a variable"),
        pytest.param(
            CONSTANT.replace('\t\t{"2.0"', '\t\t{"1.0", false},\n\t\t{"2.0"'),
            (True, True),
            id="and a new row",
        ),
        pytest.param(
            CONSTANT + "\nfunc TestMore(t *testing.T) {\n\treturn\n}\n",
            (True, True),
            id="and a new test",
        ),
    ],
)
def test_a_test_may_give_what_a_function_needs_now(
    tmp_path: Path, test: str, expected: tuple[bool, bool]
) -> None:
    assert follows(compare(tmp_path, test)) == expected


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(
            TEST.replace("check(tc.version)", "check(tc.version, tc.want)"), id="the answer"
        ),
        pytest.param(CONSTANT.replace('"2.0", false', '"2.0", true'), id="another value"),
        pytest.param(CONSTANT.replace('\t\t{"2.0", false},\n', ""), id="without a row"),
        pytest.param(
            CONSTANT.replace("\t\tgot :=", "\t\tt.Skip()\n\t\tgot :="), id="that ends early"
        ),
    ],
)
def test_nothing_else_may_change_with_it(tmp_path: Path, test: str) -> None:
    assert follows(compare(tmp_path, test)) != (True, True)


def test_where_the_function_did_not_grow_its_calls_may_not(tmp_path: Path) -> None:
    assert follows(compare(tmp_path, CONSTANT, PRODUCT)) == (False, False)


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("a.py", "def f(a):\n    pass\n", "def f(a, b):\n    pass\n", {"f"}),
        ("a.py", "def f(a):\n    pass\n", "def f(a, b=1, *c, **d):\n    pass\n", set()),
        (
            "a.py",
            "class C:\n    def f(self): pass\n",
            "class C:\n    def f(self, b: list[int]): pass\n",
            {"f"},
        ),
        (
            "a.go",
            "func (c *C) f(a int) {\n}\n",
            "func (c *C) f(a int, b func(x, y int)) {\n}\n",
            {"f"},
        ),
        ("a.rs", "fn f(a: u8) {}\n", "fn f(a: u8, b: Vec<u8>) {}\n", {"f"}),
        ("a.js", "function f(a) {}\n", "function f(a, b) {}\n", set()),
    ],
)
def test_only_required_parameters_count(
    tmp_path: Path, path: str, old: str, new: str, expected: set[str]
) -> None:
    comparison = compare_projects(tmp_path, {path: old}, {path: new})

    assert find_grown_functions(comparison) == expected
