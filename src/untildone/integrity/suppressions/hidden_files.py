"""Code that moved to folders that linters and test runners leave out."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings
from untildone.integrity.settings.path_patterns import match_patterns
from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree

# Left out by linters and runners by default.
_LEFT_OUT = frozenset(
    (
        *("build", "dist", "out", "vendor", "third_party", "node_modules", "generated"),
        *("_build", "site-packages", "coverage", "__generated__", "bower_components"),
    )
)
_EXCLUDING_KEYS = ("exclude", "ignores", "ignored", "omit", "ignorePatterns", "norecursedirs")


def find_hidden_files(comparison: Comparison) -> Iterator[Concern]:
    for before, now in _list_moves(comparison):
        if (
            language_of(now)
            and _is_left_out(comparison, now)
            and not _is_left_out(comparison, before)
        ):
            reason = f"`{before}` is now `{now}`, where the tools do not look"
            yield make_concern(ConcernKind.SUPPRESSION, now, "moved away", reason=reason)


def _list_moves(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield old and new paths; a file edited on the way is known by its unique name."""
    yield from comparison.changes.moved.items()
    names = [PurePosixPath(path).name for path in comparison.changes.added]
    added = {PurePosixPath(path).name: path for path in comparison.changes.added}
    for path in comparison.changes.removed:
        name = PurePosixPath(path).name
        if names.count(name) == 1:
            yield path, added[name]


def _is_left_out(comparison: Comparison, path: str) -> bool:
    folders = PurePosixPath(path).parts[:-1]
    if _LEFT_OUT.intersection(folders) or any(part.startswith(".") for part in folders):
        return True
    return any(
        match_patterns(patterns, [path], folder)
        for folder, patterns in _read_exclusions(comparison.new)
    )


def _read_exclusions(tree: Tree) -> Iterator[tuple[str, tuple[object, ...]]]:
    for path in list_configurations(tree):
        for key, values in read_settings(tree, path).items():
            if key.rpartition(".")[2] in _EXCLUDING_KEYS:
                yield path.rpartition("/")[0], values
