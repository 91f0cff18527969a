"""Rules that nothing had switched on at the start: to silence one hides nothing that was found."""

import re
from collections.abc import Iterator

from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.eslint import uses_presets
from untildone.integrity.settings.parsing import Settings, list_configurations, read_settings

# Of clippy, those that sleep until somebody names them or their group.
_SLEEPING = frozenset(
    (
        *("unwrap_used", "expect_used", "panic", "indexing_slicing", "dbg_macro", "print_stdout"),
        *("print_stderr", "todo", "unimplemented", "unreachable", "arithmetic_side_effects"),
        *("missing_docs_in_private_items", "float_arithmetic", "integer_division", "use_debug"),
        *("as_conversions", "string_slice", "unwrap_in_result", "exit", "get_unwrap"),
    )
)
_MAY_WAKE = re.compile(r".*\.(rs|toml|sh|ya?ml|mk|json)|(.*/)?([Mm]akefile|[Jj]ustfile)")


def asleep(compared: Comparison, reach: str, rule: str) -> bool:
    if rule.startswith("clippy::"):
        return _unnamed(compared, rule.removeprefix("clippy::"))
    # Without a name it silences all of them.
    named = reach.endswith("eslint-disable") and rule != "eslint-disable"
    return named and _unset(compared, rule)


def _unnamed(compared: Comparison, lint: str) -> bool:
    if lint not in _SLEEPING:
        return False
    named = re.compile(rf"\b({re.escape(lint)}|restriction)\b|clippy::all\b")
    paths = (path for path in compared.old if _MAY_WAKE.fullmatch(path))
    texts = (*compared.commands, *map(compared.old.text, paths))
    return not any(named.search(text) for text in texts)


def _unset(compared: Comparison, rule: str) -> bool:
    """Nobody can tell where no configuration of the linter is seen, or it takes up others."""
    every = list(_of_eslint(compared))
    if not every or any("--rule" in command for command in compared.commands):
        return False
    keys = {key for each in every for key in each}
    if any(map(uses_presets, every)) or any(key.endswith(".rules") for key in keys):
        # `rules: preset.rules`: what is in there stands elsewhere.
        return False
    beside = any(rule in compared.old.text(path) for path in compared.configuring)
    return not beside and not any(key.endswith(f"rules.{rule}") for key in keys)


def _of_eslint(compared: Comparison) -> Iterator[Settings]:
    for path in list_configurations(compared.old):
        found = read_settings(compared.old, path)
        if any(key.partition(".")[0] == "eslint" for key in found):
            yield found
