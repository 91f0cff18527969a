"""Checks that build in one folder take turns: at once they would break each other's output."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock

from untildone.commands.programs import programs
from untildone.core.model import Check

# Others lock their folder themselves, or build into one that nobody else has.
_BUILDERS = frozenset(
    (
        *("make", "gmake", "cmake", "ctest", "ninja", "mvn", "mvnw", "mvnd"),
        # One that waits for another's lock would find the other's reports, newer than its start.
        *("gradle", "gradlew"),
    )
)


def assign_locks(checks: Sequence[Check]) -> list[AbstractContextManager[object]]:
    """What each check is to hold while it runs."""
    folders: dict[str, Lock] = defaultdict(Lock)
    return [
        nullcontext() if _BUILDERS.isdisjoint(programs(check.command)) else folders[check.cwd]
        for check in checks
    ]
