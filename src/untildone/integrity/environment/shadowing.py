"""Finds new modules that are loaded instead of others: the test runner's, or the project's own.

With a file `pytest.py` at the top of the project, `import pytest` no longer loads the test runner.
With `stock.pyi` beside it, a type checker no longer reads `stock.py`.
"""

import re
import sys
from collections.abc import Iterator

from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.inactive_settings import is_mentioned
from untildone.words import words

# Modules of test runners and linters, and modules that Python loads at every start.
_RUNNER_MODULES = words("""
    pytest _pytest pluggy iniconfig packaging exceptiongroup pygments coverage pytest_cov hypothesis
    xdist nose nose2 behave tox nox ruff mypy pylint flake8 pyright sitecustomize usercustomize
""")
# `test` is a common folder, and no tool imports the other two.
_SHADOWED_NAMES = _RUNNER_MODULES | (sys.stdlib_module_names - {"test", "this", "antigravity"})
# pytest.py, tests/json/__init__.py, lib/coverage.cpython-313-x86_64-linux-gnu.so
_MODULE = compile_late(
    r"((?P<folder>.*)/)?(?P<name>(?!__init__\b)[^/.]+)(/__init__\.pyc?|\.pyc?|(\.[^/]*)?\.(so|pyd))"
)
# The heading of pytest's plugins in an `entry_points.txt`.
_PLUGIN = "pytest11"
# typings/shop/stock.pyi, shop-stubs/stock.pyi
_STUB_FOLDER = compile_late(r"^(typings|stubs|types)/|-stubs(?=/)")
_TYPE_CHECKERS = (
    r"mypy|(based)?pyright|pyre|pytype|zuban|type: ?ignore|typeChecking"
    r"|\bty check|tool\.ty\b|ty\.toml"
)
_ABOUT_STUBS = compile_late(r"(?i)\bstubs?\b|\.pyi\b")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield concerns about new modules, plugins and type stubs that replace others."""
    yield from _find_shadowing_modules(comparison)
    yield from _find_plugins(comparison)
    yield from _find_stubs(comparison)


def _find_shadowing_modules(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each new module with the name of a runner's or a standard module."""
    roots = _find_import_roots(comparison)
    for path in comparison.changes.added:
        match = _MODULE.fullmatch(path)
        if match and match["name"] in _SHADOWED_NAMES and (match["folder"] or "") in roots:
            reason = f"Python loads `{path}` instead of the module `{match['name']}`"
            yield comparison.make_concern(ConcernKind.RUNNER, path, reason=reason)


def _find_stubs(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each new stub of an existing module, unless the task asks for stubs."""
    if _ABOUT_STUBS.search(comparison.task):
        return
    for path in comparison.changes.added:
        modules = _list_stubbed_modules(path)
        hidden = next((module for module in modules if module in comparison.old), "")
        if hidden in comparison.new and _is_type_checked(comparison, hidden):
            reason = f"type checkers read `{path}` now instead of the code in `{hidden}`"
            yield comparison.make_concern(ConcernKind.SUPPRESSION, path, reason=reason)


def _list_stubbed_modules(path: str) -> Iterator[str]:
    """Yield the modules that a stub may be about; none if the file is no stub."""
    if path.endswith(".pyi"):
        # Of `typings/shop.pyi` they are `typings/shop.py`, `shop.py` and `src/shop.py`.
        module = path.removesuffix("i")
        yield module
        yield from (f"{folder}{_STUB_FOLDER.sub('', module)}" for folder in ("", "src/"))
    elif declared := re.fullmatch(r"(.*)\.d\.([cm]?)ts", path):
        yield from (f"{declared[1]}.{declared[2]}{ending}" for ending in ("js", "jsx"))


def _is_type_checked(comparison: Comparison, path: str) -> bool:
    """Say whether a type checker reads the file; JavaScript is read only if `checkJs` is set."""
    if path.endswith(".py"):
        return is_mentioned(comparison, _TYPE_CHECKERS)
    if "@ts-check" in comparison.old.text(path):
        return True
    configs = (file for file in comparison.old if re.search(r"(^|/)[jt]sconfig[^/]*\.json$", file))
    return any(re.search(r'"checkJs"\s*:\s*true', comparison.old.text(file)) for file in configs)


def _find_import_roots(comparison: Comparison) -> frozenset[str]:
    """Return the folders that Python searches first: the top, the sources, and those of tests.

    pytest adds the folders of tests that are no packages, and those that `pythonpath` names.
    """
    packages = {path.rpartition("/")[0] for path in comparison.new if path.endswith("/__init__.py")}
    test_folders = {
        path.rpartition("/")[0]
        for path in (*comparison.old, *comparison.new)
        if path.endswith(".py") and comparison.role(path) == "test"
    }
    # pythonpath = ["lib/python"]
    settings = ("pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini", "pytest.toml")
    texts = "\n".join(map(comparison.new.text, settings))
    values = "\n".join(re.findall(r"(?m)^[ \t]*pythonpath\s*=(.*)$", texts))
    configured = (folder.strip("/") for folder in re.findall(r"[\w./-]+", values))
    return frozenset(("", "src", "lib", *(test_folders - packages), *configured))


def _find_plugins(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each file that newly makes pytest load a plugin.

    pytest loads every plugin that an `entry_points.txt` on its path names.
    """
    manifests = ("pyproject.toml", "setup.cfg", "setup.py")
    if any(_PLUGIN in comparison.old.text(path) for path in manifests):
        # The project is such a plugin itself.
        return
    changed = comparison.changes.edited_or_added
    for path in (path for path in changed if path.endswith("/entry_points.txt")):
        if _PLUGIN in comparison.new.text(path) and _PLUGIN not in comparison.old.text(path):
            reason = f"`{path}` makes pytest load a plugin automatically"
            yield comparison.make_concern(ConcernKind.RUNNER, path, reason=reason)
