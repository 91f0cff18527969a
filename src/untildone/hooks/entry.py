"""One event in, one answer out: next to no imports unless the event needs them."""

import os
import sys

from untildone.check_lineage import find_check_ancestor
from untildone.engine import payload

# Events that need no more than the standard library.
LEAN = {
    "PreToolUse": "untildone.hooks.tool_call",
    "ConfigChange": "untildone.hooks.settings",
    "StatusLine": "untildone.hooks.status_line",
    "SessionStart": "untildone.hooks.session",
    "SessionEnd": "untildone.hooks.session",
    "PostToolUse": "untildone.hooks.spool",
    "PostToolUseFailure": "untildone.hooks.spool",
    "PostToolBatch": "untildone.hooks.spool",
    "PreCompact": "untildone.hooks.spool",
}

# pathlib's for `as_uri`, uuid's for the names of old systems, msgspec's for JSON schemas.
STAND_INS: dict[str, dict[str, object]] = {
    "urllib.parse": {"quote_from_bytes": None},
    "platform": {"system": lambda: ""},
    "textwrap": {},
}


def main(argv: list[str]) -> int:
    """Answers by JSON on stdout and exit 0 alone: every other ending lets the agent go unseen."""
    event, agent, source, home = (*argv, "", "", "", "")[:4]
    try:
        call = payload.read(event, agent, source, home)
        answer = "" if _is_from_check(call) else _answer(call)
    except Exception as error:  # noqa: BLE001  a hook's fault is told to the person, never raised
        answer = payload.failure(event, error)
    _say(answer)
    return 0


def _is_from_check(call: payload.Call) -> bool:
    """A client's hooks never run below a check, save those of a run that also runs checks."""
    runner = find_check_ancestor(call.home, call.environ)
    if not runner:
        return False
    # Imported where it is used: hardly any event gets here.
    from untildone.store.sessions import Session

    session = Session(call.home, call.agent, call.text("session_id"))
    return session.read("driver").strip() != str(runner)


def _answer(call: payload.Call) -> str:
    lean = LEAN.get(call.event)
    if lean:
        module = __import__(lean, fromlist=["answer"])
        answer = str(module.answer(call))
        if answer != payload.FULL:
            return answer
    return _hand_over(call)


def _hand_over(call: payload.Call) -> str:
    """The full program, in this process: its dependencies become importable first."""
    _reach_dependencies()
    _spare_imports()
    from untildone.app import answer

    return answer(call)


def _reach_dependencies() -> None:
    """They were installed beside us or in this environment's own folder; otherwise ask `site`."""
    environment = os.path.dirname(os.path.dirname(sys.executable))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    own = os.path.join(environment, "lib", version, "site-packages")
    if any(os.path.isdir(os.path.join(place, "msgspec")) for place in (sys.path[0], own)):
        sys.path.append(own)
        return
    import site

    site.main()


def _spare_imports() -> None:
    """Modules that msgspec and pathlib import for what nobody uses here cost more than all of ours.

    They see stand-ins while they are imported; whoever asks later gets the real ones.
    """
    # msgspec takes typing_extensions where it is installed, and typing where it is not.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]  # None forbids
    absent = [name for name in STAND_INS if name not in sys.modules]
    for name in absent:
        sys.modules[name] = stand_in = type(sys)(name)
        stand_in.__dict__.update(STAND_INS[name])
    __import__("pathlib")
    __import__("msgspec")
    for name in absent:
        del sys.modules[name]


def _say(text: str) -> None:
    if not text or sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.flush()
    except OSError:
        # The client is gone: nobody is left to answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
