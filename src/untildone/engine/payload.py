"""An event as the client sends it on stdin, read within limits of size and time."""

import json
import os
import sys
import time

# A payload of many small values takes 25 times its size: together they keep a hook in 64 MB.
LARGEST = 2_000_000
MOST_VALUES = 200_000
LONGEST = 10.0
# The client ends a Stop hook at 3600 s (`init` sets it); ours ends before, with an answer.
STOP_DEADLINE = 3_500.0
# The tool that writes the whole of the agent's list of things to do.
TODO = "TodoWrite"
# Tools of the agent that write a file.
EDITING = ("Write", "Edit", "MultiEdit", "NotebookEdit")
# A lean handler's way to say that this one needs the full program.
FULL = "\0full"


class Call:
    """One event: `data` is empty and `fault` says why where the payload could not be read."""

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

    @property
    def deadline(self) -> float:
        """The time of the monotonic clock at which all of a stop must be done."""
        return self.began + STOP_DEADLINE

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ""


def read_payload(event: str, agent: str, source: str, home: str) -> Call:
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
        call.data = value
    else:
        call.fault = "the payload is not a JSON object"
    return call


def read_edit(call: Call) -> tuple[str, str | None, bool]:
    """The file, its text before the edit (None: there was none), and whether that is known."""
    response = call.data.get("tool_response")
    if call.text("tool_name") not in EDITING or not isinstance(response, dict):
        return "", None, False
    path, text = response.get("filePath"), response.get("originalFile")
    made = text is None and response.get("type") == "create"
    known = isinstance(path, str) and os.path.isabs(path) and (made or isinstance(text, str))
    return str(path), text if isinstance(text, str) else None, known


def _explain_excess(data: bytes) -> str:
    if len(data) > LARGEST:
        return f"the payload is larger than {LARGEST} bytes"
    if sum(map(data.count, (b",", b"[", b"{"))) > MOST_VALUES:
        return f"the payload has more than {MOST_VALUES} values"
    return ""


def _read_stdin() -> bytes:
    """Little more than LARGEST bytes within LONGEST seconds; a closed stdin is empty."""
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
    if os.name == "nt":
        return True
    import select

    left = end - time.monotonic()
    return left > 0 and bool(select.select([0], [], [], left)[0])


def describe_failure(event: str, error: BaseException) -> str:
    """One line for the user: what failed, and that the agent was not held."""
    what = f"{type(error).__name__}: {error}".replace("\n", " ")[:600]
    end = "the agent was not held" if event == "Stop" else "this event was not looked at"
    return json.dumps(
        {"systemMessage": f"untildone failed ({what}); {end}. See `untildone doctor`"}
    )
