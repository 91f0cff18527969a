"""Code that interferes with the runner is a concern, ordinary set-up code is not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import runner_interference as tests_runner

RUST = """\
fn fee() -> u64 { 1 }

#[cfg(test)]
mod tests {
    #[test]
    fn one() { assert_eq!(super::fee(), 1); }
}
"""
GO_MAIN = """\
package a

import ("os"; "testing")

func TestMain(m *testing.M) {
%s}
"""


def find_ids(top: Path, path: str, new: str, old: str | None = None) -> list[str]:
    comparison = compare_projects(top, {} if old is None else {path: old}, {path: new})
    return [concern.id.partition("#")[0] for concern in tests_runner.find_concerns(comparison)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "conftest.py",
            snippet("""
                def pytest_runtest_makereport(item, call):
                    report = yield
                    report.outcome = 'passed'
            """),
        ),
        ("conftest.py", "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"),
        (
            "conftest.py",
            snippet("""
                def pytest_collection_modifyitems(items):
                    items[:] = [i for i in items if 'ok' in i.name]
            """),
        ),
        ("conftest.py", "def pytest_collection_modifyitems(items):\n    items.clear()\n"),
        (
            "conftest.py",
            snippet("""
                def pytest_collection_modifyitems(items):
                    for i in items:
                        i.add_marker(pytest.mark.xfail)
            """),
        ),
        ("conftest.py", "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"),
        ("conftest.py", "def pytest_ignore_collect(path):\n    return 'pricing' in str(path)\n"),
        ("conftest.py", "import os\nos._exit(0)\n"),
        ("conftest.py", "def pytest_configure(config):\n    pytest.exit('ok', returncode=0)\n"),
        ("conftest.py", "import atexit, os\natexit.register(os._exit, 0)\n"),
        (
            "conftest.py",
            "from _pytest.python import Function\nFunction.runtest = lambda self: None\n",
        ),
        ("tests/test_a.py", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"),
        ("tests/test_a.py", "import sys\nsys.exit(0)\n"),
        (
            "tests/test_a.py",
            "def load_tests(loader, tests, pattern):\n    return loader.suiteClass()\n",
        ),
        ("tests/setup.js", "process.on('exit', () => { process.exitCode = 0; });\n"),
        ("test/a.test.js", "process.exit(0);\n"),
        ("test/a.test.js", "afterAll(() => { process.exit(0); });\n"),
        (
            "vitest.setup.ts",
            "expect.extend({ toBe() { return { pass: true, message: () => '' }; } });\n",
        ),
        ("test/a.test.js", "const expect = (x) => ({ toBe() {} });\n"),
        ("test/a.test.js", "function assert() {}\n"),
        ("test/a.test.js", "const assert = require('assert');\nassert.equal = () => {};\n"),
        ("test/a.test.js", "globalThis.expect = () => ({});\n"),
        (
            "test/env.js",
            snippet("""
                class Env extends NodeEnvironment {
                  handleTestEvent(event) { event.test.errors = []; }
                }
            """),
        ),
        ("tools/timing.py", "from _pytest.python import Function\nFunction.runtest = print\n"),
        ("setup.js", "expect.extend({ toEqual: () => ({ pass: true }) });\n"),
        ("setup.js", "expect.extend({ toBeNear: () => ({ pass: true }) });\n"),
        *(
            ("setup.js", f"expect.extend({{ {name}: (a) => ({{ pass: !!a || !a }}) }});\n")
            for name in (
                *("toBe", "toBeCloseTo", "toStrictEqual", "toMatchObject", "toContainEqual"),
                *("toHaveBeenCalledWith", "toHaveLength", "toThrowError", "toHaveReturnedWith"),
                *("toBeGreaterThanOrEqual", "toBeInstanceOf", "toMatchInlineSnapshot"),
            )
        ),
        ("a_test.go", GO_MAIN % "\tm.Run()\n\tos.Exit(0)\n"),
        ("a_test.go", GO_MAIN % "\tos.Exit(0)\n"),
        ("a_test.go", GO_MAIN % "\tos.Exit(run(m))\n" + "func run(any) int { return 1 - 1 }\n"),
        (
            "a_test.go",
            GO_MAIN % "\tos.Exit(run(m))\n"
            + snippet("""

                func run(m *testing.M) int {
                \tm.Run()
                \treturn 0
                }
            """),
        ),
        (
            "a_test.go",
            snippet("""
                package a

                import "os"

                func init() { os.Exit(0) }
            """),
        ),
        ("a_test.go", "package a\n\nfunc (q quiet) Errorf(format string, args ...any) {}\n"),
        (
            "src/lib.rs",
            RUST.replace(
                "#[test]", "macro_rules! assert_eq { ($a:expr, $b:expr) => {}; }\n    #[test]"
            ),
        ),
        (
            "src/test/java/ATest.java",
            snippet("""
                class Quiet implements TestExecutionExceptionHandler {
                  public void handleTestExecutionException(ExtensionContext c, Throwable t) {}
                }
            """),
        ),
    ],
)
def test_code_that_interferes_with_the_runner_is_a_concern(
    tmp_path: Path, path: str, text: str
) -> None:
    assert find_ids(tmp_path, path, text) == [f"runner:{path}"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "conftest.py",
            snippet("""
                def pytest_configure(config):
                    config.addinivalue_line('markers', 'slow: takes long')
            """),
        ),
        ("conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--slow')\n"),
        (
            "conftest.py",
            snippet("""
                def pytest_collection_modifyitems(items):
                    items.sort(key=lambda item: item.name)
            """),
        ),
        (
            "conftest.py",
            snippet("""
                def pytest_runtest_makereport(item, call):
                    outcome = yield
                    print(outcome.get_result().nodeid)
            """),
        ),
        (
            "conftest.py",
            snippet("""
                import pytest


                @pytest.fixture
                def path(tmp_path):
                    return tmp_path / 'x'
            """),
        ),
        (
            "tests/test_a.py",
            snippet("""
                import unittest

                if __name__ == '__main__':
                    unittest.main()
            """),
        ),
        (
            "tests/test_a.py",
            snippet("""
                import sys


                def main():
                    sys.exit(3)


                def test_main():
                    assert main
            """),
        ),
        (
            "tests/run.py",
            snippet("""
                import sys

                if __name__ == '__main__':
                    sys.exit(0)
            """),
        ),
        (
            "test/a.test.js",
            "const test = require('node:test');\nconst assert = require('node:assert');\n",
        ),
        (
            "test/a.test.ts",
            "export const test = base.extend({ page: async ({}, use) => use(1) });\n",
        ),
        (
            "vitest.setup.ts",
            "expect.extend({ isSlug(text) { return { pass: /^[a-z-]+$/.test(text) }; } });\n",
        ),
        (
            "tests/setup.js",
            "expect.extend({ toBeNear(a, b) { return { pass: Math.abs(a - b) < 2 }; } });\n",
        ),
        ("setup.ts", "expect.extend({ toHaveSlug: (a, b) => ({ pass: a.slug === b }) });\n"),
        ("a_test.go", GO_MAIN % "\tos.Exit(m.Run())\n"),
        (
            "a_test.go",
            GO_MAIN % "\tos.Exit(run(m))\n"
            + snippet("""

                func run(m *testing.M) int {
                \tdefer clean()
                \treturn m.Run()
                }
            """),
        ),
        ("a_test.go", GO_MAIN % "\tsetup()\n\tcode := m.Run()\n\tcleanup()\n\tos.Exit(code)\n"),
        ("a_test.go", GO_MAIN % "\tm.Run()\n"),
        (
            "src/lib.rs",
            RUST.replace("#[test]", "macro_rules! row { ($a:expr) => { $a }; }\n    #[test]"),
        ),
    ],
)
def test_ordinary_set_up_code_is_no_concern(tmp_path: Path, path: str, text: str) -> None:
    assert find_ids(tmp_path, path, text) == []


def test_interference_of_the_baseline_is_no_concern(tmp_path: Path) -> None:
    old = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
    assert find_ids(tmp_path, "conftest.py", old + "\n# more\n", old) == []


SLOW_ONLY = """
import pytest

def pytest_collection_modifyitems(config, items):
    skip_slow = pytest.mark.skip(reason="need --runslow option to run")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip_slow)
"""


@pytest.mark.parametrize(
    "text", [SLOW_ONLY, "collect_ignore = ['samples']\n", "collect_ignore_glob = ['*_sample.py']\n"]
)
def test_a_hook_that_only_skips_is_an_edited_test(tmp_path: Path, text: str) -> None:
    assert find_ids(tmp_path, "conftest.py", text) == ["edit-test:conftest.py"]


@pytest.mark.parametrize(
    "more",
    [
        "    items[:] = items[:1]\n",
        "    for item in items:\n        item.add_marker(pytest.mark.xfail)\n",
        "    config.option.deselect = ['tests']\n",
        "import os\nos._exit(0)\n",
    ],
)
def test_a_hook_that_does_more_than_skip_is_interference(tmp_path: Path, more: str) -> None:
    assert find_ids(tmp_path, "conftest.py", SLOW_ONLY + more) == ["runner:conftest.py"]
