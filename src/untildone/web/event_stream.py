"""Server-sent events: the parts of a page that have changed, while a browser shows it.

`data: {"part": "live", "html": "<section …>"}` is one event; a line that begins with a colon keeps
the connection alive.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool

from untildone.errors import UserError
from untildone.store.durable_files import DamagedFileError
from untildone.web.page import Page

_LOOK_SECONDS = 1.0
# How soon an ending server ends its streams.
_STEP_SECONDS = 0.1
_KEEP_ALIVE_SECONDS = 15


async def stream_changes(
    build: Callable[[], Page], *, is_ending: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Yield the page's parts, then each one that has changed, until the server ends."""
    sent: dict[str, str] = {}
    silent = 0.0
    yield b"retry: 2000\n\n"
    while not is_ending():
        try:
            page = await run_in_threadpool(build)
        except (UserError, DamagedFileError, OSError) as error:
            yield encode_event("gone", text=str(error))
            return
        parts = {"title": page.title, **page.parts}
        changed = {name: html for name, html in parts.items() if sent.get(name) != html}
        for name, html in changed.items():
            yield encode_event("part", part=name, html=html)
        sent = parts
        silent = 0.0 if changed else silent + _LOOK_SECONDS
        if silent >= _KEEP_ALIVE_SECONDS:
            silent = 0.0
            yield b": still here\n\n"
        await _sleep(is_ending)


async def _sleep(is_ending: Callable[[], bool]) -> None:
    for _ in range(round(_LOOK_SECONDS / _STEP_SECONDS)):
        if is_ending():
            return
        await asyncio.sleep(_STEP_SECONDS)


def encode_event(kind: str, **data: str) -> bytes:
    """Return one event; JSON in ASCII has no line breaks and survives any text."""
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()
