"""Product code that looks at the tests instead of doing the task, where the baseline did not."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.python import find_python_signs
from untildone.integrity.sniffing.signs import Sign, find_rule_signs
from untildone.integrity.sniffing.tested_variables import is_tested_variable
from untildone.integrity.sniffing.type_equality import (
    find_ignored_fields,
    find_loosened_type,
    read_compared_fields,
)
from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree

_SHOWN = 3
_TEXT = 80
_ABOUT_EQUALITY = re.compile(r"(?i)\b(equal|compar|toleran|approx|insensitiv|epsilon)")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    yield from _find_new_signs(comparison)
    yield from _find_ignored_fields(comparison)
    yield from _find_loosened_equality(comparison)


def _find_new_signs(comparison: Comparison) -> Iterator[Concern]:
    """Report one concern for each file and kind, with the first signs found there."""
    before = _count_baseline_signs(comparison)
    for path in (*comparison.changes.edited, *comparison.changes.added):
        if comparison.role(path) != "product":
            continue
        new = [
            sign
            for sign in dict.fromkeys(_find_signs(comparison, comparison.new, path))
            if not _take(before, sign) and not is_tested_variable(comparison, sign)
        ]
        for kind in dict.fromkeys(sign.kind for sign in new):
            reason = _describe(path, [sign for sign in new if sign.kind == kind])
            yield _make_concern(comparison, kind, path, reason)


def _find_ignored_fields(comparison: Comparison) -> Iterator[Concern]:
    """Report types that ignore fields in comparisons: tests compare by the type's own equality."""
    before: dict[str, frozenset[str]] = {}
    for path in (*comparison.changes.edited, *comparison.changes.removed):
        before |= comparison.old.fact(read_compared_fields, path)
    for path in (*comparison.changes.edited, *comparison.changes.added) if before else ():
        if comparison.role(path) != "product":
            continue
        found = list(find_ignored_fields(before, comparison.new, path))
        if found:
            shown = ", ".join(f"`{name}` without `{field}`" for name, field in found[:_SHOWN])
            reason = f"`{path}` compares {shown}, which counted in the baseline"
            yield _make_concern(comparison, ConcernKind.ALWAYS_EQUAL, path, reason)


def _find_loosened_equality(comparison: Comparison) -> Iterator[Concern]:
    for path in () if _ABOUT_EQUALITY.search(comparison.task) else comparison.changes.edited:
        is_product = comparison.role(path) == "product"
        if is_product and (name := find_loosened_type(comparison, path)):
            reason = f"`{path}` compares `{name}` roughly, where it was exact in the baseline"
            yield _make_concern(comparison, ConcernKind.ALWAYS_EQUAL, path, reason)


def _make_concern(comparison: Comparison, kind: ConcernKind, path: str, reason: str) -> Concern:
    return make_concern(kind, path, reason=reason, content=comparison.new.entries[path].digest)


def _count_baseline_signs(comparison: Comparison) -> Counter[tuple[str, str]]:
    """Count the signs of changed files: code that only moved to another file is not new."""
    paths = (*comparison.changes.edited, *comparison.changes.removed)
    return Counter(
        sign.key
        for path in paths
        for sign in dict.fromkeys(_find_signs(comparison, comparison.old, path))
    )


def _take(before: Counter[tuple[str, str]], sign: Sign) -> bool:
    before[sign.key] -= 1
    return before[sign.key] >= 0


def _find_signs(comparison: Comparison, tree: Tree, path: str) -> Sequence[Sign]:
    if language_of(path) == "python":
        list_tests = list_baseline_tests if tree is comparison.old else list_all_tests
        return tuple(find_python_signs(tree, path, tests=comparison.fact(list_tests)))
    return tuple(find_rule_signs(tree, path))


def list_baseline_tests(comparison: Comparison) -> frozenset[str]:
    return frozenset(path for path in comparison.old if comparison.role(path) == "test")


def list_all_tests(comparison: Comparison) -> frozenset[str]:
    current = (path for path in comparison.new if comparison.role(path) == "test")
    return comparison.fact(list_baseline_tests).union(current)


def _describe(path: str, found: Sequence[Sign]) -> str:
    parts = []
    for sign in found[:_SHOWN]:
        text = " ".join(sign.text.split())
        shown = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
        parts.append(f"{sign.because} (line {sign.line}: `{shown}`)")
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"`{path}` {'; '.join(parts)}{more}"
