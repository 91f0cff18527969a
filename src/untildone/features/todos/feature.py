"""TODO items of the session: criteria of a loop, or a reminder at a prompt without one."""

from msgspec.structs import asdict, replace

from untildone.core.evidence import Evidence
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.payload import TODO
from untildone.engine.request import Request, StartOptions
from untildone.engine.scope import iterate_calls
from untildone.engine.stopped_loop import StoppedLoop
from untildone.features.todos.lists import (
    build_reminder,
    choose_todos,
    format_todo_task,
    load_todos,
    remember_todo_call,
)


def _read_options(context: Context, options: StartOptions, request: Request) -> Request:
    switches = {name for name, value in asdict(options).items() if value is True}
    items = choose_todos(context, request.project, request.session, switches)
    task = request.task or (format_todo_task(items) if options.from_todos else "")
    return replace(request, todos=items, task=task)


def _gather(context: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    session = context.session_of(loop.record)
    made = [call for call in iterate_calls(loop.calls) if call.get("tool_name") == TODO]
    remember_todo_call(context, session, made)
    return replace(evidence, todos=load_todos(context, loop.project, session))


FEATURE = Feature(read_options=_read_options, remind=build_reminder, gather=_gather)
