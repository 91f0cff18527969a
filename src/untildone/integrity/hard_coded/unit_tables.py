"""Recognises tables of units, such as coins or Roman digits, which hold no answers of tests.

Code subtracts the rows of such a table one after another and looks none of them up:

    DIGITS = [(10, "X"), (9, "IX"), (5, "V")]
    for value, letters in DIGITS:
        while number >= value:
            number -= value
"""

import re

from untildone.core.late_patterns import compile_late

# const DIGITS: &[(u32, &str)] =, digits :=
_ASSIGNMENT = compile_late(r"(\w+)\s*(?::[^=\n]*)?=(?![=>])")
# for (const [value, letters] of DIGITS), for value, letters in DIGITS:, for _, d := range digits
_LOOP = compile_late(
    r"^(?P<indent>[ \t]*)for\b(?P<head>[^\n]*?)\b(?:of|in|range)\s+&?(?P<table>\w+)\b[^\n]*\n", re.M
)
# Code that looks for one row, so that the table may hold answers.
_LOOKUP = compile_late(
    r"(?<![<>])==|!=|\.equals\(|\.eq\(|\b(?:is|in|match|case|switch|return|break)\b"
)


def is_unit_table(text: str, line: int) -> bool:
    """Say whether the table with this line is used only by loops that subtract its rows."""
    assignments = map(_ASSIGNMENT.search, reversed(text.splitlines()[:line]))
    table = next((assignment[1] for assignment in assignments if assignment), "")
    loops = [loop for loop in _LOOP.finditer(text) if loop["table"] == table]
    mentions = len(re.findall(rf"\b{table}\b", text)) if table else 0
    # Its definition is the one mention outside of the loops.
    is_only_iterated = bool(loops) and mentions == len(loops) + 1
    return is_only_iterated and all(_subtracts_rows(text, loop) for loop in loops)


def _subtracts_rows(text: str, loop: re.Match[str]) -> bool:
    """Say whether the body of the loop subtracts, or divides by, a part of each row."""
    indented = re.compile(rf"(?:{loop['indent']}[ \t]+[^\n]*\n|[ \t]*\n)*").match(text, loop.end())
    body = indented[0] if indented else ""
    variables = "|".join(re.findall(r"\w+", loop["head"]))
    # value, digit.value, digit[0]
    part_of_row = rf"(?:{variables})(?:\.\w+|\[0\])?"
    # number -= value, number = number % value, divmod(number, value)
    subtraction = rf"(?:[-%]=|=\s*\w+\s*[-%])\s*{part_of_row}\b|\bdivmod\(\w+,\s*{part_of_row}\b"
    return bool(variables and re.search(subtraction, body)) and not _LOOKUP.search(body)
