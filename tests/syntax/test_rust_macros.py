"""Rust: tests that a macro writes, and assertions that a macro makes, count as if written out."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison
from untildone.syntax.rust_macros import expand_macros

PATH = "tests/temp.rs"
START = """\
use temp::celsius;

#[test]
fn boiling() {
    assert!((celsius(212.0) - 100.0).abs() < 1e-9);
}

#[test]
fn frost() {
    assert!((celsius(-40.0) + 40.0).abs() < 1e-9);
}
"""
ROWS = """\
use temp::celsius;

macro_rules! assert_close {
    ($left:expr, $right:expr $(,)?) => {{
        let (left, right): (f64, f64) = ($left, $right);
        assert!((left - right).abs() < 1e-9, "{left} is not {right}");
    }};
}

macro_rules! in_celsius {
    ($($name:ident: $given:expr => $wanted:expr),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                assert_close!(celsius($given), $wanted);
            }
        )*
    };
}

in_celsius! {
    boiling: 212.0 => 100.0,
    frost: -40.0 => -40.0,
}
"""
PRODUCT = {
    "src/lib.rs": snippet("""
        pub fn celsius(t: f64) -> f64 {
            t
        }
    """)
}


def find_ids(top: Path, new: str) -> set[str]:
    comparison = compare_projects(top, {**PRODUCT, PATH: START}, {**PRODUCT, PATH: new})
    return {concern.id.partition("#")[0] for concern in tests_comparison.find_concerns(comparison)}


def test_tests_may_become_rows_of_a_macro(tmp_path: Path) -> None:
    assert find_ids(tmp_path, ROWS) == set()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param(
            ("    frost: -40.0 => -40.0,\n", ""), {f"remove-test:{PATH}::frost"}, id="a row is gone"
        ),
        pytest.param(
            ("    frost:", "    // frost:"), {f"remove-test:{PATH}::frost"}, id="a row in a comment"
        ),
        pytest.param(
            ("-40.0 =>", "40.0 =>"), {f"edit-expected:{PATH}:frost"}, id="a row asks something else"
        ),
        pytest.param(
            ("=> -40.0", "=> -72.0"), {f"edit-expected:{PATH}:frost"}, id="a row expects another"
        ),
        pytest.param(
            ("1e-9", "600.0"),
            {f"edit-test:{PATH}:boiling", f"edit-test:{PATH}:frost"},
            id="the assertion is loose",
        ),
        pytest.param(
            (
                "#[test]\n            fn $name",
                snippet("""
                    #[test]
                                #[ignore]
                                fn $name"""),
            ),
            {f"edit-test:{PATH}:boiling", f"edit-test:{PATH}:frost"},
            id="the rows are ignored",
        ),
        pytest.param(
            ("in_celsius! {\n", '#[cfg(feature = "slow")]\nin_celsius! {\n'),
            {f"remove-test:{PATH}::boiling", f"remove-test:{PATH}::frost"},
            id="the call is left out",
        ),
        pytest.param(
            ("in_celsius! {\n", "// in_celsius! {\n"),
            {f"remove-test:{PATH}::boiling", f"remove-test:{PATH}::frost"},
            id="the call in a comment",
        ),
        pytest.param(
            (
                "in_celsius! {\n",
                snippet("""
                    macro_rules! in_celsius {
                        ($($any:tt)*) => {};
                    }

                    in_celsius! {
                """),
            ),
            {f"remove-test:{PATH}::boiling", f"remove-test:{PATH}::frost"},
            id="a second macro of that name",
        ),
        pytest.param(
            ("        assert!((left", "        let _ = ((left"),
            {f"edit-test:{PATH}:boiling", f"edit-test:{PATH}:frost"},
            id="nothing is asserted",
        ),
    ],
)
def test_rows_and_macros_that_ask_for_less_are_losses(
    tmp_path: Path, change: tuple[str, str], expected: set[str]
) -> None:
    assert change[0] in ROWS
    assert find_ids(tmp_path, ROWS.replace(*change, 1)) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("fn a() {}\n", id="no macro"),
        pytest.param(
            snippet("""
                macro_rules! two {
                    () => {};
                    ($a:expr) => { assert!($a) };
                }
            """),
            id="several rules",
        ),
        pytest.param(
            snippet("""
                macro_rules! assert_eq {
                    ($a:expr) => { assert!($a) };
                }
            """),
            id="own",
        ),
        pytest.param(
            snippet("""
                macro_rules! deep {
                    ($($a:ident: [$($b:expr),*]),*) => { $( #[test] fn $a() {} )* };
                }
                deep! { x: [1, 2] }
            """),
            id="rows in rows",
        ),
        pytest.param("macro_rules! torn {\n    ($a:expr) => { assert!($a)\n", id="no end"),
        pytest.param(
            snippet("""
                macro_rules! none {
                    ($a:expr);
                }
            """),
            id="no rule",
        ),
    ],
)
def test_what_cannot_be_recognized_stays_as_it_is(text: str) -> None:
    assert expand_macros(text) == text
