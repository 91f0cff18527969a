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
    "--reversibility": "reversibility",
    "--clean": "clean",
    "--zero-security": "zero_security",
}
# A text is quoted: "document the --check flag" names no check.
_TEXT = r"(?P<text>--check|--promise)(?:=|[ \t]+)(?P<quoted>\"[^\"]*\"|'[^']*')"
_WORD = (
    r"(?P<word>--rounds|--iterations|--max-iterations|--budget|--minutes|--stagnation-limit"
    r"|--done-when|--reversibility)(?:=|[ \t]+)(?P<value>[\w.+-]+)"
)
_FLAG = r"(?P<flag>--zero-security|--clean)"
_OPTION = re.compile(rf"(?:{_TEXT}|{_WORD}|{_FLAG})(?!\S)")


def options_in(text: str) -> tuple[str, dict[str, list[str]]]:
    """The task, and the values given for each field; options stand before or after the task."""
    given: dict[str, list[str]] = {}
    while found := _OPTION.match(text):
        _put(given, found)
        text = text[found.end() :].lstrip()
    trailing: list[re.Match[str]] = []
    for found in _OPTION.finditer(text):
        if trailing and text[trailing[-1].end() : found.start()].strip():
            trailing = []
        trailing.append(found)
    if trailing and not text[trailing[-1].end() :].strip():
        for found in trailing:
            _put(given, found)
        text = text[: trailing[0].start()]
    return _unquoted(text.strip()), given


def _put(given: dict[str, list[str]], found: re.Match[str]) -> None:
    name = found["text"] or found["word"] or found["flag"]
    value = _unquoted(found["quoted"]) if found["text"] else found["value"] or "true"
    given.setdefault(_FIELDS[name], []).append(value)


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
