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
    table = _find_table_name(text.splitlines()[:line])
    walks = [found for found in _LOOP.finditer(text) if found["table"] == table]
    used = len(re.findall(rf"\b{table}\b", text)) if table else 0
    return (
        used == len(walks) + 1
        and bool(walks)
        and all(_subtracts_rows(text, each) for each in walks)
    )


def _find_table_name(lines: list[str]) -> str:
    held = (_ASSIGNMENT.search(each) for each in reversed(lines))
    return next((found[1] for found in held if found), "")


def _subtracts_rows(text: str, walk: re.Match[str]) -> bool:
    inside = re.compile(rf"(?:{walk['indent']}[ \t]+[^\n]*\n|[ \t]*\n)*").match(text, walk.end())
    body = inside[0] if inside else ""
    names = "|".join(re.findall(r"\w+", walk["head"]))
    row = rf"(?:{names})(?:\.\w+|\[0\])?"
    left = rf"(?:[-%]=|=\s*\w+\s*[-%])\s*{row}\b|\bdivmod\(\w+,\s*{row}\b"
    return bool(names and re.search(left, body)) and not _LOOKUP.search(body)
