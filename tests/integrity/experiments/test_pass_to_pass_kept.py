"""Which current files a sandbox takes, and which red results of baseline tests prove nothing."""

import json
from pathlib import Path

import pytest

from integrity.trees import compare_projects, tree
from snippets import snippet
from untildone.core.check_results import (
    BaselineFinding,
    BaselineResult,
    CheckResult,
    Finding,
    Tests,
)
from untildone.integrity.experiments.adaptation import adapt_tests
from untildone.integrity.experiments.alternatives import find_linted_tests
from untildone.integrity.experiments.renamed_names import find_renamed_only_tests
from untildone.integrity.experiments.sandbox_files import restore_scripts
from untildone.integrity.tests import expected_files

RESTORED = ("test/a.test.js", "eslint.config.js")


def finding(path: str, mark: str) -> Finding:
    return Finding(
        check="lint", path=path, line=1, code="x", severity="error", text="x", fingerprint=mark
    )


def red(*findings: Finding, failed: int = 0, command: str = "eslint . && jest") -> CheckResult:
    tests = Tests(failed=failed) if failed else None
    return CheckResult(name="lint", command=command, outcome="red", findings=findings, tests=tests)


OLD = finding("test/a.test.js", "old")
START = BaselineResult(name="lint", outcome="red", findings=(BaselineFinding(fingerprint="old"),))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param((red(OLD),), {"test/a.test.js"}, id="a finding of the start"),
        pytest.param((red(OLD, command="npm run check"),), {"test/a.test.js"}, id="by a script"),
        pytest.param((red(OLD, finding("test/a.test.js", "new")),), set(), id="a new one besides"),
        pytest.param((red(OLD, finding("src/a.js", "old")),), set(), id="one of the product"),
        pytest.param((red(OLD, failed=1),), set(), id="a test that fails"),
        pytest.param((red(OLD, command="cargo test -q"),), set(), id="where nothing is linted"),
        pytest.param((red(),), set(), id="no finding"),
        pytest.param(
            (red(OLD), CheckResult(name="test", command="c", outcome="red")),
            set(),
            id="another check that is red",
        ),
    ],
)
def test_tests_that_the_linter_refused_in_the_baseline_prove_nothing(
    tmp_path: Path, given: tuple[CheckResult, ...], expected: set[str]
) -> None:
    files = tree(tmp_path, {"package.json": package(scripts={"check": "cargo clippy -- -D x"})})

    assert find_linted_tests(files, RESTORED, given, (START,)) == expected


def package(**keys: object) -> str:
    return json.dumps(keys)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(
            package(type="module", scripts={"test": "true", "unit": "jest", "pretest": "x"}),
            {"type": "module", "scripts": {"test": "jest", "unit": "jest"}},
            id="scripts of the start, all else of now",
        ),
        pytest.param(package(scripts={}), {"scripts": {"test": "jest"}}, id="no script left"),
        pytest.param(package(jest={"testTimeout": 9e9}, scripts={}), None, id="a looser setting"),
        pytest.param(package(unknown=1, scripts={}), None, id="a setting nobody knows"),
        pytest.param("[]", None, id="no package"),
        pytest.param("{", None, id="nothing to read"),
    ],
)
def test_a_package_is_of_now_but_for_its_scripts(
    tmp_path: Path, new: str, expected: object
) -> None:
    comparison = compare_projects(
        tmp_path, {"package.json": package(scripts={"test": "jest"})}, {"package.json": new}
    )
    merged = restore_scripts(comparison, "package.json")

    assert (json.loads(merged) if merged else None) == expected


def test_only_a_package_of_both_trees_is_put_together(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path, {"a.json": "{}"}, {"a.json": "[]", "package.json": "{}"}
    )

    assert [restore_scripts(comparison, path) for path in ("a.json", "package.json")] == [
        None,
        None,
    ]


TEST = "import { a } from '../src/a';\ntest('a', () => expect(a()).toBe(1));\n"


@pytest.mark.parametrize(
    ("path", "text", "followed"),
    [
        ("src/a.test.ts", TEST.replace("../src/a", "./a"), True),
        ("test/unit/a.test.ts", TEST.replace("../src", "../../src"), True),
        ("src/a.test.ts", TEST.replace("../src/a", "./fake"), False),
        ("src/a.test.ts", TEST.replace("../src/a", "./a").replace("1", "2"), False),
        ("src/a.test.ts", TEST, False),
    ],
)
def test_a_test_that_went_to_another_folder_is_taken_as_it_is_now(
    tmp_path: Path, path: str, text: str, followed: bool
) -> None:
    product = {"src/a.ts": "export const a = () => 1;\n", "src/fake.ts": "export const a = 1;\n"}
    comparison = compare_projects(
        tmp_path, {**product, "test/a.test.ts": TEST}, {**product, path: text}
    )

    assert find_renamed_only_tests(comparison) == ({"test/a.test.ts", path} if followed else set())


GEO = "export const far = (a) => a;\nexport const turn = (a) => a;\n"


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        pytest.param(
            {"src/geo.js": GEO.partition("\n")[0], "lib/angle.js": "export const turn = 1;\n"},
            "import { far } from '../src/geo.js';\nimport { turn as t } from '../lib/angle.js';\n",
            id="one of two went",
        ),
        pytest.param(
            {"src/geo.js": GEO, "lib/angle.js": "export const turn = 1;\n"},
            None,
            id="there is a second one now",
        ),
        pytest.param(
            {"src/geo.js": "", "lib/a.js": GEO, "lib/b.js": GEO}, None, id="nobody knows where to"
        ),
        pytest.param(
            {"src/geo.js": GEO.partition("\n")[0], "test/fake.js": "export const turn = 1;\n"},
            None,
            id="to a place of the tests",
        ),
        pytest.param({"src/geo.js": GEO.partition("\n")[0]}, None, id="it is gone"),
    ],
)
def test_a_test_imports_a_name_from_where_it_went(
    tmp_path: Path, new: dict[str, str], expected: str | None
) -> None:
    test = "import { far, turn as t } from '../src/geo.js';\n"
    comparison = compare_projects(
        tmp_path,
        {"src/geo.js": GEO, "test/geo.test.js": test},
        {"test/geo.test.js": "changed", **new},
    )

    assert adapt_tests(comparison).get("test/geo.test.js") == expected


def test_a_test_of_the_shell_is_what_tests_compare_with(tmp_path: Path) -> None:
    old = {"tests/a.sh": "[ 1 = 1 ]\n", "tests/b.sh": "true\n", "ci/c.sh": "true\n"}
    new = {"tests/a.sh": "true\n", "ci/c.sh": "false\n"}
    comparison = compare_projects(
        tmp_path, old, new, "sh tests/a.sh && sh tests/b.sh && sh ci/c.sh"
    )

    names = [concern.id.partition("#")[0] for concern in expected_files.find_concerns(comparison)]
    assert names == ["edit-expected:tests/a.sh", "edit-expected:tests/b.sh"]


FEE = """\
pub fn fee(c: u64) -> u64 {
    c
}
"""
FEE_TESTS = """
#[cfg(test)]
mod tests {
    #[test]
    fn one() {
        assert_eq!(super::fee(1), 5);
    }
}
"""


@pytest.mark.parametrize(
    ("now", "followed"),
    [
        ((FEE + FEE_TESTS).replace("fee", "charge"), True),
        (FEE.replace("fee", "charge") + FEE_TESTS.replace("fee(1), 5", "charge(1), 1"), False),
        (FEE + "pub fn charge(_: u64) -> u64 { 5 }\n" + FEE_TESTS.replace("fee", "charge"), False),
        (FEE + FEE_TESTS, False),
    ],
)
def test_tests_inside_of_rust_follow_a_name(tmp_path: Path, now: str, *, followed: bool) -> None:
    comparison = compare_projects(
        tmp_path, {"src/lib.rs": FEE + FEE_TESTS}, {"src/lib.rs": now + "// now\n"}
    )

    assert find_renamed_only_tests(comparison) == ({"src/lib.rs"} if followed else set())


@pytest.mark.parametrize(
    ("left", "followed"),
    [({}, True), ({"clamp.go": "package clamp\n\nfunc Clamp() int { return 0 }\n"}, False)],
)
def test_tests_of_go_go_where_all_of_their_package_went(
    tmp_path: Path, left: dict[str, str], *, followed: bool
) -> None:
    test = snippet("""
        package clamp

        import "testing"

        func TestA(t *testing.T) {}
    """)
    old = {"clamp.go": "package clamp\n", "clamp_test.go": test}
    new = {"pkg/clamp/clamp.go": "package clamp\n", "pkg/clamp/clamp_test.go": test, **left}

    comparison = {"clamp_test.go", "pkg/clamp/clamp_test.go"}
    assert find_renamed_only_tests(compare_projects(tmp_path, old, new)) == (
        comparison if followed else set()
    )
