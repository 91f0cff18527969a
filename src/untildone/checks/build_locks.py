"""Locks for checks that build in the same folder, so that they do not run in parallel."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from threading import Lock

from untildone.commands.programs import find_programs
from untildone.core.contract import Check

# Other tools lock their folder themselves, or build into a folder of their own.
_BUILDERS = frozenset(
    (
        *("make", "gmake", "cmake", "ctest", "ninja", "mvn", "mvnw", "mvnd"),
        # Gradle waits for its own lock, but then the reports of the other run look like new ones.
        *("gradle", "gradlew"),
    )
)


def assign_locks(checks: Sequence[Check]) -> list[AbstractContextManager[object]]:
    """The lock for each check to hold while it runs."""
    folders: dict[str, Lock] = defaultdict(Lock)
    return [
        nullcontext() if _BUILDERS.isdisjoint(find_programs(check.command)) else folders[check.cwd]
        for check in checks
    ]
