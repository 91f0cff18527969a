"""Options inside a slash command's text: `fix it --rounds 5 --check "npm test"`."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from untildone.errors import UserError

# option -> the request's field; the text beside the options is the task, as it was typed
_FIELDS = {
    "--rounds": "rounds",
    "--iterations": "rounds",
    "--max-iterations": "rounds",
    "--budget": "budget",
    "--minutes": "minutes",
    "--round-minutes": "round_minutes",
    "--stagnation-limit": "stagnation",
    "--template": "template",
    "--check": "check",
    "--success-pattern": "success_pattern",
    "--failure-pattern": "failure_pattern",
    "--promise": "promise",
    "--criterion": "criterion",
    "--must-not": "must_not",
    "--allow": "allow",
    "--done-when": "done_when",
    "--reversibility": "reversibility",
    "--clean": "clean",
    "--zero-errors": "zero_errors",
    "--no-zero-errors": "no_zero_errors",
    "--zero-warnings": "zero_warnings",
    "--zero-security": "zero_security",
    "--tests-pass": "tests_pass",
    "--todos": "todos",
    "--from-todos": "from_todos",
    "--target": "target",
    "--then": "then",
}
# A text is quoted: "document the --check flag" names no check.
_TEXT = (
    r"(?P<text>--check|--promise|--then|--target|--template|--criterion|--must-not|--allow"
    r"|--success-pattern|--failure-pattern)(?:=|[ \t]+)(?P<quoted>\"[^\"]*\"|'[^']*')"
)
_WORD = (
    r"(?P<word>--rounds|--iterations|--max-iterations|--budget|--minutes|--round-minutes"
    r"|--stagnation-limit|--done-when|--reversibility|--then|--template)"
    r"(?:=|[ \t]+)(?P<value>[\w.+-]+)"
)
_FLAG = (
    r"(?P<flag>--(?:no-)?zero-errors|--zero-warnings|--zero-security|--tests-pass|--clean"
    r"|--(?:from-)?todos)"
)
_PLACE = r"(?P<placed>--target|--allow)(?:=|[ \t]+)(?P<place>[^\s\"']+)"
_OPTION = re.compile(rf"(?:{_TEXT}|{_WORD}|{_FLAG}|{_PLACE})(?!\S)")
# Where a task is about a place, it is named as people name files to the agent.
_OPTION_OR_PLACE = re.compile(rf"(?:{_TEXT}|{_WORD}|{_FLAG}|{_PLACE}|@(?P<at>[^\s\"']+))(?!\S)")

_OPTION_LIKE = re.compile(r"(?<!\S)--[a-z][\w-]*(?=[\s=]|$)")


def options_in(text: str, *, places: bool = False) -> tuple[str, dict[str, list[str]]]:
    """The task, and the values given for each field; options stand before or after the task.

    With `places`, so does `@path`, which is a target.
    """
    option = _OPTION_OR_PLACE if places else _OPTION
    given: dict[str, list[str]] = {}
    while found := option.match(text):
        _put(given, found)
        text = text[found.end() :].lstrip()
    trailing: list[re.Match[str]] = []
    for found in option.finditer(text):
        if trailing and text[trailing[-1].end() : found.start()].strip():
            trailing = []
        trailing.append(found)
    if trailing and not text[trailing[-1].end() :].strip():
        for found in trailing:
            _put(given, found)
        text = text[: trailing[0].start()]
    return _unquoted(text.strip()), given


def left_in(task: str) -> Iterator[str]:
    """What looks like an option of ours and is none: a slip, or what the task is about."""
    for word in dict.fromkeys(_OPTION_LIKE.findall(task)):
        for near in get_close_matches(word, _FIELDS, n=1, cutoff=0.8):
            yield (
                f"`{word}` is read as part of the task; as an option `{near}` stands"
                " before or after the task, a text in quotes"
            )


def _put(given: dict[str, list[str]], found: re.Match[str]) -> None:
    places = found.groupdict()
    place = places["place"] or places.get("at")
    name = found["text"] or found["word"] or found["flag"] or found["placed"] or "--target"
    value = _unquoted(found["quoted"]) if found["text"] else found["value"] or place or "true"
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
