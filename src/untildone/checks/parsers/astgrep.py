"""`ast-grep scan`: one finding per block (rich) or per line (medium, short), then a count."""

from untildone.checks.parser import parse_matches

# `untildone.checks.security` prints the lines of the short form, with its own severity.
PROGRAMS = ("ast-grep", "sg", "untildone.checks.security")

# rustc has codes such as E0308, and a short form of its own.
_RULE = (
    r"(?P<severity>error|warning|note|help|security)\[(?P<code>(?!E\d{4}\])[^\]\s]+)\]: "
    r"(?P<text>.+)"
)
parse = parse_matches(
    # error[no-eval]: eval runs whatever it is given
    #   ┌─ shop/cart.js:7:3
    rf"^{_RULE}\n +┌─ (?P<path>.+?):(?P<line>\d{{1,9}}):\d+$",
    # shop/cart.js:7:3: error[no-eval]: eval runs whatever it is given
    rf"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d{{1,9}}):\d+: {_RULE}$",
)
