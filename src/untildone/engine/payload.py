"""Reads the JSON that the agent's client sends to a hook on stdin, within limits of size and time.

It comes out as a `Call`. This module is on every hook's path: standard library only.
"""

import json
import os
import sys
import time
from types import ModuleType

from untildone.agents import NAMES

# Bytes and values of a payload, and seconds to wait for it. Parsed, many small values take 25 times
# their size: the two limits together keep a hook below 64 MB.
LARGEST = 2_000_000
MOST_VALUES = 200_000
LONGEST = 10.0
# The client ends a Stop hook at 7200 s (`init` sets it); ours ends before, with an answer.
STOP_DEADLINE = 7_100.0
# The tool by which the agent writes its list of things to do; each call has the complete list.
TODO = "TodoWrite"
# Tools of the agent that write a file.
EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")
# What a lean handler returns if the event needs the full program.
FULL = "\0full"


class Call:
    """One event of the agent's client.

    `source` is the installed command that reports it (plugin or settings), `home` the state
    folder, `received` a wall clock time, `began` one of the monotonic clock. If the payload could
    not be read, `data` is empty and `fault` says why.
    """

    def __init__(self, event: str, agent: str, source: str, home: str) -> None:
        self.event = event
        self.agent = agent
        self.source = source
        self.home = home
        self.received = time.time()
        self.began = time.monotonic()
        self.environ = dict(os.environ)
        self.data: dict[str, object] = {}
        self.fault = ""
        # Whether another client runs our hook: several read the same files.
        self.is_foreign = False

    @property
    def deadline(self) -> float:
        """The time of the monotonic clock by which a stop must be answered."""
        return self.began + STOP_DEADLINE

    @property
    def client(self) -> ModuleType:
        """What we know of the client's hooks (`agents.agent.Hooks`); if it is unknown, Claude's."""
        name = self.agent if self.agent in NAMES else NAMES[0]
        return __import__(f"untildone.agents.{name}.hooks", fromlist=["hooks"])

    @property
    def session(self) -> str:
        """The id of the session; of an unreadable payload only the environment may tell."""
        if self.fault:
            return self.environ.get(self.client.SESSION_VARIABLE, "")
        return self.text("session_id")

    @property
    def project(self) -> str:
        """The folder in which the session was started."""
        return self.environ.get(self.client.PROJECT_VARIABLE) or self.text("cwd")

    @property
    def process(self) -> str:
        """The id of the client's process, which starts its hooks."""
        return self.environ.get(self.client.PROCESS_VARIABLE, "")

    def text(self, key: str) -> str:
        """Return the payload's value for the key; an empty text if it is missing or no text."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""


def read_payload(event: str, agent: str, source: str, home: str) -> Call:
    """Return the event with the payload from stdin, or with the fault that makes it unreadable."""
    call = Call(event, agent, source, home)
    data = _read_stdin()
    call.fault = _explain_excess(data)
    if call.fault:
        return call
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        call.fault = f"the payload is not JSON ({error})"
        return call
    if isinstance(value, dict):
        call.is_foreign = not call.client.is_own(value, call.environ)
        call.data = call.client.translate(event, value)
    else:
        call.fault = "the payload is not a JSON object"
    return call


def read_edit(call: Call) -> tuple[str, str | None, bool]:
    """Return the file that a tool call has edited, its earlier text, and whether both are known.

    The earlier text is None for a file that the call has created.
    """
    response = call.data.get("tool_response")
    if call.text("tool_name") not in EDITING or not isinstance(response, dict):
        return "", None, False
    path, text = response.get("filePath"), response.get("originalFile")
    is_new_file = text is None and response.get("type") == "create"
    has_earlier_text = is_new_file or isinstance(text, str)
    is_known = isinstance(path, str) and os.path.isabs(path) and has_earlier_text
    return str(path), text if isinstance(text, str) else None, is_known


def _explain_excess(data: bytes) -> str:
    """Return which limit the payload exceeds, or an empty text; counted without parsing it."""
    if len(data) > LARGEST:
        return f"the payload is larger than {LARGEST} bytes"
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        return f"the payload has more than {MOST_VALUES} values"
    return ""


def _read_stdin() -> bytes:
    """Return what arrives on stdin within LONGEST seconds, little more than LARGEST bytes of it."""
    if sys.stdin is None:
        return b""
    data = bytearray()
    end = time.monotonic() + LONGEST
    while len(data) <= LARGEST and _wait_for_input(end):
        try:
            part = os.read(0, 65_536)
        except OSError:
            break
        if not part:
            break
        data += part
    return bytes(data)


def _wait_for_input(end: float) -> bool:
    """Say whether stdin can be read before `end`, a time of the monotonic clock."""
    # On Windows, `select` takes only sockets: reading may block there.
    if os.name == "nt":
        return True
    import select

    seconds = end - time.monotonic()
    return seconds > 0 and bool(select.select([0], [], [], seconds)[0])


def describe_failure(event: str, error: BaseException) -> str:
    """Return what the user reads after an error of ours: the hook holds nobody."""
    what = f"{type(error).__name__}: {error}".replace("\n", " ")[:600]
    end = "the agent was not held" if event == "Stop" else "this event was not looked at"
    return f"untildone failed ({what}); {end}. See `untildone doctor`"


def describe_unknown(what: str, name: str) -> str:
    """Return what the user reads about an event, or an agent, that we do not know."""
    text = f"untildone does not know the {what} `{name[:80]}`, so this hook does nothing"
    return f"{text}. `untildone init` writes the hooks anew"
