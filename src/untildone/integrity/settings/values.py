"""Settings of one value: whether a switch, a number or a severity was loosened.

`loosening.yml` names these functions: `fail_under` is loosened if it `is_lower`.
"""

import re
from collections.abc import Mapping

from untildone.core.late_patterns import compile_late
from untildone.integrity.settings.parsing import Values
from untildone.integrity.settings.setting_change import SettingChange

_ON = ("true", "1", "1.0", "yes", "on")
_OFF = ("false", "0", "0.0", "no", "off", "none")
# From off to what cannot be overridden.
_SEVERITIES = {
    **dict.fromkeys(("off", "allow", "none", "0", "false", "ignore"), 0),
    **dict.fromkeys(("hint", "info", "information", "basic", "convention", "minor"), 1),
    **dict.fromkeys(("warn", "warning", "1", "standard", "refactor", "major"), 2),
    **dict.fromkeys(("error", "deny", "2", "true", "on", "fatal", "critical"), 3),
    **dict.fromkeys(("forbid", "strict", "blocker"), 4),
}
_WARNING, _ERROR = 2, 3
# What a tool uses while the key is not set, for numbers of which a greater one is looser.
_DEFAULTS = (
    (compile_late(r".*testTimeout$", re.IGNORECASE), 5000.0),
    (compile_late(r".*hookTimeout$", re.IGNORECASE), 10000.0),
    (compile_late(r".*(retr(y|ies)|reruns|max-?warnings)$", re.IGNORECASE), 0.0),
    (compile_late(r".*line[-_]length$", re.IGNORECASE), 100.0),
)
# max-lines: ['error', 300]
_RULE_WITH_LIMIT = compile_late(r"\.(max-[\w-]+|complexity)(\.\w+)?$")
# Switches that `strict = true` implies.
_STRICT_FAMILY = compile_late(
    r"noImplicit(Any|This)|strict\w+|alwaysStrict|useUnknown\w+|warn_\w+|disallow_\w+|check_untyped_defs"
    r"|no_implicit_\w+|extra_checks",
    re.IGNORECASE,
)


def is_changed(change: SettingChange) -> bool:
    """Say whether a setting has another value now; to drop it is harmless."""
    return change.new is not None and change.new != change.old


def is_switched_on(change: SettingChange) -> bool:
    return is_on(change.new) and not is_on(change.old)


def is_set_to_false(change: SettingChange) -> bool:
    """Say whether a switch that is on by default is off now."""
    return is_off(change.new) and not is_off(change.old)


def is_switched_off(change: SettingChange) -> bool:
    """Say whether a switch that is off by default was on and is off now.

    A removed `disallow_untyped_defs` is still on if `strict` is.
    """
    if change.new is not None:
        return is_set_to_false(change)
    prefix, _, name = change.key.rpartition(".")
    strict = change.file.new_settings.get(f"{prefix}.strict", ())
    is_implied = _STRICT_FAMILY.fullmatch(name) and is_on(strict)
    return is_on(change.old) and not is_implied


def is_on(values: Values | None) -> bool:
    return any(str(value).lower() in _ON for value in values or ())


def is_off(values: Values | None) -> bool:
    return any(str(value).lower() in _OFF for value in values or ())


def is_lower(change: SettingChange) -> bool:
    """Say whether a number such as `fail_under` fell or is no longer set."""
    old, new = _find_numbers(change.old), _find_numbers(change.new)
    return bool(old) and (not new or min(new) < min(old))


def is_higher(change: SettingChange) -> bool:
    """Say whether a number such as `max-warnings` rose above its old value or default."""
    old, new, key = _find_numbers(change.old), _find_numbers(change.new), change.key
    old = old or [number for pattern, number in _DEFAULTS if pattern.match(key)]
    if not new:
        # Without the key the tool's own limit holds; for complexity there is none.
        return bool(old) and change.old is not None and "complexity" in key
    # A time limit of 0 means none.
    is_unlimited = 0 in new and "time" in key
    return bool(old) and (max(new) > max(old) or (is_unlimited and max(old) > 0))


def _find_numbers(values: Values | None) -> list[float]:
    texts = (
        str(value).strip().rstrip("%") for value in values or () if not isinstance(value, bool)
    )
    return [float(text) for text in texts if re.fullmatch(r"-?\d+(\.\d+)?", text)]


def is_milder(change: SettingChange) -> bool:
    """Say whether the severity of a rule is lower, or its limit higher."""
    if _RULE_WITH_LIMIT.search(change.key) and is_higher(change):
        return True
    old, new = find_severities(change.old), find_severities(change.new)
    inherits = inherits_rules(change.file.new_settings)
    if new and old:
        return min(new) < min(old)
    if old:
        # A rule that is no longer named may come with an inherited preset.
        return min(old) >= _WARNING and change.new is None and not inherits
    # A rule that was not named before may have been an error by a preset.
    return bool(new) and (min(new) == 0 or (min(new) < _ERROR and inherits))


def find_severities(values: Values | None) -> list[int]:
    """Return the severities among the values of a rule: `[3]` for `["error", 300]`."""
    named = [value for value in values or () if isinstance(value, str | bool)]
    # ESLint also has numbers, which JSON readers may give as `2.0`.
    words = [re.sub(r"\.0$", "", str(value).lower()) for value in named or values or ()]
    return [_SEVERITIES[word] for word in words if word in _SEVERITIES]


def inherits_rules(settings: Mapping[str, Values]) -> bool:
    """Say whether the settings take rules from a preset: `extends`, or `...preset` as a spread."""
    return any(
        key.endswith(("extends", "..."))
        or re.search(r"recommended|strict|all\b", f"{key} {values}")
        for key, values in settings.items()
    )
