"""Program output made fit to be shown: no control characters, no secrets, no overlong text."""

import re
from collections.abc import Mapping

from untildone.checks.secrets import remove_secrets

_NONE: Mapping[str, str] = {}

# Strings to the terminal (OSC, DCS, SOS, PM, APC) end at their terminator, or at the line's end
# if it never comes; then CSI, character sets, and two-character escapes. 8-bit forms too.
_ESCAPES = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]+[0-~]?"
    r"|\x1b[0-~]?"
)
# Control, bidirectional, zero-width, tag and variation characters, and lone surrogates.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_SEPARATORS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})


def clean(text: str, *, environ: Mapping[str, str] = _NONE) -> str:
    """`environ`: the values of its secret-looking variables are taken out wherever they stand."""
    text = _ESCAPES.sub("", text.translate(_SEPARATORS).replace("\r\n", "\n"))
    if "\r" in text:
        text = "\n".join(map(_last_written, text.split("\n")))
    return remove_secrets(_UNSEEN.sub("", text), environ=environ)


def _last_written(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2]


def tail_of(text: str, limit: int) -> str:
    """The last whole lines within the limit; of a single longer line its end."""
    if len(text) <= limit:
        return text
    end = text[-limit:] if limit > 0 else ""
    if text[-limit - 1] == "\n":
        return end
    _, newline, lines = end.partition("\n")
    return lines if newline and lines.strip() else end
