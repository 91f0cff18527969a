"""Suppressions that the current tree has and the baseline had not, per rule and file.

`total = count(x)  # type: ignore[arg-type]` where the baseline has no such comment is reported as
"`a.py` silences `arg-type` 1 more time".
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, hash_values
from untildone.integrity.suppressions.active_linters import is_inactive, is_read, select_read
from untildone.integrity.suppressions.annotations import find_weakened_types
from untildone.integrity.suppressions.code_escapes import find_escapes
from untildone.integrity.suppressions.comment_markers import (
    LAXER_MARKERS,
    may_hold_markers,
    read_markers,
    read_strictness,
)
from untildone.integrity.suppressions.hidden_files import find_hidden_files
from untildone.integrity.suppressions.type_promises import find_broken_promises
from untildone.syntax.comments import Comment, list_comments
from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree


class Suppression(NamedTuple):
    # The reach and marker of a comment, as `line noqa`; `code` for a cast and the like.
    reach: str
    rule: str
    # The code that it stands at.
    about: str


class _Addition(NamedTuple):
    """Suppressions of one rule that a file has more of than in the baseline."""

    path: str
    reach: str
    rule: str
    added: tuple[Suppression, ...]


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield what silences checkers now: comments, casts, lost types, moves out of their sight."""
    for path, reach, rule, added in _list_additions(comparison):
        if is_read(comparison, path, reach):
            times = f"{len(added)} more time{'s' * (len(added) > 1)}"
            reason = f"`{path}` silences `{rule}` {times}"
            content = hash_values(list(added))
            yield make_concern(ConcernKind.SUPPRESSION, path, rule, reason=reason, content=content)
    for path in select_read(comparison, comparison.changes.edited):
        yield from _find_dropped_demands(comparison, path)
    yield from find_weakened_types(comparison)
    yield from find_broken_promises(comparison)
    yield from find_hidden_files(comparison)


def find_unread_rules(comparison: Comparison) -> tuple[str, ...]:
    """Return the rules that new comments silence although no check runs a tool that reads them."""
    rules = {
        rule
        for path, reach, rule, _ in _list_additions(comparison)
        if reach != "code" and not is_read(comparison, path, reach)
    }
    return tuple(sorted(rules))


def _list_additions(comparison: Comparison) -> Iterator[_Addition]:
    """Yield the suppressions of rules that are on, whether a check reads them or not."""
    changes = comparison.changes
    removed = Counter(
        suppression
        for path in (*changes.removed, *changes.edited)
        for suppression in _subtract(comparison.old, comparison.new, path).elements()
    )
    for path in (*changes.edited, *changes.added):
        yield from _find_added(comparison, path, removed)


def _subtract(tree: Tree, other: Tree, path: str) -> Counter[Suppression]:
    """Return the suppressions that the file has in `tree` and not in `other`."""
    found = Counter(tree.fact(list_suppressions, path))
    return found - Counter(other.fact(list_suppressions, path))


def _find_added(
    comparison: Comparison, path: str, removed: Counter[Suppression]
) -> Iterator[_Addition]:
    """Yield the rules that the file silences more often.

    `removed` are suppressions that the baseline had, here or elsewhere: each excuses a new one.
    """
    new_suppressions = comparison.new.fact(list_suppressions, path)
    added = _subtract(comparison.new, comparison.old, path)
    if path not in comparison.old and comparison.role(path) == "test":
        # The casts of a new test take nothing away; its comments still silence a linter.
        new_suppressions = tuple(found for found in new_suppressions if found.reach != "code")
    increase = _count_rules(new_suppressions) - _count_rules(
        comparison.old.fact(list_suppressions, path)
    )
    # Where only the code at a suppression was edited, it is in `added`, but there is no increase.
    for (reach, rule), number in increase.items():
        if is_inactive(comparison, reach, rule):
            continue
        same_rule = (found for found in added.elements() if found[:2] == (reach, rule))
        fresh = [found for found in same_rule if not _is_moved_or_narrowed(found, removed)]
        if fresh:
            yield _Addition(path, reach, rule, tuple(fresh[:number]))


def _is_moved_or_narrowed(suppression: Suppression, removed: Counter[Suppression]) -> bool:
    """Say whether it moved here with its code, or replaces a wider one at the same code.

    `# noqa: F401` in place of `# noqa` is narrower, and `@ts-expect-error` in place of
    `@ts-ignore`. What is found in `removed` is used up.
    """
    if removed[suppression] > 0:
        removed[suppression] -= 1
        return True
    # A suppression of all rules has its marker as rule: `line noqa` with the rule `noqa`.
    marker = suppression.reach.partition(" ")[2]
    wider = LAXER_MARKERS.get(marker, marker)
    reach = suppression.reach.replace(marker, wider) if marker else suppression.reach
    # Each rule that a wider suppression covered may be named once.
    narrowed = suppression._replace(rule=f"{wider}: {suppression.rule}")
    removed[narrowed] += 1
    return removed[narrowed] <= removed[Suppression(reach, wider, suppression.about)]


def _count_rules(suppressions: Iterable[Suppression]) -> Counter[tuple[str, str]]:
    return Counter((suppression.reach, suppression.rule) for suppression in suppressions)


def list_suppressions(tree: Tree, path: str) -> tuple[Suppression, ...]:
    """Return what silences a checker in comments and in code. Use as a tree's fact."""
    in_comments = (
        Suppression(*marker, comment.about)
        for comment in _list_comments(tree, path)
        for marker in read_markers(comment.text)
    )
    escapes = tree.fact(find_escapes, path)
    in_code = (
        Suppression("code", found.rule, found.about) for found in escapes if not found.is_strict
    )
    return (*in_comments, *in_code)


def _list_comments(tree: Tree, path: str) -> tuple[Comment, ...]:
    """Return the comments; none of Python code that has no marker at all."""
    text = tree.text(path)
    if language_of(path, text) == "python" and not may_hold_markers(text):
        return ()
    return tree.fact(list_comments, path)


def list_strict_demands(tree: Tree, path: str) -> tuple[str, ...]:
    """Return what the file asks of a checker beyond its settings, as `@ts-check` does.

    Use as a tree's fact.
    """
    comments = _list_comments(tree, path)
    escapes = tree.fact(find_escapes, path)
    demands = (demand for comment in comments if (demand := read_strictness(comment.text)))
    return (*demands, *(escape.rule for escape in escapes if escape.is_strict))


def _find_dropped_demands(comparison: Comparison, path: str) -> Iterator[Concern]:
    """Report what a file asked of a checker beyond its settings, and no longer asks."""
    old = Counter(comparison.old.fact(list_strict_demands, path))
    new = Counter(comparison.new.fact(list_strict_demands, path))
    for demand in old - new:
        reason = f"`{path}` no longer asks for `{demand}`"
        content = hash_values(sorted(new))
        yield make_concern(ConcernKind.SUPPRESSION, path, demand, reason=reason, content=content)
