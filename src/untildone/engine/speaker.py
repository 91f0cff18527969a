"""Tells who caused an event: the user, the agent, one of our checks, a settings file."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from untildone.agents.agent import Agent
from untildone.check_lineage import find_check_ancestor, get_own_process_id, make_mark
from untildone.store.sessions import Session, list_sessions

# As `process` sets it, whose import a stop without checks would pay for.
NESTED = "UNTILDONE_NESTED"
DISABLE = "UNTILDONE_DISABLE"
# What is queued may stand before a large tool result.
_TAIL = 1_000_000


def explain_ignored(agent: Agent, environ: Mapping[str, str]) -> str:
    """Why an event is ignored: the user switched us off, or one of our checks caused it."""
    if _is_set_by_user(agent, environ, NESTED):
        return "this agent runs inside one of our checks"
    if _is_set_by_user(agent, environ, DISABLE):
        return f"switched off by the user ({DISABLE})"
    return ""


def _is_set_by_user(agent: Agent, environ: Mapping[str, str], name: str) -> bool:
    """Whether the client was started with the variable: settings of a project can set it too."""
    if environ.get(name, "") in ("", "0"):
        return False
    variables = _read_process(environ.get(agent.PROCESS_VARIABLE, ""), "environ")
    if variables is None:
        return not _is_set_by_project(environ.get("CLAUDE_PROJECT_DIR", ""), name)
    values = dict(variable.partition("=")[::2] for variable in variables)
    return values.get(name, "") not in ("", "0")


def _is_set_by_project(project: str, name: str) -> bool:
    """Whether a settings file of the project names the variable."""
    for file in ("settings.json", "settings.local.json"):
        try:
            text = (Path(project) / ".claude" / file).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if f'"{name}"' in text:
            return True
    return False


def _read_process(process_id: str, name: str) -> list[str] | None:
    """A file of /proc whose entries end with NUL; None where the system does not tell."""
    if not process_id.isdecimal():
        return None
    try:
        return os.fsdecode(Path(f"/proc/{process_id}/{name}").read_bytes()).split("\0")
    except OSError:
        return None


def is_typed_by_user(
    text: str, *, attended: bool, agent: Agent, environ: Mapping[str, str]
) -> bool:
    """Whether the user typed the text, or gave it to the client as an argument."""
    arguments = _read_process(environ.get(agent.PROCESS_VARIABLE, ""), "cmdline")
    return attended or text in (arguments or ())


def read_tail(path: str) -> str:
    """The last part of a transcript; nothing if it is missing, no file, or not ours to read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return ""
        os.lseek(descriptor, max(0, status.st_size - _TAIL), os.SEEK_SET)
        return os.read(descriptor, _TAIL).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def find_calling_session(agent: Agent, home: str) -> Session | None:
    """Return the session whose client is an ancestor of this process; ignores the environment."""
    # Imported where it is used: no hook asks this.
    from untildone.process.runner import list_ancestors

    above = {str(process) for process in list_ancestors(get_own_process_id())}
    for session in list_sessions(home, agent.NAME):
        if str(session.read_json("session.json").get("process", "")) in above:
            return session
    return None


def is_in_check(home: str) -> bool:
    """Whether this process runs below a check of that state folder, where no user types."""
    mark = make_mark(home)
    if not mark or find_check_ancestor(home, dict(os.environ)):
        return bool(mark)
    if Path("/proc/self").is_dir():
        return False
    # Imported where it is used: where there is no /proc, `ps` tells of ancestors.
    from untildone.process.runner import is_below

    return is_below(mark)


def is_in_tool_call(agent: Agent, session: Session) -> bool:
    """Whether a tool call of the session is in flight: what runs then is the agent's."""
    if not session.has_call_in_flight():
        return False
    transcript = str(session.read_json("session.json").get("transcript", ""))
    return not agent.was_interrupted(read_tail(transcript))


def is_driven(session: Session) -> bool:
    """Whether a headless run of ours drives the session and judges each return itself."""
    process = session.read("driver").strip()
    if not process.isdecimal():
        return False
    # Imported where it is used: hardly any session is driven.
    from untildone.process.runner import is_alive

    return is_alive(int(process))


def speaks_for_agent(agent: Agent, home: str, session: Session) -> bool:
    """Whether this process acts for the agent, not for the user, towards that session's loop.

    Below another session's client it always does: the user has a terminal of their own.
    """
    if is_in_check(home):
        return True
    caller = find_calling_session(agent, home)
    if caller is None:
        return False
    return caller.id != session.id or is_driven(caller) or is_in_tool_call(agent, caller)
