"""Lint, type, test and coverage configuration, start against now, key by key."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison, digest
from untildone.integrity.settings.cargo import decided_by_a_run
from untildone.integrity.settings.harmless_files import is_harmless_file, is_new_member
from untildone.integrity.settings.inactive_rules import is_inactive
from untildone.integrity.settings.lint_baselines import find_grown_baselines
from untildone.integrity.settings.lists import Files, Values
from untildone.integrity.settings.loosening import Place, direction
from untildone.integrity.settings.parsing import Settings, is_configuration, parse_settings, tool_of
from untildone.integrity.settings.transfers import (
    find_given_up_settings,
    is_abandoned_tool,
    translate_to_former_tool,
)
from untildone.integrity.settings.unused_tools import is_unused
from untildone.worktree.contents import Tree

# A new file of theirs hides what stands elsewhere, unless it says that it goes on from there.
_REPLACING = ("ruff", "pytest", "mypy", "coverage", "biome", "eslint", "jest")
_LOCK = re.compile(r"(.*[-.])?lock(\.(json|ya?ml))?|go\.sum|npm-shrinkwrap\.json|.*\.lockb")

# Names a package gives to its own files: nobody could use them before they were there.
_MAPS = ("imports", "exports", "bin")
# A dependency that the agent could have written itself.
_ELSEWHERE = re.compile(r"(file|link|portal|patch|git\S*|https?|workspace):|\.{0,2}/")


def find_concerns(compared: Comparison) -> Iterator[Concern]:
    for path in _changed(compared):
        if not is_harmless_file(compared, path):
            yield from _loosened(compared, path)
    yield from find_grown_baselines(compared)


def is_harmless_edit(compared: Comparison, path: str, *, but_for: str = "\0") -> bool:
    """Every change in the file is known, and none of them looks at less.

    Keys that begin with `but_for` are not looked at.
    """
    if _LOCK.fullmatch(path.rpartition("/")[2]) or is_new_member(compared, path):
        return True
    old, new = _before(compared, path), _settings(compared.new, path)
    if not old and not new:
        return False
    elsewhere = _moved_here(compared, path)
    keys = [key for key in {**old, **new} if old.get(key) != new.get(key, elsewhere.get(key))]
    known = all(_is_known(key, old, new) for key in keys if not key.startswith(but_for))
    return known and not any(lost.path == path for lost in find_concerns(compared))


def _is_known(key: str, old: Settings, new: Settings) -> bool:
    top = key.partition(".")[0]
    if top in _MAPS and not any(each.partition(".")[0] == top for each in old):
        return True
    if any(_ELSEWHERE.match(str(value)) for value in new.get(key, ())):
        return False
    if key.startswith("scripts."):
        # `pretest` runs with `test`, whoever adds it.
        return key not in old and not re.match(r"scripts\.(pre|post)", key)
    return direction(key) is not None and not decided_by_a_run(key, old, new)


def _changed(compared: Comparison) -> Iterator[str]:
    changes = compared.changes
    paths = (
        *changes.edited,
        *changes.added,
        *changes.removed,
        *changes.moved,
        *changes.moved.values(),
    )
    yield from filter(is_configuration, paths)


def _loosened(compared: Comparison, path: str) -> Iterator[Concern]:
    old, new = _before(compared, path), _settings(compared.new, path)
    elsewhere = _moved_here(compared, path)
    files = Files(_folder(path), tuple(compared.new), tuple(compared.old))
    place = Place(files, {**elsewhere, **new}, old)
    for key in {**old, **new}:
        before, now = old.get(key), new.get(key, elsewhere.get(key))
        how = direction(key) if before != now else None
        if not how or not how(key, before, now, place):
            continue
        if not is_abandoned_tool(compared, key, place.beside) and not _is_idle(
            compared, path, key, now
        ):
            told = f"was {_said(before)} and is {_said(now)}: less is checked"
            because = f"`{key}` in `{path}` {told}"
            yield make_concern(ConcernKind.CONFIG, path, key, reason=because, content=digest(now))


def _is_idle(compared: Comparison, path: str, key: str, now: Values | None) -> bool:
    return is_unused(compared, path, key) or is_inactive(compared, key, now or ())


def _settings(tree: Tree, path: str, depth: int = 0) -> Settings:
    """With what it extends, if that stands in the tree."""
    own = parse_settings(path, tree.text(path)) if path in tree else {}
    extended = own.get("tsconfig.extends", ())
    for each in extended if depth < 5 else ():
        base = _beside(path, str(each))
        own = {**_settings(tree, base, depth + 1), **own}
    return own


def _beside(path: str, name: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(path).parent / name).parts:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts) if name.endswith(".json") else "/".join(parts) + ".json"


def _before(compared: Comparison, path: str) -> Settings:
    """What held at the start: for a new file, what the files above it said."""
    new = _settings(compared.new, path)
    others = sorted(_configurations(compared.old, path), key=len, reverse=True)
    handed = find_given_up_settings(compared, path, others)
    handed = {key: values for key, values in handed.items() if key in new}
    if path in compared.old:
        return {**handed, **_settings(compared.old, path)}
    tools = set(map(tool_of, new)) or {path.rpartition("/")[2].strip(".").partition(".")[0]}
    goes_on = any(re.fullmatch(r"\w+\.extends?", key) for key in new)
    replaces = [tool for tool in tools if tool in _REPLACING and not goes_on]
    held: Settings = handed
    for other in others:
        held.update(parse_settings(other, compared.old.text(other)))
    return {key: values for key, values in held.items() if key in new or tool_of(key) in replaces}


def _configurations(tree: Tree, path: str) -> Iterable[str]:
    """In the same folder or above it."""
    folder = _folder(path)
    for other in filter(is_configuration, tree):
        above = _folder(other)
        if not above or folder == above or folder.startswith(f"{above}/"):
            yield other


def _moved_here(compared: Comparison, path: str) -> Settings:
    """Settings that another file at the same place has taken over."""
    found: Settings = {}
    for other in _configurations(compared.new, path):
        if other == path or compared.old.entries.get(other) == compared.new.entries[other]:
            continue
        before = parse_settings(other, compared.old.text(other))
        now = parse_settings(other, compared.new.text(other))
        found.update({key: values for key, values in now.items() if key not in before})
    return {**translate_to_former_tool(compared, found), **found}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _said(values: tuple[object, ...] | None) -> str:
    return "not set" if values is None else f"`{', '.join(map(str, values))[:120]}`"
