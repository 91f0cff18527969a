"""The part of a line that differs from another one, as it is written, in a few words.

`assert fare(15) == 6` and `assert fare(15) == 12` differ by `6` and `12`.
"""

from untildone.core.late_patterns import compile_late

_MAX_PART = 40
# Shown of what both sides begin with, if they differ only far behind it.
_MAX_LEAD = 15
_WORD = compile_late(r"[\w.%]")
_BRACKETS = {")": "(", "]": "[", "}": "{"}


def find_differing_part(old: str, new: str) -> tuple[str, str]:
    """Return the differing part of either line; both are empty if only blanks differ.

    Otherwise they are never equal. One is empty where the other line only has more.
    """
    old, new = " ".join(old.split()), " ".join(new.split())
    if old == new:
        return "", ""
    start = _count_common(old, new)
    end = _count_common(old[start:][::-1], new[start:][::-1])
    before, after = old[:start], old[len(old) - end :]
    middles = old[start : len(old) - end], new[start : len(new) - end]
    widths = _widen(before, after, middles)
    parts = [_cut(before, middle, after, widths) for middle in middles]
    was, now = (part.strip() for part in parts)
    return (was, now) if was != now else (parts[0], parts[1])


def _count_common(old: str, new: str) -> int:
    """Count the characters with which both begin."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (was, now) in pairs if was != now), min(len(old), len(new)))


def _widen(before: str, after: str, middles: tuple[str, str]) -> tuple[int, int]:
    """Return how much of the text before and after is needed to understand the difference."""
    quoted = _find_quotes(before, after)
    if quoted and sum(quoted) + max(map(len, middles)) <= _MAX_PART:
        return quoted
    lead = _count_word(before[::-1]) if _begins_word(after, middles) else 0
    tail = _count_word(after) if _begins_word(before[::-1], _reverse(middles)) else 0
    if not _is_item_of_list(middles) and all(lead + tail or middle for middle in middles):
        return lead, tail
    opening, closing = _find_brackets(before, after)
    if opening and opening + closing + max(map(len, middles)) <= 2 * _MAX_PART:
        return opening + _count_word(before[: len(before) - opening][::-1]), closing
    return lead, tail


def _is_item_of_list(middles: tuple[str, str]) -> bool:
    """Say whether one side has an item with its comma and the other has nothing."""
    return not all(middles) and "," in "".join(middles)


def _begins_word(after: str, middles: tuple[str, str]) -> bool:
    """Say whether a word may go on in one of the middles, or in what comes after both."""
    return any(_WORD.match(middle + after) for middle in middles)


def _reverse(middles: tuple[str, str]) -> tuple[str, str]:
    return middles[0][::-1], middles[1][::-1]


def _count_word(text: str) -> int:
    """Count the characters of a word with which the text begins."""
    return next((at for at, char in enumerate(text) if not _WORD.match(char)), len(text))


def _find_brackets(before: str, after: str) -> tuple[int, int]:
    """Return the distances to the brackets around; zeros if there are none."""
    depth = 0
    for tail, char in enumerate(after, 1):
        if char in _BRACKETS.values():
            depth += 1
        elif char in _BRACKETS:
            depth -= 1
            if depth < 0:
                return _find_opening(before, _BRACKETS[char], char), tail
    return 0, 0


def _find_opening(before: str, opening: str, closing: str) -> int:
    depth = 0
    for lead, char in enumerate(reversed(before), 1):
        depth += (char == closing) - (char == opening)
        if depth < 0:
            return lead
    return 0


def _find_quotes(before: str, after: str) -> tuple[int, int] | None:
    """Return the distances to the quotes of a text that the difference is in."""
    for quote in "\"'":
        if before.count(quote) % 2 and quote in after:
            return len(before) - before.rindex(quote), after.index(quote) + 1
    return None


def _cut(before: str, middle: str, after: str, widths: tuple[int, int]) -> str:
    """Return the middle with so much around it; if that is long, the part that differs."""
    lead, tail = widths
    shown = min(lead, _MAX_LEAD) if lead + len(middle) + tail > _MAX_PART else lead
    text = before[len(before) - shown :] + middle + after[:tail]
    mark = "…" if shown < lead else ""
    return mark + (text if len(text) <= _MAX_PART else f"{text[:_MAX_PART]}…")
