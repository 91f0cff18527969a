"""Diagnostics of the files that the agent edits, with or without a loop."""

from collections.abc import Iterator
from pathlib import Path

from untildone.agents.events import Stop
from untildone.checks import security
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.payload import Call
from untildone.features.edits import edit_events, switch
from untildone.report.doctor import Problem, make_note


def _stop_without_loop(context: Context, call: Call, stop: Stop) -> str:
    """Return the reply of automatic mode to a stop without a loop."""
    # Imported where it is used: only automatic mode gets here.
    from untildone.features.edits import automatic

    return automatic.answer_stop(context, call, stop)


def _find_problems(context: Context, _: Path) -> Iterator[Problem]:
    """Yield notes for `untildone doctor` if automatic mode is on."""
    if switch.AUTO not in switch.read_modes(str(context.home)):
        return
    text = "on: a turn whose edits bring errors is held, with or without a loop"
    yield make_note("automatic mode", text, "`untildone init --no-auto` switches it off")
    if not security.is_installed():
        # Imported where it is used: hooks import this module.
        from untildone.extras import describe_extra

        text = "security findings are not looked for: `ast-grep` is not installed"
        yield make_note("automatic mode", text, describe_extra("security"))


FEATURE = Feature(
    answer_event=edit_events.answer_edit,
    stop_without_loop=_stop_without_loop,
    before_checks=edit_events.warm_servers,
    explain=edit_events.add_diagnostics,
    find_problems=_find_problems,
)
