"""One event in, one answer out: next to no imports unless the event needs them."""

import os
import sys

from untildone.hook import payload

# Events that need no more than the standard library.
LEAN = {
    "PreToolUse": "untildone.hook.tool",
    "ConfigChange": "untildone.hook.settings",
    "StatusLine": "untildone.hook.status_line",
    "SessionStart": "untildone.hook.session",
    "SessionEnd": "untildone.hook.session",
    "PostToolUse": "untildone.hook.spool",
    "PostToolUseFailure": "untildone.hook.spool",
    "PostToolBatch": "untildone.hook.spool",
    "PreCompact": "untildone.hook.spool",
}


def main(argv: list[str]) -> int:
    """Answers by JSON on stdout and exit 0 alone: every other ending lets the agent go unseen."""
    event, agent, source, home = (*argv, "", "", "", "")[:4]
    try:
        call = payload.read(event, agent, source, home)
        answer = _answer(call)
    except Exception as error:  # noqa: BLE001  a hook's fault is told to the person, never raised
        answer = payload.failure(event, error)
    _say(answer)
    return 0


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
    from untildone.judge.events import answer

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
    """Two modules that others would import here cost more than all of ours and are not used."""
    # msgspec takes typing_extensions where it is installed, and typing where it is not.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]  # None forbids
    if sys.version_info < (3, 13) and "pathlib" not in sys.modules:
        # pathlib wants one function of it, for `Path.as_uri`.
        stand_in = type(sys)("urllib.parse")
        stand_in.quote_from_bytes = None  # type: ignore[attr-defined]  # nobody calls it here
        sys.modules["urllib.parse"] = stand_in
        __import__("pathlib")
        del sys.modules["urllib.parse"]


def _say(text: str) -> None:
    if not text or sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.flush()
    except OSError:
        # The client is gone: nobody is left to answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
