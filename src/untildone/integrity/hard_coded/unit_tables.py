"""Tables of units, as of coins or Roman digits: code subtracts rows, it looks no answer up."""

import re

# const DIGITS: &[(u32, &str)] =, digits :=
_ASSIGNMENT = re.compile(r"(\w+)\s*(?::[^=\n]*)?=(?![=>])")
# for (const [value, letters] of DIGITS), for value, letters in DIGITS:, for _, d := range digits
_LOOP = re.compile(
    r"^(?P<indent>[ \t]*)for\b(?P<head>[^\n]*?)\b(?:of|in|range)\s+&?(?P<table>\w+)\b[^\n]*\n", re.M
)
# Code that looks for one row, so that the table may hold answers.
_LOOKUP = re.compile(
    r"(?<![<>])==|!=|\.equals\(|\.eq\(|\b(?:is|in|match|case|switch|return|break)\b"
)


def is_unit_table(text: str, line: int) -> bool:
    """Whether the table at this line is only iterated over, subtracting each row."""
    assignments = map(_ASSIGNMENT.search, reversed(text.splitlines()[:line]))
    table = next((found[1] for found in assignments if found), "")
    loops = [loop for loop in _LOOP.finditer(text) if loop["table"] == table]
    uses = len(re.findall(rf"\b{table}\b", text)) if table else 0
    is_only_iterated = bool(loops) and uses == len(loops) + 1
    return is_only_iterated and all(_subtracts_rows(text, loop) for loop in loops)


def _subtracts_rows(text: str, loop: re.Match[str]) -> bool:
    inside = re.compile(rf"(?:{loop['indent']}[ \t]+[^\n]*\n|[ \t]*\n)*").match(text, loop.end())
    body = inside[0] if inside else ""
    names = "|".join(re.findall(r"\w+", loop["head"]))
    row = rf"(?:{names})(?:\.\w+|\[0\])?"
    subtraction = rf"(?:[-%]=|=\s*\w+\s*[-%])\s*{row}\b|\bdivmod\(\w+,\s*{row}\b"
    return bool(names and re.search(subtraction, body)) and not _LOOKUP.search(body)
