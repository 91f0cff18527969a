"""Recorded report formats."""

import pytest

from checks.parsers.recording import count_recorded, error, load_recorded, parse_recorded
from untildone.checks.findings import Diagnostic
from untildone.checks.parsers import junit
from untildone.checks.run_report import Case, RunReport
from untildone.core import check_results


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "sarif-ast-grep-0.51.0-red",
            (
                error("eval.py", 1, "no-eval", "eval runs whatever it is given"),
                error("eval.py", 2, "no-eval", "eval runs whatever it is given"),
            ),
        ),
        ("sarif-ruff-0.17.4-green", ()),
        (
            "sarif-ruff-0.17.4-red",
            (
                error(
                    "/tmp/shop/sarif/broken.py",
                    3,
                    "invalid-syntax",
                    "Expected a parameter or the end of the parameter list",
                ),
                error(
                    "/tmp/shop/sarif/broken.py", 4, "invalid-syntax", "unexpected EOF while parsing"
                ),
                error(
                    "/tmp/shop/sarif/my cart.py",
                    1,
                    "I001",
                    "Import block is un-sorted or un-formatted",
                ),
                error("/tmp/shop/sarif/my cart.py", 1, "F401", "`os` imported but unused"),
                error("/tmp/shop/sarif/my cart.py", 2, "E741", "Ambiguous variable name: `l`"),
            ),
        ),
        (
            "junit-maven-3.8.7-red",
            (
                error(
                    "CartTest.java",
                    28,
                    "shop.CartTest::counts{int}[1]",
                    "expected: <1> but was: <2>",
                ),
                error("CartTest.java", 18, "shop.CartTest::readsPrices", "no database"),
                error(
                    "CartTest.java", 13, "shop.CartTest::addsPrices", "expected: <3> but was: <2>"
                ),
            ),
        ),
        (
            "junit-node-20.20.2-red",
            (
                error("/tmp/shop/junit/node/cart.test.mjs", 4, "adds prices", "1 == 2"),
                error(
                    "/tmp/shop/junit/node/cart.test.mjs",
                    6,
                    "cart::has a price",
                    "The expression evaluated to a falsy value:  assert.ok(false)",
                ),
            ),
        ),
        ("junit-pytest-9.2.0-green", ()),
        (
            "junit-pytest-9.2.0-import-error",
            (
                error(
                    "test_broken.py",
                    1,
                    "pytest::test_broken",
                    "ModuleNotFoundError: No module named 'nothing_like_this'",
                ),
            ),
        ),
        (
            "junit-pytest-9.2.0-red",
            (
                error(
                    "tests/test_cart.py",
                    6,
                    "tests.test_cart.TestCart::test_total",
                    "assert (1 + 1) == 3",
                ),
                error(
                    "tests/test_cart.py",
                    14,
                    "tests.test_cart::test_database",
                    'failed on setup with "RuntimeError: no database"',
                ),
                error(
                    "tests/test_cart.py",
                    34,
                    "tests.test_cart::test_price[<b>]",
                    "AssertionError: assert '<b>' == 'a'",
                ),
            ),
        ),
        (
            "junit-pytest-9.2.0-xunit1",
            (
                error(
                    "tests/test_cart.py",
                    6,
                    "tests/test_cart.py::TestCart::test_total",
                    "assert (1 + 1) == 3",
                ),
                error(
                    "tests/test_cart.py",
                    14,
                    "tests/test_cart.py::test_database",
                    'failed on setup with "RuntimeError: no database"',
                ),
                error(
                    "tests/test_cart.py",
                    34,
                    "tests/test_cart.py::test_price[<b>]",
                    "AssertionError: assert '<b>' == 'a'",
                ),
            ),
        ),
        ("junit-pytest-9.2.0-zero", ()),
        (
            "junit-vitest-4.1.12-red",
            (
                error(
                    "cart.test.js",
                    3,
                    "cart.test.js::cart > adds prices",
                    "expected 2 to be 3 // Object.is equality",
                ),
            ),
        ),
        ("tap-bats-1.13.0-red", (error("cart.bats", 2, "adds prices", "`[ 1 -eq 2 ]' failed"),)),
        ("tap-mocha-12.0.3-red", (error("mocha/cart.js", 3, "cart adds prices", "1 == 2"),)),
        ("tap-perl-5.36.0-bail", (error("", 0, "Bail out!", "no database"),)),
        (
            "tap-perl-5.36.0-red",
            (
                error("cart.t", 3, "adds three", "expected '3', got '2'"),
                error("cart.t", 7, "reads prices > has a price", "failed"),
            ),
        ),
        ("tap-perl-5.36.0-skipped", ()),
        ("tap-tape-5.10.2-green", ()),
        (
            "tap-tape-5.10.2-red",
            (
                error("/tmp/shop/tap/cart.js", 4, "adds three", "expected 3, got 2"),
                error("/tmp/shop/tap/cart.js", 9, "has a price", "expected true, got false"),
            ),
        ),
        ("tap-tape-5.10.2-zero", ()),
    ],
)
def test_what_a_run_reports_is_found(name: str, expected: tuple[Diagnostic, ...]) -> None:
    assert parse_recorded(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sarif-ast-grep-0.51.0-red", None),
        (
            "junit-maven-3.8.7-red",
            check_results.Tests(
                passed=1,
                failed=3,
                skipped=1,
                failing=(
                    "shop.CartTest::counts{int}[1]",
                    "shop.CartTest::readsPrices",
                    "shop.CartTest::addsPrices",
                ),
                passing=("shop.CartTest::counts{int}[2]",),
                skipping=("shop.CartTest::later",),
            ),
        ),
        (
            "junit-node-20.20.2-red",
            check_results.Tests(
                passed=1,
                failed=2,
                skipped=1,
                failing=(
                    "adds prices",
                    "cart::has a price",
                ),
                passing=("cart::counts",),
                skipping=("cart::later",),
            ),
        ),
        (
            "junit-pytest-9.2.0-green",
            check_results.Tests(passed=1, passing=("tests.test_cart.TestCart::test_counts",)),
        ),
        (
            "junit-pytest-9.2.0-import-error",
            check_results.Tests(failed=1, failing=("pytest::test_broken",)),
        ),
        (
            "junit-pytest-9.2.0-red",
            check_results.Tests(
                passed=2,
                failed=3,
                skipped=2,
                failing=(
                    "tests.test_cart.TestCart::test_total",
                    "tests.test_cart::test_database",
                    "tests.test_cart::test_price[<b>]",
                ),
                passing=("tests.test_cart.TestCart::test_counts", "tests.test_cart::test_price[a]"),
                skipping=("tests.test_cart::test_later", "tests.test_cart::test_known"),
            ),
        ),
        (
            "junit-pytest-9.2.0-xunit1",
            check_results.Tests(
                passed=2,
                failed=3,
                skipped=2,
                failing=(
                    "tests/test_cart.py::TestCart::test_total",
                    "tests/test_cart.py::test_database",
                    "tests/test_cart.py::test_price[<b>]",
                ),
                passing=(
                    "tests/test_cart.py::TestCart::test_counts",
                    "tests/test_cart.py::test_price[a]",
                ),
                skipping=("tests/test_cart.py::test_later", "tests/test_cart.py::test_known"),
            ),
        ),
        ("junit-pytest-9.2.0-zero", check_results.Tests()),
        (
            "junit-vitest-4.1.12-red",
            check_results.Tests(
                passed=1,
                failed=1,
                skipped=1,
                failing=("cart.test.js::cart > adds prices",),
                passing=("cart.test.js::counts",),
                skipping=("cart.test.js::cart > later",),
            ),
        ),
        (
            "tap-bats-1.13.0-red",
            check_results.Tests(
                passed=1,
                failed=1,
                skipped=1,
                failing=("adds prices",),
                passing=("counts",),
                skipping=("later",),
            ),
        ),
        (
            "tap-mocha-12.0.3-red",
            check_results.Tests(
                passed=1,
                failed=1,
                skipped=1,
                failing=("cart adds prices",),
                passing=("cart counts",),
                skipping=("cart later",),
            ),
        ),
        (
            "tap-perl-5.36.0-bail",
            check_results.Tests(passed=1, failed=1, failing=("Bail out!",), passing=("adds",)),
        ),
        (
            "tap-perl-5.36.0-red",
            check_results.Tests(
                passed=2,
                failed=3,
                skipped=2,
                failing=(
                    "adds three",
                    "reads prices > has a price",
                ),
                passing=("adds two", "reads prices > is open"),
                skipping=("test 4", "is later"),
            ),
        ),
        ("tap-perl-5.36.0-skipped", check_results.Tests()),
        (
            "tap-tape-5.10.2-green",
            check_results.Tests(passed=1, passing=("should be strictly equal",)),
        ),
        (
            "tap-tape-5.10.2-red",
            check_results.Tests(
                passed=2,
                failed=2,
                skipped=1,
                failing=(
                    "adds three",
                    "has a price",
                ),
                passing=("adds two", "is open"),
                skipping=("is closed",),
            ),
        ),
        ("tap-tape-5.10.2-zero", check_results.Tests()),
    ],
)
def test_the_tests_of_a_run_are_counted(name: str, expected: check_results.Tests | None) -> None:
    assert count_recorded(name) == expected


def test_a_report_names_every_test() -> None:
    assert junit.parse_report(load_recorded("junit-pytest-9.2.0-xunit1")) == RunReport(
        cases=(
            Case(
                id="tests/test_cart.py::TestCart::test_total",
                outcome="failed",
                text="assert (1 + 1) == 3",
            ),
            Case(id="tests/test_cart.py::TestCart::test_counts", outcome="passed"),
            Case(
                id="tests/test_cart.py::test_database",
                outcome="failed",
                text='failed on setup with "RuntimeError: no database"',
            ),
            Case(id="tests/test_cart.py::test_later", outcome="skipped"),
            Case(id="tests/test_cart.py::test_known", outcome="skipped"),
            Case(id="tests/test_cart.py::test_price[a]", outcome="passed"),
            Case(
                id="tests/test_cart.py::test_price[<b>]",
                outcome="failed",
                text="AssertionError: assert '<b>' == 'a'",
            ),
        )
    )
