"""Product code that turns to the tests instead of the task: newly there against the start."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.compared import COMPARED, derived, left_out
from untildone.integrity.sniffing.demanded import demanded
from untildone.integrity.sniffing.nearness import SPOKEN, loosened
from untildone.integrity.sniffing.python import signs as signs_of_python
from untildone.integrity.sniffing.rules import LANGUAGES
from untildone.integrity.sniffing.rules import signs as signs_by_rules
from untildone.integrity.sniffing.sign import Sign
from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree

_SHOWN = 3
_TEXT = 80
_ABOUT_EQUALITY = re.compile(r"(?i)\b(equal|compar|toleran|approx|insensitiv|epsilon)")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """One for each file and kind, with the first of what was found there."""
    touched = (*comparison.changes.edited, *comparison.changes.added)
    before = _signs_before(comparison)
    tests = frozenset(
        path for path in (*comparison.old, *comparison.new) if comparison.role(path) == "test"
    )
    for path in touched:
        if comparison.role(path) != "product":
            continue
        found = dict.fromkeys(_signs(comparison.new, path, tests))
        fresh = [
            each for each in found if not _known(before, each) and not demanded(comparison, each)
        ]
        for kind in dict.fromkeys(sign.kind for sign in fresh):
            told = _told(path, [sign for sign in fresh if sign.kind == kind])
            yield make_concern(kind, path, reason=told, content=comparison.new.entries[path].digest)
    yield from _compares_less(comparison)
    yield from _compares_roughly(comparison)


def _compares_less(comparison: Comparison) -> Iterator[Concern]:
    """What tests compare is judged by the type itself: it must not look away."""
    before: dict[str, frozenset[str]] = {}
    for path in (*comparison.changes.edited, *comparison.changes.removed):
        if language_of(path) in COMPARED:
            before |= derived(comparison.old.text(path), language_of(path))
    for path in (*comparison.changes.edited, *comparison.changes.added) if before else ():
        if language_of(path) not in COMPARED or comparison.role(path) != "product":
            continue
        found = list(left_out(before, comparison.new.text(path), language_of(path)))
        if found:
            told = ", ".join(f"`{name}` without `{field}`" for name, field in found[:_SHOWN])
            because = f"`{path}` compares {told}, which counted at the start"
            yield make_concern(
                ConcernKind.ALWAYS_EQUAL,
                path,
                reason=because,
                content=comparison.new.entries[path].digest,
            )


def _compares_roughly(comparison: Comparison) -> Iterator[Concern]:
    for path in () if _ABOUT_EQUALITY.search(comparison.task) else comparison.changes.edited:
        spoken = language_of(path)
        if spoken not in SPOKEN or comparison.role(path) != "product":
            continue
        name = loosened(comparison.old.text(path), comparison.new.text(path), spoken)
        if name:
            because = f"`{path}` compares `{name}` roughly, where it was exact at the start"
            yield make_concern(
                ConcernKind.ALWAYS_EQUAL,
                path,
                reason=because,
                content=comparison.new.entries[path].digest,
            )


def _signs_before(comparison: Comparison) -> Counter[tuple[str, str]]:
    """Code that only moved from one file to another was there before."""
    places = (*comparison.changes.edited, *comparison.changes.removed)
    tests = frozenset(path for path in comparison.old if comparison.role(path) == "test")
    return Counter(
        sign.key for path in places for sign in dict.fromkeys(_signs(comparison.old, path, tests))
    )


def _known(before: Counter[tuple[str, str]], sign: Sign) -> bool:
    before[sign.key] -= 1
    return before[sign.key] >= 0


def _signs(tree: Tree, path: str, tests: frozenset[str]) -> Sequence[Sign]:
    text = tree.text(path)
    spoken = language_of(path)
    if spoken == "python":
        return tuple(signs_of_python(text, path=path, tests=tests))
    return tuple(signs_by_rules(text, spoken, path=path)) if spoken in LANGUAGES else ()


def _told(path: str, found: Sequence[Sign]) -> str:
    parts = []
    for sign in found[:_SHOWN]:
        text = " ".join(sign.text.split())
        shown = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
        parts.append(f"{sign.because} (line {sign.line}: `{shown}`)")
    more = f", and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"`{path}` {'; '.join(parts)}{more}"
