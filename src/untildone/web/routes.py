"""The addresses of the live page, below its folder, and what answers them."""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import cast, get_args
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from untildone.engine.context import Context
from untildone.engine.speaker import find_calling_session
from untildone.errors import UserError
from untildone.process.peers import find_connecting_process
from untildone.report.page.inert_text import make_line
from untildone.store.durable_files import DamagedFileError
from untildone.store.lock import LockTimeoutError
from untildone.web import queue_actions
from untildone.web.access import Access, is_equal
from untildone.web.actions import Form, carry_out
from untildone.web.event_stream import stream_changes
from untildone.web.live_loop import VerbName
from untildone.web.page import Page
from untildone.web.pages import Pages, read_static_files
from untildone.web.queue_source import QueueSource
from untildone.web.request_guard import RequestGuard

_VERBS: tuple[VerbName, ...] = get_args(VerbName)
_MAX_FORM = 100_000
_KEPT_NOTICES = 100


class Routes:
    """`tell` prints a line in the user's terminal, `is_ending` says whether the server ends."""

    def __init__(
        self,
        context: Context,
        access: Access,
        *,
        tell: Callable[[str], None],
        is_ending: Callable[[], bool],
        queue: QueueSource | None = None,
    ) -> None:
        self._queue = queue or QueueSource(context)
        self.pages = Pages(context, access, self._queue)
        self._context = context
        self._access = access
        self._tell = tell
        self._is_ending = is_ending
        self._files = read_static_files()
        # What verbs have said, by the names under which the next page shows it.
        self._notices: OrderedDict[str, str] = OrderedDict()

    def build(self) -> RequestGuard:
        routes = [
            Route("/", self._show_list),
            Route("/loops/{loop}", self._show_loop),
            Route("/loops/{loop}/{verb}", self._carry_out, methods=["POST"]),
            Route("/plans/{plan}", self._show_plan),
            Route("/queue", self._show_queue),
            Route("/queue/{task}", self._show_task),
            Route("/queue/{verb}", self._change_queue, methods=["POST"]),
            Route("/queue/{task}/{verb}", self._change_queue, methods=["POST"]),
            Route("/events", self._stream_list),
            Route("/events/queue", self._stream_queue),
            Route("/events/queue/{task}", self._stream_task),
            Route("/events/loops/{loop}", self._stream_loop),
            Route("/events/plans/{plan}", self._stream_plan),
            Route("/static/{name}", self._send_file),
        ]
        app = Starlette(routes=[Mount(self._access.folder, routes=routes)])
        return RequestGuard(app, self._access, tell=self._tell)

    def _show_list(self, request: Request) -> Response:
        return self._show(request, lambda: self.pages.build_list(dict(request.query_params)))

    def _show_loop(self, request: Request) -> Response:
        return self._show(request, lambda: self.pages.build_loop(request.path_params["loop"]))

    def _show_plan(self, request: Request) -> Response:
        return self._show(request, lambda: self.pages.build_plan(request.path_params["plan"]))

    def _show_queue(self, request: Request) -> Response:
        return self._show(request, lambda: self.pages.queue.build_list(request.query_params))

    def _show_task(self, request: Request) -> Response:
        return self._show(request, lambda: self.pages.queue.build_task(request.path_params["task"]))

    def _show(self, request: Request, build: Callable[[], Page]) -> Response:
        notice = self._notices.get(request.query_params.get("notice", ""), "")
        try:
            return _send_html(self.pages.render(build(), notice=notice))
        except UserError as error:
            return self._show_problem(error.message, error.hint, status=404)
        except (DamagedFileError, LockTimeoutError) as error:
            hint = "run `untildone doctor` for details"
            return self._show_problem(str(error), hint, status=500)

    def _show_problem(self, text: str, hint: str, *, status: int) -> Response:
        html = self.pages.render_problem(make_line(text, 1_000), make_line(hint, 1_000))
        return _send_html(html, status=status)

    async def _stream_list(self, request: Request) -> Response:
        query = dict(request.query_params)
        return self._stream(lambda: self.pages.build_list(query))

    async def _stream_loop(self, request: Request) -> Response:
        loop = request.path_params["loop"]
        return self._stream(lambda: self.pages.build_loop(loop))

    async def _stream_plan(self, request: Request) -> Response:
        plan = request.path_params["plan"]
        return self._stream(lambda: self.pages.build_plan(plan))

    async def _stream_queue(self, request: Request) -> Response:
        query = dict(request.query_params)
        return self._stream(lambda: self.pages.queue.build_list(query))

    async def _stream_task(self, request: Request) -> Response:
        task = request.path_params["task"]
        return self._stream(lambda: self.pages.queue.build_task(task))

    def _stream(self, build: Callable[[], Page]) -> Response:
        events = stream_changes(build, is_ending=self._is_ending)
        return StreamingResponse(events, media_type="text/event-stream")

    def _send_file(self, request: Request) -> Response:
        kind, content = self._files.get(request.path_params["name"], ("", b""))
        return Response(content, media_type=kind) if kind else Response(status_code=404)

    async def _carry_out(self, request: Request) -> Response:
        loop, verb = request.path_params["loop"], request.path_params["verb"]
        form = await _read_form(request)
        refusal = self._refuse(request, form)
        if refusal:
            return refusal
        if verb not in _VERBS:
            return self._show_problem(f"there is no verb `{verb}`", "", status=404)
        name = cast(VerbName, verb)
        return await run_in_threadpool(
            self._answer, verb, f"loops/{loop}", lambda: carry_out(self._context, name, loop, form)
        )

    async def _change_queue(self, request: Request) -> Response:
        task, verb = request.path_params.get("task", ""), request.path_params["verb"]
        refusal = self._refuse(request, await _read_form(request))
        if refusal:
            return refusal
        address = f"queue/{quote(task, safe='')}" if task else "queue"
        return await run_in_threadpool(
            self._answer, verb, address, lambda: queue_actions.carry_out(self._queue, verb, task)
        )

    def _refuse(self, request: Request, form: Form) -> Response | None:
        """Refuse a form that is not of a page of this run, or that an agent sends."""
        if not is_equal("".join(form.get("token", ())), self._access.form_token):
            return self._show_problem(
                "this form is of an earlier page", "go back and reload", status=403
            )
        if self._is_from_agent(request):
            text = (
                "only the user may do that: the request comes from a program of an agent's session"
            )
            hint = "use a browser that was not started from the session, or your own terminal"
            return self._show_problem(text, hint, status=403)
        return None

    def _is_from_agent(self, request: Request) -> bool:
        """Say whether an agent's client, or a program below it, sent the request, if known."""
        theirs, ours = request.scope["client"], request.scope["server"]
        process = find_connecting_process(tuple(theirs), tuple(ours))
        home = str(self._context.home)
        return process != 0 and find_calling_session(home, process) is not None

    def _answer(self, verb: str, page: str, act: Callable[[], str]) -> Response:
        """Carry out the verb, and show the page again with what it has done."""
        try:
            said = act()
        except UserError as error:
            return self._show_problem(error.message, error.hint, status=409)
        except (DamagedFileError, LockTimeoutError) as error:
            return self._show_problem(str(error), "run `untildone doctor` for details", status=500)
        said = make_line(said, 1_000)
        self._tell(f"{verb} in the browser: {said}")
        name = secrets.token_urlsafe(8)
        self._notices[name] = said
        while len(self._notices) > _KEPT_NOTICES:
            self._notices.popitem(last=False)
        address = f"{self._access.folder}/{page}?notice={name}"
        return RedirectResponse(address, status_code=303)


def _send_html(html: str, *, status: int = 200) -> Response:
    # Names of files may hold bytes that are no text.
    content = html.encode("utf-8", "replace")
    return Response(content, status_code=status, media_type="text/html; charset=utf-8")


async def _read_form(request: Request) -> Form:
    """Return the fields of a form; none of one that is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_FORM:
            return {}
    return parse_qs(body.decode("utf-8", "replace"))
