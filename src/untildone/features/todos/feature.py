"""The feature "todos": TODO items are criteria of a loop, or a reminder at a prompt without one."""

from msgspec.structs import replace

from untildone.core.evidence import Evidence
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.payload import TODO
from untildone.engine.request import Request, StartOptions
from untildone.engine.scope import iterate_calls
from untildone.engine.stopped_loop import StoppedLoop
from untildone.features.todos import todo_lists


def _read_options(context: Context, options: StartOptions, request: Request) -> Request:
    """Return the request with the unfinished items as criteria, and with `from_todos` as task."""
    if not (options.todos or options.from_todos):
        return request
    items = todo_lists.require_todos(context, request.project, request.session)
    task = request.task or (todo_lists.format_todo_task(items) if options.from_todos else "")
    return replace(request, todos=items, task=task)


def _gather(context: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    """Return the evidence of a stop with the items as they are now."""
    session = context.session_of(loop.record)
    todo_calls = [call for call in iterate_calls(loop.calls) if call.get("tool_name") == TODO]
    todo_lists.remember_todo_call(context, session, todo_calls)
    return replace(evidence, todos=todo_lists.load_todos(context, loop.project, session))


FEATURE = Feature(read_options=_read_options, remind=todo_lists.build_reminder, gather=_gather)
