"""Recorded output of test runners, and rules for all parsers."""

import pytest

from checks.parsers.recording import (
    RECORDED,
    count_recorded,
    error,
    find_owner,
    load_recorded,
    parse_recorded,
    read_tests,
    warning,
)
from snippets import snippet
from untildone.checks.findings import Diagnostic
from untildone.checks.parsers import LAST_RESORT, PARSERS
from untildone.core import check_results

NO_TEST = check_results.Tests()
# Gradle prints the compiler's own lines.
SHARED = {("gradle", "javac")}


PYTEST_RED = check_results.Tests(
    passed=2,
    failed=3,
    skipped=2,
    failing=(
        "tests/test_cart.py::test_total",
        "tests/test_cart.py::test_price[2]",
        "tests/test_cart.py::test_database",
    ),
)
GO_RED = ("shop/cart::TestTotal", "shop/cart::TestRows", "shop/cart::TestRows/one")
NODE_FILE = "/tmp/shop/node/red/broken.test.mjs"
NODE_RED = check_results.Tests(
    passed=2, failed=3, skipped=2, failing=(NODE_FILE, "adds prices", "has a price")
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pytest-9.2.0-red", PYTEST_RED),
        ("pytest-9.2.0-red-quiet", PYTEST_RED),
        ("pytest-9.2.0-green", check_results.Tests(passed=2)),
        ("pytest-9.2.0-green-quiet", check_results.Tests(passed=2)),
        ("pytest-9.2.0-zero", NO_TEST),
        ("pytest-9.2.0-skipped", check_results.Tests(skipped=1)),
        (
            "pytest-9.2.0-import-error",
            check_results.Tests(failed=1, failing=("import_error/test_broken.py",)),
        ),
        ("pytest-9.2.0-missing", None),
        (
            "unittest-3.11-red",
            check_results.Tests(
                passed=1,
                failed=3,
                skipped=1,
                failing=(
                    "test_cart.CartTest.test_price",
                    "test_cart.CartTest.test_rows (row=-1)",
                    "test_cart.CartTest.test_total",
                ),
            ),
        ),
        ("unittest-3.11-green", check_results.Tests(passed=1, skipped=1)),
        (
            "unittest-3.11-verbose",
            check_results.Tests(
                passed=2,
                failed=1,
                skipped=2,
                failing=("test_cart.CartTest.test_total",),
                passing=("test_cart.CartTest.test_counts", "test_cart.CartTest.test_empty"),
                skipping=("test_cart.CartTest.test_known", "test_cart.CartTest.test_later"),
            ),
        ),
        ("unittest-3.11-class-skip", check_results.Tests(passed=1, skipped=2)),
        ("unittest-3.12-class-skip", check_results.Tests(passed=1, skipped=2)),
        ("unittest-3.11-set-up-skip", check_results.Tests(passed=1, skipped=1)),
        (
            "unittest-3.11-set-up-skip-verbose",
            check_results.Tests(
                passed=1,
                skipped=1,
                passing=("test_raise_in_setup_class.Plain.test_total",),
                skipping=("test_raise_in_setup_class.Remote.setUpClass",),
            ),
        ),
        (
            "unittest-3.11-set-up-error",
            check_results.Tests(
                passed=1, failed=1, failing=("test_setup_error.Remote.setUpClass",)
            ),
        ),
        ("unittest-3.11-method-skip", check_results.Tests(passed=1, skipped=2)),
        ("unittest-3.11-module-skip", check_results.Tests(passed=1, skipped=1)),
        ("unittest-3.11-subtest-skip", check_results.Tests(passed=1, skipped=2)),
        (
            "unittest-3.11-subtest-skip-verbose",
            check_results.Tests(
                passed=1,
                skipped=2,
                passing=("test_subtest_skip.Plain.test_total",),
                skipping=(
                    "test_subtest_skip.Plain.test_rows (row=2)",
                    "test_subtest_skip.Plain.test_rows (row=3)",
                ),
            ),
        ),
        (
            "unittest-3.11-expected",
            check_results.Tests(
                passed=1, failed=1, skipped=1, failing=("test_expected.Plain.test_mended",)
            ),
        ),
        ("unittest-3.11-zero", NO_TEST),
        ("unittest-3.13-zero", NO_TEST),
        (
            "unittest-3.11-import-error",
            check_results.Tests(failed=1, failing=("unittest.loader._FailedTest.test_i",)),
        ),
        (
            "jest-30.5.2-red",
            check_results.Tests(
                passed=1,
                failed=2,
                skipped=2,
                failing=(
                    "red/cart.test.js \u203a cart \u203a adds prices",
                    "red/broken.test.js",
                ),
            ),
        ),
        ("jest-30.5.2-green", check_results.Tests(passed=1)),
        ("jest-30.5.2-zero", NO_TEST),
        (
            "vitest-4.1.12-red",
            check_results.Tests(
                passed=1,
                failed=2,
                skipped=2,
                failing=("broken.test.js", "cart.test.js > cart > adds prices"),
            ),
        ),
        (
            "vitest-4.1.12-verbose",
            check_results.Tests(
                passed=1,
                failed=1,
                skipped=2,
                failing=("cart.test.js > cart > adds prices",),
                passing=("cart.test.js > cart > is empty",),
                skipping=("cart.test.js > cart > later", "cart.test.js > cart > some day"),
            ),
        ),
        ("vitest-4.1.12-green", check_results.Tests(passed=1)),
        ("vitest-4.1.12-zero", NO_TEST),
        ("node-20.20.2-red-tap", NODE_RED),
        ("node-20.20.2-red-spec", NODE_RED),
        ("node-20.20.2-green-tap", check_results.Tests(passed=1)),
        ("node-20.20.2-green-spec", check_results.Tests(passed=1)),
        ("node-20.20.2-zero", NO_TEST),
        (
            "mocha-12.0.3-red",
            check_results.Tests(
                passed=1,
                failed=2,
                skipped=1,
                failing=("cart adds prices", 'cart prices "before all" hook for "are read"'),
            ),
        ),
        ("mocha-12.0.3-green", check_results.Tests(passed=1)),
        ("mocha-12.0.3-zero", NO_TEST),
        (
            "cargo-1.95.0-test-red",
            check_results.Tests(
                passed=3,
                failed=1,
                skipped=1,
                failing=("tests::adds",),
                passing=("tests::empty", "whole", "src/lib.rs - total (line 3)"),
                skipping=("tests::later",),
            ),
        ),
        (
            "cargo-1.95.0-test-green",
            check_results.Tests(
                passed=4,
                skipped=1,
                passing=("tests::empty", "tests::adds", "whole", "src/lib.rs - total (line 3)"),
                skipping=("tests::later",),
            ),
        ),
        ("cargo-1.95.0-test-zero", NO_TEST),
        ("cargo-1.95.0-build-red", None),
        ("go-1.27.3-test-red", check_results.Tests(failed=3, failing=GO_RED)),
        (
            "go-1.27.3-test-red-verbose",
            check_results.Tests(
                passed=2,
                failed=3,
                skipped=1,
                failing=GO_RED,
                passing=("shop/cart::TestRows/empty", "shop/cart::TestGood"),
                skipping=("shop/cart::TestLater",),
            ),
        ),
        ("go-1.27.3-test-green", check_results.Tests(passed=1, passing=("shop/cart",))),
        ("go-1.27.3-test-green-cached", check_results.Tests(passed=1, passing=("shop/cart",))),
        ("go-1.27.3-test-none-to-run", NO_TEST),
        ("go-1.27.3-test-zero", NO_TEST),
        ("go-1.27.3-test-zero-cover", NO_TEST),
        ("go-1.27.3-test-build-failed", check_results.Tests(failed=1, failing=("shop/cart",))),
        ("go-1.27.3-test-panic", check_results.Tests(failed=1, failing=("shop/cart::TestTotal",))),
        ("go-1.27.3-vet-red", None),
        ("ruff-0.17.4-full", None),
        ("tsc-7.0.2-plain", None),
        ("eslint-10.14.0-red", None),
    ],
)
def test_the_tests_of_a_run_are_counted(name: str, expected: check_results.Tests | None) -> None:
    assert count_recorded(name) == expected


PYTEST_FOUND = (
    error("tests/test_cart.py", 7, "test_total", "assert 2 == 3"),
    error("tests/test_cart.py", 14, "test_price[2]", "assert 2 == 1"),
    error("tests/test_cart.py", 22, "test_database", "RuntimeError: no database"),
)
SYNTAX = "Expected a parameter or the end of the parameter list"
RUFF_FOUND = (
    error("broken.py", 1, "invalid-syntax", SYNTAX),
    error("broken.py", 1, "invalid-syntax", "Expected `)`, found newline"),
    error("cart.py", 1, "F401", "`os` imported but unused"),
    error("cart.py", 2, "F401", "`sys` imported but unused"),
    error("cart.py", 6, "E741", "Ambiguous variable name: `l`"),
    error("cart.py", 6, "F841", "Local variable `l` is assigned to but never used"),
)
TSC_FOUND = (
    error("cart.ts", 2, "TS2322", "Type 'number' is not assignable to type 'string'."),
    error("cart.ts", 4, "TS2322", "Type 'string' is not assignable to type 'number'."),
    error(
        "cart.ts",
        5,
        "TS2345",
        "Argument of type 'string' is not assignable to parameter of type 'number[]'.",
    ),
)
UNITTEST_FILE = "/tmp/shop/uni/test_cart.py"
ESLINT = "/tmp/shop/eslint/src/"
UNASSIGNABLE = "cannot use len(prices) (value of type int) as string value in return statement"
GO_FOUND = (
    error("cart_test.go", 7, "TestTotal", "got 2"),
    error("cart_test.go", 13, "TestRows/one", "no row"),
)
NOT_FOUND = "Cannot find module './nothing_like_this'"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pytest-9.2.0-red", PYTEST_FOUND),
        ("pytest-9.2.0-red-quiet", PYTEST_FOUND),
        ("pytest-9.2.0-green", ()),
        (
            "pytest-9.2.0-import-error",
            (
                error(
                    "import_error/test_broken.py",
                    1,
                    "",
                    "ModuleNotFoundError: No module named 'nothing_like_this'",
                ),
            ),
        ),
        (
            "unittest-3.11-red",
            (
                error(UNITTEST_FILE, 11, "test_cart.CartTest.test_price", "ValueError: no price"),
                error(
                    UNITTEST_FILE,
                    17,
                    "test_cart.CartTest.test_rows (row=-1)",
                    "AssertionError: -1 not greater than 0",
                ),
                error(UNITTEST_FILE, 5, "test_cart.CartTest.test_total", "AssertionError: 2 != 3"),
            ),
        ),
        ("unittest-3.11-green", ()),
        ("ruff-0.17.4-full", RUFF_FOUND),
        ("ruff-0.17.4-concise", RUFF_FOUND),
        (
            "ruff-0.17.4-format",
            (
                error("broken.py", 1, "invalid-syntax", SYNTAX),
                warning("cart.py", 7, "unformatted", "File would be reformatted"),
            ),
        ),
        ("ruff-0.17.4-green", ()),
        (
            "ruff-0.17.4-json",
            (
                error(
                    "/tmp/shop/ruff/broken.py", 4, "invalid-syntax", "unexpected EOF while parsing"
                ),
                warning(
                    "/tmp/shop/ruff/cart.py", 1, "I001", "Import block is un-sorted or un-formatted"
                ),
                error("/tmp/shop/ruff/cart.py", 1, "F401", "`os` imported but unused"),
                error("/tmp/shop/ruff/cart.py", 2, "E741", "Ambiguous variable name: `l`"),
            ),
        ),
        ("tsc-7.0.2-plain", TSC_FOUND),
        ("tsc-7.0.2-pretty", TSC_FOUND),
        ("tsc-7.0.2-config", (error("", 0, "TS5023", "Unknown compiler option '--nonsense'."),)),
        (
            "eslint-10.14.0-red",
            (
                error(f"{ESLINT}broken.js", 1, "", "Parsing error: Unexpected token ("),
                error(
                    f"{ESLINT}cart.js",
                    1,
                    "no-unused-vars",
                    "'unused' is assigned a value but never used",
                ),
                warning(
                    f"{ESLINT}cart.js",
                    1,
                    "prefer-const",
                    "'unused' is never reassigned. Use 'const' instead",
                ),
                warning(f"{ESLINT}cart.js", 2, "no-console", "Unexpected console statement"),
                error(f"{ESLINT}cart.js", 3, "no-undef", "'nothing' is not defined"),
                error(f"{ESLINT}cart.js", 3, "no-empty", "Empty block statement"),
            ),
        ),
        ("eslint-10.14.0-green", ()),
        (
            "jest-30.5.2-red",
            (
                error(
                    "red/cart.test.js",
                    5,
                    "cart \u203a adds prices",
                    "expect(received).toBe(expected) // Object.is equality",
                ),
                error("red/broken.test.js", 1, "", f"{NOT_FOUND} from 'broken.test.js'"),
            ),
        ),
        (
            "vitest-4.1.12-red",
            (
                error(
                    "broken.test.js",
                    1,
                    "",
                    f"Error: {NOT_FOUND} imported from /tmp/shop/vitest/red/broken.test.js",
                ),
                error(
                    "cart.test.js",
                    6,
                    "cart > adds prices",
                    "AssertionError: expected 2 to be 3 // Object.is equality",
                ),
            ),
        ),
        (
            "node-20.20.2-red-tap",
            (
                error(NODE_FILE, 1, NODE_FILE, "test failed"),
                error("/tmp/shop/node/red/cart.test.mjs", 4, "adds prices", "1 == 2"),
                error(
                    "/tmp/shop/node/red/cart.test.mjs",
                    9,
                    "has a price",
                    "The expression evaluated to a falsy value:",
                ),
            ),
        ),
        (
            "node-20.20.2-red-spec",
            (
                error("red/broken.test.mjs", 1, NODE_FILE, "test failed"),
                error(
                    "red/cart.test.mjs",
                    4,
                    "adds prices",
                    "AssertionError [ERR_ASSERTION]: 1 == 2",
                ),
                error(
                    "red/cart.test.mjs",
                    9,
                    "has a price",
                    "AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:",
                ),
            ),
        ),
        (
            "mocha-12.0.3-red",
            (
                error(
                    "red/cart.js", 3, "cart adds prices", "AssertionError [ERR_ASSERTION]: 1 == 2"
                ),
                error(
                    "red/cart.js",
                    7,
                    'cart prices "before all" hook for "are read"',
                    "Error: no database",
                ),
            ),
        ),
        (
            "cargo-1.95.0-build-red",
            (
                error("src/lib.rs", 2, "E0308", "mismatched types: expected `i32`, found `&str`"),
                error("src/lib.rs", 4, "E0425", "cannot find function `c` in this scope"),
            ),
        ),
        (
            "cargo-1.95.0-test-red",
            (
                warning("src/lib.rs", 7, "", "unused variable: `unused`"),
                error(
                    "src/lib.rs",
                    15,
                    "tests::adds",
                    "assertion `left == right` failed (left: 3, right: 4)",
                ),
            ),
        ),
        (
            "cargo-1.95.0-clippy",
            (
                warning("src/lib.rs", 7, "", "unused variable: `unused`"),
                warning("src/lib.rs", 8, "", "unneeded `return` statement"),
            ),
        ),
        (
            "cargo-1.95.0-fmt",
            (warning("/tmp/shop/cargo/src/lib.rs", 4, "rustfmt", "is not formatted"),),
        ),
        (
            "cargo-1.95.0-syntax",
            (error("src/lib.rs", 3, "", "this file contains an unclosed delimiter"),),
        ),
        ("go-1.27.3-test-red", GO_FOUND),
        ("go-1.27.3-test-red-verbose", GO_FOUND),
        ("go-1.27.3-test-panic", (error("", 0, "TestTotal", "no [recovered, repanicked]"),)),
        (
            "go-1.27.3-test-build-failed",
            (
                error("cart/cart.go", 5, "", UNASSIGNABLE),
                error("", 0, "shop/cart", "build failed"),
            ),
        ),
        ("go-1.27.3-build-red", (error("cart/cart.go", 5, "", UNASSIGNABLE),)),
        (
            "go-1.27.3-vet-red",
            (
                error(
                    "cart/cart.go", 5, "", 'fmt.Printf format %d has arg "x" of wrong type string'
                ),
            ),
        ),
    ],
)
def test_what_a_run_reports_is_found(name: str, expected: tuple[Diagnostic, ...]) -> None:
    assert parse_recorded(name) == expected


@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDED.iterdir()))
def test_no_other_parser_claims_the_output(name: str) -> None:
    text = load_recorded(name)
    claims = [
        (find_owner(name), other)
        for other, parser in PARSERS.items()
        if other != find_owner(name) and (read_tests(parser, text) or list(parser.parse(text)))
    ]
    assert set(claims) <= SHARED


def test_every_parser_has_read_a_real_program() -> None:
    assert {find_owner(path.stem) for path in RECORDED.iterdir()} >= PARSERS.keys()


def test_the_last_resort_finds_lines_that_name_a_place() -> None:
    text = snippet("""
        src/cart.c:12:5: warning: unused variable 'x'
        cart.py:7: error[attr-defined]: has no attribute
        C:\\shop\\cart.c:3: Note: declared here
        cart.rb:9: syntax error
        12:30:05: nothing
    """)
    assert list(LAST_RESORT.parse(text)) == [
        warning("src/cart.c", 12, "", "unused variable 'x'"),
        error("cart.py", 7, "attr-defined", "has no attribute"),
        Diagnostic(path="C:\\shop\\cart.c", line=3, severity="info", text="declared here"),
        error("cart.rb", 9, "", "syntax error"),
    ]
