"""The parsers with the real programs, if they are installed."""

import shlex
import sys
from pathlib import Path

import pytest

from checks.parsers.projects import CARGO, CMAKE, ESLINT, GO, GRADLE, MAVEN
from snippets import snippet
from tools import maven, on_machine, tool
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.parsers import junit, sarif
from untildone.checks.run_report import Case, RunReport
from untildone.core import check_results
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

PYTHON = shlex.quote(sys.executable)


def run(project: Path, command: str, files: dict[str, str]) -> CheckResult:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (result,) = run_checks([Check(name="t", command=command)], RunOptions(project=project))
    return result


def places(result: CheckResult) -> list[tuple[str, int, str]]:
    return [(finding.path, finding.line, finding.code) for finding in result.findings]


def test_pytest(tmp_path: Path) -> None:
    source = snippet("""
        class TestCart:
            def test_total(self):
                assert 1 == 2
    """)
    result = run(tmp_path, f"{PYTHON} -m pytest", {"test_cart.py": source})
    assert places(result) == [("test_cart.py", 3, "TestCart::test_total")]
    assert result.tests == check_results.Tests(
        failed=1, failing=("test_cart.py::TestCart::test_total",)
    )


def test_unittest(tmp_path: Path) -> None:
    source = snippet("""
        import unittest
        class CartTest(unittest.TestCase):
            def test_total(self):
                self.assertEqual(1, 2)
    """)
    result = run(tmp_path, f"{PYTHON} -m unittest", {"test_cart.py": source})
    assert places(result) == [("test_cart.py", 4, "test_cart.CartTest.test_total")]
    assert result.tests == check_results.Tests(failed=1, failing=("test_cart.CartTest.test_total",))


def test_ruff(tmp_path: Path) -> None:
    command = f"{PYTHON} -m ruff check --isolated --no-cache ."
    result = run(tmp_path, command, {"cart.py": "x = 1\nimport os\n"})
    assert places(result) == [("cart.py", 2, "F401")]


WRONG_TYPE = {"cart.py": "def total() -> str:\n    return 1\n"}


@pytest.mark.parametrize(
    ("program", "options", "code"),
    [
        ("mypy", "cart.py", "return-value"),
        ("mypy", "--pretty --show-column-numbers cart.py", "return-value"),
        ("basedpyright", "", "reportReturnType"),
        ("ty", "check", "invalid-return-type"),
        ("ty", "check --output-format concise", "invalid-return-type"),
    ],
)
def test_type_checkers(tmp_path: Path, program: str, options: str, code: str) -> None:
    result = run(tmp_path, f"{tool(program)} {options}", WRONG_TYPE)
    assert places(result) == [("cart.py", 2, code)]


def test_node(tmp_path: Path) -> None:
    source = snippet("""
        require('node:test')('adds', () => {
          throw new Error('no');
        });
    """)
    result = run(tmp_path, f"{on_machine('node')} --test", {"cart.test.js": source})
    assert places(result) == [("cart.test.js", 1, "adds")]
    assert result.tests == check_results.Tests(failed=1, failing=("adds",))


def test_tsc(tmp_path: Path) -> None:
    files = {"cart.ts": "export const total: string =\n  1;\n"}
    result = run(tmp_path, f"{tool('tsc')} --noEmit cart.ts", files)
    assert places(result) == [("cart.ts", 1, "TS2322")]


def test_eslint(tmp_path: Path) -> None:
    result = run(tmp_path, f"{tool('eslint')} .", ESLINT)
    assert places(result) == [("cart.js", 1, "no-undef")]


def test_biome(tmp_path: Path) -> None:
    result = run(tmp_path, f"{tool('biome')} check .", {"cart.js": "debugger;\nlet a=1\n"})
    assert ("cart.js", 1, "lint/suspicious/noDebugger") in places(result)
    assert ("cart.js", 0, "format") in places(result)


def test_prettier(tmp_path: Path) -> None:
    files = {"cart.js": "let a=1\n", "broken.js": "\nfunction (\n"}
    result = run(tmp_path, f"{tool('prettier')} --check .", files)
    assert sorted(places(result)) == [("broken.js", 2, ""), ("cart.js", 0, "unformatted")]


FAILING_TEST = {
    "package.json": "{}",
    "cart.test.js": snippet("""
        test('adds', () => {
          missing();
        });
    """),
}


def test_jest(tmp_path: Path) -> None:
    result = run(tmp_path, tool("jest"), FAILING_TEST)
    assert places(result) == [("cart.test.js", 2, "adds")]
    assert result.tests == check_results.Tests(failed=1, failing=("./cart.test.js \u203a adds",))


def test_vitest(tmp_path: Path) -> None:
    result = run(tmp_path, f"{tool('vitest')} run --globals", FAILING_TEST)
    assert places(result) == [("cart.test.js", 2, "adds")]
    assert result.tests == check_results.Tests(failed=1, failing=("cart.test.js > adds",))


@pytest.mark.parametrize("reporter", ["spec", "tap"])
def test_mocha_and_tap(tmp_path: Path, reporter: str) -> None:
    source = snippet("""
        it('counts', () => {});
        it('adds', () => {
          missing();
        });
    """)
    command = f"{tool('mocha')} --reporter {reporter} cart.js"
    result = run(tmp_path, command, {"cart.js": source})
    assert places(result) == [("cart.js", 3, "adds")]
    passing = ("counts",) if reporter == "tap" else ()
    assert result.tests == check_results.Tests(
        passed=1, failed=1, failing=("adds",), passing=passing
    )


def test_cargo(tmp_path: Path) -> None:
    result = run(tmp_path, f"{on_machine('cargo')} check --offline", CARGO)
    assert places(result) == [("src/lib.rs", 2, "E0308")]


def test_go(tmp_path: Path) -> None:
    result = run(tmp_path, f"{tool('go')} test ./...", GO)
    assert places(result) == [("cart_test.go", 6, "TestTotal")]
    assert result.tests == check_results.Tests(failed=1, failing=("shop::TestTotal",))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_cc(tmp_path: Path, compiler: str) -> None:
    source = snippet("""
        int total(void) {
          int unused;
          return 1;
        }
        int count = missing;
    """)
    result = run(tmp_path, f"{on_machine(compiler)} -Wall -c cart.c", {"cart.c": source})
    assert sorted(places(result)) == [("cart.c", 2, "-Wunused-variable"), ("cart.c", 5, "")]


def test_cmake(tmp_path: Path) -> None:
    cmake, ctest = on_machine("cmake"), on_machine("ctest")
    result = run(tmp_path, f"{cmake} -B out && {ctest} --test-dir out", CMAKE)
    assert places(result) == [("", 0, "adds")]
    assert result.tests == check_results.Tests(
        passed=1, failed=1, failing=("adds",), passing=("counts",)
    )


def test_javac(tmp_path: Path) -> None:
    files = {
        "Cart.java": snippet("""
            class Cart {
              int total = missing;
            }
        """)
    }
    result = run(tmp_path, f"{on_machine('javac')} Cart.java", files)
    assert places(result) == [("Cart.java", 2, "")]
    assert result.findings[0].text == "cannot find symbol: variable missing"


JAVA_FILE = "src/test/java/shop/CartTest.java"


def test_maven(tmp_path: Path) -> None:
    result = run(tmp_path, f"{maven()} test", MAVEN)
    assert places(result) == [(JAVA_FILE, 7, "shop.CartTest.adds")]
    assert result.tests == check_results.Tests(
        passed=1, failed=1, failing=("shop.CartTest.adds",), passing=("shop.CartTest.counts",)
    )


def test_gradle(tmp_path: Path) -> None:
    home = shlex.quote(str(tmp_path / "home"))
    command = f"{on_machine('gradle')} --no-daemon --offline --gradle-user-home {home} test"
    result = run(tmp_path / "shop", command, GRADLE)
    assert places(result) == [(JAVA_FILE, 7, "shop.CartTest > adds")]
    assert result.tests == check_results.Tests(
        passed=1, failed=1, failing=("shop.CartTest > adds",), passing=("shop.CartTest > counts",)
    )


def test_shellcheck(tmp_path: Path) -> None:
    result = run(tmp_path, f"{tool('shellcheck')} cart.sh", {"cart.sh": "#!/bin/sh\necho $1\n"})
    assert places(result) == [("cart.sh", 2, "SC2086")]


def test_sarif_in_the_output_of_ruff(tmp_path: Path) -> None:
    tmp_path.joinpath("my shop").mkdir()
    check = Check(
        name="t",
        command=f"{PYTHON} -m ruff check --isolated --no-cache --output-format sarif ..",
        cwd="my shop",
    )
    tmp_path.joinpath("my cart.py").write_text("import os\n", encoding="utf-8")
    (result,) = run_checks([check], RunOptions(project=tmp_path))
    assert places(result) == [("my cart.py", 1, "F401")]


def test_ruff_as_json(tmp_path: Path) -> None:
    command = f"{PYTHON} -m ruff check --isolated --no-cache --output-format json ."
    result = run(tmp_path, command, {"cart.py": "x = 1\nimport os\n"})
    assert places(result) == [("cart.py", 2, "F401")]


def test_a_sarif_report_of_ruff(tmp_path: Path) -> None:
    report = "--output-format sarif --output-file report.sarif"
    run(tmp_path, f"{PYTHON} -m ruff check --isolated {report} .", {"my cart.py": "import os\n"})
    (found,) = sarif.parse(tmp_path.joinpath("report.sarif").read_text(encoding="utf-8"))
    assert (Path(found.path), found.line, found.code) == (tmp_path / "my cart.py", 1, "F401")


def test_a_junit_report_of_pytest(tmp_path: Path) -> None:
    source = snippet("""
        def test_total():
            assert 1 == 2

        def test_count():
            pass
    """)
    command = f"{PYTHON} -m pytest -o junit_family=xunit1 --junit-xml report.xml"
    run(tmp_path, command, {"tests/test_cart.py": source})
    assert junit.parse_report(tmp_path.joinpath("report.xml").read_text(encoding="utf-8")) == (
        RunReport(
            cases=(
                Case(id="tests/test_cart.py::test_total", outcome="failed", text="assert 1 == 2"),
                Case(id="tests/test_cart.py::test_count", outcome="passed"),
            )
        )
    )
