"""A red run on the baseline's tests is traced to what was changed."""

from pathlib import Path

from msgspec.structs import replace

from integrity.trees import compare_projects
from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.integrity.experiments.failure_causes import find_causes, report_sandbox_failures


def red(*failing: str) -> CheckResult:
    return CheckResult(
        name="check",
        command="pytest",
        outcome="red",
        reason="exit code 1",
        output="first\nlast line\n",
        tests=Tests(passed=1, failed=len(failing), failing=failing),
    )


def test_failing_tests_are_named_with_the_file_they_were_changed_in(tmp_path: Path) -> None:
    old = {"tests/test_a.py": "a", "tests/test_b.py": "b", "tests/golden.json": "1", "tox.ini": ""}
    new = {"tests/test_a.py": "x", "tests/test_b.py": "y", "tests/golden.json": "2", "tox.ini": "x"}
    comparison = compare_projects(tmp_path, old, new)

    found = list(find_causes(comparison, sorted(new), [red("tests/test_a.py::test_one")]))

    assert [concern.id.partition("#")[0] for concern in found] == [
        "edit-test:tests/test_a.py:test_one",
        "config:tox.ini",
    ]
    assert found[0].detail == (
        "the code does not pass `test_one` of `tests/test_a.py` as it was in the baseline"
    )


def test_where_no_test_is_named_every_changed_file_is(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path,
        {"tests/golden.json": "1", "tests/test_gone.py": "gone", "ci/check.sh": "a"},
        {"tests/golden.json": "2", "tests/conftest.py": "x", "tests/pytest.ini": ""},
    )
    restored = sorted({*comparison.old, *comparison.new} - {"tests/pytest.ini"})

    found = list(find_causes(comparison, restored, [red()]))

    assert [(concern.id.partition("#")[0], concern.detail) for concern in found] == [
        (
            "edit-test:tests/conftest.py",
            "the checks pass only together with the new `tests/conftest.py`",
        ),
        (
            "edit-expected:tests/golden.json",
            "the code does not pass `tests/golden.json` as it was in the baseline",
        ),
        (
            "remove-test:tests/test_gone.py",
            "`tests/test_gone.py` is gone, and the code does not pass it",
        ),
        (
            "config:ci/check.sh",
            "`ci/check.sh` is gone, and the checks do not pass with it as it was in the baseline",
        ),
    ]


def test_a_new_file_is_named_only_if_a_failing_test_needs_it(tmp_path: Path) -> None:
    old = {"tests/test_a.py": "assert 1"}
    new = {"tests/test_a.py": "import helper", "tests/helper.py": "x", "tests/test_new.py": "y"}
    comparison = compare_projects(tmp_path, old, new)

    found = list(find_causes(comparison, sorted(new), [red("tests/test_a.py::test_one")]))

    assert [concern.id.partition("#")[0] for concern in found] == [
        "edit-test:tests/helper.py",
        "edit-test:tests/test_a.py:test_one",
    ]


def test_tests_are_found_by_module_and_by_title_too(tmp_path: Path) -> None:
    files = ("tests/test_a.py", "src/b.test.ts", "src/lib.rs", "c_test.go")
    comparison = compare_projects(tmp_path, dict.fromkeys(files, "1"), dict.fromkeys(files, "2"))
    failing = ("tests.test_a.Case.test_x", "src/b.test.ts \u203a adds \u203a rows", "lib::tests::z")

    found = list(find_causes(comparison, files, [red(*failing)]))

    assert [concern.id.partition("#")[0] for concern in found] == [
        "edit-test:tests/test_a.py:tests.test_a.Case.test_x",
        "edit-test:src/b.test.ts:adds \u203a rows",
        "edit-test:src/lib.rs:z",
    ]


def test_without_a_change_that_explains_it_the_check_itself_is_named() -> None:
    (concern,) = report_sandbox_failures([red()])

    assert concern.id == "replay:check"
    assert concern.detail == (
        "`check` passes in the project, but not in a clean copy of it: exit code 1:"
        " first | last line"
    )


def test_a_go_test_is_found_by_its_function_and_says_why_it_failed(tmp_path: Path) -> None:
    old = {"a_test.go": "func TestAge(t *testing.T) {}\n", "b_test.go": "func TestFare() {}\n"}
    new = {path: f"{text}// edited\n" for path, text in old.items()}
    finding = Finding(
        check="check",
        path="a_test.go",
        line=1,
        code="TestAge",
        severity="error",
        text="expected error for: 01.1.1",
        fingerprint="1",
    )
    failing = ("example.com/a::TestAge", "example.com/a::TestAge/zero")
    failed = replace(red(*failing), findings=(finding,))

    (found,) = find_causes(compare_projects(tmp_path, old, new), sorted(old), [failed])

    assert found.id.partition("#")[0] == "edit-test:a_test.go:TestAge"
    assert found.detail == (
        "the code does not pass `TestAge` of `a_test.go` as it was in the baseline:"
        " expected error for: 01.1.1"
    )
