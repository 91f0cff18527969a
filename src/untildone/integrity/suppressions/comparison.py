"""Places where a checker is told to look away, per rule and file: fewer is fine, more is asked."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, digest
from untildone.integrity.suppressions.asleep import asleep
from untildone.integrity.suppressions.comments import comments
from untildone.integrity.suppressions.escapes import escapes
from untildone.integrity.suppressions.heeded import OF_COVERAGE, lints, measures_coverage
from untildone.integrity.suppressions.marks import STRICTER, marks, strictness
from untildone.integrity.suppressions.places import hidden
from untildone.integrity.suppressions.promises import unkept
from untildone.integrity.suppressions.types import weakened

_TYPED = (".ts", ".tsx", ".mts", ".cts")


class Silenced(NamedTuple):
    reach: str
    rule: str
    about: str


def find_concerns(compared: Comparison) -> Iterator[Concern]:
    changes = compared.changes
    heard = lints(compared)
    counted = not heard and measures_coverage(compared)
    gone = Counter(_vanished(compared, (*changes.removed, *changes.edited)))
    for path in (*changes.edited, *changes.added):
        if heard or path.endswith(_TYPED):
            yield from _silenced(compared, path, gone)
        elif counted:
            yield from _silenced(compared, path, gone, only=OF_COVERAGE)
    for path in changes.edited:
        yield from _relaxed(compared, path)
    yield from weakened(compared)
    yield from unkept(compared)
    yield from hidden(compared)


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
        if (only and rule not in only) or asleep(compared, reach, rule):
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
    said = list(comments(path, text))
    coded = list(escapes(path, text))
    silenced = [Silenced(*mark, each.about) for each in said for mark in marks(each.text)]
    silenced += [Silenced("code", each.rule, each.about) for each in coded if not each.strict]
    demands = [demand for each in said if (demand := strictness(each.text))]
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
