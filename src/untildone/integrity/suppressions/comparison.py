"""Places where a checker is told to look away, per rule and file: fewer is fine, more is asked."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, digest
from untildone.integrity.suppressions.active_linters import (
    COVERAGE_RULES,
    measures_coverage,
    runs_linter,
)
from untildone.integrity.suppressions.annotations import find_weakened_types
from untildone.integrity.suppressions.code_escapes import find_escapes
from untildone.integrity.suppressions.comments import list_comments
from untildone.integrity.suppressions.hidden_files import find_hidden_files
from untildone.integrity.suppressions.inactive_rules import is_inactive
from untildone.integrity.suppressions.markers import STRICTER, read_markers, read_strictness
from untildone.integrity.suppressions.type_promises import find_broken_promises

_TYPED = (".ts", ".tsx", ".mts", ".cts")


class Silenced(NamedTuple):
    reach: str
    rule: str
    about: str


def find_concerns(compared: Comparison) -> Iterator[Concern]:
    changes = compared.changes
    heard = runs_linter(compared)
    counted = not heard and measures_coverage(compared)
    gone = Counter(_vanished(compared, (*changes.removed, *changes.edited)))
    for path in (*changes.edited, *changes.added):
        if heard or path.endswith(_TYPED):
            yield from _silenced(compared, path, gone)
        elif counted:
            yield from _silenced(compared, path, gone, only=COVERAGE_RULES)
    for path in changes.edited:
        yield from _relaxed(compared, path)
    yield from find_weakened_types(compared)
    yield from find_broken_promises(compared)
    yield from find_hidden_files(compared)


def _silenced(
    compared: Comparison, path: str, gone: Counter[Silenced], *, only: frozenset[str] = frozenset()
) -> Iterator[Concern]:
    old = _inventory(path, compared.old.text(path))
    new = _inventory(path, compared.new.text(path))
    if path not in compared.old and compared.role(path) == "test":
        # A new test takes nothing away: its casts are its own, its comments go to the linter.
        new = tuple(each for each in new if each.reach != "code")
    grown = _counted(new) - _counted(old)
    fresh = list((Counter(new) - Counter(old)).elements())
    for (reach, rule), number in grown.items():
        if (only and rule not in only) or is_inactive(compared, reach, rule):
            continue
        mine = [each for each in fresh if each[:2] == (reach, rule)]
        left = [each for each in mine if not _came_from(each, gone)][:number]
        if left:
            more = f"`{path}` silences `{rule}` {len(left)} more time{'s' * (len(left) > 1)}"
            yield make_concern(
                ConcernKind.SUPPRESSION, path, rule, reason=more, content=digest(left)
            )


def _came_from(each: Silenced, gone: Counter[Silenced]) -> bool:
    """Code that moved took it along, or a wider one stood at the same code."""
    name = each.reach.partition(" ")[2]
    wider = STRICTER.get(name, name)
    reach = each.reach.replace(name, wider) if name else each.reach
    if gone[each] > 0:
        gone[each] -= 1
        return True
    # Each rule that a wider one silenced may be named once.
    narrowed = each._replace(rule=f"{wider}: {each.rule}")
    gone[narrowed] += 1
    return gone[narrowed] <= gone[Silenced(reach, wider, each.about)]


def _vanished(compared: Comparison, paths: Iterable[str]) -> Iterator[Silenced]:
    for path in paths:
        old = Counter(_inventory(path, compared.old.text(path)))
        yield from (old - Counter(_inventory(path, compared.new.text(path)))).elements()


def _inventory(path: str, text: str) -> tuple[Silenced, ...]:
    return _noted(path, text)[0]


@lru_cache(maxsize=64)
def _noted(path: str, text: str) -> tuple[tuple[Silenced, ...], tuple[str, ...]]:
    """What is silenced, and what a checker is asked to do beyond its settings."""
    said = list(list_comments(path, text))
    coded = list(find_escapes(path, text))
    silenced = [Silenced(*mark, each.about) for each in said for mark in read_markers(each.text)]
    silenced += [Silenced("code", each.rule, each.about) for each in coded if not each.strict]
    demands = [demand for each in said if (demand := read_strictness(each.text))]
    return tuple(silenced), (*demands, *(each.rule for each in coded if each.strict))


def _counted(silenced: Iterable[Silenced]) -> Counter[tuple[str, str]]:
    return Counter((each.reach, each.rule) for each in silenced)


def _relaxed(compared: Comparison, path: str) -> Iterator[Concern]:
    """A file that asked to be looked at more closely, and no longer does."""
    old, new = (Counter(_noted(path, tree.text(path))[1]) for tree in (compared.old, compared.new))
    for demand in old - new:
        because = f"`{path}` no longer asks for `{demand}`"
        yield make_concern(
            ConcernKind.SUPPRESSION, path, demand, reason=because, content=digest(sorted(new))
        )
