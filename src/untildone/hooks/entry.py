"""The entry of every hook event: one answer each; a lean event imports next to nothing."""

import os
import sys

from untildone.check_lineage import find_check_ancestor
from untildone.engine import payload

# Events that need only the standard library, with the module that answers each.
LEAN = {
    "PreToolUse": "untildone.hooks.tool_call",
    "ConfigChange": "untildone.hooks.settings_guard",
    "StatusLine": "untildone.hooks.status_line",
    "SessionStart": "untildone.hooks.session_record",
    "SessionEnd": "untildone.hooks.session_record",
    "PostToolUse": "untildone.hooks.spool",
    "PostToolUseFailure": "untildone.hooks.spool",
    "PostToolBatch": "untildone.hooks.spool",
    "PreCompact": "untildone.hooks.spool",
    "AgentResponse": "untildone.hooks.agent_response",
}
# Events that the full program answers.
_FULL_EVENTS = ("Stop", "UserPromptSubmit")

# Imported by pathlib for `as_uri`, by uuid for old systems, by msgspec for JSON Schemas.
UNUSED: dict[str, dict[str, object]] = {
    "urllib.parse": {"quote_from_bytes": None},
    "platform": {"system": lambda: ""},
    "textwrap": {},
}


def main(argv: list[str]) -> int:
    """Answer by JSON on stdout and exit with 0, also when we fail.

    Clients take other exit statuses for an answer: 2 blocks the agent, the rest goes unnoticed.
    """
    event, agent, source, home = (*argv, "", "", "", "")[:4]
    try:
        call = payload.read_payload(event, agent, source, home)
        answer = "" if call.is_foreign or _is_from_check(call) else _answer(call)
    except Exception as error:  # noqa: BLE001  a hook reports its own failure to the user
        call = payload.Call(event, agent, source, home)
        answer = call.client.notify(payload.describe_failure(event, error))
    _print(answer)
    return 0


def _is_from_check(call: payload.Call) -> bool:
    """Say whether an agent that one of our checks started sent this event.

    A headless run both drives its agent and runs checks: its agent's events do count.
    """
    runner = find_check_ancestor(call.home, call.environ)
    if not runner:
        return False
    # Imported here because hardly any event needs it.
    from untildone.store.sessions import Session

    session = Session(call.home, call.agent, call.session)
    return session.read("driver").strip() != str(runner)


def _answer(call: payload.Call) -> str:
    name = LEAN.get(call.event)
    if not name and call.event not in _FULL_EVENTS:
        return str(call.client.notify(payload.describe_unknown("event", call.event)))
    if name:
        module = __import__(name, fromlist=["answer"])
        answer = str(module.answer(call))
        if answer != payload.FULL:
            return answer
    return _answer_in_full(call)


def _answer_in_full(call: payload.Call) -> str:
    """Answer with the full program, whose dependencies `python -S` does not find by itself."""
    _add_dependencies_to_path()
    _import_msgspec()
    from untildone.app import answer

    return answer(call)


def _add_dependencies_to_path() -> None:
    environment = os.path.dirname(os.path.dirname(sys.executable))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = os.path.join(environment, "lib", version, "site-packages")
    if any(os.path.isdir(os.path.join(folder, "msgspec")) for folder in (sys.path[0], packages)):
        sys.path.append(packages)
        return
    import site

    site.main()


def _import_msgspec() -> None:
    """Import msgspec and pathlib without modules that they need for nothing a hook does.

    In a stop without checks `typing_extensions` takes 16 of 68 ms (CPU time), and the modules of
    `UNUSED` take 4 of 42 ms (`-X importtime`). An empty module replaces each during the import;
    later importers get the real one.
    """
    replaced = [name for name in UNUSED if name not in sys.modules]
    for name in replaced:
        module = type(sys)(name)
        module.__dict__.update(UNUSED[name])
        sys.modules[name] = module
    # msgspec uses `typing` if `typing_extensions` cannot be imported.
    if "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]  # None makes it fail
        replaced.append("typing_extensions")
    __import__("pathlib")
    __import__("msgspec")
    for name in replaced:
        del sys.modules[name]


def _print(text: str) -> None:
    if not text or sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
        sys.stdout.flush()
    except OSError:
        # The client has gone: let the interpreter's own flush at exit succeed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
