"""An event as the title and the text of a notification."""

from pathlib import PurePath

from untildone.checks.clean_output import clean
from untildone.core.text import shorten, to_one_line
from untildone.features.milestones.events import MilestoneEvent
from untildone.report.verdict_names import name_outcome

_MAX_TASK = 200
_MAX_TITLE = 100


def write_title(event: MilestoneEvent) -> str:
    """Return `untildone: needs your approval (shop, round 3)`."""
    folder = _clean_line(PurePath(event.project).name)
    return shorten(f"untildone: {_name_event(event)} ({folder}, round {event.round})", _MAX_TITLE)


def write_body(event: MilestoneEvent) -> str:
    """Return the task, why it happened, what is left, what to do, and where to look."""
    unmet = f"unmet: {', '.join(event.unmet)}" if event.unmet else ""
    needs = f"to continue: {event.needs_you}" if event.needs_you else ""
    lines = (event.task[: 4 * _MAX_TASK], event.reason, unmet, needs, event.link or event.look)
    shown = [_clean_line(line) for line in lines]
    return "\n".join(filter(None, (shorten(shown[0], _MAX_TASK), *shown[1:])))


def _clean_line(text: str) -> str:
    return to_one_line(clean(text))


def _name_event(event: MilestoneEvent) -> str:
    match event.event:
        case "test":
            return "this is a test"
        case "start":
            return "started"
        case "round":
            return "held"
        case "half":
            return "half way"
        case "done" | "pause":
            return name_outcome(event.outcome) if event.outcome else event.event
        case "budget":
            return "out of budget"
        case "gate":
            return "asks you"
        case "approval":
            return "needs your approval"
