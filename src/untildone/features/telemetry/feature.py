"""The feature "telemetry": sends the trace of a loop that has ended, by a detached process."""

from collections.abc import Iterator
from pathlib import Path

from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.report.doctor import Problem
from untildone.store.loops import Record


def _loop_ended(context: Context, record: Record) -> tuple[str, ...]:
    # Imported where it is used: most stops end no loop.
    from untildone.features.telemetry.detached_export import start_export

    return start_export(context, record)


def _find_problems(context: Context, _: Path) -> Iterator[Problem]:
    # Imported where it is used: no hook looks for failures.
    from untildone.features.telemetry.detached_export import find_problems

    return find_problems(context)


FEATURE = Feature(loop_ended=_loop_ended, find_problems=_find_problems)
