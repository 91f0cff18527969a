"""Product code that looks at the tests instead of doing the task, where the baseline did not."""

from collections import Counter
from collections.abc import Iterator, Sequence

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
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

_MAX_SHOWN = 3
_MAX_CODE_SHOWN = 80
# A task that asks for another equality may change it.
_ABOUT_EQUALITY = compile_late(r"(?i)\b(equal|compar|toleran|approx|insensitiv|epsilon)")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield new signs in product code, and equality that is looser than in the baseline."""
    yield from _find_new_signs(comparison)
    yield from _find_ignored_fields(comparison)
    yield from _find_loosened_equality(comparison)


def _find_new_signs(comparison: Comparison) -> Iterator[Concern]:
    """Report one concern for each file and kind, with the first signs found there."""
    signs = {
        path: dict.fromkeys(_find_signs(comparison, comparison.new, path))
        for path in (*comparison.changes.edited, *comparison.changes.added)
        if comparison.role(path) == "product"
    }
    # Most changed files have none: then the baseline's files need not be read.
    any_found = any(signs.values())
    old_signs = _count_old_signs(comparison) if any_found else Counter[tuple[str, str]]()
    for path, found in signs.items():
        new = [
            sign
            for sign in found
            if not _take(old_signs, sign) and not is_tested_variable(comparison, sign)
        ]
        for kind in dict.fromkeys(sign.kind for sign in new):
            reason = _describe(path, [sign for sign in new if sign.kind == kind])
            yield _make_concern(comparison, kind, path, reason)


def _find_ignored_fields(comparison: Comparison) -> Iterator[Concern]:
    """Report types that ignore fields which they compared in the baseline."""
    compared: dict[str, frozenset[str]] = {}
    for path in (*comparison.changes.edited, *comparison.changes.removed):
        compared |= comparison.old.fact(read_compared_fields, path)
    for path in (*comparison.changes.edited, *comparison.changes.added) if compared else ():
        if comparison.role(path) != "product":
            continue
        found = list(find_ignored_fields(compared, comparison.new, path))
        if found:
            shown = ", ".join(f"`{name}` without `{field}`" for name, field in found[:_MAX_SHOWN])
            reason = f"`{path}` compares {shown}, which counted in the baseline"
            yield _make_concern(comparison, ConcernKind.ALWAYS_EQUAL, path, reason)


def _find_loosened_equality(comparison: Comparison) -> Iterator[Concern]:
    """Report types whose equality became loose, unless the task is about that."""
    for path in () if _ABOUT_EQUALITY.search(comparison.task) else comparison.changes.edited:
        is_product = comparison.role(path) == "product"
        if is_product and (name := find_loosened_type(comparison, path)):
            reason = f"`{path}` compares `{name}` roughly, where it was exact in the baseline"
            yield _make_concern(comparison, ConcernKind.ALWAYS_EQUAL, path, reason)


def _make_concern(comparison: Comparison, kind: ConcernKind, path: str, reason: str) -> Concern:
    return make_concern(kind, path, reason=reason, content=comparison.new.entries[path].digest)


def _count_old_signs(comparison: Comparison) -> Counter[tuple[str, str]]:
    """Count the baseline's signs by key: code that only moved to another file is not new."""
    paths = (*comparison.changes.edited, *comparison.changes.removed)
    return Counter(
        sign.key
        for path in paths
        for sign in dict.fromkeys(_find_signs(comparison, comparison.old, path))
    )


def _take(old_signs: Counter[tuple[str, str]], sign: Sign) -> bool:
    """Say whether the baseline has the sign; each of its signs is taken once."""
    old_signs[sign.key] -= 1
    return old_signs[sign.key] >= 0


def _find_signs(comparison: Comparison, tree: Tree, path: str) -> Sequence[Sign]:
    """Return the signs of a file in one of the two trees."""
    if language_of(path) == "python":
        list_tests = list_baseline_tests if tree is comparison.old else list_all_tests
        return tuple(find_python_signs(tree, path, tests=comparison.fact(list_tests)))
    return tuple(find_rule_signs(tree, path))


def list_baseline_tests(comparison: Comparison) -> frozenset[str]:
    """Return the paths of the baseline's tests. Use as a comparison's fact."""
    return frozenset(path for path in comparison.old if comparison.role(path) == "test")


def list_all_tests(comparison: Comparison) -> frozenset[str]:
    """Return the paths of the tests of both trees. Use as a comparison's fact."""
    current = (path for path in comparison.new if comparison.role(path) == "test")
    return comparison.fact(list_baseline_tests).union(current)


def _describe(path: str, signs: Sequence[Sign]) -> str:
    """Return the reason of a concern: what the code at each sign does, with its line."""
    parts = []
    for sign in signs[:_MAX_SHOWN]:
        text = " ".join(sign.text.split())
        code = text if len(text) <= _MAX_CODE_SHOWN else f"{text[:_MAX_CODE_SHOWN]}…"
        parts.append(f"{sign.because} (line {sign.line}: `{code}`)")
    more = f", and {len(signs) - _MAX_SHOWN} more" if len(signs) > _MAX_SHOWN else ""
    return f"`{path}` {'; '.join(parts)}{more}"
