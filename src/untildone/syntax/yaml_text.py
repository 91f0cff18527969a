"""YAML of a project, read by the fast loader where that is safe."""

from typing import Any

import yaml

# The fast loader recurses in C, where too many levels end the process. A text has at most as many
# as its longest line has characters, and one more for each bracket.
_LONGEST_LINE = 1_000
# Nor can it be interrupted.
_LONGEST_TEXT = 500_000
_MOST_BRACKETS = 1_000
_FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> Any:  # noqa: ANN401  whatever the document holds
    """Return the document; raise YAMLError, ValueError or RecursionError if it cannot be read."""
    loader = (_FastLoader if _is_shallow(text) else yaml.SafeLoader)(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _is_shallow(text: str) -> bool:
    brackets = text.count("[") + text.count("{")
    return (
        len(text) <= _LONGEST_TEXT
        and brackets <= _MOST_BRACKETS
        and all(len(line) <= _LONGEST_LINE for line in text.splitlines())
    )
