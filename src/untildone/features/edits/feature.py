"""Diagnostics of the files that the agent edits, with or without a loop."""

from collections.abc import Iterator
from pathlib import Path

from untildone.agents.events import Stop
from untildone.checks import security
from untildone.core.model import Evidence
from untildone.engine.context import Context
from untildone.engine.feature import Feature, StoppedLoop
from untildone.engine.payload import Call
from untildone.features.edits import feedback, switch
from untildone.features.edits.snapshots import edited_files
from untildone.report.doctor import Trouble, note


def _stop_without_loop(context: Context, call: Call, stop: Stop) -> str:
    # Imported where it is used: only automatic mode gets here.
    from untildone.features.edits import automatic

    return automatic.answer(context, call, stop)


def _before_checks(context: Context, loop: StoppedLoop) -> None:
    feedback.warmed(context, loop.project, loop.calls)


def _explain(context: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    files = edited_files(loop.calls, loop.project)
    return feedback.with_diagnostics(evidence, context, loop.project, files) if files else evidence


def _find_troubles(context: Context, _: Path) -> Iterator[Trouble]:
    if switch.AUTO not in switch.wanted(str(context.home)):
        return
    text = "on: a turn whose edits bring errors is held, with or without a loop"
    yield note("automatic mode", text, "`untildone init --no-auto` switches it off")
    if not security.installed():
        text = "security findings are not looked for: `ast-grep` is not installed"
        yield note("automatic mode", text, "`pip install 'untildone[security]'`")


FEATURE = Feature(
    answer_event=feedback.answer,
    stop_without_loop=_stop_without_loop,
    before_checks=_before_checks,
    explain=_explain,
    find_troubles=_find_troubles,
)
