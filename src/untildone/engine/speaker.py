"""Who caused an event or runs a command: the user, the agent, or one of our checks.

Only the user may cancel a loop or switch untildone off. Environment variables alone prove nothing,
as the agent and settings files of the project can set them; where the system allows it, the
answers come from the processes above this one.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from untildone.agents import COMMAND_AGENTS, NAMES
from untildone.agents.agent import Agent
from untildone.agents.registry import AGENTS, find_agent
from untildone.check_lineage import find_check_ancestor, get_own_process_id, make_mark
from untildone.store.sessions import Session, list_sessions

# Set for every process of a check. Repeated here: importing `process` for it costs time.
NESTED = "UNTILDONE_NESTED"
DISABLE = "UNTILDONE_DISABLE"
# Bytes read of a transcript's end: queued input may stand before a large tool result.
_TAIL_BYTES = 1_000_000


def explain_ignored(agent: Agent, environ: Mapping[str, str]) -> str:
    """Return why an event is ignored, or an empty text if it is handled.

    Reasons: the agent was started by one of our checks, or the user has switched untildone off.
    """
    if _is_set_by_user(agent, environ, NESTED):
        return "this agent runs inside one of our checks"
    if _is_set_by_user(agent, environ, DISABLE):
        return f"switched off by the user ({DISABLE})"
    return ""


def _is_set_by_user(agent: Agent, environ: Mapping[str, str], name: str) -> bool:
    """Say whether the agent's client was started with the variable set.

    A variable that only a settings file of the project sets is not the user's word. Where the
    client's environment cannot be read (no /proc), the settings files are searched for it.
    """
    if environ.get(name, "") in ("", "0"):
        return False
    variables = _read_process(environ.get(agent.HOOKS.PROCESS_VARIABLE, ""), "environ")
    if variables is None:
        return not _is_set_by_project(agent, environ, name)
    values = dict(variable.partition("=")[::2] for variable in variables)
    return values.get(name, "") not in ("", "0")


def _is_set_by_project(agent: Agent, environ: Mapping[str, str], name: str) -> bool:
    """Say whether a settings file of the project names the variable."""
    project = Path(environ.get(agent.HOOKS.PROJECT_VARIABLE, ""))
    for file in agent.HOOKS.SETTINGS:
        folder = project if file.startswith("/") else project / agent.HOOKS.FOLDER
        try:
            text = (folder / file.lstrip("/")).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        if f'"{name}"' in text:
            return True
    return False


def _read_process(process_id: str, name: str) -> list[str] | None:
    """Return the entries of /proc/ID/environ or /proc/ID/cmdline; None if it cannot be read."""
    if not process_id.isdecimal():
        return None
    try:
        return os.fsdecode(Path(f"/proc/{process_id}/{name}").read_bytes()).split("\0")
    except OSError:
        return None


def is_typed_by_user(
    text: str, *, attended: bool, agent: Agent, environ: Mapping[str, str]
) -> bool:
    """Say whether the user typed the text, or gave it to the client as an argument.

    `attended` is True for a session with a terminal; else only `claude -p "TEXT"` proves it.
    """
    arguments = _read_process(environ.get(agent.HOOKS.PROCESS_VARIABLE, ""), "cmdline")
    return attended or text.strip() in map(str.strip, arguments or ())


def read_tail(path: str) -> str:
    """Return the last part of a transcript; an empty text if it cannot be read."""
    try:
        # Without O_NONBLOCK, opening a named pipe in its place would wait forever.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return ""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return ""
        os.lseek(descriptor, max(0, status.st_size - _TAIL_BYTES), os.SEEK_SET)
        return os.read(descriptor, _TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def find_calling_session(home: str, process: int = 0) -> Session | None:
    """Return the session of any agent whose client is the nearest ancestor of this process.

    `process` is another process that is asked about, which may be a client itself. A client that
    `untildone run` drives may record a session of its own: then the run's counts. One process may
    serve several sessions: of those, the shell's variable names the right one.
    """
    return next(iter(_find_callers(home, process)), None)


def _find_callers(home: str, process: int = 0) -> list[Session]:
    """Return the calling session, and behind it the others that its client's process serves."""
    # Imported where it is used: no hook asks this.
    from untildone.process.runner import list_ancestors

    clients: dict[str, list[Session]] = {}
    for session in (
        session for name in (*NAMES, *COMMAND_AGENTS) for session in list_sessions(home, name)
    ):
        client = str(session.read_json("session.json").get("process", ""))
        variable = find_agent(session.agent).HOOKS.SESSION_VARIABLE
        is_named = bool(variable) and os.environ.get(variable) == session.id
        served = clients.setdefault(client, [])
        served.insert(0 if is_named else len(served), session)
    ancestors = list_ancestors(process or get_own_process_id())
    line = map(str, (process, *ancestors) if process else ancestors)
    callers = [clients[client] for client in line if client in clients]
    return next((served for served in callers if is_driven(served[0])), next(iter(callers), []))


def find_agent_of_shell(environ: Mapping[str, str], home: str) -> str:
    """Return the name of the agent whose shell this process runs in; empty if it is nobody's.

    A client that another agent has started inherits its variables: then the processes tell.
    """
    names = [name for name, agent in AGENTS.items() if environ.get(agent.HOOKS.SHELL_VARIABLE)]
    caller = find_calling_session(home) if len(names) > 1 else None
    return caller.agent if caller else next(iter(names), "")


def runs_headless(agent: Agent, environ: Mapping[str, str]) -> bool:
    """Say whether the client's command line shows that no user sits at the session."""
    arguments = _read_process(environ.get(agent.HOOKS.PROCESS_VARIABLE, ""), "cmdline")
    return agent.is_headless(arguments or ())


def is_in_check(home: str) -> bool:
    """Say whether this process runs below a check of that state folder, where no user types."""
    mark = make_mark(home)
    if not mark or find_check_ancestor(home, dict(os.environ)):
        return bool(mark)
    if Path("/proc/self").is_dir():
        return False
    # Imported where it is used: where there is no /proc, `ps` tells of ancestors.
    from untildone.process.runner import is_below

    return is_below(mark)


def is_in_tool_call(session: Session) -> bool:
    """Say whether a tool call of the session is in flight: commands then come from the agent.

    The user's own `!command` in the client runs while no tool call does. A call that the user
    has interrupted never reports its end, but the transcript says so.
    """
    if not session.has_call_in_flight():
        return False
    transcript = str(session.read_json("session.json").get("transcript", ""))
    return not find_agent(session.agent).was_interrupted(read_tail(transcript))


def is_driven(session: Session) -> bool:
    """Say whether `untildone run` drives the session and judges each stop itself.

    It writes its process id into the session's file `driver`.
    """
    process = session.read("driver").strip()
    if not process.isdecimal():
        return False
    # Imported where it is used: hardly any session is driven.
    from untildone.process.runner import is_alive

    return is_alive(int(process))


def speaks_for_agent(home: str, session: Session) -> bool:
    """Say whether a command run by this process counts as the agent's, not as the user's.

    `session` is the one whose loop the command is about. Below the client of another session the
    command is always the agent's: the user has a terminal of their own.
    """
    if is_in_check(home):
        return True
    callers = _find_callers(home)
    if not callers:
        return False
    # The agent can change the variable that tells the sessions of one process apart.
    is_called = any(map(is_in_tool_call, callers))
    return callers[0].id != session.id or is_driven(callers[0]) or is_called
