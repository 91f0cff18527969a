"""The baseline's tests adapted to the current product, as strict as they were or stricter."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.expected_failures import remove_xfail_marks
from untildone.integrity.experiments.moved_javascript_exports import (
    convert_to_module,
    find_moved_exports,
    redirect_imports,
)
from untildone.integrity.experiments.moved_python_names import find_moved_names, redirect_names
from untildone.integrity.experiments.renamed_names import WORD_OR_REST, compare_names
from untildone.integrity.tests.forwarding_functions import find_forwarding_functions
from untildone.integrity.tests.tested_names import find_defined_names
from untildone.syntax.languages import language_of_tests

# Deprecated names of test libraries and the names that replaced them, which older versions of the
# libraries know as well.
_PYTHON_NAMES = {
    "assertEquals": "assertEqual",
    "assertNotEquals": "assertNotEqual",
    "assertAlmostEquals": "assertAlmostEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertRegexpMatches": "assertRegex",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertItemsEqual": "assertCountEqual",
    "assert_": "assertTrue",
    "failUnless": "assertTrue",
    "failIf": "assertFalse",
    "failUnlessEqual": "assertEqual",
    "yield_fixture": "fixture",
}
_JAVASCRIPT_NAMES = {
    "toBeCalled": "toHaveBeenCalled",
    "toBeCalledTimes": "toHaveBeenCalledTimes",
    "toBeCalledWith": "toHaveBeenCalledWith",
    "lastCalledWith": "toHaveBeenLastCalledWith",
    "nthCalledWith": "toHaveBeenNthCalledWith",
    "toReturn": "toHaveReturned",
    "toReturnTimes": "toHaveReturnedTimes",
    "toReturnWith": "toHaveReturnedWith",
    "toThrowError": "toThrow",
}
_CALLED_NAME = re.compile(r"(?<=\.)(\w+)(?=\s*\()")
# Stands for a renamed name in the shape of a line.
_HIDDEN = "\0"


def adapt_tests(comparison: Comparison) -> dict[str, str]:
    """Return the adapted texts of changed tests that the product left behind.

    They use the current names of what the product or a test library renamed or moved. A test whose
    mark of an expected failure was removed has to pass.
    """
    changes = comparison.changes
    before = _select_tests(comparison, changes.edited_or_removed)
    if not before:
        return {}
    after = {
        path: comparison.new.text(path)
        for path in _select_tests(comparison, changes.edited_or_added)
    }
    texts = {path: comparison.old.text(path) for path in before}
    renames = {
        **comparison.fact(find_forwarding_functions),
        **_find_renames(comparison, texts.values(), after.values()),
    }
    places, exports = find_moved_names(comparison, after.values()), find_moved_exports(comparison)
    found = {}
    for path, text in texts.items():
        adapted = redirect_imports(path, redirect_names(text, places), exports)
        adapted = _replace_deprecated_names(path, _apply_renames(adapted, renames))
        adapted = convert_to_module(comparison, path, adapted)
        if path.endswith(".py"):
            adapted = remove_xfail_marks(adapted, after.get(path, ""))
        if adapted != text:
            found[path] = adapted
    return found


def _replace_deprecated_names(path: str, text: str) -> str:
    known = _PYTHON_NAMES if path.endswith(".py") else _JAVASCRIPT_NAMES
    return _CALLED_NAME.sub(lambda found: known.get(found[1], found[1]), text)


def _select_tests(comparison: Comparison, paths: Iterable[str]) -> list[str]:
    return [path for path in paths if comparison.role(path) == "test" and language_of_tests(path)]


def _apply_renames(text: str, renames: Mapping[str, str]) -> str:
    for old, new in renames.items():
        # Where the new name is already used it may mean something else.
        if not _match_word(new).search(text):
            text = _match_word(old).sub(new, text)
    return text


def _match_word(name: str) -> re.Pattern[str]:
    """Match the word, but not a quoted string of it alone, which may be a value."""
    word = re.escape(name)
    return re.compile(rf"(?<![\w\"'`]){word}(?!\w)|(?<=[\"'`]){word}(?![\w\"'`])")


def _find_renames(
    comparison: Comparison, before: Iterable[str], after: Iterable[str]
) -> dict[str, str]:
    """Pair names that the product removed and added, by lines that are otherwise the same."""
    if not _removes_names(comparison):
        return {}
    names = compare_names(comparison)
    removed, added = names.removed - names.added, names.added - names.removed
    if not removed or not added:
        return {}
    old, new = _group_lines(before, removed), _group_lines(after, added)
    pairs = {
        pair
        for shape in old.keys() & new.keys()
        if len(old[shape]) == len(new[shape])
        for pair in zip(old[shape], new[shape], strict=True)
    }
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    return {a: b for a, b in pairs if first[a] == second[b] == 1}


def _removes_names(comparison: Comparison) -> bool:
    """Look at the changed files first: reading the whole product is slow."""
    if comparison.changes.removed or comparison.changes.moved:
        return True
    edited = [path for path in comparison.changes.edited if language_of_tests(path)]
    return any(
        find_defined_names(comparison.old.text(path))
        - find_defined_names(comparison.new.text(path))
        for path in edited
    )


def _group_lines(texts: Iterable[str], words: frozenset[str]) -> dict[tuple[str, ...], list[str]]:
    """Group the lines that hold these words by the rest of the line, with the words in order."""
    found: dict[tuple[str, ...], list[str]] = {}
    for line in (line for text in texts for line in text.splitlines()):
        parts = WORD_OR_REST.findall(line.strip())
        hits = [part for part in parts if part in words]
        if hits:
            shape = tuple(_HIDDEN if part in words else part for part in parts)
            found.setdefault(shape, []).extend(hits)
    return found
