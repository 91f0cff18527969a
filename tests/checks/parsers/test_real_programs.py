"""The parsers against the programs themselves, where they are installed."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from untildone.checks.runner import Running, run_checks
from untildone.loop import model
from untildone.loop.model import Check, CheckResult

PYTHON = shlex.quote(sys.executable)


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"`{program}` is not installed")


def run(project: Path, command: str, files: dict[str, str]) -> CheckResult:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (result,) = run_checks([Check(name="t", command=command)], Running(project=project))
    return result


def places(result: CheckResult) -> list[tuple[str, int, str]]:
    return [(finding.path, finding.line, finding.code) for finding in result.findings]


def test_pytest(tmp_path: Path) -> None:
    source = "class TestCart:\n    def test_total(self):\n        assert 1 == 2\n"
    result = run(tmp_path, f"{PYTHON} -m pytest", {"test_cart.py": source})
    assert places(result) == [("test_cart.py", 3, "TestCart::test_total")]
    assert result.tests == model.Tests(failed=1, failing=("test_cart.py::TestCart::test_total",))


def test_unittest(tmp_path: Path) -> None:
    source = (
        "import unittest\nclass CartTest(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(1, 2)\n"
    )
    result = run(tmp_path, f"{PYTHON} -m unittest", {"test_cart.py": source})
    assert places(result) == [("test_cart.py", 4, "test_cart.CartTest.test_total")]
    assert result.tests == model.Tests(failed=1, failing=("test_cart.CartTest.test_total",))


def test_ruff(tmp_path: Path) -> None:
    command = f"{PYTHON} -m ruff check --isolated --no-cache ."
    result = run(tmp_path, command, {"cart.py": "x = 1\nimport os\n"})
    assert places(result) == [("cart.py", 2, "F401")]


@needs("node")
def test_node(tmp_path: Path) -> None:
    source = "require('node:test')('adds', () => {\n  throw new Error('no');\n});\n"
    result = run(tmp_path, "node --test", {"cart.test.js": source})
    assert places(result) == [("cart.test.js", 1, "adds")]
    assert result.tests == model.Tests(failed=1, failing=("adds",))


@needs("cargo")
@pytest.mark.skipif(os.name == "nt", reason="building there takes too long")
def test_cargo(tmp_path: Path) -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "pub fn total() -> i32 {\n    true\n}\n",
    }
    result = run(tmp_path, "cargo check --offline", files)
    assert places(result) == [("src/lib.rs", 2, "E0308")]
