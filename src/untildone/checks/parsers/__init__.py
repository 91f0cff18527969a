"""One module per tool whose output is understood."""

from untildone.checks.parser import Parser
from untildone.checks.parsers import (
    cargo,
    eslint,
    go,
    jest,
    lines,
    mocha,
    node,
    pytest,
    ruff,
    tsc,
    unittest,
    vitest,
)

PARSERS: dict[str, Parser] = {
    "pytest": pytest,
    "unittest": unittest,
    "ruff": ruff,
    "tsc": tsc,
    "eslint": eslint,
    "jest": jest,
    "vitest": vitest,
    "node": node,
    "mocha": mocha,
    "cargo": cargo,
    "go": go,
}
LAST_RESORT: Parser = lines
