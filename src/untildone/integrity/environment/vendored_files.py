"""Finds edited files of Go modules that the project keeps in `vendor/`.

`go mod vendor` writes both the files and `vendor/modules.txt`, which has the versions: a file that
differs although its module's version is the same was edited by hand.
"""

from collections.abc import Iterator

from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison

_MODULES = "vendor/modules.txt"
# # github.com/stretchr/testify v1.9.0
_MODULE = compile_late(r"(?m)^# (?P<path>\S+) (?P<version>v\S+)")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each changed file of a vendored module whose version is the same."""
    old, new = (_read_versions(tree.text(_MODULES)) for tree in comparison.trees)
    same = [f"vendor/{path}/" for path, version in old.items() if new.get(path) == version]
    changes = comparison.changes
    for path in (*changes.edited, *changes.added, *changes.removed):
        if path.endswith(".go") and path.startswith(tuple(same)):
            reason = f"`{path}` was changed, and the version of its module was not"
            yield comparison.make_concern(ConcernKind.DEPENDENCY, path, reason=reason)


def _read_versions(text: str) -> dict[str, str]:
    return {match["path"]: match["version"] for match in _MODULE.finditer(text)}
