"""What a loop took, which differs from run to run, in the lines about its end."""

import re

# 4 min, 0.42 USD
_EFFORT = re.compile(r"\d+ (?:s|min|h), (?:cost unknown|\d+\.\d\d USD)")
RECEIPT = "TIME, COST | receipt: .untildone/receipt.md"


def hide_effort(text: str) -> str:
    """The line with `TIME, COST` in place of the figures."""
    return _EFFORT.sub("TIME, COST", text)
