"""The tree of a clean copy: what judges as it was at the start, the product as it is now."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from msgspec import Struct

from untildone.integrity.comparison import Compared
from untildone.integrity.experiments.documented import with_examples_of
from untildone.integrity.experiments.inline import with_tests_of
from untildone.integrity.experiments.packaged import with_scripts_of

FromNow: TypeAlias = Callable[[str], bool]


class Composed(Struct, frozen=True):
    """Each file by where it is taken from, or as text where it is of both trees.

    `restored` are the paths that are not as they are in the project now.
    """

    files: dict[str, Path | str]
    restored: tuple[str, ...]


def composed(
    both: Compared, *, from_now: FromNow, adapted: Mapping[str, str] = MappingProxyType({})
) -> Composed:
    """`from_now` says of a file that judges whether its version of now may judge.

    `adapted` are texts that stand for those of the start.
    """
    files: dict[str, Path | str] = {}
    restored: list[str] = []
    for path in sorted({*both.old, *both.new}):
        same = both.old.entries.get(path) == both.new.entries.get(path)
        now = same or not protected(both, path) or from_now(path)
        tree = both.new if now else both.old
        if path in tree:
            files[path] = tree.root / path if now else _of_start(both, path, adapted)
        if not now:
            restored.append(path)
    for path in both.changes.edited:
        if path in restored or from_now(path):
            continue
        merged = _with_own_tests(both, path)
        if merged is not None:
            files[path] = merged
            restored.append(path)
    return Composed(files, tuple(restored))


def _of_start(both: Compared, path: str, adapted: Mapping[str, str]) -> Path | str:
    merged = with_scripts_of(both, path)
    return adapted.get(path, both.old.root / path) if merged is None else merged


def _with_own_tests(both: Compared, path: str) -> str | None:
    """Tests and examples may stand in the code itself."""
    tested = with_tests_of(path, both.old.text(path), both.new.text(path))
    now = both.new.text(path) if tested is None else tested
    documented = with_examples_of(both, path, now)
    return tested if documented is None else documented


def whole(both: Compared, *, now: bool) -> Composed:
    """One of the two trees as it is."""
    tree = both.new if now else both.old
    differ = (path for path in tree if tree.entries[path] != both.new.entries.get(path))
    return Composed({path: tree.root / path for path in tree}, tuple(differ))


def protected(both: Compared, path: str) -> bool:
    return both.role(path) not in ("product", "document")


def named_by(allow: Iterable[str], both: Compared) -> FromNow:
    """Whether the person allowed a change of that file, whatever kind of change it was."""
    places = {each.partition("#")[0].partition(":")[2] for each in allow if ":" in each}
    tests = {
        each.partition(":")[2].rpartition("::")[2].partition("[")[0]
        for each in allow
        if each.startswith("remove-test:")
    }

    def allowed(path: str) -> bool:
        if any(_is_below(path, place) for place in places):
            return True
        # A test may be allowed to go by its name alone.
        return bool(tests) and any(name in both.old.text(path) for name in tests if name)

    return allowed


def _is_below(path: str, place: str) -> bool:
    return path == place or place.startswith(f"{path}:") or path.startswith(f"{place.rstrip('/')}/")
