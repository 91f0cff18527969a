"""Code that moved to folders that linters and test runners leave out: `src/a.py` to `dist/a.py`."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings
from untildone.integrity.settings.path_patterns import match_patterns
from untildone.syntax.languages import language_of
from untildone.words import words
from untildone.worktree.contents import Tree

# Left out by linters and runners by default.
_LEFT_OUT = words("""
    build dist out vendor third_party node_modules generated _build site-packages coverage
    __generated__ bower_components
""")
_EXCLUDING_KEYS = ("exclude", "ignores", "ignored", "omit", "ignorePatterns", "norecursedirs")


def find_hidden_files(comparison: Comparison) -> Iterator[Concern]:
    """Report source files that the tools would see at the old path, and do not at the new one.

    Both are judged by the current settings: the comparison of settings reports new exclusions.
    """
    for old_path, path in _list_moves(comparison):
        is_hidden = language_of(path) and _is_left_out(comparison, path)
        if is_hidden and not _is_left_out(comparison, old_path):
            reason = f"`{old_path}` is now `{path}`, where the tools do not look"
            yield make_concern(ConcernKind.SUPPRESSION, path, "moved away", reason=reason)


def _list_moves(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield old and new paths; a file that was also edited is known by its unique name."""
    yield from comparison.changes.moved.items()
    for old_path in comparison.changes.removed:
        name = PurePosixPath(old_path).name
        same_name = [path for path in comparison.changes.added if PurePosixPath(path).name == name]
        if len(same_name) == 1:
            yield old_path, same_name[0]


def _is_left_out(comparison: Comparison, path: str) -> bool:
    """Say whether tools leave the path out by default, or by a setting of the current tree."""
    folders = PurePosixPath(path).parts[:-1]
    if _LEFT_OUT.intersection(folders) or any(folder.startswith(".") for folder in folders):
        return True
    return any(
        match_patterns(patterns, [path], folder)
        for folder, patterns in _read_exclusions(comparison.new)
    )


def _read_exclusions(tree: Tree) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield each list of excluded patterns with the folder that they are relative to."""
    for path in list_configurations(tree):
        for key, values in read_settings(tree, path).items():
            if key.rpartition(".")[2] in _EXCLUDING_KEYS:
                yield path.rpartition("/")[0], values
