"""Go tests that went to another package judge as they did, if what they ask went with them."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.experiments.renamed_names import find_renamed_only_tests

PARSE = "package calc\n\nfunc Tokens(text string) []string { return nil }\n"
TEST = """\
package calc

import "testing"

func TestTokens(t *testing.T) {
	if got := Tokens("1+2"); len(got) != 3 {
		t.Errorf("got %q", got)
	}
}
"""
OUTSIDE = TEST.replace("package calc", "package calc_test").replace("Tokens(", "calc.Tokens(")
OUTSIDE = OUTSIDE.replace(
    'import "testing"',
    snippet("""
        import (
        \t"testing"

        \t"x.org/calc"
        )"""),
)
OUTSIDE = OUTSIDE.replace("Testcalc.", "Test")
START = {"calc.go": "package calc\n\nfunc Eval() {}\n", "parse.go": PARSE, "parse_test.go": TEST}
MOVED = {
    "calc.go": START["calc.go"],
    "internal/parse/parse.go": PARSE.replace("package calc", "package parse"),
    "internal/parse/parse_test.go": TEST.replace("package calc", "package parse"),
}
BOTH = {"parse_test.go", "internal/parse/parse_test.go"}


def test_a_test_follows_its_code_into_another_package(tmp_path: Path) -> None:
    assert find_renamed_only_tests(compare_projects(tmp_path, START, MOVED)) == BOTH


def test_a_test_from_outside_of_the_package_follows_too(tmp_path: Path) -> None:
    follows = OUTSIDE.replace("calc_test", "parse_test").replace("calc.", "parse.")
    follows = follows.replace("x.org/calc", "x.org/calc/internal/parse")
    old = {**START, "parse_test.go": OUTSIDE}
    new = {**MOVED, "internal/parse/parse_test.go": follows}

    assert find_renamed_only_tests(compare_projects(tmp_path, old, new)) == BOTH


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"parse.go": PARSE}, id="the code is still where it was"),
        pytest.param(
            {"old.go": PARSE, "internal/parse/parse.go": MOVED["internal/parse/parse.go"]},
            id="the code is in another file of its package",
        ),
        pytest.param(
            {"internal/parse/parse.go": "package parse\n\nfunc Words() {}\n"},
            id="the code did not come along",
        ),
        pytest.param(
            {
                "internal/parse/parse_test.go": MOVED["internal/parse/parse_test.go"].replace(
                    "!= 3", "!= 0"
                )
            },
            id="it expects something else",
        ),
        pytest.param(
            {
                "internal/parse/parse_test.go": MOVED["internal/parse/parse_test.go"].replace(
                    "Errorf", "Logf"
                )
            },
            id="it does not fail any more",
        ),
    ],
)
def test_a_test_that_left_its_code_or_its_claims_behind_does_not(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    assert (
        find_renamed_only_tests(compare_projects(tmp_path, START, {**MOVED, **changed}))
        == frozenset()
    )
