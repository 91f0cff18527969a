"""The commands of ours that we give to an agent. The hooks use this: standard library only."""

import re

# They report on the loop or read it, and start nothing.
REPORTING_VERBS = (
    *("criterion", "met", "note", "signal", "blocked", "status"),
    *("steps", "precheck", "score", "verify"),
    *("detect", "rounds", "history", "plan show", "plan next"),
)
# It runs the project's commands, as every stop of a loop does.
CHECK = "check"

# A word that the shell takes as it is: plain, in single quotes, or in double quotes with nothing
# that the shell would replace.
_WORD = r"""(?:[\w@%+=:,./-]+|(?:[\w-]+=)?(?:'[^']*'|"[^"$`\\]*"))"""
_SHOW = rf"show(?: --at-start {_WORD})?(?: [0-9a-f]+)?"
_VERB = "|".join(map(re.escape, (*REPORTING_VERBS, CHECK)))
_CALL = rf"untildone (?:{_SHOW}|(?:{_VERB})(?: +{_WORD})*)(?: 2>&1)?"
_PAGE = r"(?: \| (?:head|tail)(?: -(?:n ?)?\d+)?)?"
_LINE = re.compile(rf"{_CALL}{_PAGE}(?:(?: && | ?; ?|\n){_CALL}{_PAGE})*\s*")
# Options that write a file of the caller's choice, or run the commands of another folder.
_WIDE_OPTION = re.compile(r"--(?:sarif|junit|project)\b")


def is_agent_call(command: str) -> bool:
    """Say whether a line of shell consists of nothing but calls that a loop's agent may make."""
    return _LINE.fullmatch(command) is not None and not _WIDE_OPTION.search(command)
