"""Which tests a change affects, and how each runner is told to run only these."""

import sys
from pathlib import Path

import pytest

from snippets import snippet
from tools import on_machine, tool
from untildone.checks.affected_tests import (
    ProjectFiles,
    Suspects,
    gather_suspects,
    select_affected_tests,
)
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckOutcome, CheckResult, Finding, Tests
from untildone.core.contract import Check

PYTHON = ("shop/cart.py", "shop/price.py", "tests/test_cart.py", "tests/test_price.py")
NODE = ("cart.js", "price.js", "cart.test.js", "price.test.js", "src/deep/fee.test.ts")
GO = ("go.mod", "cart/cart.go", "cart/cart_test.go", "price/price_test.go")


def select(
    command: str, paths: tuple[str, ...], suspects: Suspects, root: Path = Path(), cwd: str = ""
) -> str | None:
    check = Check(name="test", command=command, cwd=cwd)
    found = select_affected_tests(check, suspects, ProjectFiles(root, paths))
    return found.check.command if found else None


def changed(*paths: str) -> Suspects:
    return Suspects(changed=frozenset(paths))


@pytest.mark.parametrize(
    ("command", "paths", "suspects", "expected"),
    [
        pytest.param(
            "pytest -q",
            PYTHON,
            changed("tests/test_cart.py"),
            "pytest -q tests/test_cart.py",
            id="a changed test",
        ),
        pytest.param(
            "python -m pytest tests",
            PYTHON,
            changed("shop/cart.py"),
            "python -m pytest tests/test_cart.py",
            id="the test of a changed file",
        ),
        pytest.param(
            "uv run pytest --maxfail 2 tests",
            PYTHON,
            Suspects(failed=frozenset(("tests/test_price.py::test_it",))),
            "uv run pytest --maxfail 2 tests/test_price.py",
            id="a test that failed before",
        ),
        pytest.param(
            "pytest",
            (*PYTHON, "extra/test_cart.py"),
            Suspects(
                changed=frozenset(("shop/cart.py",)),
                known=frozenset(("tests/test_cart.py::t", "tests/test_price.py::t")),
            ),
            "pytest tests/test_cart.py",
            id="a file that the whole run leaves out",
        ),
        pytest.param(
            "node --test", NODE, changed("cart.js"), "node --test cart.test.js", id="node"
        ),
        pytest.param(
            "node --import tsx --test 'src/**/*.test.ts' price.test.js",
            NODE,
            changed("src/deep/fee.ts"),
            "node --import tsx --test src/deep/fee.test.ts",
            id="node with patterns",
        ),
        pytest.param(
            "npx vitest run --coverage",
            NODE,
            changed("price.js"),
            "npx vitest run --coverage price.test.js",
            id="vitest",
        ),
        pytest.param(
            "jest --ci",
            NODE,
            changed("price.js"),
            "jest --ci --findRelatedTests price.js price.test.js",
            id="jest",
        ),
        pytest.param(
            "go test -race ./...", GO, changed("cart/cart.go"), "go test -race ./cart", id="go"
        ),
        pytest.param(
            "go test ./...",
            GO,
            Suspects(failed=frozenset(("shop/price::TestFee",))),
            "go test ./price",
            id="go, a test that failed before",
        ),
        pytest.param(
            "cargo test --workspace",
            ("src/lib.rs",),
            Suspects(failed=frozenset(("tests::adds", "src/lib.rs - add (line 3)"))),
            "cargo test --workspace -- tests::adds",
            id="cargo",
        ),
    ],
)
def test_the_affected_tests_run_alone(
    command: str, paths: tuple[str, ...], suspects: Suspects, expected: str
) -> None:
    assert select(command, paths, suspects) == expected


@pytest.mark.parametrize(
    "command",
    [
        "make test",
        "pytest | tee log",
        "pytest && true",
        "pytest tests > log",
        "pytest -k $NAME",
        "FLAGS='a b' pytest",
        "pytest tests/test_price.py",
        "pytest nowhere",
        "python -m unittest",
        "node script.js",
        "vitest bench",
        "jest cart",
        "go vet ./...",
        "go test ./cart",
        "cargo build",
        "cargo test adds",
        "npm test",
        "",
    ],
)
def test_a_command_that_is_not_plain_runs_as_a_whole(command: str) -> None:
    suspects = changed("shop/cart.py", "cart.js", "cart/cart.go", "src/lib.rs")

    assert select(command, (*PYTHON, *NODE, *GO, "src/lib.rs"), suspects) is None


@pytest.mark.parametrize(
    ("paths", "suspects"),
    [
        pytest.param(PYTHON, changed("README.md"), id="no test is affected"),
        pytest.param(PYTHON, changed("shop/cart.py", "shop/price.py"), id="every test is"),
        pytest.param(
            tuple(f"test_{number}.py" for number in range(60)),
            changed(*(f"test_{number}.py" for number in range(51))),
            id="too many are",
        ),
    ],
)
def test_without_a_smaller_part_the_check_runs_as_a_whole(
    paths: tuple[str, ...], suspects: Suspects
) -> None:
    assert select("pytest", paths, suspects) is None


def test_files_are_named_as_seen_from_where_the_check_runs() -> None:
    paths = ("api/test_a.py", "api/test_b.py", "test_a.py")

    assert select("pytest", paths, changed("api/a.py"), cwd="api") == "pytest test_a.py"


@pytest.mark.parametrize(
    ("script", "command", "expected"),
    [
        ("vitest run", "npm test", "npm test -- cart.test.js"),
        ("node --test", "pnpm test", "pnpm test cart.test.js"),
        ("node --test *.js", "npm test", None),
        ("tsc && vitest run", "npm test", None),
        ("vitest run", "npm --prefix web test", None),
    ],
)
def test_a_script_that_takes_files_at_its_end_is_given_them(
    tmp_path: Path, script: str, command: str, expected: str | None
) -> None:
    tmp_path.joinpath("package.json").write_text(
        f'{{"scripts": {{"test": "{script}"}}}}', encoding="utf-8"
    )

    assert select(command, NODE, changed("cart.js"), tmp_path) == expected


def test_rust_tests_are_named_as_in_their_file(tmp_path: Path) -> None:
    tmp_path.joinpath("cart.rs").write_text(
        snippet("""
            fn helper() {}
            #[test]
            fn adds() {}
            #[tokio::test(flavor = "multi_thread")]
            #[ignore]
            pub async fn waits() {}
        """),
        encoding="utf-8",
    )

    found = select("cargo test -q", ("cart.rs",), changed("cart.rs"), tmp_path)

    assert found == "cargo test -q -- adds waits"


def test_past_runs_tell_what_failed_before() -> None:
    finding = Finding(
        check="t", path="a.py", line=1, code="E", severity="error", text="t", fingerprint="f"
    )

    def run(outcome: CheckOutcome, *failing: str) -> CheckResult:
        tests = Tests(failing=failing)
        return CheckResult(name="t", command="t", outcome=outcome, tests=tests, findings=(finding,))

    found = gather_suspects(["b.py"], [run("red", "x", "y"), run("flaky", "z")])

    assert found == Suspects(
        changed=frozenset(("b.py",)), failed=frozenset("xy"), flagged=frozenset(("a.py",))
    )


class Shop:
    """A project of two tests, of which the one of `cart` fails."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder, self.paths = folder, tuple(files)
        for name, text in files.items():
            folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
            folder.joinpath(name).write_text(text, encoding="utf-8")

    def run_affected(self, command: str, *paths: str) -> tuple[str, int, int]:
        """Outcome, passed and failed tests after a change of these files."""
        check = Check(name="test", command=command)
        project = ProjectFiles(self.folder, self.paths)
        found = select_affected_tests(check, changed(*paths), project)
        assert found
        (result,) = run_checks([found.check], RunOptions(project=self.folder))
        assert result.tests
        return result.outcome, result.tests.passed, result.tests.failed


def test_a_real_pytest_runs_only_the_affected_tests(tmp_path: Path) -> None:
    shop = Shop(
        tmp_path,
        {
            "cart.py": "",
            "test_cart.py": "def test_a(): assert False\n",
            "test_price.py": "def test_b(): pass\n",
        },
    )

    assert shop.run_affected(f"{sys.executable} -m pytest -q", "cart.py") == ("red", 0, 1)
    assert shop.run_affected(f"{sys.executable} -m pytest", "test_price.py") == ("green", 1, 0)


JAVASCRIPT = {
    "package.json": '{"type": "module", "scripts": {"test": "node --test"}}',
    "cart.js": "export const total = () => 1;\n",
    "price.js": "export const price = () => 1;\n",
}


def javascript(head: str, check: str) -> dict[str, str]:
    body = "import {{ {0} as f }} from './{1}.js';\n{2}\ntest('{1}', () => {{ {3} }});\n"
    return {
        **JAVASCRIPT,
        "cart.test.js": body.format("total", "cart", head, check.format(2)),
        "price.test.js": body.format("price", "price", head, check.format(1)),
    }


@pytest.mark.parametrize("command", ["node --test", "npm test"])
def test_a_real_node_runs_only_the_affected_tests(tmp_path: Path, command: str) -> None:
    on_machine("node")
    head = "import test from 'node:test'; import assert from 'node:assert';"
    shop = Shop(tmp_path, javascript(head, "assert.equal(f(), {0})"))

    assert shop.run_affected(command, "cart.js") == ("red", 0, 1)
    assert shop.run_affected(command, "price.test.js") == ("green", 1, 0)


def test_a_real_vitest_runs_only_the_affected_tests(tmp_path: Path) -> None:
    head = "import { test, expect } from 'vitest';"
    shop = Shop(tmp_path, javascript(head, "expect(f()).toBe({0})"))
    vitest = tool("vitest")
    modules = Path(vitest.strip("'")).resolve()
    packages = next(folder for folder in modules.parents if folder.name == "node_modules")
    (tmp_path / "node_modules").symlink_to(packages)

    assert shop.run_affected(f"{vitest} run", "cart.js") == ("red", 0, 1)
    assert shop.run_affected(f"{vitest} run", "price.test.js") == ("green", 1, 0)


def test_a_real_jest_runs_only_the_affected_tests(tmp_path: Path) -> None:
    body = "const {{ f }} = require('./{0}');\ntest('{0}', () => {{ expect(f()).toBe({1}) }});\n"
    shop = Shop(
        tmp_path,
        {
            "package.json": "{}",
            "cart.js": "exports.f = () => 1;\n",
            "price.js": "exports.f = () => 1;\n",
            # Named after nothing: jest follows what it imports.
            "first.test.js": body.format("cart", 2),
            "second.test.js": body.format("price", 1),
        },
    )
    jest = tool("jest")

    assert shop.run_affected(jest, "cart.js") == ("red", 0, 1)
    assert shop.run_affected(jest, "price.js") == ("green", 1, 0)


def test_a_real_go_runs_only_the_affected_packages(tmp_path: Path) -> None:
    body = 'package {0}\nimport "testing"\nfunc TestIt(t *testing.T) {{ {1} }}\n'
    shop = Shop(
        tmp_path,
        {
            "go.mod": "module shop\n",
            "cart/cart.go": "package cart\n",
            "cart/cart_test.go": body.format("cart", "t.Fatal()"),
            "price/price_test.go": body.format("price", ""),
        },
    )
    go = tool("go")

    assert shop.run_affected(f"{go} test ./...", "cart/cart.go") == ("red", 0, 1)
    assert shop.run_affected(f"{go} test ./...", "price/price_test.go") == ("green", 1, 0)


def test_a_real_cargo_runs_only_the_affected_tests(tmp_path: Path) -> None:
    on_machine("cargo")
    shop = Shop(
        tmp_path,
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "",
            "tests/cart.rs": "#[test]\nfn adds() { assert!(false); }\n",
            "tests/price.rs": "#[test]\nfn costs() {}\n",
        },
    )

    assert shop.run_affected("cargo test --offline", "tests/cart.rs") == ("red", 0, 1)
    assert shop.run_affected("cargo test --offline", "tests/price.rs") == ("green", 1, 0)
