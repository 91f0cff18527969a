"""Suppressions that the current tree has and the baseline had not, per rule and file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, hash_values
from untildone.integrity.suppressions.active_linters import (
    COVERAGE_RULES,
    is_inactive,
    measures_coverage,
    runs_linter,
)
from untildone.integrity.suppressions.annotations import find_weakened_types
from untildone.integrity.suppressions.code_escapes import find_escapes
from untildone.integrity.suppressions.comment_markers import STRICTER, read_markers, read_strictness
from untildone.integrity.suppressions.hidden_files import find_hidden_files
from untildone.integrity.suppressions.type_promises import find_broken_promises
from untildone.syntax.comments import list_comments
from untildone.worktree.contents import Tree

_TYPED = (".ts", ".tsx", ".mts", ".cts")


class Suppression(NamedTuple):
    reach: str
    rule: str
    # The code that it stands at.
    about: str


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    yield from _find_suppressions(comparison)
    for path in comparison.changes.edited:
        yield from _find_relaxed(comparison, path)
    yield from find_weakened_types(comparison)
    yield from find_broken_promises(comparison)
    yield from find_hidden_files(comparison)


def _find_suppressions(comparison: Comparison) -> Iterator[Concern]:
    changes = comparison.changes
    linted = runs_linter(comparison)
    measured = not linted and measures_coverage(comparison)
    gone = Counter(_find_gone(comparison, (*changes.removed, *changes.edited)))
    for path in (*changes.edited, *changes.added):
        if linted or path.endswith(_TYPED):
            yield from _find_added(comparison, path, gone)
        elif measured:
            yield from _find_added(comparison, path, gone, only=COVERAGE_RULES)


def _find_added(
    comparison: Comparison,
    path: str,
    gone: Counter[Suppression],
    *,
    only: frozenset[str] = frozenset(),
) -> Iterator[Concern]:
    old = comparison.old.fact(list_suppressions, path)
    new = comparison.new.fact(list_suppressions, path)
    if path not in comparison.old and comparison.role(path) == "test":
        # The casts of a new test take nothing away; its comments still silence a linter.
        new = tuple(suppression for suppression in new if suppression.reach != "code")
    added = list((Counter(new) - Counter(old)).elements())
    for (reach, rule), number in (_count_rules(new) - _count_rules(old)).items():
        if (only and rule not in only) or is_inactive(comparison, reach, rule):
            continue
        same_rule = [suppression for suppression in added if suppression[:2] == (reach, rule)]
        left = [suppression for suppression in same_rule if not _was_there(suppression, gone)][
            :number
        ]
        if left:
            reason = f"`{path}` silences `{rule}` {len(left)} more time{'s' * (len(left) > 1)}"
            yield make_concern(
                ConcernKind.SUPPRESSION, path, rule, reason=reason, content=hash_values(left)
            )


def _was_there(suppression: Suppression, gone: Counter[Suppression]) -> bool:
    """Say whether it moved here with its code, or replaces a wider one at the same code."""
    if gone[suppression] > 0:
        gone[suppression] -= 1
        return True
    name = suppression.reach.partition(" ")[2]
    wider = STRICTER.get(name, name)
    reach = suppression.reach.replace(name, wider) if name else suppression.reach
    # Each rule that a wider suppression covered may be named once.
    narrowed = suppression._replace(rule=f"{wider}: {suppression.rule}")
    gone[narrowed] += 1
    return gone[narrowed] <= gone[Suppression(reach, wider, suppression.about)]


def _find_gone(comparison: Comparison, paths: Iterable[str]) -> Iterator[Suppression]:
    for path in paths:
        old = Counter(comparison.old.fact(list_suppressions, path))
        yield from (old - Counter(comparison.new.fact(list_suppressions, path))).elements()


def list_suppressions(tree: Tree, path: str) -> tuple[Suppression, ...]:
    """Return what silences a checker in comments and in code. Use as a tree's fact."""
    comments = tree.fact(list_comments, path)
    escapes = tree.fact(find_escapes, path)
    return (
        *(
            Suppression(*mark, comment.about)
            for comment in comments
            for mark in read_markers(comment.text)
        ),
        *(
            Suppression("code", escape.rule, escape.about)
            for escape in escapes
            if not escape.is_strict
        ),
    )


def list_strict_demands(tree: Tree, path: str) -> tuple[str, ...]:
    """Return what the file asks of a checker beyond its settings. Use as a tree's fact."""
    comments = tree.fact(list_comments, path)
    escapes = tree.fact(find_escapes, path)
    demands = (demand for comment in comments if (demand := read_strictness(comment.text)))
    return (*demands, *(escape.rule for escape in escapes if escape.is_strict))


def _count_rules(suppressions: Iterable[Suppression]) -> Counter[tuple[str, str]]:
    return Counter((suppression.reach, suppression.rule) for suppression in suppressions)


def _find_relaxed(comparison: Comparison, path: str) -> Iterator[Concern]:
    """Report what a file asked of a checker beyond its settings, and no longer asks."""
    old = Counter(comparison.old.fact(list_strict_demands, path))
    new = Counter(comparison.new.fact(list_strict_demands, path))
    for demand in old - new:
        reason = f"`{path}` no longer asks for `{demand}`"
        content = hash_values(sorted(new))
        yield make_concern(ConcernKind.SUPPRESSION, path, demand, reason=reason, content=content)
