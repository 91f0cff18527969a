"""The sessions of agents on disk, an index that a shell can test. Standard library only.

`<home>/sessions/<agent>/<session>/` holds
- `session.json`: where the session runs;
- `loop`: the id of its loop, while that is active or paused; `active`: the same while it is active;
- `pre` and `post`: one byte for each tool call begun and ended; `calls/`: their payloads;
- `judging`, `prompt.json`: the stop being judged, the last prompt;
- `running`: which checks run since when (`report/running_checks.py`); `output`: the last lines that
  they print; `baseline`: the process that runs them on the baseline;
- `line`: the text of the status line; `ending`: the same of a loop that ended in this turn;
- `look`: why stops are examined although there is no loop, one word for each reason;
- `dialects`: tool calls are recorded although there is no loop;
- `meter`: its modification time says when money and minutes are checked next;
- `precheck`: the loop's first change has to wait for the pre-check.

`<home>/held/<agent>/<session>` names an active loop once more: to silence the hooks both places
must be cleared, and if only one is, that is evidence of tampering.

`<home>/bound/<agent>/<session>` is there while the session has a loop, active or paused: hooks of
clients that tell a shell no session id test whether there is any.
"""

import json
import os
import time

# Not from `threading`, which takes every hook longer to import.
from _thread import get_ident

_SAFE_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
MAX_FILE_LENGTH = 1_000_000


class Session:
    """The folder of one session. `known` is False for an empty or unsafe id."""

    def __init__(self, home: str, agent: str, session: str) -> None:
        self.home = home
        # Agents that are named with their command, as `acp:COMMAND`, share a folder.
        self.agent = agent = agent.partition(":")[0]
        self.id = session
        self.known = 0 < len(session) <= 128 and _SAFE_CHARACTERS.issuperset(session)
        self.folder = os.path.join(home, "sessions", agent, session if self.known else "-")

    def get_path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def get_loop_id(self) -> str:
        """Return the id of this session's loop, active or paused; empty if it has none."""
        return self.get_held_loop_id() or self.read("loop").strip() or self.read("active").strip()

    def is_active(self) -> bool:
        return self.known and (
            os.path.isfile(self.get_path("active")) or bool(self.get_held_loop_id())
        )

    def get_held_loop_id(self) -> str:
        """Return the id of the active loop as recorded outside the session's folder."""
        return self.read(self._get_place("held")).strip()

    def explain_index_damage(self) -> str:
        """Say which entry of an active loop was removed or altered; empty if none was."""
        loop = self.get_held_loop_id()
        for name in ("loop", "active") if loop else ():
            if self.read(name).strip() != loop:
                return f"`{self.get_path(name)}` is missing or was altered"
        return ""

    def _get_place(self, folder: str) -> str:
        return os.path.join(self.home, folder, self.agent, os.path.basename(self.folder))

    def has(self, name: str) -> bool:
        return self.known and os.path.exists(self.get_path(name))

    def read(self, name: str) -> str:
        """Return the text of a file of this session; empty if there is none."""
        if not self.known:
            return ""
        try:
            with open(self.get_path(name), encoding="utf-8", errors="replace") as file:
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
        """Write atomically: a reader sees the old or the new text."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        temporary = self.get_path(f".{name}.{os.getpid()}.{get_ident()}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.replace(temporary, self.get_path(name))

    def write_json(self, name: str, value: dict[str, object]) -> None:
        self.write(name, json.dumps(value))

    def append(self, name: str, text: str) -> None:
        with open(self.get_path(name), "a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)

    def remove(self, name: str) -> None:
        try:
            os.unlink(self.get_path(name))
        except FileNotFoundError:
            return

    def take(self, name: str) -> str:
        """Read a file and remove it, so that its message is shown once."""
        text = self.read(name)
        if text:
            self.remove(name)
        return text

    def bind(self, loop: str, *, active: bool) -> None:
        """Enter this loop into the index that the installed shell line tests."""
        os.makedirs(self.get_path("calls"), mode=0o700, exist_ok=True)
        self.write("loop", loop)
        self._write_elsewhere("bound", loop)
        if active:
            self.write("active", loop)
            self._write_held(loop)
        else:
            self._clear_active()

    def release(self) -> None:
        """Remove the loop from the index: the session has none any more."""
        self._clear_active()
        self.remove("loop")
        self.remove(self._get_place("bound"))

    def _write_held(self, loop: str) -> None:
        # Written last and removed first, so that a crash never leaves this entry alone.
        if self.get_held_loop_id() != loop:
            self._write_elsewhere("held", loop)

    def _write_elsewhere(self, folder: str, text: str) -> None:
        path = self._get_place(folder)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        self.write(folder, text)
        os.replace(self.get_path(folder), path)

    def _clear_active(self) -> None:
        self.remove(self._get_place("held"))
        for name in ("active", "meter", "precheck"):
            self.remove(name)

    def schedule_meter(self, seconds: float) -> None:
        """Check money and minutes again after this time; a shell can compare file times."""
        self.write("meter", "")
        due = time.time() + seconds
        os.utime(self.get_path("meter"), (due, due))

    def is_meter_due(self) -> bool:
        return self.has("meter") and _get_mtime(self.get_path("meter")) <= time.time()

    def read_stop_reasons(self) -> set[str]:
        return set(self.read("look").split())

    def watch_stops(self, reason: str, *, wanted: bool = True) -> None:
        """Have stops examined for this reason although there is no loop, or stop doing so."""
        reasons = self.read_stop_reasons()
        remaining = reasons | {reason} if wanted else reasons - {reason}
        if remaining == reasons:
            return
        if remaining:
            self.write("look", " ".join(sorted(remaining)))
        else:
            self.remove("look")

    def find_last_event(self) -> float:
        """Return the time at which a hook of this session last ran; 0 if none did."""
        names = ("session.json", "pre", "prompt.json", "stop.json")
        return max(_get_mtime(self.get_path(name)) for name in names)

    def read_calls(self) -> dict[str, list[dict[str, object]]]:
        """Return the payloads of the tool calls that ended since the last judged stop, by file."""
        folder = self.get_path("calls")
        return {name: _parse_objects(os.path.join(folder, name)) for name in _list_names(folder)}

    def drop_calls(self, names: list[str]) -> None:
        """Remove payloads that were read and recorded."""
        for name in names:
            self.remove(os.path.join("calls", name))

    def count_begun_calls(self) -> int:
        return _get_size(self.get_path("pre"))

    def forget_calls(self) -> None:
        """Reset the counters when a turn begins or ends: no tool call is in flight."""
        self.remove("pre")
        self.remove("post")

    def find_last_call(self) -> float:
        """Return the time at which a tool call of this turn last began or ended; 0 if none did."""
        return max(_get_mtime(self.get_path(name)) for name in ("pre", "post"))

    def has_call_in_flight(self) -> bool:
        return self.count_begun_calls() > _get_size(self.get_path("post"))


def _get_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _get_mtime(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0


def _list_names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _parse_objects(path: str) -> list[dict[str, object]]:
    """Parse concatenated JSON objects; of one that is cut off, the keys at its beginning."""
    objects: list[dict[str, object]] = []
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_FILE_LENGTH).strip()
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text):
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return [*objects, _parse_beginning(text[position:])]
        if isinstance(value, dict):
            objects.append(value)
        while text[position : position + 1].isspace():
            position += 1
    return objects


def _parse_beginning(text: str) -> dict[str, object]:
    fields: dict[str, object] = {"cut": True}
    for key in ("hook_event_name", "tool_name", "file_path", "command"):
        start = text.find(f'"{key}":')
        if start >= 0:
            try:
                fields[key] = json.JSONDecoder().raw_decode(text[start + len(key) + 3 :].lstrip())[
                    0
                ]
            except (ValueError, RecursionError):
                continue
    return fields


def list_sessions(home: str, agent: str) -> list[Session]:
    """Return every known session of the agent, the one with the newest event first."""
    names = _list_names(os.path.join(home, "sessions", agent))
    sessions = [Session(home, agent, name) for name in names]
    known = [session for session in sessions if session.known and session.find_last_event()]
    return sorted(known, key=lambda session: -session.find_last_event())
