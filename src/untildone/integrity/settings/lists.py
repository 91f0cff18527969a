"""Settings that are lists: of rules, of paths, of a tool's options."""

import re
import shlex
from collections.abc import Iterable
from posixpath import normpath
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from untildone.integrity.scripts.argument_changes import find_narrowing_word
from untildone.integrity.settings.parsing import Scalar
from untildone.integrity.settings.path_patterns import match_patterns
from untildone.worktree.roles import classify_file

if TYPE_CHECKING:
    from untildone.integrity.settings.loosening import Place

Values: TypeAlias = tuple[Scalar, ...]
Before: TypeAlias = Values | None

_ALL = frozenset(("ALL", "*", "all"))
# What a linter looks for that is told nothing.
_USUAL = ("E", "F")
_USUAL_OF_RUFF = ("E4", "E7", "E9", "F")
# What a tool could look at at all.
_OF_TOOL = (
    (
        re.compile(r"(pytest|ruff|mypy|flake8|pylint|pyright|bandit|vulture)\b"),
        re.compile(r".*\.pyi?"),
    ),
    (re.compile(r"(jest|vitest|eslint|biome)\b"), re.compile(r".*\.([cm]?[jt]sx?|vue|svelte)")),
    (re.compile(r"tsconfig\b"), re.compile(r".*\.([cm]?tsx?|vue|svelte)")),
)
_CODE = re.compile(
    r".*\.(py|pyi|[cm]?[jt]sx?|go|rs|java|kt|c|cc|cpp|h|hpp|cs|rb|php|swift|scala|vue|svelte)"
)

# Lines that no test could run, as everybody leaves them out of the coverage.
_NEVER_RUN = re.compile(
    r"TYPE_CHECKING|NotImplementedError|abstractmethod|overload|__main__|pragma: no.?cover"
    r"|assert_never|^[\^\s\\]*\.\\?\.\\?\.|Protocol"
)
# Of a path that is plainly within the project.
_IGNORE = re.compile(r"--ignore=((?!/|.*\.\.)[\w./-]+)")


class Files(NamedTuple):
    """Of the tree now, of the start, and the folder of the configuration."""

    folder: str
    paths: tuple[str, ...]
    start: tuple[str, ...] = ()


def more_rules(key: str, old: Before, new: Before, _place: "Place") -> bool:
    before = _texts(old)
    added = [each for each in _texts(new) if not _covered(each, before)]
    if "filterwarnings" in key:
        added = [each for each in added if each.startswith(("ignore", "default", "once"))]
    if re.search(r"exclude_(lines|also)$", key):
        added = [each for each in added if not _NEVER_RUN.search(each)]
    if (
        "per-file" in key
        and classify_file(key.rpartition("ignores.")[2].rstrip("/*") + "/x") == "test"
    ):
        # `assert` is what tests are made of.
        added = [each for each in added if each != "S101"]
    return bool(added)


def fewer_rules(key: str, old: Before, new: Before, _place: "Place") -> bool:
    now = _texts(new)
    if _ALL.intersection(now):
        return False
    before = _usual(key, new) if old is None else _texts(old)
    return any(not _covered(each, now) for each in before)


def _usual(key: str, new: Before) -> Iterable[str]:
    """What the list takes the place of, if it is one of a linter's rules."""
    known = any(re.fullmatch(r"[A-Z]+\d*", each) for each in _texts(new)) or new == (None,)
    if not known or re.search(r"extend[-_]select$", key):
        return ()
    return _USUAL_OF_RUFF if key.startswith("ruff.") else _USUAL


def fewer_names(_key: str, old: Before, new: Before, _place: "Place") -> bool:
    now = _texts(new)
    if new is None:
        return False
    before = _texts(old) or {"test"}
    return not any(each.lower().startswith("test") for each in now) or bool(
        old and not before <= now
    )


def _texts(values: Before) -> set[str]:
    return {str(value) for value in values or () if value is not None}


def _covered(rule: str, rules: Iterable[str]) -> bool:
    """`F401` is within `F`, as linters have it."""
    return any(
        rule == each or (re.fullmatch(r"[A-Z]+\d*", each) and rule.startswith(each))
        for each in rules
    )


def more_paths(key: str, old: Before, new: Before, place: "Place") -> bool:
    return bool(_left_out(key, old, new, place))


def more_tests(key: str, old: Before, new: Before, place: "Place") -> bool:
    """What came since may be left out, unless a test of the start may have gone there."""
    left_out, start = _left_out(key, old, new, place), place.files.start
    gone = frozenset(start).difference(place.files.paths)
    moved = any(classify_file(path) == "test" for path in gone)
    return bool(left_out if moved else left_out.intersection(start))


def more_product(key: str, old: Before, new: Before, place: "Place") -> bool:
    """Whether tests cover themselves says nothing."""
    return any(classify_file(path) != "test" for path in _left_out(key, old, new, place))


def _left_out(key: str, old: Before, new: Before, place: "Place") -> frozenset[str]:
    paths, folder = _seen(key, place), place.files.folder
    added = [each for each in new or () if each not in (old or ())]
    now = match_patterns(added, paths, folder)
    return now - match_patterns(old or (), list(now), folder)


def fewer_tests(key: str, old: Before, new: Before, place: "Place") -> bool:
    tests = [path for path in _seen(key, place) if classify_file(path) == "test"]
    return _looked_at_less(old, new, place, tests)


def fewer_paths(key: str, old: Before, new: Before, place: "Place") -> bool:
    return _looked_at_less(old, new, place, _seen(key, place))


def fewer_members(key: str, old: Before, new: Before, place: "Place") -> bool:
    """Who had none was alone, and still is."""
    return old is not None and fewer_paths(key, old, new, place)


def fewer_product(key: str, old: Before, new: Before, place: "Place") -> bool:
    """Of what is covered: tests and settings need no tests."""
    product = [path for path in _seen(key, place) if classify_file(path) == "product"]
    return _looked_at_less(old, new, place, product)


def _seen(key: str, place: "Place") -> list[str]:
    kinds = (kind for tool, kind in _OF_TOOL if tool.match(key))
    kind = next(kinds, _CODE)
    return [
        path
        for path in place.files.paths
        if kind.fullmatch(path) and classify_file(path) != "config"
    ]


def _looked_at_less(old: Before, new: Before, place: "Place", paths: list[str]) -> bool:
    if new is None:
        return False
    before = frozenset(paths) if old is None else _within(old, paths, place)
    if before:
        return bool(before - _within(new, paths, place))
    if _within(old or (), place.files.start, place):
        # All of it went elsewhere: there it has to be looked at.
        arrived = frozenset(paths).difference(place.files.start)
        return bool(arrived - _within(new, paths, place))
    # Names of modules say nothing about paths.
    return bool(_texts(old) - _texts(new))


def _within(values: Values, paths: Iterable[str], place: "Place") -> frozenset[str]:
    known = list(paths)
    said = [value for value in values if isinstance(value, str)]
    refused = [value for value in said if value.startswith("!")]
    wanted = [value for value in said if not value.startswith("!")]
    folder = place.files.folder
    return match_patterns(wanted, known, folder) - match_patterns(refused, known, folder)


def narrower_options(key: str, old: Before, new: Before, place: "Place") -> bool:
    before, now = (_words(values) for values in (old, new))
    ignored = {each: normpath(told[1]) for each in now if (told := _IGNORE.fullmatch(each))}
    idle = {each for each, path in ignored.items() if not more_tests(key, (), (path,), place)}
    return bool(find_narrowing_word("pytest", before, [each for each in now if each not in idle]))


def _words(values: Before) -> list[str]:
    text = " ".join(str(value) for value in values or () if value is not None)
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
