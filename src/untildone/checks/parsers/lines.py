"""The last resort for unknown tools: any line that names a file, a line and a message."""

from untildone.checks.parser import parse_matches

PROGRAMS = ()

# src/cart.c:12:5: warning: unused variable
# cart.py:7: error: Incompatible return value type
parse = parse_matches(
    r"(?i)^(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.\w{1,10}):(?P<line>\d{1,9}):(?:\d+:)? "
    r"(?:(?P<severity>error|warning|note|info)(?:\[(?P<code>[\w-]+)\])?: )?(?P<text>\S.*)$"
)
