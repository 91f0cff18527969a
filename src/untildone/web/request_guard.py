"""Refuses requests that do not come from the user's browser, and sets the headers of all answers.

Other sites, which the user may have open in the same browser, must neither read the page nor use
its verbs: not by a link, a form, a frame or a script, and not by a host name of theirs that leads
to this machine (DNS rebinding).
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from untildone.web.access import Access

_POLICY = (
    *("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"),
    *("connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"),
)
HEADERS = {
    "Content-Security-Policy": "; ".join(_POLICY),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: with it browsers send our own forms with `Origin: null`.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NEEDS_LINK = (
    "This page needs the link that `untildone serve` printed in your terminal.\n"
    "Each start of `untildone serve` prints a new one.\n"
)
_ENTRY = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>untildone</title>"
    '<link rel=icon href="{0}/static/icon.svg"><meta http-equiv=refresh content="0;url={0}/">'
    '<p><a href="{0}/">Open the live page</a>'
)
# The page of a loop as a notification links to it, without anything secret.
_LOOPS = "/loops/"
_LOOP_LINK = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>untildone</title>"
    "<link rel=icon href=/icon.svg><script src=/find.js></script>"
    f"<p>{_NEEDS_LINK.replace('`', '')}"
)
_STATIC = Path(__file__).parent / "static"
_FILES = {"/icon.svg": "image/svg+xml", "/find.js": "text/javascript"}
# What a browser says of a request that the user typed, or that a page of ours made.
_OWN_SITES = ("none", "same-origin")

_Refusal: TypeAlias = tuple[int, str]


class RequestGuard:
    """Passes only requests of the user's browser on to `app`.

    `tell` prints a line in the user's terminal, who can so notice a browser that is not theirs.
    """

    def __init__(self, app: ASGIApp, access: Access, *, tell: Callable[[str], None]) -> None:
        self._app = app
        self._access = access
        self._tell = tell

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._answer(scope)
        await (answer or self._app)(scope, receive, send_with_headers)

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is refused or shows the token; None: pass it on."""
        headers = Headers(scope=scope)
        access, path = self._access, scope["path"]
        if headers.get("host", "") not in access.hosts:
            return _refuse(421, "this is not the host of the live page\n")
        if not path.startswith(f"{access.folder}/"):
            return _answer_outside(path)
        query = parse_qs(scope["query_string"].decode("latin-1"))
        if path == f"{access.folder}/" and "token" in query and scope["method"] == "GET":
            return self._exchange(query["token"][0])
        if headers.get("sec-fetch-site", "none") not in _OWN_SITES:
            return _refuse(403, "another site may not use the live page\n")
        if not access.accepts_cookie(headers.getlist("cookie")):
            return _refuse(403, _NEEDS_LINK)
        refusal = self._find_refused_verb(scope["method"], headers)
        return _refuse(*refusal) if refusal else None

    def _exchange(self, token: str) -> Response:
        """Give the browser our cookie for the token of the link.

        It goes on by itself, from our page: after a redirect, a link that another site shows (a
        terminal in the browser, say) would still count as a request of that site.
        """
        if not self._access.accepts_token(token):
            return _refuse(403, _NEEDS_LINK)
        self._tell("a browser has opened the link")
        answer = Response(_ENTRY.format(self._access.folder), media_type="text/html")
        answer.headers["Set-Cookie"] = self._access.cookie
        return answer

    def _find_refused_verb(self, method: str, headers: Headers) -> _Refusal | None:
        """Return why a request that would change something is refused, if it is."""
        if method in ("GET", "HEAD"):
            return None
        if method != "POST":
            return 405, "the live page knows GET and POST\n"
        # Browsers send it with every form; what sends none is no page of ours.
        if headers.get("origin") != f"http://{headers['host']}":
            return 403, "another site may not use the live page\n"
        if not self._access.allow_verbs:
            return 403, "this page is read-only; `untildone serve --allow-verbs` lets it act\n"
        return None


def _answer_outside(path: str) -> Response:
    """Lead a browser that has opened the live page to a loop; others get nothing."""
    if path in _FILES:
        return FileResponse(_STATIC / path[1:], media_type=_FILES[path])
    if path.startswith(_LOOPS):
        return Response(_LOOP_LINK, media_type="text/html")
    return _refuse(404, _NEEDS_LINK)


def _refuse(status: int, text: str) -> Response:
    return PlainTextResponse(text, status_code=status)
