"""Test files whose baseline version already had the linter findings that make a check red."""

from collections.abc import Iterable, Sequence

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.words import words
from untildone.worktree.contents import Tree

_LINTERS = words("""
    eslint oxlint biome prettier stylelint ruff flake8 pylint black isort mypy pyright golangci-lint
    shellcheck clippy fmt
""")


def find_linted_tests(
    tree: Tree, restored: Sequence[str], red: Sequence[CheckResult], start: Iterable[BaselineResult]
) -> frozenset[str]:
    """Return the files; none if anything but findings of the baseline made the checks red."""
    known = {result.name: {each.fingerprint for each in result.findings} for result in start}
    if not all(_is_red_by_findings(tree, result) for result in red):
        return frozenset()
    found = [(result, each) for result in red for each in result.findings]
    old = all(
        each.path in restored and each.fingerprint in known.get(result.name, ())
        for result, each in found
    )
    return frozenset(each.path for _, each in found) if old else frozenset()


def _is_red_by_findings(tree: Tree, result: CheckResult) -> bool:
    """Say whether a linter's findings made it red, and no failing test did."""
    failed = result.tests is not None and result.tests.failed > 0
    calls = find_deciding_calls(tree, result.command)
    linted = any(_LINTERS.intersection(call[:3]) for call in calls)
    return bool(result.findings) and linted and not failed
