"""Obeys other tools' loop files without a command, in projects where the user trusts them.

When the agent stops, a loop file that its session wrote starts a loop. While that loop runs, the
file is read again at each stop: if the user removed it or set it inactive the loop is cancelled,
and a new limit of rounds is taken over. Changes by the agent itself do not end the loop.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.commands.written_files import find_written_paths
from untildone.core.contract import Amendment
from untildone.core.criteria import apply_amendments
from untildone.core.progress import Progress
from untildone.core.verdict import Wait
from untildone.engine import verbs
from untildone.engine.context import Context, project_folder
from untildone.engine.speaker import explain_ignored
from untildone.errors import UserError
from untildone.features.importers import IMPORT_REASON, followed_file
from untildone.features.importers.followed_file import FollowedFile
from untildone.features.importers.imported_loop import (
    describe_differences,
    find_begun_loop,
    import_loop,
    limit_rounds,
    remember_loop,
)
from untildone.features.importers.loop_file import LoopFile, list_loop_files, read_loop_file
from untildone.features.importers.trusted_projects import is_trusted_project
from untildone.store.lock import hold_lock
from untildone.store.loops import Record
from untildone.store.sessions import Session

_LOCK_SECONDS = 30

# Whose loop file it is: of this session, of another one, or the file does not say.
_Owner: TypeAlias = Literal["own", "other", "unknown"]


def import_waiting_file(context: Context, session: str, project: Path) -> Record | None:
    """Start a loop from the first active file that has not started one; None if there is none.

    It is called for `untildone continue`: the user may have written the file by hand.
    """
    if not is_trusted_project(str(context.home), str(project)):
        return None
    for loop_file in (read_loop_file(project, file) for file in list_loop_files(project)):
        is_usable = loop_file.loop.session in ("", session) and loop_file.loop.active
        if is_usable and not find_begun_loop(context, project, loop_file):
            return import_loop(context, loop_file, project=project, session=session, by="user")
    return None


def check_loop_files(context: Context, stop: Stop, session: Session) -> str:
    """Start, change or end this session's loop as its loop file says.

    Returns the reply to the stop if no loop is active afterwards and there is something to say;
    otherwise an empty text, and the stop is judged as usual.
    """
    if stop.plan_mode or explain_ignored(context.agent, context.environ):
        return ""
    if session.is_active():
        notice = _follow_file(context, stop, session)
    else:
        # A paused loop is still the session's, and no other one starts.
        notice = "" if session.get_loop_id() else _import_own_file(context, stop, session)
    if not notice or session.is_active():
        return ""
    verdict = Wait(reason=notice)
    return context.agent.format_reply(verdict, feedback="", notice=notice, environ=context.environ)


def _import_own_file(context: Context, stop: Stop, session: Session) -> str:
    """Start a loop from the file that this session wrote; return notices about other files."""
    project = Path(stop.project or stop.cwd)
    if not is_trusted_project(str(context.home), str(project)):
        return ""
    folder = project_folder(context.home, project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The calls show who wrote a file. Calls that are recorded from here on are for the next stop.
    call_names = list(session.read_calls())
    notices: list[str] = []
    with hold_lock(folder / "dialects.lock", timeout=_LOCK_SECONDS):
        # Another event of the session may have started a loop before the lock was free.
        for file in list_loop_files(project) if not session.get_loop_id() else ():
            notices.append(_import_or_mention(context, stop, session, file))
            if session.is_active():
                return ""
    session.drop_calls(call_names)
    return " | ".join(filter(None, notices))


def _import_or_mention(context: Context, stop: Stop, session: Session, file: Path) -> str:
    """Start the loop of a file, or return a notice that says why it does not start."""
    project = Path(stop.project or stop.cwd)
    try:
        loop_file = read_loop_file(project, file)
        shown_path = loop_file.display_path
        owner = _find_owner(loop_file, stop, session)
        earlier_loop = find_begun_loop(context, project, loop_file)
        # A file that started a loop before and that this session did not write needs no notice.
        if not loop_file.loop.active or owner == "other" or (earlier_loop and owner == "unknown"):
            return ""
        if owner == "unknown":
            start = "`!untildone continue --here` starts it"
            return _mention_once(session, f"`{shown_path}` is a loop file: {start}")
        if earlier_loop:
            text = f"`{shown_path}` has already started loop {earlier_loop}"
            restart = f"`untildone import {shown_path}` starts it again"
            return _mention_once(session, f"{text}; {restart}")
        record = import_loop(context, loop_file, project=project, session=session.id, by="agent")
    except FileNotFoundError:
        return ""
    except UserError as error:
        return _mention_once(session, f"{error.message}; {error.hint}")
    lines = (
        f"`{shown_path}` started loop {record.contract.id}",
        *describe_differences(loop_file.loop, "agent"),
        *record.warnings,
    )
    # The file `tell` has the lines for the next notice. The prompt counts as the loop's start.
    session.write("tell", "untildone: " + "; ".join(lines))
    session.write_json("prompt.json", {"id": stop.prompt, "kind": "start", "tree": ""})
    return ""


def _find_owner(loop_file: LoopFile, stop: Stop, session: Session) -> _Owner:
    """Return whose file it is: only the session that wrote it is held by it."""
    if loop_file.loop.session:
        return "own" if loop_file.loop.session == stop.session else "other"
    return "own" if _may_have_written(session, loop_file.file) else "unknown"


def _mention_once(session: Session, text: str) -> str:
    """Return the notice; an empty text if this session has already shown it.

    The session's file of the name IMPORT_REASON lists the notices shown.
    """
    if text in session.read(IMPORT_REASON).splitlines():
        return ""
    session.append(IMPORT_REASON, f"{text}\n")
    return f"untildone: {text}"


def _may_have_written(session: Session, file: Path) -> bool:
    """Say whether a tool call of this session may have changed the file.

    A command may name the file, a folder above it (`rm -r .claude`) or a pattern (`rm .claude/*`).
    """
    target = os.path.realpath(file)
    return any(
        target == path
        or target.startswith(path + os.sep)
        or ("*" in path and fnmatchcase(target, path))
        for call in chain.from_iterable(session.read_calls().values())
        for path in _list_written_paths(call)
    )


def _list_written_paths(call: dict[str, object]) -> Iterator[str]:
    """Yield the resolved paths that a tool call may have written or removed."""
    # A payload that was cut off has the first inputs at its top level.
    inputs = call.get("tool_input", call)
    if isinstance(inputs, dict):
        for path in find_written_paths(
            str(call.get("tool_name")), inputs, str(call.get("cwd", ""))
        ):
            with suppress(ValueError):
                yield os.path.realpath(path)


def _follow_file(context: Context, stop: Stop, session: Session) -> str:
    """End or change the loop as its file says; return a notice if it ended."""
    record = context.loops.load(session.get_loop_id())
    note = followed_file.load_note(context, record.contract.id)
    if note is None:
        return ""
    file = Path(note.file)
    by_agent = _may_have_written(session, file) and not _user_asked_for_it(session, stop)
    try:
        loop_file = read_loop_file(Path(record.contract.project), file)
    except FileNotFoundError:
        return _end_or_release(context, record, note, reason="was removed", by_agent=by_agent)
    except UserError:
        # Perhaps only half written: the contract stays as it is.
        return ""
    if not loop_file.loop.active:
        return _end_or_release(
            context, record, note, reason="is no longer active", by_agent=by_agent
        )
    # The content may have changed, and must not start another loop later.
    remember_loop(context, Path(record.contract.project), loop_file.identity, record.contract.id)
    if loop_file.loop.rounds != note.max_rounds:
        followed_file.save_note(
            context, record.contract.id, replace(note, max_rounds=loop_file.loop.rounds)
        )
        if not by_agent:
            _amend_rounds(context, record, loop_file.loop.rounds)
    return ""


def _user_asked_for_it(session: Session, stop: Stop) -> bool:
    """Say whether the agent changed the file because the user's prompt, `/cancel-ralph`, said so.

    Only at the first stop after the prompt: a turn that we held goes on by our words, not theirs.
    """
    prompt = session.read_json("prompt.json")
    # These kinds are a user's prompts during the loop, neither its start nor automatic.
    is_user_prompt = prompt.get("kind") in ("question", "order") and prompt.get("id") == stop.prompt
    return is_user_prompt and not stop.held_before


def _end_or_release(
    context: Context, record: Record, note: FollowedFile, *, reason: str, by_agent: bool
) -> str:
    """Cancel the loop after a user's change of the file; return a notice.

    After an agent's change the loop goes on and follows the file no longer.
    """
    loop = record.contract.id
    if by_agent:
        followed_file.delete_note(context, loop)
        return ""
    verbs.cancel(context, loop, f"`{note.display_path}` {reason}")
    return f"untildone: loop {loop} is cancelled: `{note.display_path}` {reason}"


def _amend_rounds(context: Context, record: Record, rounds: int | None) -> None:
    """Give the loop the new limit of rounds, within the ceiling for agents."""

    def edit(record: Record) -> Progress:
        current = apply_amendments(record.contract, record.progress.amendments).bounds
        amendment = Amendment(
            by="user", at=context.now(), bounds=limit_rounds(current, rounds, "agent")
        )
        return replace(record.progress, amendments=(*record.progress.amendments, amendment))

    verbs.change_loop(context, record.contract.id, edit, kind="bounds", rounds=rounds)
