"""Other tools' loop files at a stop: taken up, followed while they are there, cleared away."""

import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.commands.written_files import find_written_paths
from untildone.core.contract import Amendment, Speaker
from untildone.core.criteria import apply_amendments
from untildone.core.progress import Progress
from untildone.core.verdict import Wait
from untildone.engine import verbs
from untildone.engine.artifacts import write_task
from untildone.engine.context import Context, project_folder
from untildone.engine.speaker import ignored
from untildone.errors import UserError
from untildone.features.importers import trusted_projects as trust
from untildone.features.importers.bound_file import (
    BoundFile,
    forget_bound_file,
    load_bound_file,
    save_bound_file,
)
from untildone.features.importers.formats import LOOP_FORMATS
from untildone.features.importers.start import (
    LoopFile,
    describe_differences,
    find_begun_loop,
    limit_rounds,
    read_loop_file,
    remember_loop,
    start_imported_loop,
)
from untildone.store.lock import hold_lock
from untildone.store.loops import Record
from untildone.store.sessions import Session

_PATIENCE = 30


def import_loop(
    context: Context, read: LoopFile, *, project: Path, session: str, by: Speaker
) -> Record:
    """The loop of a file, which it follows where the person trusts that."""
    record = start_imported_loop(context, read, project=project, session=session, by=by)
    write_task(project, record.contract)
    if trust.is_trusted_project(str(context.home), str(project)) and read.file in list_loop_files(
        project
    ):
        trust.watch_session(context.session(session))
        foreign = read.foreign
        bound = BoundFile(
            file=str(read.file),
            shown=read.shown,
            counted_in=str(project / foreign.counted_in) if foreign.counted_in else str(read.file),
            counter=foreign.counter,
            first=foreign.first,
            rounds=foreign.rounds,
            kept=foreign.kept,
        )
        save_bound_file(context, record.contract.id, bound)
    return record


def list_loop_files(project: Path) -> list[Path]:
    """The loop files that their tools would look at here."""
    patterns = chain.from_iterable(dialect.AT_STOPS for dialect in LOOP_FORMATS.values())
    files = chain.from_iterable(
        sorted(project.glob(pattern)) if "*" in pattern else [project / pattern]
        for pattern in patterns
    )
    # Not `Path.is_file`, which raises where a folder may not be looked into.
    return [file for file in files if os.path.isfile(file)]  # noqa: PTH113  as above


def import_waiting_file(context: Context, session: str, project: Path) -> Record | None:
    """The person takes up a file that was made by hand."""
    if not trust.is_trusted_project(str(context.home), str(project)):
        return None
    for read in (read_loop_file(project, file) for file in list_loop_files(project)):
        fits = read.foreign.session in ("", session) and read.foreign.active
        if fits and not find_begun_loop(context, project, read.identity):
            return import_loop(context, read, project=project, session=session, by="user")
    return None


def check_loop_files(context: Context, stop: Stop, session: Session) -> str:
    """A file of this session begins a loop, or ends it; what is said where none is active then."""
    if stop.plan_mode or ignored(context.agent, context.environ):
        return ""
    if session.is_active():
        notice = _follow(context, stop, session)
    else:
        notice = "" if session.get_loop_id() else _take_up(context, stop, session)
    if not notice or session.is_active():
        return ""
    verdict = Wait(reason=notice)
    return context.agent.format_reply(verdict, feedback="", notice=notice, environ=context.environ)


def _take_up(context: Context, stop: Stop, session: Session) -> str:
    project = Path(stop.project or stop.cwd)
    if not trust.is_trusted_project(str(context.home), str(project)):
        return ""
    folder = project_folder(context.home, project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = list(session.read_calls())
    notices: list[str] = []
    with hold_lock(folder / "dialects.lock", timeout=_PATIENCE):
        for file in list_loop_files(project) if not session.get_loop_id() else ():
            notices.append(_consider(context, stop, session, file))
            if session.is_active():
                return ""
    session.drop_calls(names)
    return " | ".join(filter(None, notices))


def _consider(context: Context, stop: Stop, session: Session, file: Path) -> str:
    project = Path(stop.project or stop.cwd)
    try:
        read = read_loop_file(project, file)
        whose = _whose(read, stop, session)
        earlier = find_begun_loop(context, project, read.identity)
        if not read.foreign.active or whose == "another's" or (earlier and whose == "nobody's"):
            return ""
        if whose == "nobody's":
            return _once(
                session, f"`{read.shown}` is a loop: `!untildone continue --here` begins it"
            )
        if earlier:
            again = f"`untildone import {read.shown}` begins another"
            return _once(session, f"`{read.shown}` was loop {earlier} already; {again}")
        record = import_loop(context, read, project=project, session=session.id, by="agent")
    except FileNotFoundError:
        return ""
    except UserError as error:
        return _once(session, f"{error.message}; {error.hint}")
    lines = (
        f"`{read.shown}` began loop {record.contract.id}",
        *describe_differences(read.foreign, "agent"),
    )
    session.write("tell", "untildone: " + "; ".join(lines))
    session.write_json("prompt.json", {"id": stop.prompt, "kind": "start", "tree": ""})
    return ""


def _whose(read: LoopFile, stop: Stop, session: Session) -> str:
    """Only the session that wrote it is held by it."""
    if read.foreign.session:
        return "mine" if read.foreign.session == stop.session else "another's"
    return "mine" if _touched(session, read.file) else "nobody's"


def _once(session: Session, text: str) -> str:
    """A session is told a thing once."""
    if text in session.read(trust.REASON).splitlines():
        return ""
    session.append(trust.REASON, f"{text}\n")
    return f"untildone: {text}"


def _touched(session: Session, file: Path) -> bool:
    """A tool call of this session may have changed it."""
    own = os.path.realpath(file)
    return any(
        own == path or own.startswith(path + os.sep) or ("*" in path and fnmatchcase(own, path))
        for call in chain.from_iterable(session.read_calls().values())
        for path in _written(call)
    )


def _written(call: dict[str, object]) -> Iterator[str]:
    # A call that was cut off has its inputs' beginning in front.
    inputs = call.get("tool_input", call)
    if isinstance(inputs, dict):
        for path in find_written_paths(
            str(call.get("tool_name")), inputs, str(call.get("cwd", ""))
        ):
            with suppress(ValueError):
                yield os.path.realpath(path)


def _follow(context: Context, stop: Stop, session: Session) -> str:
    record = context.loops.load(session.get_loop_id())
    bound = load_bound_file(context, record.contract.id)
    if bound is None:
        return ""
    file = Path(bound.file)
    agents = _touched(session, file) and not _asked_for(session, stop)
    try:
        read = read_loop_file(Path(record.contract.project), file)
    except FileNotFoundError:
        return _over(context, record, bound, reason="was removed", agents=agents)
    except UserError:
        # Perhaps only half written: what was agreed stands.
        return ""
    if not read.foreign.active:
        return _over(context, record, bound, reason="is not active any more", agents=agents)
    remember_loop(context, Path(record.contract.project), read.identity, record.contract.id)
    if read.foreign.rounds != bound.rounds:
        save_bound_file(context, record.contract.id, replace(bound, rounds=read.foreign.rounds))
        if not agents:
            _raise(context, record, read.foreign.rounds)
    return ""


def _asked_for(session: Session, stop: Stop) -> bool:
    """The person's own prompt led to it, as `/cancel-ralph` does; no hold of ours since."""
    prompt = session.read_json("prompt.json")
    theirs = prompt.get("kind") == "other" and prompt.get("id") == stop.prompt
    return theirs and not stop.held_before


def _over(context: Context, record: Record, bound: BoundFile, *, reason: str, agents: bool) -> str:
    """The person's hand ends the loop; by the agent's it goes on without the file."""
    loop = record.contract.id
    if agents:
        forget_bound_file(context, loop)
        return ""
    verbs.cancel(context, loop, f"`{bound.shown}` {reason}")
    return f"untildone: loop {loop} is cancelled: `{bound.shown}` {reason}"


def _raise(context: Context, record: Record, rounds: int | None) -> None:
    def edit(now: Record) -> Progress:
        agreed_on = apply_amendments(now.contract, now.progress.amendments).bounds
        amendment = Amendment(
            by="user", at=context.now(), bounds=limit_rounds(agreed_on, rounds, "agent")
        )
        return replace(now.progress, amendments=(*now.progress.amendments, amendment))

    verbs.change(context, record.contract.id, edit, kind="bounds", rounds=rounds)
