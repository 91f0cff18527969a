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


def blame_files(
    comparison: Comparison, restored: Sequence[str], red: Sequence[CheckResult]
) -> Iterator[Concern]:
    """`restored` are the files whose baseline version makes the checks red."""
    failing = [test for result in red if result.tests for test in result.tests.failing]
    tests = [path for path in restored if comparison.role(path) in ("test", "product")]
    named = {path: [test for test in failing if _belongs_to(test, path)] for path in tests}
    others = [path for path in restored if path not in tests]
    if any(named.values()):
        tests = [path for path in tests if named[path] or path not in comparison.old]
    for path in tests:
        yield from _blame_test_file(comparison, path, named[path])
    for path in others:
        yield make_concern(
            ConcernKind.CONFIG,
            path,
            reason=_describe_change(comparison, path),
            content=_read_digest(comparison, path),
        )


def report_unexplained(red: Sequence[CheckResult]) -> Iterator[Concern]:
    """Report checks that pass in the project only, though no test or setting changed."""
    for result in red:
        ending = " | ".join(result.output.strip().splitlines()[-_LAST_LINES:])
        because = f"`{result.name}` passes in the project, but not in a clean copy of it"
        reason = ": ".join(filter(None, (because, result.reason, ending)))
        yield make_concern(ConcernKind.PASS_TO_PASS, result.name, reason=reason)


def _blame_test_file(
    comparison: Comparison, path: str, failing: Iterable[str]
) -> Iterator[Concern]:
    content = _read_digest(comparison, path)
    if path not in comparison.new and path not in comparison.changes.moved:
        because = f"`{path}` is gone, and the code does not pass it"
        yield make_concern(ConcernKind.REMOVE_TEST, path, reason=because)
        return
    if path not in comparison.old:
        because = f"the checks pass only together with the new `{path}`"
        yield make_concern(ConcernKind.EDIT_TEST, path, reason=because, content=content)
        return
    kind = ConcernKind.EDIT_TEST if path.endswith(_CODE) else ConcernKind.EDIT_EXPECTED
    names = list(dict.fromkeys(_strip_path(test, path) for test in failing))[:_MOST_TESTS]
    for name in names or [""]:
        what = f"`{name}` of `{path}`" if name else f"`{path}`"
        because = f"the code does not pass {what} as it was in the baseline"
        yield make_concern(kind, path, name, reason=because, content=content)


def _strip_path(test: str, path: str) -> str:
    return test.rpartition("::")[2].removeprefix(path).lstrip(" \u203a>:")


def _belongs_to(test: str, path: str) -> bool:
    """pytest names the file; other runners name its module or class."""
    if test.startswith(f"{path}::") or path in test:
        return True
    stem = PurePosixPath(path).name.partition(".")[0]
    dotted = path.removesuffix(PurePosixPath(path).suffix).replace("/", ".")
    return dotted in test or stem in test.replace("::", ".").replace(" > ", ".").split(".")


def _describe_change(comparison: Comparison, path: str) -> str:
    if path not in comparison.old:
        return f"the checks pass only together with the new `{path}`"
    what = "changed" if path in comparison.new else "gone"
    return f"`{path}` is {what}, and the checks do not pass with it as it was in the baseline"


def _read_digest(comparison: Comparison, path: str) -> str:
    entry = comparison.new.entries.get(path)
    return entry.digest if entry else ""
