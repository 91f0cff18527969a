"""Single lines of tools that no recorded run contains."""

import pytest

from checks.parsers.recording import read_tests
from snippets import snippet
from untildone.checks.findings import Diagnostic
from untildone.checks.parsers import PARSERS
from untildone.core import check_results


@pytest.mark.parametrize(
    ("tool", "output", "expected"),
    [
        pytest.param("pytest", "3 warnings in 0.12s", None, id="a linter's last line"),
        pytest.param(
            "pytest",
            "=== 1 warning in 0.12s ===",
            check_results.Tests(),
            id="warnings but no tests",
        ),
        pytest.param("pytest", "3 deselected in 0.12s", check_results.Tests(), id="all deselected"),
        pytest.param(
            "pytest",
            "1 passed in 0.10s\n1 passed in 75.00s (0:01:15)",
            check_results.Tests(passed=2),
            id="two runs in one output",
        ),
        pytest.param(
            "unittest",
            "Ran 1 test in 0.1s\n\nFAILED (failures=3)\n",
            check_results.Tests(failed=3),
            id="subtests outnumber tests",
        ),
        pytest.param("go", "nothing of go", None, id="no package"),
        pytest.param(
            "go",
            "FAIL\tshop/cart\t0.004s\n",
            check_results.Tests(failed=1, failing=("shop/cart",)),
            id="a package that ended early",
        ),
        pytest.param(
            "cargo",
            "test adds ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured;\n",
            check_results.Tests(passed=2),
            id="names of some tests are no inventory",
        ),
        pytest.param("jest", "nothing of jest", None, id="no jest"),
        pytest.param("vitest", "nothing of vitest", None, id="no vitest"),
        pytest.param("node", "nothing of node", None, id="no node"),
        pytest.param("mocha", "nothing of mocha", None, id="no mocha"),
        pytest.param("tap", "ok 1 - adds", None, id="no plan, no TAP"),
        pytest.param(
            "tap",
            "TAP version 13\nok 1 adds\nnot ok 2 rounds\nTypeError: gone\n",
            check_results.Tests(passed=1, failed=2, failing=("rounds",), passing=("adds",)),
            id="ended before its plan",
        ),
        pytest.param("tap", "1..0", check_results.Tests(), id="an empty plan"),
        pytest.param(
            "tap",
            "1..3\nok 1\n",
            check_results.Tests(passed=1, failed=2, passing=("test 1",)),
            id="ended early",
        ),
        pytest.param(
            "tap",
            snippet("""
                1..1
                    ok 1 - a
                    not ok 2 - b # TODO
                not ok 1 - c
            """),
            check_results.Tests(
                passed=1,
                failed=1,
                skipped=1,
                failing=("c",),
                passing=("c > a",),
                skipping=("c > b",),
            ),
            id="failed for no test below it",
        ),
        pytest.param(
            "maven",
            "[INFO] --- surefire:3.2.5:test (default-test) @ shop ---\n[INFO] Tests are skipped.\n",
            None,
            id="tests were not asked for",
        ),
        pytest.param(
            "gradle",
            ":cart:test NO-SOURCE\n> Task :price:test\n",
            None,
            id="one module without tests",
        ),
        pytest.param(
            "gradle",
            "> Task :cart:test NO-SOURCE\n> Task :price:test NO-SOURCE\n",
            check_results.Tests(),
            id="no module has tests",
        ),
    ],
)
def test_counts(tool: str, output: str, expected: check_results.Tests | None) -> None:
    assert read_tests(PARSERS[tool], output) == expected


@pytest.mark.parametrize(
    ("tool", "output", "expected"),
    [
        pytest.param(
            "pytest",
            "FAILED a.py::TestX::test_y\n",
            [Diagnostic(path="a.py", code="TestX::test_y", text="failed")],
            id="without a message",
        ),
        pytest.param(
            "pytest",
            "ERROR a.py - no such module.name\n",
            [Diagnostic(path="a.py", text="no such module.name")],
            id="a dot in the message is no file",
        ),
        pytest.param(
            "unittest",
            "ERROR: setUpClass (test_cart.CartTest)\n",
            [Diagnostic(path="", code="test_cart.CartTest.setUpClass", text="error")],
            id="without a traceback",
        ),
        pytest.param(
            "ruff",
            "Would reformat: cart.py\n",
            [
                Diagnostic(
                    path="cart.py",
                    code="unformatted",
                    severity="warning",
                    text="would be reformatted",
                )
            ],
            id="older format check",
        ),
        pytest.param(
            "ruff",
            "cart.py:1:1: I001 [*] unsorted\n",
            [Diagnostic(path="cart.py", line=1, code="I001", severity="warning", text="unsorted")],
            id="other rules warn",
        ),
        pytest.param(
            "jest",
            snippet("""
                PASS a.test.js
                  ● Console
                FAIL b.test.js
                  ● Console
                  ● adds
            """),
            [Diagnostic(path="b.test.js", code="adds", text="adds")],
            id="consoles are no failures",
        ),
        pytest.param(
            "jest",
            snippet("""
                FAIL b.test.js
                  ● adds

                    no

                      at f (other.js:3:1)
            """),
            [Diagnostic(path="b.test.js", code="adds", text="no")],
            id="a place in another file",
        ),
        pytest.param(
            "vitest",
            " FAIL  a.test.js\n",
            [Diagnostic(path="a.test.js", text="failed")],
            id="without a message",
        ),
        pytest.param(
            "node",
            snippet("""
                not ok 1 - later # TODO
                  ---
                  duration_ms: 1
                  ...
                not ok 2 - adds
                  ---
                  ...
                not ok 3 - cut"""),
            [
                Diagnostic(path="", code="adds", text="failed"),
                Diagnostic(path="", code="cut", text="failed"),
            ],
            id="without details",
        ),
        pytest.param(
            "node",
            "test at a.test.js:1:2\n\u2716 adds (1.5ms)\n",
            [Diagnostic(path="a.test.js", line=1, code="adds", text="failed")],
            id="without a message",
        ),
        pytest.param(
            "mocha",
            "  0 passing (1ms)\n  1 failing\n\n  1) adds:\n     Error: no\n",
            [Diagnostic(path="", code="adds", text="Error: no")],
            id="without a stack",
        ),
        pytest.param(
            "go",
            "--- FAIL: TestA (0.00s)\n",
            [Diagnostic(path="", code="TestA", text="failed")],
            id="without a message",
        ),
        pytest.param(
            "mypy",
            "cart.py:7: error: no\ncart.py:8: error: nor this  [misc]\n",
            [
                Diagnostic(path="cart.py", line=7, text="no"),
                Diagnostic(path="cart.py", line=8, code="misc", text="nor this"),
            ],
            id="another finding's code",
        ),
        pytest.param(
            "mypy",
            snippet("""
                cart.py:2:12: error: Incompatible return value type (got "int", expected "str")
                 [return-value]
                        return 1
                               ^
            """),
            [
                Diagnostic(
                    path="cart.py",
                    line=2,
                    code="return-value",
                    text='Incompatible return value type (got "int", expected "str")',
                )
            ],
            id="a code on the next line",
        ),
        pytest.param(
            "shellcheck",
            snippet("""
                ^-- SC2086: no place
                In a.sh line 2:
                ^-- SC2086: older
            """),
            [Diagnostic(path="a.sh", line=2, code="SC2086", severity="warning", text="older")],
            id="without a severity",
        ),
        pytest.param(
            "prettier", "[warn] cart.js\n", [], id="a warning of somebody else is no file"
        ),
        pytest.param(
            "cc",
            "/usr/bin/ld: shop/link.c:2: undefined reference to `total'\n",
            [
                Diagnostic(
                    path="shop/link.c", line=2, code="ld", text="undefined reference to `total'"
                )
            ],
            id="a linker that knows the line",
        ),
        pytest.param(
            "maven",
            "[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s "
            "<<< FAILURE! -- in shop.CartTest\n"
            "[ERROR] shop.CartTest.adds -- Time elapsed: 0.004 s <<< FAILURE!\n"
            "[INFO] \n",
            [Diagnostic(path="", code="shop.CartTest.adds", text="failed")],
            id="without a trace",
        ),
        pytest.param(
            "gradle",
            "CartTest > Prices > adds() FAILED\n",
            [Diagnostic(path="", code="CartTest > Prices > adds()", text="failed")],
            id="without a message",
        ),
        pytest.param(
            "tap",
            "1..1\nBail out!\n",
            [Diagnostic(path="", code="Bail out!", text="gave up")],
            id="without a reason",
        ),
        pytest.param(
            "go",
            "FAIL\tshop/cart\t0.004s\n",
            [Diagnostic(path="", code="shop/cart", text="ended early")],
            id="a package that names no test",
        ),
        pytest.param(
            "go",
            snippet("""
                cart/cart.go:7:2: ineffectual assignment to price (ineffassign)
                \tprice := 1
                \t^
                1 issues:
                * ineffassign: 1
            """),
            [
                Diagnostic(
                    path="cart/cart.go",
                    line=7,
                    code="ineffassign",
                    text="ineffectual assignment to price",
                )
            ],
            id="a linter that names itself",
        ),
        pytest.param(
            "cargo",
            snippet("""
                thread 'adds' panicked at src/lib.rs:7:9:
                no price
                note: run with a backtrace
            """),
            [Diagnostic(path="src/lib.rs", line=7, code="adds", text="no price")],
            id="a panic that compares nothing",
        ),
        pytest.param(
            "node",
            "test at a.test.js:2:1\n\u2716 adds (1.9ms)\n"
            "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:\n"
            "  \n  2 !== 3\n  \n      at TestContext\n",
            [
                Diagnostic(
                    path="a.test.js",
                    line=2,
                    code="adds",
                    text="AssertionError [ERR_ASSERTION]:"
                    " Expected values to be strictly equal: 2 !== 3",
                )
            ],
            id="with what it compared",
        ),
        pytest.param(
            "node",
            "not ok 1 - adds\n  ---\n  duration_ms: 2.1\n  location: '/s/a.test.js:2:1'\n"
            "  error: |-\n    Expected values to be strictly equal:\n    \n    2 !== 3\n    \n"
            "  code: 'ERR_ASSERTION'\n  ...\n",
            [
                Diagnostic(
                    path="/s/a.test.js",
                    line=2,
                    code="adds",
                    text="Expected values to be strictly equal: 2 !== 3",
                )
            ],
            id="with what it compared, as TAP",
        ),
        pytest.param(
            "cmake",
            "1/2 Test #1: a..b ......***Failed    0.01 sec\n2/2 Test #2: no dots 0.01 sec\n",
            [Diagnostic(path="", code="a..b", text="failed")],
            id="a name with dots",
        ),
    ],
)
def test_findings(tool: str, output: str, expected: list[Diagnostic]) -> None:
    assert list(PARSERS[tool].parse(output)) == expected
