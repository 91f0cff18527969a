"""Rules and warnings that fail nothing in the baseline: to ignore them hides nothing."""

import re
from collections.abc import Iterable

from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.formats import Scalar
from untildone.integrity.settings.parsing import list_configurations, read_settings
from untildone.integrity.settings.unused_tools import is_mentioned

# Rules of line length, which no version of ruff enables by default.
_LENGTH_RULES = frozenset(("E501", "W505"))
_SELECTED = re.compile(r"ruff\.lint\.(extend-)?select")
_IGNORED = re.compile(r"ruff\.lint\.(extend-)?ignore")
_SELECT_OPTION = r"--(extend-)?select"
_WARNINGS_AS_ERRORS = r"-W\W{0,4}error|PYTHONWARNINGS|filterwarnings|simplefilter"


def is_inactive(comparison: Comparison, key: str, new: Iterable[Scalar]) -> bool:
    """Whether the key is about rules that are not active."""
    if key == "pytest.filterwarnings":
        return not is_mentioned(comparison, _WARNINGS_AS_ERRORS)
    if key == "ruff.line-length":
        rules = _LENGTH_RULES
    elif _IGNORED.fullmatch(key):
        rules = frozenset(map(str, new))
    else:
        return False
    return _is_unselected(comparison, rules) and not is_mentioned(comparison, _SELECT_OPTION)


def _is_unselected(comparison: Comparison, rules: frozenset[str]) -> bool:
    every = [read_settings(comparison.old, path) for path in list_configurations(comparison.old)]
    keys = {key for settings in every for key in settings}
    selected = [
        str(value)
        for settings in every
        for key, values in settings.items()
        if _SELECTED.fullmatch(key)
        for value in values
    ]
    is_selected = any(
        each == "ALL" or each.startswith(rule) or rule.startswith(each)
        for each in selected
        for rule in rules
    )
    is_known = "ruff.lint.select" in keys or rules <= _LENGTH_RULES
    return is_known and not is_selected and "ruff.extend" not in keys
