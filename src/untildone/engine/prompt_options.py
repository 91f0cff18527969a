"""Options in the text of a slash command, which stand before, after or in the task.

    /untildone:loop fix the parser --rounds 5 --check "npm test"

gives the task `fix the parser` and {"rounds": ["5"], "checks": ["npm test"]}.
"""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from untildone.core.late_patterns import compile_late
from untildone.engine.start_options import OPTIONS, Form, StartOption
from untildone.errors import UserError

# The options that a slash command takes, by each of their spellings.
_BY_SPELLING = {
    spelling: option
    for option in OPTIONS
    if option.forms
    for spelling in (*option.spellings, option.off)
    if spelling
}
# The texts that stand for a flag's value until `_convert`.
_TRUE, _FALSE = "true", "false"


def _alternatives(form: Form) -> str:
    """Return a pattern that matches the spelling of each option that is written in this form."""
    return "|".join(name for name, option in _BY_SPELLING.items() if form in option.forms)


# A value of several words must be quoted: "document the --check flag" names no check.
_OPTION_PATTERN = (
    rf"(?P<quoted>{_alternatives('quoted')})(?:=|[ \t]+)(?P<text>\"[^\"]*\"|'[^']*')"
    rf"|(?P<word>{_alternatives('word')})(?:=|[ \t]+)(?P<value>[\w.+-]+)"
    rf"|(?P<flag>{_alternatives('flag')})"
    rf"|(?P<path_option>{_alternatives('path')})(?:=|[ \t]+)(?P<path>[^\s\"']+)"
)
# An option begins a word: `foo--rounds 5` and, below, `bob@example.com` are part of the task.
_OPTION = compile_late(rf"(?<!\S)(?:{_OPTION_PATTERN})(?!\S)")
# `@path` is how people name files to the agent.
_OPTION_OR_PATH = compile_late(rf"(?<!\S)(?:{_OPTION_PATTERN}|@(?P<at>[^\s\"']+))(?!\S)")

# Any word like `--name`.
_OPTION_LIKE = compile_late(r"(?<!\S)--[a-z][\w-]*(?=[\s=]|$)")


def split_options(
    text: str, *, paths: bool = False, anywhere: bool = True
) -> tuple[str, dict[str, list[str]]]:
    """Return the task, and the texts of each option's values by the option's name.

    A text has no quotes around it; that of a flag is "true" or "false". With `anywhere`, an option
    counts wherever it stands, else only before and after the task. With `paths`, `@path` before or
    after the task is short for `--target path`.
    """
    pattern = _OPTION_OR_PATH if paths else _OPTION
    texts: dict[str, list[str]] = {}
    task: list[str] = []
    end = 0
    for found in pattern.finditer(text):
        is_option = anywhere and not found[0].startswith("@")
        if is_option or _is_at_an_end(pattern, text, found):
            _add(texts, found)
            task.append(text[end : found.start()].rstrip(" \t"))
            end = found.end()
    return _unquote("".join((*task, text[end:])).strip()), texts


def _is_at_an_end(pattern: re.Pattern[str], text: str, found: re.Match[str]) -> bool:
    """Say whether nothing but options stands before the option, or nothing but options after it."""
    before, after = text[: found.start()], text[found.end() :]
    return not pattern.sub("", before).strip() or not pattern.sub("", after).strip()


def find_misplaced_options(task: str) -> Iterator[str]:
    """Yield a sentence for each word of the task that looks like an option."""
    for word in dict.fromkeys(_OPTION_LIKE.findall(task)):
        near = get_close_matches(word, _BY_SPELLING, n=1, cutoff=0.75)
        told = f"`{word}` is no option of this command and is read as part of the task"
        if word in near:
            forms = _BY_SPELLING[word].forms
            value = 'a text in quotes: `{} "…"`' if "quoted" in forms else "a value: `{} …`"
            told = f"`{word}` is read as part of the task; it needs {value.format(word)}"
        elif near:
            told += f"; did you mean `{near[0]}`?"
        yield told


def convert_values(texts: dict[str, list[str]]) -> dict[str, object]:
    """Return the fields of `StartOptions` for the texts that `split_options` found."""
    options = {option.name: option for option in OPTIONS}
    return {name: _convert(options[name], values) for name, values in texts.items()}


def _convert(option: StartOption, texts: list[str]) -> object:
    """Return the option's value; of one that is not repeatable the last text counts."""
    match option.kind:
        case "flag":
            return texts[-1] == _TRUE
        case "integer":
            return int(parse_number(texts[-1], option.spellings[0]))
        case "number":
            return parse_number(texts[-1], option.spellings[0])
        case "choice":
            return _choose(option, texts[-1])
        case _:
            return tuple(texts) if option.repeatable else texts[-1]


def _choose(option: StartOption, text: str) -> str:
    """Return the option's choice that the text names, in upper or lower case."""
    for choice in option.choices:
        if choice.casefold() == text.casefold():
            return choice
    raise UserError(
        f"`{option.spellings[0]} {text}` is unknown", hint=f"one of {', '.join(option.choices)}"
    )


def _add(texts: dict[str, list[str]], found: re.Match[str]) -> None:
    """Add the value of the option that `_OPTION_PATTERN` has found to `texts`."""
    groups = found.groupdict()
    spelling = groups["quoted"] or groups["word"] or groups["flag"] or groups["path_option"]
    # Only `@path` has no spelling.
    option = _BY_SPELLING[spelling or "--target"]
    if groups["flag"]:
        value = _FALSE if spelling == option.off else _TRUE
    elif groups["quoted"]:
        value = _unquote(groups["text"])
    else:
        value = groups["value"] or groups["path"] or groups["at"]
    texts.setdefault(option.name, []).append(value)


def _unquote(text: str) -> str:
    """Return the text without quotes around it; `"a" or "b"` keeps its own."""
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in text[1:-1]:
        return text[1:-1]
    return text


def parse_number(text: str, option: str) -> float:
    """Return the number; raise UserError if it is none, negative or a million and more."""
    try:
        value = float(text)
    except ValueError:
        # Out of range, so that the error below is raised.
        value = -1
    if not 0 <= value < 1e6:
        raise UserError(
            f"`{text}` is not a number for `{option}`", hint=f"for example `{option} 5`"
        )
    return value
