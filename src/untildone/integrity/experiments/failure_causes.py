"""Concerns about files whose change made the checks pass: with the baseline's version they fail.

A sandbox with the current product and the restored (baseline) versions of tests and settings had
failing checks. The restored files, or those of them that failing tests belong to, are the causes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from untildone.core.check_results import CheckResult
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.test_names import names_file
from untildone.core.text import shorten, to_one_line
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.reported_tests import read_messages

_MAX_TESTS_PER_FILE = 20
_SHOWN_OUTPUT_LINES = 5
_MAX_MESSAGE = 80
# A test file with another suffix holds what the tests expect.
_CODE_SUFFIXES = (
    *(".py", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".go", ".rs", ".java"),
    *(".kt", ".rb", ".php", ".cs", ".swift", ".c", ".cc", ".cpp", ".h", ".scala", ".sh", ".bats"),
)


def find_causes(
    comparison: Comparison, restored: Sequence[str], red: Sequence[CheckResult]
) -> Iterator[Concern]:
    """Yield a concern for each restored file that may have made the results `red`."""
    failing = [test for result in red if result.tests for test in result.tests.failing]
    # A product file is restored if it has tests inside.
    test_files = [path for path in restored if comparison.role(path) in ("test", "product")]
    files = {test: _find_files(comparison, test, test_files) for test in failing}
    failing_by_file = {
        path: [test for test in failing if path in files[test]] for path in test_files
    }
    is_any_known = any(failing_by_file.values())
    said = read_messages(red)
    causes = [path for path, tests in failing_by_file.items() if tests]
    for path, tests in failing_by_file.items():
        # Where failing tests name their files, other files are no causes, unless these need them.
        if tests or not is_any_known or _is_new_helper(comparison, path, causes):
            yield from _make_test_concerns(
                comparison, path, {test: said.get(test, "") for test in tests}
            )
    for path in restored:
        if path not in failing_by_file:
            reason = _describe_change(comparison, path)
            yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def _is_new_helper(comparison: Comparison, path: str, causes: Sequence[str]) -> bool:
    """Say whether a file of the tests is new, and one of the causes may use it by now."""
    if path in comparison.old:
        return False
    folder, _, name = path.rpartition("/")
    is_shared = name == "conftest.py" or (
        name.endswith(".go") and any(cause.rpartition("/")[0] == folder for cause in causes)
    )
    stem = re.compile(rf"\b{re.escape(PurePosixPath(path).stem)}\b")
    return is_shared or any(stem.search(comparison.new.text(cause)) for cause in causes)


def _find_files(comparison: Comparison, test: str, paths: Sequence[str]) -> list[str]:
    """Return those of the files that a test is in; of a Go test only the function is known."""
    named = [path for path in paths if names_file(test, path)]
    if named:
        return named
    # example.com/semver::TestParse/with_prefix
    name = test.rpartition("::")[2].partition("/")[0]
    function = re.compile(rf"\bfunc {re.escape(name)}\(")
    return [path for path in paths if function.search(comparison.old.text(path))]


def report_sandbox_failures(red: Sequence[CheckResult]) -> Iterator[Concern]:
    """Yield a concern for each check that passes in the project and fails in a clean copy of it."""
    for result in red:
        # Without the rules that a test runner draws around its headings.
        said = (line.strip(" =_-") for line in result.output.splitlines())
        ending = " | ".join(list(filter(None, said))[-_SHOWN_OUTPUT_LINES:])
        summary = f"`{result.name}` passes in the project, but not in a clean copy of it"
        reason = ": ".join(filter(None, (summary, result.reason, ending)))
        yield make_concern(ConcernKind.PASS_TO_PASS, result.name, reason=reason)


def _describe_change(comparison: Comparison, path: str) -> str:
    """Return the reason for a concern about a setting or script, or about a new test file."""
    if path not in comparison.old:
        return f"the checks pass only together with the new `{path}`"
    change = "changed" if path in comparison.new else "gone"
    return f"`{path}` is {change}, and the checks do not pass with it as it was in the baseline"


def _make_test_concerns(
    comparison: Comparison, path: str, failing: Mapping[str, str]
) -> Iterator[Concern]:
    """Yield a concern about the test file, or one for each of its failing tests.

    `failing` is what each test said when it failed.
    """
    if path not in comparison.new and path not in comparison.changes.moved:
        reason = f"`{path}` is gone, and the code does not pass it"
        yield comparison.make_concern(ConcernKind.REMOVE_TEST, path, reason=reason)
        return
    if path not in comparison.old:
        reason = _describe_change(comparison, path)
        yield comparison.make_concern(ConcernKind.EDIT_TEST, path, reason=reason)
        return
    is_code = path.endswith(_CODE_SUFFIXES)
    kind = ConcernKind.EDIT_TEST if is_code else ConcernKind.EDIT_EXPECTED
    # Without the file: runners write `path::name` or `path > name`.
    names = {
        test.rpartition("::")[2].removeprefix(path).lstrip(" \u203a>:"): text
        for test, text in failing.items()
    }
    # A subtest of Go fails its test as well.
    tests = [each for each in names.items() if not _is_subtest(each[0], names)]
    for name, text in tests[:_MAX_TESTS_PER_FILE] or [("", "")]:
        subject = f"`{name}` of `{path}`" if name else f"`{path}`"
        said = f": {shorten(to_one_line(text), _MAX_MESSAGE)}" if text.strip() else ""
        reason = f"the code does not pass {subject} as it was in the baseline{said}"
        yield comparison.make_concern(kind, path, name, reason=reason)


def _is_subtest(name: str, names: Mapping[str, str]) -> bool:
    """Say whether one of the others is the Go test that a subtest, as `TestA/b`, belongs to."""
    test, slash, _ = name.partition("/")
    return bool(slash) and test in names
