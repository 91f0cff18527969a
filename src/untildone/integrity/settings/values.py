"""Settings of one value: switches, numbers, severities."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from untildone.integrity.settings.parsing import Scalar

if TYPE_CHECKING:
    from untildone.integrity.settings.loosening import Place

Before: TypeAlias = tuple[Scalar, ...] | None

_SEVERITIES = {
    **dict.fromkeys(("off", "allow", "none", "0", "false", "ignore"), 0),
    **dict.fromkeys(("hint", "info", "information", "basic", "convention", "minor"), 1),
    **dict.fromkeys(("warn", "warning", "1", "standard", "refactor", "major"), 2),
    **dict.fromkeys(("error", "deny", "2", "true", "on", "fatal", "critical"), 3),
    **dict.fromkeys(("forbid", "strict", "blocker"), 4),
}
# What holds while the key is not set, where a greater number would be milder.
_DEFAULTS = (
    (re.compile(r".*testTimeout$", re.IGNORECASE), 5000.0),
    (re.compile(r".*hookTimeout$", re.IGNORECASE), 10000.0),
    (re.compile(r".*(retr(y|ies)|reruns|max-?warnings)$", re.IGNORECASE), 0.0),
    (re.compile(r".*line[-_]length$", re.IGNORECASE), 100.0),
)
# max-lines: ['error', 300]
_LIMIT = re.compile(r"\.(max-[\w-]+|complexity)(\.\w+)?$")
_STRICT_FAMILY = re.compile(
    r"noImplicit(Any|This)|strict\w+|alwaysStrict|useUnknown\w+|warn_\w+|disallow_\w+|check_untyped_defs"
    r"|no_implicit_\w+|extra_checks",
    re.IGNORECASE,
)


def changed_at_all(_key: str, old: Before, new: Before, _place: "Place") -> bool:
    """It steers the tool itself: no value is known to be harmless, but none is."""
    return new is not None and new != old


def switched_on(_key: str, old: Before, new: Before, _place: "Place") -> bool:
    return says(new, on=True) and not says(old, on=True)


def turned_false(_key: str, old: Before, new: Before, _place: "Place") -> bool:
    """On unless it says otherwise."""
    return says(new, on=False) and not says(old, on=False)


def switched_off(key: str, old: Before, new: Before, place: "Place") -> bool:
    if new is not None:
        return turned_false(key, old, new, place)
    prefix, _, name = key.rpartition(".")
    whole = place.beside.get(f"{prefix}.strict", ())
    covered = _STRICT_FAMILY.fullmatch(name) and says(whole, on=True)
    return says(old, on=True) and not covered


def says(values: Before, *, on: bool) -> bool:
    words = ("true", "1", "1.0", "yes", "on") if on else ("false", "0", "0.0", "no", "off", "none")
    return any(str(value).lower() in words for value in values or ())


def lower(_key: str, old: Before, new: Before, _place: "Place") -> bool:
    before, now = numbers(old), numbers(new)
    return bool(before) and (not now or min(now) < min(before))


def higher(key: str, old: Before, new: Before, _place: "Place") -> bool:
    before, now = numbers(old), numbers(new)
    if not before:
        before = [number for pattern, number in _DEFAULTS if pattern.match(key)]
    if not now:
        # Without the key the tool's own limit holds, if it has one.
        return bool(before) and old is not None and "complexity" in key
    return bool(before) and (
        max(now) > max(before) or (0 in now and max(before) > 0 and "time" in key)
    )


def numbers(values: Before) -> list[float]:
    texts = (
        str(value).strip().rstrip("%") for value in values or () if not isinstance(value, bool)
    )
    return [float(text) for text in texts if re.fullmatch(r"-?\d+(\.\d+)?", text)]


def milder(key: str, old: Before, new: Before, place: "Place") -> bool:
    if _LIMIT.search(key) and higher(key, old, new, place):
        return True
    before, now = severities(old), severities(new)
    if now and before:
        return min(now) < min(before)
    if before:
        # A rule that is no longer named may come with a set that is.
        return min(before) >= 2 and new is None and not inherits(place.beside)
    return bool(now) and (min(now) == 0 or (min(now) < 3 and inherits(place.beside)))


def severities(values: Before) -> list[int]:
    said = [value for value in values or () if isinstance(value, str | bool)]
    words = [re.sub(r"\.0$", "", str(value).lower()) for value in said or values or ()]
    return [_SEVERITIES[word] for word in words if word in _SEVERITIES]


def inherits(settings: Mapping[str, tuple[Scalar, ...]]) -> bool:
    return any(
        key.endswith(("extends", "..."))
        or re.search(r"recommended|strict|all\b", f"{key} {values}")
        for key, values in settings.items()
    )
