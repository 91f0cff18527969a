"""A task as a list of named steps whose results are recorded, so that a crash repeats none.

The list is the same wherever a task runs; what differs is who records: a step is given what the
steps before it found out and returns that with its own addition. A step may be begun again after a
crash, so it must come to the same result from the same beginning.
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

Found = TypeVar("Found", bound=Struct)
# Runs a step, unless its result is recorded already; returns the result as text.
Record = Callable[[str, Callable[[], str]], str]


class Step(Struct, Generic[Found], frozen=True, kw_only=True):
    name: str
    run: Callable[[Found], Found]


def run_steps(
    steps: Sequence[Step[Found]], found: Found, *, record: Record, ends: Callable[[Found], bool]
) -> Found:
    """Run the steps in their order until all are done or one `ends` the task."""
    for step in steps:
        if ends(found):
            break
        found = _run_step(step, found, record)
    return found


def _run_step(step: Step[Found], found: Found, record: Record) -> Found:
    kind = type(found)
    text = record(step.name, lambda: msgspec.json.encode(step.run(found)).decode())
    return msgspec.json.decode(text, type=kind)
