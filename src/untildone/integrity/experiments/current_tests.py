"""The files of a sandbox in which the current tests run on the baseline's code.

If `shop.py` and `tests/test_shop.py` changed, the sandbox gets the baseline's `shop.py` and the
current `tests/test_shop.py`. Tests that did not change are left out where nothing needs them: they
say nothing about the change.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.differing_tests import write_differing_tests
from untildone.integrity.experiments.rust_inline_tests import extract_inline_tests
from untildone.integrity.experiments.sandbox_files import compose_files
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.syntax.languages import language_of_tests
from untildone.words import words

_WORD = compile_late(r"\w+")
# Runners and languages load them although no other file names them.
_LOADED_BY_NAME = words("conftest __init__ __main__ main mod setup index")


def find_changed_tests(comparison: Comparison) -> tuple[str, ...]:
    """Return the test files that are new or changed, and Rust files whose tests inside are."""
    return tuple(
        path
        for path in (*comparison.changes.edited_or_added, *comparison.changes.moved.values())
        if comparison.role(path) == "test" or _has_changed_inline_tests(comparison, path)
    )


def _has_changed_inline_tests(comparison: Comparison, path: str) -> bool:
    if not path.endswith(".rs"):
        return False
    old_tests, new_tests = (extract_inline_tests(tree.text(path)) for tree in comparison.trees)
    return bool(new_tests) and old_tests != new_tests


def compose_current_tests(comparison: Comparison) -> SandboxFiles:
    """Return the baseline's tree with the current tests."""
    composed = compose_files(
        comparison.reverse(),
        uses_current=lambda path: comparison.role(path) in ("config", "script"),
    )
    return keep_needed_tests(comparison, _prefer_project(comparison, composed.files))


def _prefer_project(
    comparison: Comparison, files: Mapping[str, Path | str]
) -> dict[str, Path | str]:
    """Return the files, each from the project if it is the same there: it has its own times."""
    old, new = comparison.trees
    return {
        path: new.root / path if old.entries.get(path) == new.entries.get(path) else source
        for path, source in files.items()
    }


def keep_needed_tests(comparison: Comparison, files: Mapping[str, Path | str]) -> SandboxFiles:
    """Return the files without unchanged tests that nothing else in the sandbox needs."""
    unneeded = _find_unneeded_tests(comparison)
    kept = {path: source for path, source in files.items() if path not in unneeded}
    current = comparison.new.root
    named_in = (path for path in kept if comparison.role(path) in ("config", "script", "test"))
    kept.update(write_differing_tests(comparison, named_in))
    restored = (path for path, source in kept.items() if source != current / path)
    return SandboxFiles(kept, tuple(restored))


def _find_unneeded_tests(comparison: Comparison) -> frozenset[str]:
    """Return the unchanged test files whose names occur in no changed test and no setting."""
    changed = find_changed_tests(comparison)
    candidates = set(_list_unchanged_tests(comparison, changed))
    settings = (
        path for path in comparison.new if comparison.role(path) in ("config", "script", "test")
    )
    waiting = [path for path in settings if path not in candidates]
    known = set(_list_words(comparison.commands))
    while waiting and candidates:
        known.update(_list_words([comparison.new.text(path) for path in waiting]))
        waiting = [path for path in candidates if _is_named(path, known)]
        candidates.difference_update(waiting)
    return frozenset(candidates - set(_list_only_tests_of_folders(comparison, candidates)))


def _list_only_tests_of_folders(comparison: Comparison, candidates: set[str]) -> Iterator[str]:
    """Yield the candidates in folders that a command names and that would be empty without them.

    `pytest tests/unit tests/web` fails if there is no `tests/web`.
    """
    named = {word.strip("./") for command in comparison.commands for word in command.split()}
    for folder in named - {""}:
        inside = {path for path in comparison.new if path.startswith(f"{folder}/")}
        if inside and inside <= candidates:
            yield from inside


def _list_unchanged_tests(comparison: Comparison, changed: Iterable[str]) -> Iterator[str]:
    """Yield the test files that did not change, without those that are loaded anyway.

    Of a Go package with a changed test every test file is needed: they share their functions.
    """
    old, new = comparison.trees
    folders = {path.rpartition("/")[0] for path in changed if path.endswith(".go")}
    for path in new:
        is_test = comparison.role(path) == "test" and language_of_tests(path)
        if not is_test or old.entries.get(path) != new.entries[path]:
            continue
        is_loaded = _get_stem(path) in _LOADED_BY_NAME
        if not is_loaded and not (path.endswith(".go") and path.rpartition("/")[0] in folders):
            yield path


def _list_words(texts: Iterable[str]) -> Iterator[str]:
    return (word for text in texts for word in _WORD.findall(text))


def _is_named(path: str, known: set[str]) -> bool:
    """Say whether the words of the file's name are all known."""
    return known.issuperset(_WORD.findall(_get_stem(path)))


def _get_stem(path: str) -> str:
    """Return `cart.test` of `tests/cart.test.ts`."""
    return PurePosixPath(path).stem
