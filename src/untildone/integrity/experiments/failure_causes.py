"""Concerns about the files that make a run with the baseline's tests fail."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from untildone.core.check_results import CheckResult
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison

_MOST_TESTS = 20
_LAST_LINES = 5
# Other files of a test folder hold what the tests expect.
_CODE = (
    *(".py", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".go", ".rs", ".java"),
    *(".kt", ".rb", ".php", ".cs", ".swift", ".c", ".cc", ".cpp", ".h", ".scala", ".sh", ".bats"),
)


def find_causes(
    comparison: Comparison, restored: Sequence[str], red: Sequence[CheckResult]
) -> Iterator[Concern]:
    """`restored` are the files whose baseline version makes the checks red."""
    failing = [test for result in red if result.tests for test in result.tests.failing]
    tests = [path for path in restored if comparison.role(path) in ("test", "product")]
    named = {path: [test for test in failing if _belongs_to(test, path)] for path in tests}
    for path in tests:
        if named[path] or path not in comparison.old or not any(named.values()):
            yield from _blame_test_file(comparison, path, named[path])
    for path in restored:
        if path not in tests:
            reason = _describe_change(comparison, path)
            yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def _describe_change(comparison: Comparison, path: str) -> str:
    if path not in comparison.old:
        return f"the checks pass only together with the new `{path}`"
    what = "changed" if path in comparison.new else "gone"
    return f"`{path}` is {what}, and the checks do not pass with it as it was in the baseline"


def report_sandbox_failures(red: Sequence[CheckResult]) -> Iterator[Concern]:
    """Report checks that pass in the project only, though no test or setting changed."""
    for result in red:
        ending = " | ".join(result.output.strip().splitlines()[-_LAST_LINES:])
        because = f"`{result.name}` passes in the project, but not in a clean copy of it"
        reason = ": ".join(filter(None, (because, result.reason, ending)))
        yield make_concern(ConcernKind.PASS_TO_PASS, result.name, reason=reason)


def _blame_test_file(
    comparison: Comparison, path: str, failing: Iterable[str]
) -> Iterator[Concern]:
    if path not in comparison.new and path not in comparison.changes.moved:
        reason = f"`{path}` is gone, and the code does not pass it"
        yield comparison.make_concern(ConcernKind.REMOVE_TEST, path, reason=reason)
        return
    if path not in comparison.old:
        reason = f"the checks pass only together with the new `{path}`"
        yield comparison.make_concern(ConcernKind.EDIT_TEST, path, reason=reason)
        return
    kind = ConcernKind.EDIT_TEST if path.endswith(_CODE) else ConcernKind.EDIT_EXPECTED
    # Runners write `path::name` or `path > name`.
    names = [test.rpartition("::")[2].removeprefix(path).lstrip(" \u203a>:") for test in failing]
    for name in list(dict.fromkeys(names))[:_MOST_TESTS] or [""]:
        what = f"`{name}` of `{path}`" if name else f"`{path}`"
        reason = f"the code does not pass {what} as it was in the baseline"
        yield comparison.make_concern(kind, path, name, reason=reason)


def _belongs_to(test: str, path: str) -> bool:
    """pytest names the file; other runners name its module or class."""
    stem, ending = PurePosixPath(path).name.partition(".")[0], PurePosixPath(path).suffix
    dotted = path.removesuffix(ending).replace("/", ".")
    parts = test.replace("::", ".").replace(" > ", ".").split(".")
    return path in test or dotted in test or stem in parts
