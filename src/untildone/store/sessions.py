"""Sessions of agents, and the index a shell can test: standard library only, read by every hook.

`<home>/sessions/<agent>/<session>/` holds `session.json` (where it runs), `loop` (the id of its
loop, while that is active or paused), `active` (the same, only while it is active), `pre` and
`post` (one byte per tool call begun and ended), `calls/` (the payloads), `judging`, `prompt.json`,
`look` (why the stops of a session without a loop are looked at: a word for each reason),
`dialects` (its tool calls are kept without a loop too), `meter` (the file's own time is when money
and minutes are looked at next, between tool calls), `precheck` (the loop's first change waits for
it). `<home>/held/<agent>/<session>` names an active loop once more: both places must be cleared to
silence the hooks, and one alone is evidence.
"""

import json
import os
import time

# Not from `threading`, whose import a hook would pay for.
from _thread import get_ident

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
MAX_FILE_LENGTH = 1_000_000


class Session:
    """One session's folder. An empty or unsafe id is no session: `known` is False."""

    def __init__(self, home: str, agent: str, session: str) -> None:
        self.home = home
        self.agent = agent
        self.id = session
        self.known = 0 < len(session) <= 128 and _SAFE.issuperset(session)
        self.folder = os.path.join(home, "sessions", agent, session if self.known else "-")

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def get_loop_id(self) -> str:
        """The id of the loop this session has, active or paused."""
        return self.get_held_loop_id() or self.read("loop").strip() or self.read("active").strip()

    def is_active(self) -> bool:
        return self.known and (os.path.isfile(self.path("active")) or bool(self.get_held_loop_id()))

    def get_held_loop_id(self) -> str:
        """The id of its active loop, as the second place has it."""
        return self.read(self._held()).strip()

    def explain_index_damage(self) -> str:
        """What somebody took out of the index of an active loop, or nothing."""
        loop = self.get_held_loop_id()
        for name in ("loop", "active") if loop else ():
            if self.read(name).strip() != loop:
                return f"`{self.path(name)}` is missing or was altered"
        return ""

    def _held(self) -> str:
        return os.path.join(self.home, "held", self.agent, os.path.basename(self.folder))

    def has(self, name: str) -> bool:
        return self.known and os.path.exists(self.path(name))

    def read(self, name: str) -> str:
        if not self.known:
            return ""
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read(MAX_FILE_LENGTH)
        except OSError:
            return ""

    def read_json(self, name: str) -> dict[str, object]:
        try:
            value = json.loads(self.read(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    def write(self, name: str, text: str) -> None:
        """Whole or not at all: a reader sees the old or the new text."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        temporary = self.path(f".{name}.{os.getpid()}.{get_ident()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.replace(temporary, self.path(name))

    def write_json(self, name: str, value: dict[str, object]) -> None:
        self.write(name, json.dumps(value))

    def append(self, name: str, text: str) -> None:
        with open(self.path(name), "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def remove(self, name: str) -> None:
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            return

    def take(self, name: str) -> str:
        """What was left there to be said once."""
        text = self.read(name)
        if text:
            self.remove(name)
        return text

    def bind(self, loop: str, *, active: bool) -> None:
        """Point the shell's test at this loop."""
        os.makedirs(self.path("calls"), mode=0o700, exist_ok=True)
        self.write("loop", loop)
        if active:
            self.write("active", loop)
            self._hold(loop)
        else:
            self._let_go()

    def release(self) -> None:
        self._let_go()
        self.remove("loop")

    def _hold(self, loop: str) -> None:
        # Last when it begins and first when it ends: a crash never leaves it alone.
        if self.get_held_loop_id() == loop:
            return
        held = self._held()
        os.makedirs(os.path.dirname(held), mode=0o700, exist_ok=True)
        self.write("held", loop)
        os.replace(self.path("held"), held)

    def _let_go(self) -> None:
        self.remove(self._held())
        for name in ("active", "meter", "precheck"):
            self.remove(name)

    def schedule_meter(self, seconds: float) -> None:
        """Look at money and minutes again after as long: a shell can compare times of files."""
        self.write("meter", "")
        due = time.time() + seconds
        os.utime(self.path("meter"), (due, due))

    def is_meter_due(self) -> bool:
        return self.has("meter") and _changed_at(self.path("meter")) <= time.time()

    def read_stop_reasons(self) -> set[str]:
        return set(self.read("look").split())

    def watch_stops(self, reason: str, *, wanted: bool = True) -> None:
        """Of this session, though it has no loop, while somebody has a reason."""
        reasons = self.read_stop_reasons()
        left = reasons | {reason} if wanted else reasons - {reason}
        if left == reasons:
            return
        if left:
            self.write("look", " ".join(sorted(left)))
        else:
            self.remove("look")

    def find_last_event(self) -> float:
        """When a hook of this session last ran; 0 if none was seen."""
        seen = ("session.json", "pre", "prompt.json", "stop.json")
        return max(_changed_at(self.path(name)) for name in seen)

    def read_calls(self) -> dict[str, list[dict[str, object]]]:
        """Payloads of the tool calls ended since the last judged stop, by file."""
        folder = self.path("calls")
        return {name: _objects(os.path.join(folder, name)) for name in _names(folder)}

    def drop_calls(self, names: list[str]) -> None:
        """What was read and recorded is taken out."""
        for name in names:
            self.remove(os.path.join("calls", name))

    def count_begun_calls(self) -> int:
        return _size(self.path("pre"))

    def forget_calls(self) -> None:
        """A turn began or ended: no tool call is in flight."""
        self.remove("pre")
        self.remove("post")

    def find_last_call(self) -> float:
        """When a tool call of this turn last began or ended; 0 where none did."""
        return max(_changed_at(self.path(name)) for name in ("pre", "post"))

    def has_call_in_flight(self) -> bool:
        return self.count_begun_calls() > _size(self.path("post"))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _changed_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _objects(path: str) -> list[dict[str, object]]:
    """JSON objects one after another; one cut off at the size limit keeps what stands in front."""
    found: list[dict[str, object]] = []
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_FILE_LENGTH).strip()
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text):
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return [*found, _front(text[position:])]
        if isinstance(value, dict):
            found.append(value)
        while text[position : position + 1].isspace():
            position += 1
    return found


def _front(text: str) -> dict[str, object]:
    found: dict[str, object] = {"cut": True}
    for key in ("hook_event_name", "tool_name", "file_path", "command"):
        start = text.find(f'"{key}":')
        if start >= 0:
            try:
                found[key] = json.JSONDecoder().raw_decode(text[start + len(key) + 3 :].lstrip())[0]
            except (ValueError, RecursionError):
                continue
    return found


def list_sessions(home: str, agent: str) -> list[Session]:
    """Every session of the agent that was seen here, newest event first."""
    names = _names(os.path.join(home, "sessions", agent))
    found = [Session(home, agent, name) for name in names]
    known = [session for session in found if session.known and session.find_last_event()]
    return sorted(known, key=lambda session: -session.find_last_event())
