"""A function that only forwards to its replacement is covered by the tests of that one."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.experiments.adaptation import adapt_tests
from untildone.integrity.tests import comparison as tests_comparison
from untildone.integrity.tests.forwarding_functions import find_forwarding_functions

BEFORE = "def get(store, key, default=None):\n    return store.find(key) or default\n"
AFTER = BEFORE.replace("def get", "def fetch")
WARNS = """\
def get(store, key, default=None):
    '''Deprecated.'''
    warnings.warn('use fetch', DeprecationWarning, stacklevel=2)
    return fetch(store, key, default)
"""
TEST = """\
from store import get

def test_get():
    assert get({'a': 1}, 'a') == 1
"""
FETCHED = TEST.replace("get", "fetch")


def find_forwards(top: Path, new: str, old: str = BEFORE) -> dict[str, str]:
    return find_forwarding_functions(compare_projects(top, {"store.py": old}, {"store.py": new}))


@pytest.mark.parametrize(
    "alias",
    [
        WARNS,
        WARNS.replace("default)\n", "default=default)\n"),
        "def get(*args, **options):\n    return fetch(*args, **options)\n",
        snippet("""
            @deprecated('use fetch')
            def get(store, key, default=None):
                return fetch(store, key, default)
        """),
    ],
)
def test_a_function_that_passes_on_all_arguments_forwards(tmp_path: Path, alias: str) -> None:
    assert find_forwards(tmp_path, AFTER + alias) == {"get": "fetch"}


def test_a_method_forwards_to_one_of_its_class(tmp_path: Path) -> None:
    old = snippet("""
        class Store:
            async def all(self, *, limit=3):
                return []
    """)
    new = old.replace("all", "rows") + (
        "    async def all(self, *, limit=3):\n        return await self.rows(limit=limit)\n"
    )
    assert find_forwards(tmp_path, new, old) == {"all": "rows"}


@pytest.mark.parametrize(
    "alias",
    [
        BEFORE,
        WARNS.replace("store, key, default)\n", "key, store, default)\n"),
        WARNS.replace("key, default)\n", "key)\n"),
        WARNS.replace("default)\n", "default=None)\n"),
        WARNS.replace("default)\n", "default=key)\n"),
        WARNS.replace("default=None", "default=0"),
        WARNS.replace(
            "return fetch(store, key, default)", "return fetch(store, key, default) or 1"
        ),
        WARNS.replace("    return fetch", "    fetch"),
        WARNS.replace("warnings.warn", "store.update"),
        WARNS.replace("fetch(store", "other.fetch(store"),
        WARNS + WARNS,
        "def get():\n    '''Nothing.'''\n",
        "def get(:\n",
    ],
)
def test_a_function_that_does_anything_else_does_not(tmp_path: Path, alias: str) -> None:
    assert find_forwards(tmp_path, AFTER + alias) == {}


def test_a_function_of_the_baseline_is_no_replacement(tmp_path: Path) -> None:
    assert find_forwards(tmp_path, AFTER + WARNS, BEFORE + AFTER) == {}


def find_ids(top: Path, new: str) -> list[str]:
    old = {"store.py": BEFORE, "tests/test_store.py": TEST}
    comparison = compare_projects(top, old, {"store.py": new, "tests/test_store.py": FETCHED})
    return [concern.id.partition("#")[0] for concern in tests_comparison.find_concerns(comparison)]


def test_tests_may_use_the_new_name(tmp_path: Path) -> None:
    assert find_ids(tmp_path, AFTER + WARNS) == []


def test_tests_of_a_function_that_is_still_there_may_not_go_to_another(tmp_path: Path) -> None:
    assert find_ids(tmp_path, AFTER + BEFORE) == ["remove-test:tests/test_store.py::test_get"]


def test_baseline_tests_are_adapted_to_the_new_name(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path,
        {"store.py": BEFORE, "tests/test_store.py": TEST},
        {"store.py": AFTER + WARNS, "tests/test_store.py": FETCHED},
    )
    follows = FETCHED.replace("test_fetch", "test_get")
    assert adapt_tests(comparison) == {"tests/test_store.py": follows}
