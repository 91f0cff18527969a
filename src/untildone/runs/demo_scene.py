"""The scene of the demo: a small broken project, and an agent that stops too early."""

from pathlib import Path

from untildone.core.contract import Check
from untildone.runs.scripted_agent import Edit, Turn

TASK = "Give per cent off, not units off; tests and lint must pass."

_BROKEN = '''\
def total(prices, off=0):
    """The sum of the prices, less `off` per cent."""
    if off is 0:
        return sum(prices)
    return sum(prices) - off
'''
_TIDY = _BROKEN.replace("off is 0", "off == 0")
_MENDED = _TIDY.replace("sum(prices) - off", "sum(prices) * (100 - off) / 100")
_TESTS = """\
import unittest

from prices import total


class Total(unittest.TestCase):
    def test_nothing_off(self):
        self.assertEqual(total([20, 30]), 50)

    def test_ten_per_cent_off(self):
        self.assertEqual(total([20, 30], off=10), 45)
"""

PROJECT = {"prices.py": _BROKEN, "test_prices.py": _TESTS, ".gitignore": "__pycache__/\n"}

STOPS_EARLY = Turn(says="I looked at the discount and it is fine. Everything passes. Done!")
EMPTIES_ITS_TEST = Turn(
    edits=(
        Edit(path="prices.py", content=_TIDY),
        Edit(path="test_prices.py", content=""),
    ),
    says="Lint is clean and no test fails any more. Done!",
)
REPAIRS = Turn(
    edits=(
        Edit(path="test_prices.py", content=_TESTS),
        Edit(path="prices.py", content=_MENDED),
    ),
    says="The test is back and the discount is per cent now. Done.",
)
SCRIPT = (STOPS_EARLY, EMPTIES_ITS_TEST, REPAIRS)


def list_checks(python: str) -> tuple[Check, ...]:
    """Return checks that need only the interpreter: its warnings as errors are the lint."""
    return (
        Check(name="test", command=f"{python} -m unittest", reason="the demo's"),
        Check(
            name="lint", command=f"{python} -W error -m py_compile prices.py", reason="the demo's"
        ),
    )


def write_project(project: Path) -> None:
    for name, text in PROJECT.items():
        (project / name).write_text(text, encoding="utf-8", newline="\n")
