"""Modules that take the place of others, newly there: the runner's, or the project's own code."""

import re
import sys
from collections.abc import Iterator

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.unused_tools import is_mentioned

_RUNNERS = frozenset(
    (
        *("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "exceptiongroup", "pygments"),
        *("coverage", "pytest_cov", "hypothesis", "xdist", "nose", "nose2", "behave", "tox", "nox"),
        *("ruff", "mypy", "pylint", "flake8", "pyright", "sitecustomize", "usercustomize"),
    )
)
_NAMES = _RUNNERS | (sys.stdlib_module_names - {"test", "this", "antigravity"})
_MODULE = re.compile(
    r"((?P<folder>.*)/)?(?P<name>(?!__init__\b)[^/.]+)(/__init__\.pyc?|\.pyc?|(\.[^/]*)?\.(so|pyd))"
)
_PLUGIN = "pytest11"
# typings/shop/stock.pyi, shop-stubs/stock.pyi
_STUBS = re.compile(r"^(typings|stubs|types)/|-stubs(?=/)")
_TYPE_CHECKERS = (
    r"mypy|(based)?pyright|pyre|pytype|zuban|type: ?ignore|typeChecking"
    r"|\bty check|tool\.ty\b|ty\.toml"
)
_ABOUT_STUBS = re.compile(r"(?i)\bstubs?\b|\.pyi\b")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    roots = _roots(comparison)
    for path in comparison.changes.added:
        found = _MODULE.fullmatch(path)
        if found and found["name"] in _NAMES and (found["folder"] or "") in roots:
            because = f"`{path}` takes the place of the module `{found['name']}`"
            yield make_concern(
                ConcernKind.RUNNER,
                path,
                reason=because,
                content=comparison.new.entries[path].digest,
            )
    yield from _plugins(comparison)
    yield from _stubs(comparison)


def _stubs(comparison: Comparison) -> Iterator[Concern]:
    """A type checker reads `stock.pyi` and never looks at `stock.py`."""
    if _ABOUT_STUBS.search(comparison.task):
        return
    for path in comparison.changes.added:
        hidden = next((each for each in _hidden_by(path) if each in comparison.old), "")
        if hidden in comparison.new and _is_checked(comparison, hidden):
            because = f"type checkers read `{path}` now instead of the code in `{hidden}`"
            yield make_concern(
                ConcernKind.SUPPRESSION,
                path,
                reason=because,
                content=comparison.new.entries[path].digest,
            )


def _hidden_by(path: str) -> Iterator[str]:
    """The module beside the stub, or the one that a folder of stubs tells of."""
    if path.endswith(".pyi"):
        module = path.removesuffix("i")
        yield module
        yield from (f"{place}{_STUBS.sub('', module)}" for place in ("", "src/"))
    elif declared := re.fullmatch(r"(.*)\.d\.([cm]?)ts", path):
        yield from (f"{declared[1]}.{declared[2]}{ending}" for ending in ("js", "jsx"))


def _is_checked(comparison: Comparison, path: str) -> bool:
    """JavaScript has types only where somebody asks for them, Python where somebody looks."""
    if path.endswith(".py"):
        return is_mentioned(comparison, _TYPE_CHECKERS)
    if "@ts-check" in comparison.old.text(path):
        return True
    named = (each for each in comparison.old if re.search(r"(^|/)[jt]sconfig[^/]*\.json$", each))
    return any(re.search(r'"checkJs"\s*:\s*true', comparison.old.text(each)) for each in named)


def _roots(comparison: Comparison) -> frozenset[str]:
    """Folders that Python looks into first: the top, its sources, and where tests are."""
    packages = {path.rpartition("/")[0] for path in comparison.new if path.endswith("/__init__.py")}
    tested = {
        path.rpartition("/")[0]
        for path in (*comparison.old, *comparison.new)
        if path.endswith(".py") and comparison.role(path) == "test"
    }
    return frozenset(("", "src", "lib", *(tested - packages), *_configured(comparison)))


def _configured(comparison: Comparison) -> Iterator[str]:
    """pythonpath = ["lib/python"]"""
    for path in ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "pytest.toml"):
        for line in re.findall(r"(?m)^[ \t]*pythonpath\s*=(.*)$", comparison.new.text(path)):
            yield from (part.strip("/") for part in re.findall(r"[\w./-]+", line))


def _plugins(comparison: Comparison) -> Iterator[Concern]:
    """pytest loads every plugin that an `entry_points.txt` on its path names."""
    if any(
        _PLUGIN in comparison.old.text(path) for path in ("pyproject.toml", "setup.cfg", "setup.py")
    ):
        return
    for path in (*comparison.changes.added, *comparison.changes.edited):
        if not path.endswith("/entry_points.txt") or _PLUGIN in comparison.old.text(path):
            continue
        if _PLUGIN in comparison.new.text(path):
            because = f"`{path}` makes pytest load a plugin of its own accord"
            yield make_concern(
                ConcernKind.RUNNER,
                path,
                reason=because,
                content=comparison.new.entries[path].digest,
            )
