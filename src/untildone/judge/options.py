"""Options inside a slash command's text: `fix it --rounds 5 --check "npm test"`."""

import re

from untildone.errors import UserError

# option -> the request's field; the text beside the options is the task, as it was typed
_FIELDS = {
    "--rounds": "rounds",
    "--iterations": "rounds",
    "--max-iterations": "rounds",
    "--budget": "budget",
    "--minutes": "minutes",
    "--stagnation-limit": "stagnation",
    "--check": "check",
    "--promise": "promise",
    "--done-when": "done_when",
}
_OPTION = re.compile(
    r"(?<!\S)(?P<name>" + "|".join(_FIELDS) + r")(?:=|[ \t]+)"
    r"(?P<value>\"[^\"]*\"|'[^']*'|\S+)"
)


def options_in(text: str) -> tuple[str, dict[str, list[str]]]:
    """The task, and the values given for each field."""
    given: dict[str, list[str]] = {}
    for found in _OPTION.finditer(text):
        given.setdefault(_FIELDS[found["name"]], []).append(_unquoted(found["value"]))
    return _unquoted(_OPTION.sub("", text).strip()), given


def _unquoted(text: str) -> str:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


def number(text: str, option: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 1e6:
        raise UserError(
            f"`{text}` is not a number for `{option}`", hint=f"for example `{option} 5`"
        )
    return value
