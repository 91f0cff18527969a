"""Rules and warnings that nothing at the start made fail: to leave them out hides nothing."""

import re
from collections.abc import Iterable, Iterator

from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import Scalar, is_configuration, parse_settings
from untildone.integrity.settings.unused_tools import is_mentioned

# No version of ruff looks for these of its own accord.
_OF_LENGTH = frozenset(("E501", "W505"))
_SELECTED = re.compile(r"ruff\.lint\.(extend-)?select")
_LEFT_OUT = re.compile(r"ruff\.lint\.(extend-)?ignore")
_OPTION = r"--(extend-)?select"
_FAILING = r"-W\W{0,4}error|PYTHONWARNINGS|filterwarnings|simplefilter"


def is_inactive(compared: Comparison, key: str, now: Iterable[Scalar]) -> bool:
    if key == "pytest.filterwarnings":
        return not is_mentioned(compared, _FAILING)
    if key == "ruff.line-length":
        rules = _OF_LENGTH
    elif _LEFT_OUT.fullmatch(key):
        rules = frozenset(map(str, now))
    else:
        return False
    return _is_unselected(compared, rules) and not is_mentioned(compared, _OPTION)


def _is_unselected(compared: Comparison, rules: frozenset[str]) -> bool:
    held = list(_held(compared))
    keys = {key for key, _ in held}
    selected = [value for key, value in held if _SELECTED.fullmatch(key)]
    alike = any(
        each == "ALL" or each.startswith(rule) or rule.startswith(each)
        for each in selected
        for rule in rules
    )
    known = "ruff.lint.select" in keys or rules <= _OF_LENGTH
    return known and not alike and "ruff.extend" not in keys


def _held(compared: Comparison) -> Iterator[tuple[str, str]]:
    for path in filter(is_configuration, compared.old):
        for key, values in parse_settings(path, compared.old.text(path)).items():
            yield from ((key, str(value)) for value in values)
