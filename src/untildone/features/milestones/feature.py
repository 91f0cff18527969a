"""The feature "milestones": sends the events of a loop to the user's commands and notifiers."""

from collections.abc import Iterator
from pathlib import Path

from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.features.milestones import milestones
from untildone.report.doctor import Problem


def _find_problems(context: Context, project: Path) -> Iterator[Problem]:
    # Imported where it is used: no hook looks for failures.
    from untildone.features.milestones.failures import find_problems

    return find_problems(context, project)


FEATURE = Feature(
    loop_started=milestones.attach_milestones,
    announce=milestones.announce_milestones,
    loop_ended=milestones.announce_end,
    find_problems=_find_problems,
)
