"""Concerns about files whose change made the checks pass: with the baseline's version they fail.

A sandbox with the current product and the restored (baseline) versions of tests and settings had
failing checks. The restored files, or those of them that failing tests belong to, are the causes.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from untildone.core.check_results import CheckResult
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison

_MAX_TESTS_PER_FILE = 20
_SHOWN_OUTPUT_LINES = 5
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
    failing_by_file = {
        path: [test for test in failing if _belongs_to(test, path)] for path in test_files
    }
    is_any_known = any(failing_by_file.values())
    for path, tests in failing_by_file.items():
        # Where failing tests name their files, other files of the baseline are no causes.
        if tests or path not in comparison.old or not is_any_known:
            yield from _make_test_concerns(comparison, path, tests)
    for path in restored:
        if path not in failing_by_file:
            reason = _describe_change(comparison, path)
            yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def report_sandbox_failures(red: Sequence[CheckResult]) -> Iterator[Concern]:
    """Yield a concern for each check that passes in the project and fails in a clean copy of it."""
    for result in red:
        ending = " | ".join(result.output.strip().splitlines()[-_SHOWN_OUTPUT_LINES:])
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
    comparison: Comparison, path: str, failing: Iterable[str]
) -> Iterator[Concern]:
    """Yield a concern about the test file, or one for each of its failing tests."""
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
    names = dict.fromkeys(
        test.rpartition("::")[2].removeprefix(path).lstrip(" \u203a>:") for test in failing
    )
    for name in list(names)[:_MAX_TESTS_PER_FILE] or [""]:
        subject = f"`{name}` of `{path}`" if name else f"`{path}`"
        reason = f"the code does not pass {subject} as it was in the baseline"
        yield comparison.make_concern(kind, path, name, reason=reason)


def _belongs_to(test: str, path: str) -> bool:
    """Say whether the name of a test, as its runner reports it, names the file.

    pytest writes `tests/test_cart.py::test_total`, others `tests.test_cart.test_total` or the class
    `CartTest.total`, which stands in `CartTest.java`.
    """
    file = PurePosixPath(path)
    stem = file.name.partition(".")[0]
    dotted = path.removesuffix(file.suffix).replace("/", ".")
    parts = test.replace("::", ".").replace(" > ", ".").split(".")
    return path in test or dotted in test or stem in parts
