"""`tsc`: `path(line,column): error TS…`, or `path:line:column - error TS…` when pretty."""

from untildone.checks.parser import parse_matches

PROGRAMS = ("tsc", "vue-tsc", "tsgo")

# cart.ts(2,3): error TS2322: Type 'number' is not assignable to type 'string'.
# cart.ts:2:3 - error TS2322: Type 'number' is not assignable to type 'string'.
# error TS5023: Unknown compiler option '--nonsense'.
parse = parse_matches(
    r"^(?:(?P<path>[^\s(:](?:[^(:\n]|:(?!\d)|\((?!\d))*)"
    r"[(:](?P<line>\d{1,9})(?:,\d+\):|:\d+ -) )?"
    r"(?P<severity>error|warning) (?P<code>TS\d+): (?P<text>.+)$"
)
