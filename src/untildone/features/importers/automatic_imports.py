"""Other tools' loop files at a stop: they start loops, change them and end them."""

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

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


def import_waiting_file(context: Context, session: str, project: Path) -> Record | None:
    """Starts a loop from a file that the user wrote by hand."""
    if not is_trusted_project(str(context.home), str(project)):
        return None
    for loop_file in (read_loop_file(project, file) for file in list_loop_files(project)):
        fits = loop_file.loop.session in ("", session) and loop_file.loop.active
        if fits and not find_begun_loop(context, project, loop_file.identity):
            return import_loop(context, loop_file, project=project, session=session, by="user")
    return None


def check_loop_files(context: Context, stop: Stop, session: Session) -> str:
    """Starts or ends a loop by a file of this session; returns a reply if none is active then."""
    if stop.plan_mode or explain_ignored(context.agent, context.environ):
        return ""
    if session.is_active():
        notice = _follow_file(context, stop, session)
    else:
        notice = "" if session.get_loop_id() else _import_own_file(context, stop, session)
    if not notice or session.is_active():
        return ""
    verdict = Wait(reason=notice)
    return context.agent.format_reply(verdict, feedback="", notice=notice, environ=context.environ)


def _import_own_file(context: Context, stop: Stop, session: Session) -> str:
    """Import the loop file that this session wrote; return notices about other files."""
    project = Path(stop.project or stop.cwd)
    if not is_trusted_project(str(context.home), str(project)):
        return ""
    folder = project_folder(context.home, project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = list(session.read_calls())
    notices: list[str] = []
    with hold_lock(folder / "dialects.lock", timeout=_LOCK_SECONDS):
        for file in list_loop_files(project) if not session.get_loop_id() else ():
            notices.append(_import_or_mention(context, stop, session, file))
            if session.is_active():
                return ""
    session.drop_calls(names)
    return " | ".join(filter(None, notices))


def _import_or_mention(context: Context, stop: Stop, session: Session, file: Path) -> str:
    """Start the loop of a file, or return a notice that says why it does not start."""
    project = Path(stop.project or stop.cwd)
    try:
        loop_file = read_loop_file(project, file)
        whose = _find_owner(loop_file, stop, session)
        earlier = find_begun_loop(context, project, loop_file.identity)
        if not loop_file.loop.active or whose == "other" or (earlier and whose == "unknown"):
            return ""
        if whose == "unknown":
            return _mention_once(
                session,
                f"`{loop_file.shown}` is a loop file: `!untildone continue --here` starts it",
            )
        if earlier:
            again = f"`untildone import {loop_file.shown}` starts it again"
            return _mention_once(
                session, f"`{loop_file.shown}` has already started loop {earlier}; {again}"
            )
        record = import_loop(context, loop_file, project=project, session=session.id, by="agent")
    except FileNotFoundError:
        return ""
    except UserError as error:
        return _mention_once(session, f"{error.message}; {error.hint}")
    lines = (
        f"`{loop_file.shown}` started loop {record.contract.id}",
        *describe_differences(loop_file.loop, "agent"),
    )
    session.write("tell", "untildone: " + "; ".join(lines))
    session.write_json("prompt.json", {"id": stop.prompt, "kind": "start", "tree": ""})
    return ""


def _find_owner(loop_file: LoopFile, stop: Stop, session: Session) -> str:
    """Only the session that wrote the file is held by it."""
    if loop_file.loop.session:
        return "own" if loop_file.loop.session == stop.session else "other"
    return "own" if _may_have_written(session, loop_file.file) else "unknown"


def _mention_once(session: Session, text: str) -> str:
    """Each notice is shown once per session."""
    if text in session.read(IMPORT_REASON).splitlines():
        return ""
    session.append(IMPORT_REASON, f"{text}\n")
    return f"untildone: {text}"


def _may_have_written(session: Session, file: Path) -> bool:
    """Whether a tool call of this session may have changed the file."""
    own = os.path.realpath(file)
    return any(
        own == path or own.startswith(path + os.sep) or ("*" in path and fnmatchcase(own, path))
        for call in chain.from_iterable(session.read_calls().values())
        for path in _list_written_paths(call)
    )


def _list_written_paths(call: dict[str, object]) -> Iterator[str]:
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
    followed = followed_file.load_note(context, record.contract.id)
    if followed is None:
        return ""
    file = Path(followed.file)
    by_agent = _may_have_written(session, file) and not _user_asked_for_it(session, stop)
    try:
        loop_file = read_loop_file(Path(record.contract.project), file)
    except FileNotFoundError:
        return _end_or_release(context, record, followed, reason="was removed", by_agent=by_agent)
    except UserError:
        # Perhaps only half written: the contract stays as it is.
        return ""
    if not loop_file.loop.active:
        return _end_or_release(
            context, record, followed, reason="is no longer active", by_agent=by_agent
        )
    remember_loop(context, Path(record.contract.project), loop_file.identity, record.contract.id)
    if loop_file.loop.rounds != followed.max_rounds:
        followed_file.save_note(
            context, record.contract.id, replace(followed, max_rounds=loop_file.loop.rounds)
        )
        if not by_agent:
            _amend_rounds(context, record, loop_file.loop.rounds)
    return ""


def _user_asked_for_it(session: Session, stop: Stop) -> bool:
    """Whether the change follows the user's own prompt, such as `/cancel-ralph`."""
    prompt = session.read_json("prompt.json")
    theirs = prompt.get("kind") == "other" and prompt.get("id") == stop.prompt
    return theirs and not stop.held_before


def _end_or_release(
    context: Context, record: Record, followed: FollowedFile, *, reason: str, by_agent: bool
) -> str:
    """A user's change ends the loop; after an agent's the loop goes on without the file."""
    loop = record.contract.id
    if by_agent:
        followed_file.delete_note(context, loop)
        return ""
    verbs.cancel(context, loop, f"`{followed.display_path}` {reason}")
    return f"untildone: loop {loop} is cancelled: `{followed.display_path}` {reason}"


def _amend_rounds(context: Context, record: Record, rounds: int | None) -> None:
    def edit(record: Record) -> Progress:
        current = apply_amendments(record.contract, record.progress.amendments).bounds
        amendment = Amendment(
            by="user", at=context.now(), bounds=limit_rounds(current, rounds, "agent")
        )
        return replace(record.progress, amendments=(*record.progress.amendments, amendment))

    verbs.change_loop(context, record.contract.id, edit, kind="bounds", rounds=rounds)
