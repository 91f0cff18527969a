"""Changes of tests that keep every line and only add some.

Most honest changes of tests are such. What they could take away shows in a run of the baseline's
tests, so they are read only where no such run passes.
"""

from collections.abc import Iterator, Sequence

from untildone.core.evidence import Concern
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.concern_search import search_concerns
from untildone.integrity.tests import comparison as tests

# Words that could end or skip a test that they are added to, and those that begin a new function.
_CONTROL = compile_late(
    r"(?i)\b(return|continue|break|if|else|elif|unless|while|switch|try|catch|except|throw|raise"
    r"|panic|goto|exit|build|import|del|exec|eval|\w*(skip|only|ignore|todo|xfail|disabled)\w*)\b"
)
_FUNCTION = compile_late(r"\b(def|func|fn|function|class)\b|=>|\bvoid \w+\(")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield the concerns about tests, unless they are read only after a run."""
    if not comparison.fact(find_extended_files):
        yield from tests.find_concerns(comparison)


def find_concerns_about_additions(comparison: Comparison) -> tuple[Concern, ...]:
    """Return the concerns that `find_concerns` has left out. Use as a fact."""
    if not comparison.fact(find_extended_files):
        return ()
    return search_concerns(comparison, (tests.find_concerns,))


def find_extended_files(comparison: Comparison) -> tuple[str, ...]:
    """Return the changed test files if all of them only gained lines, else none. Use as a fact."""
    old, new = comparison.trees
    paths = tests.find_changed_files(comparison)
    if all(only_gains(old.text(path), new.text(path)) for path in paths):
        return paths
    return ()


def only_gains(old: str, new: str) -> bool:
    """Say whether all old lines are there, in their order, and none was added that may skip one."""
    added: list[list[str]] = [[]]
    remaining = iter(new.splitlines())
    for line in old.splitlines():
        for other in remaining:
            if other == line:
                break
            added[-1].append(other)
        else:
            return False
        if added[-1]:
            added.append([])
    added.append(list(remaining))
    return not old or not any(map(_may_skip, added))


def _may_skip(lines: Sequence[str]) -> bool:
    """Say whether the lines have a word that may skip what follows, before a new function."""
    for line in lines:
        if _FUNCTION.search(line):
            return False
        if _CONTROL.search(line):
            return True
    return False
