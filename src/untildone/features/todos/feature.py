"""TODO items of the session: criteria of a loop, or a reminder at a prompt without one."""

from msgspec.structs import replace

from untildone.core.model import Evidence
from untildone.engine.context import Context
from untildone.engine.feature import Feature, StoppedLoop
from untildone.engine.payload import TODO
from untildone.engine.request import Request
from untildone.engine.scope import calls_in
from untildone.features.todos.lists import listed, recalled, remember, todos, todos_wanted


def _read_options(context: Context, request: Request, options: dict[str, list[str]]) -> Request:
    items = todos_wanted(context, request.project, request.session, options)
    task = request.task or listed(items if "from_todos" in options else ())
    return replace(request, todos=items, task=task)


def _gather(context: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    session = context.session_of(loop.record)
    made = [call for call in calls_in(loop.calls) if call.get("tool_name") == TODO]
    remember(context, session, made)
    return replace(evidence, todos=todos(context, loop.project, session))


FEATURE = Feature(read_options=_read_options, remind=recalled, gather=_gather)
