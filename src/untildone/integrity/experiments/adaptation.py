"""The baseline's tests adapted to the current product, as strict as they were or stricter.

If the product renamed `total` to `sum_up`, the baseline's `assert total([1]) == 1` becomes
`assert sum_up([1]) == 1` and can run on the current code. What the test claims is not changed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments import moved_javascript_exports
from untildone.integrity.experiments.expected_failures import remove_xfail_marks
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
_CALLED_NAME = compile_late(r"(?<=\.)(\w+)(?=\s*\()")
# Stands for a renamed name in the pattern of a line.
_PLACEHOLDER = "\0"


def adapt_tests(comparison: Comparison) -> dict[str, str]:
    """Return the adapted texts of changed or removed tests, by path; unadapted ones are left out.

    They use the current names of what the product or a test library renamed or moved. A test whose
    mark of an expected failure was removed has to pass.
    """
    changes = comparison.changes
    old_paths = _select_tests(comparison, changes.edited_or_removed)
    new_paths = _select_tests(comparison, changes.edited_or_added)
    if not old_paths:
        return {}
    old_texts = {path: comparison.old.text(path) for path in old_paths}
    new_texts = {path: comparison.new.text(path) for path in new_paths}
    renames = {
        **comparison.fact(find_forwarding_functions),
        **_find_renames(comparison, old_texts.values(), new_texts.values()),
    }
    moved_names = find_moved_names(comparison, new_texts.values())
    moved_exports = moved_javascript_exports.find_moved_exports(comparison)
    found = {}
    for path, text in old_texts.items():
        adapted = moved_javascript_exports.redirect_imports(
            path, redirect_names(text, moved_names), moved_exports
        )
        adapted = _replace_deprecated_names(path, _apply_renames(adapted, renames))
        adapted = moved_javascript_exports.convert_to_module(comparison, path, adapted)
        if path.endswith(".py"):
            adapted = remove_xfail_marks(adapted, new_texts.get(path, ""))
        if adapted != text:
            found[path] = adapted
    return found


def _replace_deprecated_names(path: str, text: str) -> str:
    """Write `self.assertEquals(a, b)` as `self.assertEqual(a, b)`."""
    new_names = _PYTHON_NAMES if path.endswith(".py") else _JAVASCRIPT_NAMES
    return _CALLED_NAME.sub(lambda match: new_names.get(match[1], match[1]), text)


def _select_tests(comparison: Comparison, paths: Iterable[str]) -> list[str]:
    """Return the paths that are tests in a language that is understood."""
    return [path for path in paths if comparison.role(path) == "test" and language_of_tests(path)]


def _apply_renames(text: str, renames: Mapping[str, str]) -> str:
    """Return the text with new names for old ones, except for new names that it already uses."""
    for old, new in renames.items():
        # A name that is already used may mean something else.
        if not _compile_word(new).search(text):
            text = _compile_word(old).sub(new, text)
    return text


def _compile_word(name: str) -> re.Pattern[str]:
    """Return a pattern for the name in code or in a longer string, not for a string of it alone.

    `"total"` may be a value and not the name.
    """
    word = re.escape(name)
    return re.compile(rf"(?<![\w\"'`]){word}(?!\w)|(?<=[\"'`]){word}(?![\w\"'`])")


def _find_renames(
    comparison: Comparison, old_texts: Iterable[str], new_texts: Iterable[str]
) -> dict[str, str]:
    """Return new names by old ones, for names that the product removed and added.

    Two names are paired if they stand in lines of the tests that are otherwise the same, as in
    `assert total([1]) == 1` and `assert sum_up([1]) == 1`, and only with each other.
    """
    if not _removes_names(comparison):
        return {}
    names = compare_names(comparison)
    removed, added = names.removed - names.added, names.added - names.removed
    if not removed or not added:
        return {}
    old_lines, new_lines = _group_names(old_texts, removed), _group_names(new_texts, added)
    pairs = {
        pair
        for pattern in old_lines.keys() & new_lines.keys()
        if len(old_lines[pattern]) == len(new_lines[pattern])
        for pair in zip(old_lines[pattern], new_lines[pattern], strict=True)
    }
    old_counts, new_counts = Counter(old for old, _ in pairs), Counter(new for _, new in pairs)
    return {old: new for old, new in pairs if old_counts[old] == new_counts[new] == 1}


def _removes_names(comparison: Comparison) -> bool:
    """Say whether the product may have removed a name, judged by its changed files alone.

    To read the whole product is slow.
    """
    if comparison.changes.removed or comparison.changes.moved:
        return True
    edited = [path for path in comparison.changes.edited if language_of_tests(path)]
    return any(
        find_defined_names(comparison.old.text(path))
        - find_defined_names(comparison.new.text(path))
        for path in edited
    )


def _group_names(texts: Iterable[str], names: frozenset[str]) -> dict[tuple[str, ...], list[str]]:
    """Return which of the names the lines contain, in order, by the pattern of the line.

    The pattern is the line with a placeholder for each name.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for line in (line for text in texts for line in text.splitlines()):
        parts = WORD_OR_REST.findall(line.strip())
        used = [part for part in parts if part in names]
        if used:
            pattern = tuple(_PLACEHOLDER if part in names else part for part in parts)
            found.setdefault(pattern, []).extend(used)
    return found
