"""A shell's command line taken apart, well enough to see which programs it calls with what."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

_OPERATORS = frozenset("();|&`{}")
_REDIRECTIONS = frozenset("<>&|")
_SHELLS = frozenset(("bash", "dash", "eval", "fish", "ksh", "sh", "zsh"))
# Words in front of a program that are none themselves.
_WRAPPERS = frozenset(
    (
        *("!", "do", "elif", "else", "if", "then", "until", "while"),
        *("builtin", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid"),
        *("bwrap", "firejail", "stdbuf", "sudo", "time", "timeout", "unshare", "xargs"),
    )
)
_OURS = re.compile(r"untildone(?:[@=\[].*)?", re.DOTALL)
# cat > notes.md <<'EOF'
_HERE_DOCUMENT = re.compile(
    r"(?<!<)<<-?[ \t]*(['\"]?)(?P<end>\w+)\1(?P<rest>[^\n]*)\n(?P<body>.*?)"
    r"(?:^[ \t]*(?P=end)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_ASSIGNMENT = re.compile(r"\w+=")
_OPTION = re.compile(r"-|[\d.]+[smhd]?$")
_DEEPEST = 5


def is_ours(word: str) -> bool:
    return bool(_OURS.fullmatch(bare(word)))


def bare(word: str) -> str:
    """A program's name without its folder and suffix."""
    return re.split(r"[/\\]", word)[-1].removesuffix(".exe")


def calls(command: str, depth: int = 0) -> list[list[str]]:
    """Each program called, and its arguments; also what an inner shell or `$(…)` calls."""
    text = _HERE_DOCUMENT.sub(_without_body, command.replace("\\\n", " "))
    found: list[list[str]] = []
    for call in (call for words in _simple_commands(text) for call in _unwrapped(words)):
        found.append(call)
        if call and bare(call[0]) in _SHELLS and depth < _DEEPEST:
            for argument in (*call[1:], " ".join(call[1:])):
                found += calls(argument, depth + 1)
    for inner in _substituted(text) if depth < _DEEPEST else ():
        found += calls(inner, depth + 1)
    return [call for call in found if call]


def redirected_to(arguments: list[str]) -> list[str]:
    """The files the output goes to."""
    return [
        target
        for operator, target in pairwise(arguments)
        if ">" in operator and _REDIRECTIONS.issuperset(operator)
    ]


def _without_body(found: re.Match[str]) -> str:
    """What is text for another program is no command; for a shell it is."""
    line = found.string[found.string.rfind("\n", 0, found.start()) + 1 : found.start()]
    words = re.findall(r"\w+", line + found["rest"])
    kept = found["body"] if _SHELLS.intersection(words) else ""
    return f"{found['rest']}\n{kept}"


def _simple_commands(command: str) -> list[list[str]]:
    plain = re.sub(r"(?m)^[ \t]*#.*$", "", command).replace("\n", " ; ")
    lexer = shlex.shlex(plain, posix=True, punctuation_chars="();<>|&`")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        words = plain.split()
    found: list[list[str]] = [[]]
    for word in words:
        if word and _OPERATORS.issuperset(word):
            found.append([])
        else:
            found[-1].append(word)
    return found


def _unwrapped(words: list[str]) -> list[list[str]]:
    """The call behind assignments and wrappers."""
    at, wrapped = 0, False
    while at < len(words):
        wrapper = bare(words[at]) in _WRAPPERS
        if not (wrapper or _ASSIGNMENT.match(words[at]) or (wrapped and _OPTION.match(words[at]))):
            break
        wrapped = wrapped or wrapper
        at += 1
    rest = words[at:]
    # An option may have a value of its own, which is no program: `sudo -u root untildone …`
    ours = [place for place, word in enumerate(rest[1:], 1) if wrapped and is_ours(word)]
    return [rest, *(rest[place:] for place in ours[:1])]


def _substituted(command: str) -> Iterator[str]:
    """What stands in `$(…)` and backticks, but not where single quotes make it text."""
    quote, at = "", 0
    while at < len(command):
        character = command[at]
        if character == "\\" and quote != "'":
            at += 1
        elif character in "'\"" and quote in ("", character):
            quote = "" if quote else character
        elif quote != "'" and command.startswith("$(", at):
            inner = _balanced(command, at + 2)
            yield inner
            at += 2 + len(inner)
        elif quote != "'" and character == "`":
            inner = command[at + 1 :].partition("`")[0]
            yield inner
            at += 1 + len(inner)
        at += 1


def _balanced(command: str, start: int) -> str:
    depth = 1
    for at in range(start, len(command)):
        depth += {"(": 1, ")": -1}.get(command[at], 0)
        if not depth:
            return command[start:at]
    return command[start:]
