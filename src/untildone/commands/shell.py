"""A shell command line as calls: which programs it starts, and with which arguments.

`cd src && sudo sh -c "make test"` has the calls `cd src`, `sh -c "make test"` and `make test`.
The hooks use this module, so it imports the standard library only.
"""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

SHELLS = frozenset(("bash", "dash", "ksh", "sh", "zsh"))
# Programs whose arguments may be shell text.
_RUN_TEXT = SHELLS | {"eval", "fish"}
_OPERATORS = frozenset("();|&`{}")
_REDIRECTIONS = frozenset("<>&|")
# Words in front of a program: they change how it runs, not which program it is.
_WRAPPERS = frozenset(
    (
        *("!", "do", "elif", "else", "if", "then", "until", "while"),
        *("builtin", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid"),
        *("bwrap", "firejail", "stdbuf", "sudo", "time", "timeout", "unshare", "xargs"),
        *("winpty", "xvfb-run"),
    )
)
# untildone, untildone@latest, untildone==1.0, untildone[cost]
_UNTILDONE = re.compile(r"untildone(?:[@=\[].*)?", re.DOTALL)
# cat > notes.md <<'EOF'
_HERE_DOCUMENT = re.compile(
    r"(?sm)(?<!<)<<-?[ \t]*(['\"]?)(?P<end>\w+)\1(?P<rest>[^\n]*)\n(?P<body>.*?)"
    r"(?:^[ \t]*(?P=end)[ \t]*$|\Z)"
)
_ASSIGNMENT = re.compile(r"\w+=")
# An option of a wrapper, or the duration that `timeout` takes.
_WRAPPER_OPTION = re.compile(r"-|[\d.]+[smhd]?$")
_MAX_DEPTH = 5


def is_untildone(word: str) -> bool:
    """Say whether a word names our own program, with or without folder and version."""
    return bool(_UNTILDONE.fullmatch(program_name(word)))


def program_name(word: str) -> str:
    """Return a program's name without its folder and its suffix on Windows."""
    return re.sub(r"(?i)\.(exe|cmd|bat|ps1)$", "", re.split(r"[/\\]", word)[-1])


def parse_calls(command: str, depth: int = 0) -> list[list[str]]:
    """Return each called program with its arguments, also those in an inner shell and in `$(…)`.

    `depth` counts the shells around the command.
    """
    text = _HERE_DOCUMENT.sub(_replace_here_document, command.replace("\\\n", " "))
    found: list[list[str]] = []
    for call in (call for words in split_commands(text) for call in _find_wrapped_calls(words)):
        found.append(call)
        if call and program_name(call[0]) in _RUN_TEXT and depth < _MAX_DEPTH:
            for argument in (*call[1:], " ".join(call[1:])):
                found += parse_calls(argument, depth + 1)
    for inner in _find_substitutions(text) if depth < _MAX_DEPTH else ():
        found += parse_calls(inner, depth + 1)
    return [call for call in found if call]


def split_commands(command: str) -> list[list[str]]:
    """Return the words of each simple command; operators such as `&&` and `|` separate them."""
    plain = re.sub(r"(?m)^[ \t]*#.*$", "", command).replace("\n", " ; ")
    lexer = shlex.shlex(plain, posix=True, punctuation_chars="();<>|&`")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        # The shell will report the open quote; the first words still name the program.
        words = plain.split()
    found: list[list[str]] = [[]]
    for word in words:
        if word and _OPERATORS.issuperset(word):
            found.append([])
        else:
            found[-1].append(word)
    return found


def strip_wrappers(words: list[str]) -> list[str]:
    """Return the words behind assignments and wrappers such as `env`, `sudo` and `timeout 60`."""
    is_wrapped = False
    for start, word in enumerate(words):
        is_wrapper = program_name(word) in _WRAPPERS
        is_wrapped = is_wrapped or is_wrapper
        is_option = is_wrapped and _WRAPPER_OPTION.match(word)
        if not (is_wrapper or is_option or _ASSIGNMENT.match(word)):
            return words[start:]
    return []


def find_redirect_targets(arguments: list[str]) -> list[str]:
    """Return the words behind `>`, `>>`, `2>` and the like."""
    return [
        target
        for operator, target in pairwise(arguments)
        if ">" in operator and _REDIRECTIONS.issuperset(operator)
    ]


def _replace_here_document(document: re.Match[str]) -> str:
    """Keep the body of `<<EOF` only where a shell reads it: for any other program it is data."""
    text, start = document.string, document.start()
    line = text[text.rfind("\n", 0, start) + 1 : start]
    words = re.findall(r"\w+", line + document["rest"])
    body = document["body"] if _RUN_TEXT.intersection(words) else ""
    return f"{document['rest']}\n{body}"


def _find_wrapped_calls(words: list[str]) -> list[list[str]]:
    """Return the call behind wrappers, and that of untildone in it.

    In `sudo -u root untildone cancel` the option's value `root` looks like the program.
    """
    call = strip_wrappers(words)
    is_wrapped = any(program_name(word) in _WRAPPERS for word in words[: len(words) - len(call)])
    starts = [start for start, word in enumerate(call) if start and is_untildone(word)]
    return [call, *(call[start:] for start in starts[:1] if is_wrapped)]


def _find_substitutions(command: str) -> Iterator[str]:
    """Yield what stands in `$(…)` and backticks, except where single quotes make it text."""
    quote, position = "", 0
    while position < len(command):
        character = command[position]
        if character == "\\" and quote != "'":
            position += 1
        elif character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        elif quote != "'" and command.startswith("$(", position):
            inner = _read_to_closing_parenthesis(command, position + 2)
            yield inner
            position += 2 + len(inner)
        elif quote != "'" and character == "`":
            inner = command[position + 1 :].partition("`")[0]
            yield inner
            position += 1 + len(inner)
        position += 1


def _read_to_closing_parenthesis(command: str, start: int) -> str:
    """Return the text from `start` to the `)` that closes it; all of it if none does."""
    depth = 1
    for end in range(start, len(command)):
        depth += {"(": 1, ")": -1}.get(command[end], 0)
        if not depth:
            return command[start:end]
    return command[start:]
