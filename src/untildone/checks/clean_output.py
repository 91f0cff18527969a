"""Cleans program output for display: no control characters, no secrets, limited length."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from untildone.checks.secret_redaction import remove_secrets
from untildone.core.late_patterns import compile_late

_NO_ENVIRON: Mapping[str, str] = {}
_PIECE_SIZE = 1_000_000
_LONGEST_KEY = 20_000
_COPY_LIMIT = 8_000_000
_COPY_END = 64_000

# Strings to the terminal (OSC, DCS, SOS, PM, APC) end at their terminator, or at the line's end
# if it never comes; then CSI, character sets, and two-character escapes. 8-bit forms too.
_ESCAPES = compile_late(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]+[0-~]?"
    r"|\x1b[0-~]?"
)
# Control, bidirectional, zero-width, tag and variation characters, and lone surrogates.
_INVISIBLE = compile_late(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
# --------- generated xml file: /tmp/untildone-5nksm_th/report.xml ---------
_OUR_REPORT = compile_late(
    r"(?m)^-+ generated xml file: .*[\\/]untildone-\w+[\\/]report\.xml -+\n?"
)
_SEPARATORS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})


def clean(text: str, *, environ: Mapping[str, str] = _NO_ENVIRON) -> str:
    """Return the text without escapes, invisible characters and secrets, those of `environ` too."""
    text = text.replace("\r\n", "\n")
    # Most output is plain ASCII and needs no search for escapes.
    if "\x1b" in text or not text.isascii():
        text = _ESCAPES.sub("", text.translate(_SEPARATORS))
    if "\r" in text:
        # Of each line the part after the last carriage return, as a terminal shows it.
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    if "generated xml file" in text:
        # pytest prints it because of our option, and the file is gone when this is read.
        text = _OUR_REPORT.sub("", text)
    return remove_secrets(_INVISIBLE.sub("", text), environ=environ)


def read_pieces(path: Path, *, size: int = _PIECE_SIZE) -> Iterator[str]:
    """Yield pieces of a file, cut after a paragraph, else after a line, else within a long line."""
    with path.open("rb") as file:
        rest = b""
        while piece := rest + file.read(size - len(rest)):
            end = _find_cut(piece) if len(piece) == size else len(piece)
            yield piece[:end].decode("utf-8", "replace")
            rest = piece[end:]


def _find_cut(piece: bytes) -> int:
    key = piece.rfind(b"-----BEGIN ", len(piece) - _LONGEST_KEY)
    if key > max(0, piece.rfind(b"-----END ")):
        # Half of a private key would not be recognised as a secret.
        return key
    half = len(piece) // 2
    paragraph = piece.rfind(b"\n\n", half)
    return (paragraph + 2 if paragraph >= 0 else piece.rfind(b"\n", half) + 1) or len(piece)


def write_clean_copy(path: Path, copy: Path) -> None:
    """Write the cleaned output; of a very long output only the beginning and the end."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(copy, flags, 0o600), "w", encoding="utf-8", errors="replace") as file:
        remaining = _COPY_LIMIT
        for piece in read_pieces(path):
            file.write(clean(piece, environ=os.environ))
            remaining -= len(piece)
            if remaining <= 0:
                file.write(f"\n[left out up to the end]\n{_read_end(path)}")
                return


def _read_end(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(-min(_COPY_END, path.stat().st_size), os.SEEK_END)
        return clean(file.read().decode("utf-8", "replace"), environ=os.environ)


def cut_to_tail(text: str, limit: int) -> str:
    """Return the last whole lines within the limit, or the end of a line that is longer itself."""
    if len(text) <= limit:
        return text
    end = text[-limit:] if limit > 0 else ""
    if text[-limit - 1] == "\n":
        return end
    _, newline, lines = end.partition("\n")
    return lines if newline and lines.strip() else end
