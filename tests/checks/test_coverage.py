"""Coverage checks: the real tools fail below the percentage and pass from it on."""

import importlib.util
import shlex
import sys
from pathlib import Path

import pytest

from snippets import snippet
from tools import TOOLS, on_machine, tool
from untildone.checks.coverage import require_coverage
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.errors import UserError

PYTHON = {
    "cart.py": snippet("""
        def add(a, b):
            return a + b


        def take(a, b):
            return a - b
    """),
    "test_cart.py": snippet("""
        from cart import add


        def test_add():
            assert add(1, 2) == 3
    """),
}
JEST = {
    "package.json": '{"scripts": {"test": "jest"}}',
    "cart.js": snippet("""
        exports.add = (a, b) => a + b;
        exports.take = (a, b) => {
          return a - b;
        };
    """),
    "cart.test.js": 'const { add } = require("./cart");\n'
    'test("add", () => { expect(add(1, 2)).toBe(3); });\n',
}
GO = {
    "go.mod": "module cart\n\ngo 1.22\n",
    "cart.go": snippet("""
        package cart

        func Add(a, b int) int { return a + b }

        func Take(a, b int) int { return a - b }
    """),
    "cart_test.go": snippet("""
        package cart

        import "testing"

        func TestAdd(t *testing.T) {
        \tif Add(1, 2) != 3 {
        \t\tt.Fatal()
        \t}
        }
    """),
}


def run_coverage(folder: Path, files: dict[str, str], command: str, percent: int) -> CheckResult:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    check = require_coverage(Check(name="test", command=command), percent, project=folder)
    (result,) = run_checks([check], RunOptions(project=folder))
    return result


@pytest.mark.parametrize(("percent", "outcome"), [(80, "green"), (95, "red")])
def test_pytest(tmp_path: Path, percent: int, outcome: str) -> None:
    result = run_coverage(tmp_path, PYTHON, tool("pytest"), percent)

    assert (result.name, result.outcome) == ("coverage:test", outcome)
    assert result.tests is not None
    assert result.tests.passed == 1
    assert "cart.py" in result.output


def test_without_pytest_cov_it_cannot_run(tmp_path: Path) -> None:
    if importlib.util.find_spec("pytest_cov"):
        pytest.skip("pytest-cov is installed beside this pytest")

    result = run_coverage(tmp_path, PYTHON, f"{shlex.quote(sys.executable)} -m pytest", 80)

    assert (result.outcome, result.reason) == (
        "unrunnable",
        "`pytest-cov`, which knows `--cov`, is not installed: `pip install pytest-cov`",
    )


@pytest.mark.parametrize(("percent", "outcome"), [(60, "green"), (80, "red")])
def test_jest_behind_npm(tmp_path: Path, percent: int, outcome: str) -> None:
    on_machine("npx")
    tool("jest")
    (tmp_path / "node_modules").symlink_to(TOOLS["jest"].folder / "node_modules")

    result = run_coverage(tmp_path, JEST, "npm test", percent)

    assert (result.outcome, "cart.js" in result.output) == (outcome, True)


def test_vitest_without_its_provider_cannot_run(tmp_path: Path) -> None:
    on_machine("npx")
    tool("vitest")
    (tmp_path / "node_modules").symlink_to(TOOLS["vitest"].folder / "node_modules")

    result = run_coverage(tmp_path, {"package.json": "{}"}, "npx vitest run", 80)

    assert (result.outcome, result.reason) == (
        "unrunnable",
        "`@vitest/coverage-v8` is not installed: `npm install --save-dev @vitest/coverage-v8`",
    )


def test_node(tmp_path: Path) -> None:
    on_machine("node")
    files = {"a.test.mjs": 'import test from "node:test";\ntest("a", () => {});\n'}

    result = run_coverage(tmp_path, files, "node --test", 80)

    assert (result.outcome, result.reason) in (
        ("green", ""),
        (
            "unrunnable",
            "this `node` does not know `--test-coverage-lines`: install a newer one",
        ),
    )


@pytest.mark.parametrize(("percent", "outcome"), [(50, "green"), (51, "red")])
def test_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, percent: int, outcome: str) -> None:
    go = tool("go")
    monkeypatch.setenv("PATH", f"{Path(shlex.split(go)[0]).parent}:/usr/bin:/bin")
    monkeypatch.setenv("GOCACHE", str(TOOLS["go"].folder.parent / "go-build"))
    monkeypatch.setenv("GOFLAGS", "-vet=off")

    result = run_coverage(tmp_path, GO, "go test ./...", percent)

    assert (result.outcome, "50.0 % of the statements are covered" in result.output) == (
        outcome,
        True,
    )


def test_go_that_does_not_compile_is_red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(shlex.split(tool('go'))[0]).parent}:/usr/bin:/bin")
    monkeypatch.setenv("GOCACHE", str(TOOLS["go"].folder.parent / "go-build"))

    result = run_coverage(tmp_path, {**GO, "cart.go": "package cart\n\nfunc Add(\n"}, "go test", 1)

    assert result.outcome == "red"


def test_a_missing_go_cannot_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    result = run_coverage(tmp_path, GO, "go test", 1)

    assert (result.outcome, result.reason) == ("unrunnable", "`go` was not found")


@pytest.mark.parametrize("command", ["mocha", "make test", "pytest && true", "npm test"])
def test_what_cannot_be_measured_is_said(tmp_path: Path, command: str) -> None:
    with pytest.raises(UserError) as error:
        require_coverage(Check(name="test", command=command), 80, project=tmp_path)

    assert error.value.message.startswith(f"coverage of `{command}` cannot be measured (known: ")
