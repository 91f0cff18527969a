"""`ty check`: one finding per block (full) or per line (concise), then a count."""

from untildone.checks.parser import parse_matches

PROGRAMS = ("ty",)

_RULE = r"(?P<severity>error|warning|info)\[(?P<code>[a-z][a-z0-9-]*)\]"
parse = parse_matches(
    # error[invalid-return-type]: Return type does not match returned value
    #  --> cart.py:6:12
    rf"^{_RULE}: (?P<text>.+)\n +--> (?P<path>.+?):(?P<line>\d{{1,9}}):\d+$",
    # cart.py:6:12: error[invalid-return-type] Return type does not match returned value
    r"^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d{1,9}):\d+: "
    rf"{_RULE} (?P<text>.+)$",
)
