"""The start of a loop beside what is there now."""

from msgspec import Struct

from untildone.core.contract import Check, Contract
from untildone.engine.check_run import Site
from untildone.integrity.baseline import Baseline, load_baseline
from untildone.integrity.comparison import Comparison, compare_trees
from untildone.integrity.experiments.adapted import adapted
from untildone.integrity.experiments.compose import Composed, FromNow, composed, named_by
from untildone.integrity.experiments.folders import python_path
from untildone.integrity.experiments.renamed import renamed
from untildone.integrity.scripts.comparison import replaces_tool
from untildone.integrity.settings.comparison import is_harmless_edit
from untildone.worktree.contents import Tree, read_tree, walk_files
from untildone.worktree.limits import limited_time
from untildone.worktree.roles import classify_file


def _nothing(_: str) -> bool:
    return False


class Matter(Struct, frozen=True, kw_only=True):
    """The start beside now; `off` says why they cannot be compared, `broken` that they may not."""

    contract: Contract
    site: Site
    comparison: Comparison | None = None
    start: Baseline = Baseline(entries={})
    composed: Composed = Composed({}, ())
    # Tests that differ by names of the product alone.
    followed: tuple[str, ...] = ()
    # Tests of the start in the words of now.
    adapted: dict[str, str] = {}
    # Where Python finds what the start's tests import.
    paths: dict[str, str] = {}
    # What judges as it is now, whatever it says.
    taken: FromNow = _nothing
    off: str = ""
    broken: str = ""

    def covers(self, check: Check) -> bool:
        """Whether its run in the clean copy is one of this very tree."""
        return self.comparison is not None and check.replay and not self.composed.restored


def matter(contract: Contract, site: Site) -> Matter:
    if not site.kept:
        off = site.unkept or "the start was not kept"
        return Matter(contract=contract, site=site, off=off)
    folder = site.loop / "baseline"
    try:
        start, old = load_baseline(folder, site.kept)
    except ValueError as error:
        return Matter(contract=contract, site=site, broken=str(error))
    new = read_tree(site.project, walk_files(site.project, ignored=start.ignored))
    with limited_time():
        return _beside(contract, site, start, (old, new))


def _beside(contract: Contract, site: Site, start: Baseline, trees: tuple[Tree, Tree]) -> Matter:
    old, new = trees
    commands = (check.command for check in contract.checks)
    comparison = compare_trees(old, new, commands, task=contract.task)
    allowed_now = named_by(contract.allow, comparison)
    followed = renamed(comparison)
    words = adapted(comparison)

    def taken(path: str) -> bool:
        return path in followed or allowed_now(path)

    def from_now(path: str) -> bool:
        return taken(path) or _loosens_nothing(comparison, path)

    return Matter(
        contract=contract,
        site=site,
        comparison=comparison,
        start=start,
        composed=composed(comparison, from_now=from_now, adapted=words),
        adapted=words,
        followed=tuple(sorted(followed.intersection(new))),
        taken=taken,
        paths=python_path(comparison, start.variables),
    )


def _loosens_nothing(comparison: Comparison, path: str) -> bool:
    return (
        classify_file(path) == "config" and is_harmless_edit(comparison, path)
    ) or replaces_tool(comparison, path)
