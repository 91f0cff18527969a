"""Code that moved to where the tools do not look."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings
from untildone.integrity.settings.path_patterns import match_patterns
from untildone.syntax.languages import language_of
from untildone.worktree.contents import Tree

# Left out by linters and runners that are told nothing.
_UNSEEN = frozenset(
    (
        *("build", "dist", "out", "vendor", "third_party", "node_modules", "generated"),
        *("_build", "site-packages", "coverage", "__generated__", "bower_components"),
    )
)
_LEAVING_OUT = ("exclude", "ignores", "ignored", "omit", "ignorePatterns", "norecursedirs")


def hidden(compared: Comparison) -> Iterator[Concern]:
    for before, now in _moved(compared):
        if language_of(now) and _is_unseen(compared, now) and not _is_unseen(compared, before):
            because = f"`{before}` is now `{now}`, where the tools do not look"
            yield make_concern(ConcernKind.SUPPRESSION, now, "moved away", reason=because)


def _moved(compared: Comparison) -> Iterator[tuple[str, str]]:
    """Also edited on the way, as long as its name tells which file it was."""
    yield from compared.changes.moved.items()
    names = [PurePosixPath(path).name for path in compared.changes.added]
    added = {PurePosixPath(path).name: path for path in compared.changes.added}
    for path in compared.changes.removed:
        name = PurePosixPath(path).name
        if names.count(name) == 1:
            yield path, added[name]


def _is_unseen(compared: Comparison, path: str) -> bool:
    folders = PurePosixPath(path).parts[:-1]
    if _UNSEEN.intersection(folders) or any(part.startswith(".") for part in folders):
        return True
    return any(
        match_patterns(patterns, [path], folder) for folder, patterns in _left_out(compared.new)
    )


def _left_out(tree: Tree) -> Iterator[tuple[str, tuple[object, ...]]]:
    for path in list_configurations(tree):
        for key, values in read_settings(tree, path).items():
            if key.rpartition(".")[2] in _LEAVING_OUT:
                yield path.rpartition("/")[0], values
