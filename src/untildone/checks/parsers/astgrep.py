"""`ast-grep scan`: one finding per block (rich) or per line (medium, short), then a count."""

import re
from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic

# `untildone.checks.security` prints the lines of the short form, with its own severity.
PROGRAMS = ("ast-grep", "sg", "untildone.checks.security")

_RULE = r"(?P<severity>error|warning|note|help|security)\[(?P<code>[^\]\s]+)\]: (?P<text>.+)"
# error[no-eval]: eval runs whatever it is given
#   ┌─ shop/cart.js:7:3
_RICH = re.compile(
    rf"^{_RULE}\n +┌─ (?P<path>.+?):(?P<line>\d{{1,9}}):\d+$",
    re.MULTILINE,
)
# shop/cart.js:7:3: error[no-eval]: eval runs whatever it is given
_SHORT = re.compile(
    rf"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d{{1,9}}):\d+: {_RULE}$",
    re.MULTILINE,
)
# rustc has a short form of its own: src/lib.rs:2:5: error[E0308]: mismatched types
_RUST = re.compile(r"E\d{4}")


def parse(output: str) -> Iterator[Diagnostic]:
    for pattern in (_RICH, _SHORT):
        for match in pattern.finditer(output):
            if not _RUST.fullmatch(match["code"]):
                yield make_diagnostic(match)
