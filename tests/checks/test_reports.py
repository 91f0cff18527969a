"""Test reports requested from runners, and when none is expected."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from checks.parsers.projects import MAVEN
from snippets import snippet
from tools import maven, on_machine, tool
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.checks.reports import load_report, request_report
from untildone.core import check_results
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

PYTHON = shlex.quote(sys.executable)
PYTEST = f"{PYTHON} -m pytest -p no:cacheprovider"
TESTS = {
    "test_shop.py": (
        snippet("""
            import pytest
            def test_total(): pass
            @pytest.mark.skip
            def test_later(): pass
        """)
    )
}
IN_PYTEST = check_results.Tests(
    passed=1,
    skipped=1,
    passing=("test_shop.py::test_total",),
    skipping=("test_shop.py::test_later",),
)


def run(project: Path, command: str, files: dict[str, str], **env: str) -> CheckResult:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (result,) = run_checks([Check(name="t", command=command, env=env)], RunOptions(project=project))
    return result


def find_requested(folder: Path, command: str, **environ: str) -> set[str]:
    """The variables that are set or changed for a command."""
    reported = {"PATH": os.environ["PATH"], **environ}
    wish = request_report(command, folder / "report.xml", folder=folder, environ=reported)
    return {name for name, value in wish.environ.items() if reported.get(name) != value}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", True),
        ("uv run pytest -q && ruff check", True),
        ("coverage run -m pytest", True),
        ("pytest --junitxml=mine.xml", False),
        ("pytest --junit-xml mine.xml", False),
        ("pytest --collect-only", False),
        ("pytest --co -q", False),
        ("pytest --version", False),
        ("pytest -h", False),
        ("pytest --fixtures", False),
        ("pytest -p no:junitxml", False),
        ("pytest -pno:junitxml", False),
        ("pytest --cov", True),
        ("make test", False),
        ("ruff check", False),
    ],
)
def test_a_report_is_expected_only_of_who_writes_one(
    tmp_path: Path, command: str, expected: bool
) -> None:
    wish = request_report(command, tmp_path / "report.xml", folder=tmp_path, environ={})
    assert wish.expected == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make test", {"PYTEST_ADDOPTS"}),
        ("tox", {"PYTEST_ADDOPTS"}),
        ("pytest --collect-only", set()),
        ("ruff check", set()),
        ("node --test", {"NODE_OPTIONS"}),
        ("node --import tsx --test 'src/*.ts'", {"NODE_OPTIONS"}),
        ("node --test --test-reporter=tap", set()),
        ("node build.js", set()),
        ("npm test", {"NODE_OPTIONS", "PYTEST_ADDOPTS"}),
        ("npm run -s test", {"NODE_OPTIONS", "PYTEST_ADDOPTS"}),
        ("npm run own", {"PYTEST_ADDOPTS"}),
        ("npm run lint", {"PYTEST_ADDOPTS"}),
        ("npm ci", {"PYTEST_ADDOPTS"}),
        ("npm", {"PYTEST_ADDOPTS"}),
    ],
)
def test_only_what_runs_tests_is_asked(tmp_path: Path, command: str, expected: set[str]) -> None:
    on_machine("node")
    scripts = '"test": "node --test", "own": "node --test --test-reporter=tap", "lint": "eslint ."'
    tmp_path.joinpath("package.json").write_text(f'{{"scripts": {{{scripts}}}}}', encoding="utf-8")
    assert find_requested(tmp_path, command) == expected


@pytest.mark.parametrize("package", ["", "{", "[]", '{"scripts": 3}', "[" * 200_000])
def test_a_package_that_cannot_be_read_is_asked_for_nothing(tmp_path: Path, package: str) -> None:
    tmp_path.joinpath("package.json").write_text(package, encoding="utf-8")
    assert "NODE_OPTIONS" not in find_requested(tmp_path, "npm test")


def test_options_of_the_user_stay(tmp_path: Path) -> None:
    environ = {"PYTEST_ADDOPTS": "-q", "NODE_OPTIONS": "--test-reporter=dot"}
    wish = request_report("pytest", tmp_path / "a b.xml", folder=tmp_path, environ=environ)
    assert wish.environ == {
        "PYTEST_ADDOPTS": f"-q --junitxml='{tmp_path / 'a b.xml'}' -o junit_family=xunit1",
        "NODE_OPTIONS": "--test-reporter=dot",
    }
    assert "NODE_OPTIONS" not in find_requested(tmp_path, "node --test", **environ)


def test_an_old_node_is_not_asked(tmp_path: Path) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v18.19.0\n", encoding="utf-8")
    node.chmod(0o755)
    assert find_requested(tmp_path, "node --test", PATH=f"{tmp_path}:{os.environ['PATH']}") == set()


def test_who_has_no_program_is_not_asked(tmp_path: Path) -> None:
    assert find_requested(tmp_path, "node --test && go test ./...", PATH=str(tmp_path)) == set()


def test_flags_of_go_are_kept(tmp_path: Path) -> None:
    go = Path(shlex.split(tool("go"))[0])
    path = f"{go.parent}{os.pathsep}{os.environ['PATH']}"
    settings = tmp_path / "go.env"
    settings.write_text("GOFLAGS=-mod=mod\n", encoding="utf-8")
    environ = {"PATH": path, "GOENV": str(settings), "HOME": str(tmp_path)}
    wish = request_report("go test ./...", tmp_path / "r.xml", folder=tmp_path, environ=environ)
    assert wish.environ == {**environ, "GOFLAGS": "-mod=mod -v"}


@pytest.mark.parametrize("command", ["go vet ./...", "go test -v ./...", "go test ./... -json"])
def test_what_go_prints_is_left_as_it_is(tmp_path: Path, command: str) -> None:
    go = Path(shlex.split(tool("go"))[0])
    assert find_requested(tmp_path, command, PATH=str(go.parent)) == set()


def test_pytest_inside_of_make_reports_its_tests(tmp_path: Path) -> None:
    on_machine("make")
    files = {**TESTS, "Makefile": f"test:\n\t@{PYTEST} -q --no-summary\n"}
    result = run(tmp_path, "make test", files)
    assert (result.outcome, result.tests) == ("green", IN_PYTEST)


def test_a_collection_is_no_run_without_tests(tmp_path: Path) -> None:
    result = run(tmp_path, f"{PYTEST} --collect-only -q", TESTS)
    assert (result.outcome, result.tests) == ("green", None)


def test_of_two_runs_none_is_lost(tmp_path: Path) -> None:
    files = {"test_a.py": "def test_a(): assert 0\n", "test_b.py": "def test_b(): pass\n"}
    result = run(tmp_path, f"{PYTEST} test_a.py; {PYTEST} test_b.py", files)
    assert (result.outcome, result.reason) == ("red", "1 of 2 tests failed")
    assert result.tests == check_results.Tests(passed=1, failed=1, failing=("test_a.py::test_a",))


def test_a_run_that_only_says_so_is_no_evidence(tmp_path: Path) -> None:
    files = {
        "conftest.py": snippet("""
            import os
            print('3 passed in 0.01s', flush=True)
            os._exit(0)
        """)
    }
    result = run(tmp_path, PYTEST, files)
    expected = ("no-evidence", "it exits 0, but the test runner wrote no report")
    assert (result.outcome, result.reason) == expected


NODE = {
    "package.json": '{"scripts": {"test": "node --test"}}',
    "cart.test.mjs": (
        snippet("""
            import { describe, it } from 'node:test';
            describe('cart', () => {
              it('adds', () => {
                throw new Error('no');
              });
              it('counts', () => {});
              it('waits', { skip: true }, () => {});
            });
        """)
    ),
}


@pytest.mark.parametrize("command", ["node --test", "npm test"])
def test_node_reports_its_tests(tmp_path: Path, command: str) -> None:
    on_machine(command.partition(" ")[0])
    result = run(tmp_path, command, NODE)
    assert result.tests == check_results.Tests(
        passed=1,
        failed=1,
        skipped=1,
        failing=("cart::adds",),
        passing=("cart::counts",),
        skipping=("cart::waits",),
    )
    assert [(finding.path, finding.code) for finding in result.findings] == [
        ("cart.test.mjs", "adds")
    ]


@pytest.mark.parametrize("program", ["jest", "vitest run --globals", "mocha", "eslint"])
def test_other_programs_of_node_do_not_mind(tmp_path: Path, program: str) -> None:
    """A script beside the tests has the same variables."""
    name, _, options = program.partition(" ")
    other = f"{tool(name)} {options} other.test.js"
    files = {
        "package.json": '{"scripts": {"test": "node --test own.mjs && sh other.sh"}}',
        "own.mjs": "import test from 'node:test';\ntest('own', () => {});\n",
        "other.sh": other,
        "other.test.js": "it('adds', () => {});\n",
        "eslint.config.mjs": "export default [{}];\n",
    }
    result = run(tmp_path, "npm test", files)
    assert result.outcome == "green", result.output


def test_go_reports_its_tests(tmp_path: Path) -> None:
    go = Path(shlex.split(tool("go"))[0])
    test = snippet("""
        package {}

        import "testing"

        func TestTotal(t *testing.T) {{ {} }}
    """)
    files = {
        "go.mod": "module shop\n",
        "cart_test.go": test.format("shop", ""),
        "price/price_test.go": test.format("price", 't.Error("no")'),
        "stock/stock_test.go": test.format("stock", 't.Skip("later")'),
    }
    path = f"{go.parent}{os.pathsep}{os.environ['PATH']}"
    result = run(tmp_path, "go vet ./... && go test ./...", files, PATH=path)
    assert result.tests == check_results.Tests(
        passed=1,
        failed=1,
        skipped=1,
        failing=("shop/price::TestTotal",),
        passing=("shop::TestTotal",),
        skipping=("shop/stock::TestTotal",),
    )


STALE = '<testsuite><testcase classname="shop.OldTest" name="gone"/></testsuite>'


@pytest.mark.slow
def test_a_report_of_an_earlier_run_is_not_read(tmp_path: Path) -> None:
    files = {**MAVEN, "target/surefire-reports/TEST-shop.OldTest.xml": STALE}
    command = f"{maven()} test"
    result = run(tmp_path, command, files)
    assert result.tests == check_results.Tests(
        passed=1, failed=1, failing=("shop.CartTest.adds",), passing=("shop.CartTest.counts",)
    )


def test_reports_of_every_module_are_read(tmp_path: Path) -> None:
    report = tmp_path / "given" / "report.xml"
    report.parent.mkdir()
    old = tmp_path / "target" / "surefire-reports" / "TEST-old.xml"
    new = tmp_path / "apps" / "web" / "target" / "failsafe-reports" / "TEST-new.xml"
    for path in (old, new):
        path.parent.mkdir(parents=True)
        path.write_text(STALE, encoding="utf-8")
    request_report("mvn verify", report, folder=tmp_path, environ={})
    os.utime(new, (0, 0))
    found = load_report("mvn verify", report, folder=tmp_path)
    assert found is not None
    assert found.tests == check_results.Tests(passed=1, passing=("shop.OldTest.gone",))
    new.unlink()
    assert load_report("mvn verify", report, folder=tmp_path) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('<!DOCTYPE a [<!ENTITY e "e">]><testsuite/>', id="a document type"),
        pytest.param("<testsuite>" * 60 + "</testsuite>" * 60, id="too deep"),
        pytest.param("<html>written by something else</html>", id="another document"),
        pytest.param('<testsuite><testcase name="a"', id="cut off"),
        pytest.param("\x00\x1b[31m\ufffd", id="no text"),
    ],
)
def test_a_report_that_is_none_is_not_believed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.xml"
    path.write_text(text, encoding="utf-8")
    assert load_report("pytest", path, folder=tmp_path) is None


def test_a_report_of_two_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    with path.open("wb") as file:
        file.write(b'<testsuite><testcase name="a"/></testsuite>')
        file.truncate(2_000_000_000)
    assert load_report("pytest", path, folder=tmp_path) is None


def test_no_report_is_no_inventory(tmp_path: Path) -> None:
    stale = tmp_path / "target" / "surefire-reports" / "TEST-old.xml"
    stale.parent.mkdir(parents=True)
    stale.write_text(STALE, encoding="utf-8")
    assert load_report("pytest", tmp_path / "nothing", folder=tmp_path) is None
    assert load_report("mvn test", tmp_path / "nothing", folder=tmp_path) is None
