"""Parsers never raise on arbitrary text, and still find a known line in it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.parsers.recording import RECORDED, find_owner, load_recorded, read_tests
from snippets import snippet
from untildone.checks.parser import Parser
from untildone.checks.parsers import LAST_RESORT, PARSERS

ALL: dict[str, Parser] = {**PARSERS, "lines": LAST_RESORT}
KNOWN = {
    "pytest": "FAILED shop/test_cart.py::test_known - assert 1 == 2",
    "unittest": "FAIL: test_known (test_cart.CartTest.test_known)",
    "ruff": "shop/cart.py:7:1: F401 [*] `os` imported but unused",
    "tsc": "shop/cart.ts(7,3): error TS2322: known",
    "eslint": "  7:5   error    known  no-undef",
    "jest": snippet("""
        FAIL shop/cart.test.js
          ● known

            expect(1)"""),
    "vitest": " FAIL  shop/cart.test.js > known\nAssertionError: 1",
    "node": snippet("""
        not ok 7 - known
          ---
          duration_ms: 1.5
          location: '/shop/cart.test.mjs:4:1'
          ..."""),
    "mocha": "  0 passing (1ms)\n  1 failing\n\n  1) known:\n     Error: no",
    "cargo": "error[E0308]: known\n --> src/lib.rs:7:5",
    "go": "shop/cart.go:7:2: known",
    "mypy": "shop/cart.py:7: error: known  [return-value]",
    "pyright": "  /shop/cart.py:7:3 - error: known (reportReturnType)",
    "ty": "error[invalid-return-type]: known\n --> shop/cart.py:7:3",
    "biome": "shop/cart.js:7:3 lint/style/useConst  FIXABLE  \u2501\u2501\u2501\n\n  \u00d7 known",
    "prettier": "Checking formatting...\n[error] shop/cart.js: SyntaxError: known (7:3)",
    "cc": "shop/cart.c:7:3: warning: known [-Wunused-variable]",
    "cmake": "CMake Error at CMakeLists.txt:7 (known):\n  Unknown CMake command",
    "javac": "shop/Cart.java:7: warning: [unchecked] known",
    "maven": "[ERROR] /shop/Cart.java:[7,3] known",
    "gradle": "shop.CartTest > known FAILED\n    java.lang.AssertionError at CartTest.java:7",
    "shellcheck": snippet("""
        In shop/deploy.sh line 7:
        echo $x
             ^-- SC2086 (info): known"""),
    "astgrep": "shop/cart.js:7:3: security[known]: known",
    "sarif": '{"runs": [{"tool": {"driver": {}}, "results": [{"ruleId": "known"}]}]}',
    "junit": '<testsuite><testcase name="known"><failure/></testcase></testsuite>',
    "tap": "1..1\nnot ok 1 - known",
    "lines": "shop/cart.c:7: known",
}
PIECES = (
    *("FAILED ", "ERROR ", "::", " - ", "\n", "  ", ":1:2", "(1,2): ", "error", "warning TS1: "),
    *("___ ", " ___", "E   ", "not ok 1 - ", "  ...", "# tests 1\n# pass 1\n", "ok  \t", "\t"),
    *("--- FAIL: ", " (0.00s)", "=== RUN   ", "panic: ", "Tests: ", "1 failed, ", "1 total"),
    *("Ran 1 test in 0.1s\n\n", "FAILED (failures=", ")", "  \u25cf ", "FAIL ", " --> a.rs:1:1"),
    *("1..1\n", "not ok 1", "Checking formatting...\n", "[error] ", "[warn] ", "a.c:1: error: "),
    *("<testsuite>", "<testcase name='", "<failure/>", "</testsuite>", "<!DOCTYPE a>", "<?xml"),
    *('{"runs": [', '{"results": ', "[[" * 200, "}\n", '"', "In a line 1:\n", "^-- SC1: "),
    *(
        "[ERROR] ",
        ":[1,2] ",
        "Tests run: 1, ",
        " <<< FAILURE!",
        "\tat a.b(A.java:1)",
        "> Task :test",
    ),
    *(
        " > a FAILED\n    ",
        "A.java:1: error: ",
        " \u2501\u2501\u2501\n",
        " - error: ",
        "error[a-b]",
    ),
    *("9" * 30, "a.py", "x.go", "1) ", ":\n", "at f (a.js:1:1)", "1 passing (1ms)\n", "\u0665"),
)
NOISE = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=40).map("".join)
LINES = st.lists(st.text(alphabet="abcXYZ 019.,;-'\"\u00e9\u2603", max_size=30), max_size=8)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=60, deadline=None)
@given(text=NOISE)
def test_any_text_is_read_without_an_exception(name: str, text: str) -> None:
    list(ALL[name].parse(text))
    read_tests(ALL[name], text)


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), noise=NOISE)
def test_damaged_output_is_read_without_an_exception(
    name: str, data: st.DataObject, noise: str
) -> None:
    names = sorted(path.stem for path in RECORDED.iterdir() if find_owner(path.stem) == name)
    text = load_recorded(data.draw(st.sampled_from(names)))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 40, len(text))))
    damaged = text[:start] + noise + text[end:]
    list(ALL[name].parse(damaged))
    read_tests(ALL[name], damaged)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=40, deadline=None)
@given(before=LINES, after=LINES)
def test_a_known_finding_is_found_in_noise(name: str, before: list[str], after: list[str]) -> None:
    text = "\n".join([*before, "", KNOWN[name], "", *after])
    (expected,) = ALL[name].parse(KNOWN[name])
    found = {(one.code, one.line, one.severity) for one in ALL[name].parse(text)}
    assert (expected.code, expected.line, expected.severity) in found


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "unit",
    [
        " ",
        "a",
        "a.",
        ":1",
        "(1",
        "_",
        " _",
        "1 ",
        "\n  1) a",
        "at a:",
        "  1:1 error a  ",
        "- ",
        "> ",
        "\n[a]",
        "  A",
        "\n    a",
        "<a>",
        "{",
        "\nnot ok 1 ",
        "\n    ok 1 a",
        " Time elapsed: 1 s",
    ],
)
def test_a_long_line_takes_linear_time(name: str, unit: str) -> None:
    beginnings = (
        "",
        "FAILED a",
        "  1:1  error  ",
        "      at ",
        "___ a",
        " FAIL  ",
        "  1) ",
        "a.py:",
        "a.py:1: error: a",
        "1..1\nnot ok 1 - a\n",
        "<testsuite>",
        '{"runs": [',
        "[ERROR] a",
        "Checking formatting...\n[error] a",
    )
    started = time.monotonic()
    for beginning in beginnings:
        text = "  0 passing (1ms)\n" + beginning + unit * 40_000
        list(ALL[name].parse(text))
        read_tests(ALL[name], text)
    assert time.monotonic() - started < 60


@pytest.mark.parametrize(
    ("name", "begun", "unit", "ended"),
    [
        ("unittest", "Ran 1 test in 0.1s\n\nFAILED (", "a ", ")\n"),
        ("cargo", "error[E0308]: a\n --> a.rs:1:1\n", " ", "\n  | ^ b\n"),
        ("cmake", "1/1 Test #1: a ..", " ", "\n"),
        ("cmake", "1/1 Test #1: a", ".", "\n"),
        ("tap", "1..1\nnot ok 1 - a", " ", ".\n"),
    ],
)
def test_a_long_line_inside_a_report_takes_linear_time(
    name: str, begun: str, unit: str, ended: str
) -> None:
    started = time.monotonic()
    text = begun + unit * 300_000 + ended
    list(ALL[name].parse(text))
    read_tests(ALL[name], text)
    assert time.monotonic() - started < 60
