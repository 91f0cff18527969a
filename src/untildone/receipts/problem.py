"""Why a receipt is not accepted, each with its own exit code."""

from enum import StrEnum


class Problem(StrEnum):
    MISSING = "missing"
    UNREADABLE = "unreadable"
    UNSIGNED = "unsigned"
    SIGNATURE = "signature"
    TREE = "tree"
    OUTCOME = "outcome"
    CONTRACT = "contract"
    JOURNAL = "journal"
    CHECK = "check"


EXIT_CODES = {problem: 30 + number for number, problem in enumerate(Problem)}


class RefusedReceiptError(Exception):
    """Raised by the first thing about a receipt that does not hold."""

    def __init__(self, problem: Problem, reason: str) -> None:
        super().__init__(reason)
        self.problem = problem
        self.reason = reason
