"""Starts a loop from another tool's loop file.

Which content has started which loop is remembered for each project, so that a file that stays in
place starts only one.
"""

from datetime import UTC, datetime
from pathlib import Path

from msgspec import to_builtins
from msgspec.structs import replace

from untildone.checks import security
from untildone.core.contract import Bounds, Speaker
from untildone.core.progress import Round
from untildone.core.verdict import Continue
from untildone.engine.artifacts import write_task
from untildone.engine.context import Context, project_folder
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request
from untildone.engine.start_rules import CEILINGS
from untildone.engine.verbs import change_loop
from untildone.errors import UserError
from untildone.features.counts.selection import select_counts
from untildone.features.importers.checked_claims import bind_claims
from untildone.features.importers.followed_file import FollowedFile, save_note
from untildone.features.importers.formats.loop_format import ImportedLoop
from untildone.features.importers.loop_file import LoopFile, list_loop_files
from untildone.features.importers.trusted_projects import is_trusted_project, watch_session
from untildone.features.plans.task_loops import TaskChoice, build_task_request
from untildone.report.totals import describe_totals
from untildone.store.durable_files import DamagedFileError, read_bounded, write_atomically
from untildone.store.encoding import decode, encode
from untildone.store.loops import Record

# In our folder of the project: a JSON object with the ids of loops by the identity of the loop
# file that started them.
_BEGUN_LOOPS_FILE = "dialects.json"


def import_loop(
    context: Context, loop_file: LoopFile, *, project: Path, session: str, by: Speaker
) -> Record:
    """Start the loop of a file with the rounds that the file has already counted; return it.

    If the user trusts loop files in this project, and the file is one that its tool reads at
    stops, the loop follows the file: later changes of it are obeyed. Raises UserError if the file
    says that its loop is not active.
    """
    loop = loop_file.loop
    if not loop.active:
        raise UserError(
            f"`{loop_file.display_path}` says that its loop is not active",
            hint="change that in the file, or begin a new loop with `untildone start`",
        )
    request = _build_request(context, loop, project=project, session=session, by=by)
    request, plan_note = _add_plan(context, loop, request)
    record = begin_loop(context, request)
    warnings = (*record.warnings, plan_note) if plan_note else record.warnings
    remember_loop(context, project, loop_file.identity, record.contract.id)
    _record_snapshots(context, loop, record.contract.id)
    record = change_loop(
        context,
        record.contract.id,
        lambda now: replace(
            now.progress,
            round=max(now.progress.round, loop.rounds_used),
            steps_done=loop.steps_done,
            steps_reported=len(loop.steps_done),
        ),
        kind="imported",
        path=loop_file.display_path,
        told=describe_differences(loop, by),
    )
    write_task(project, record.contract)
    trusted = is_trusted_project(str(context.home), str(project))
    if trusted and loop_file.file in list_loop_files(project):
        watch_session(context.session(session))
        save_note(context, record.contract.id, _describe_followed_file(loop_file, project))
    return replace(record, warnings=warnings)


def _record_snapshots(context: Context, loop: ImportedLoop, loop_id: str) -> None:
    """Record what the other tool counted as rounds of the loop, to be shown with ours."""
    for snapshot in loop.snapshots:
        counted = describe_totals(snapshot.totals) or "nothing"
        entry = Round(
            number=snapshot.number,
            at=snapshot.at or context.now(),
            verdict=Continue(cause="unmet"),
            totals=snapshot.totals,
            notes=(f"counted before the import: {counted}",),
        )
        change_loop(context, loop_id, lambda now: now.progress, kind="round", **to_builtins(entry))


def _add_plan(context: Context, loop: ImportedLoop, request: Request) -> tuple[Request, str]:
    """Return the request with the criteria of the plan's task, and why it has none, if so."""
    if not loop.plan_file:
        return request, ""
    choice = TaskChoice(
        session=request.session,
        project=request.project,
        plan=loop.plan_file,
        task=loop.plan_task,
        by=request.by,
        bounds=request.bounds,
    )
    try:
        return build_task_request(context, choice), ""
    except UserError as error:
        reason = f"{error.message.splitlines()[0]}; {error.hint}"
        return request, f"without the criteria of `{loop.plan_file}`: {reason}"


def _describe_followed_file(loop_file: LoopFile, project: Path) -> FollowedFile:
    """Return our note on the file that the loop will follow."""
    loop, file = loop_file.loop, str(loop_file.file)
    return FollowedFile(
        file=file,
        display_path=loop_file.display_path,
        counter_file=str(project / loop.counter_file) if loop.counter_file else file,
        counter_key=loop.counter_key,
        round_offset=loop.round_offset,
        max_rounds=loop.rounds,
        keep_at_end=loop.keep_at_end,
    )


def _build_request(
    context: Context, loop: ImportedLoop, *, project: Path, session: str, by: Speaker
) -> Request:
    """Return the request for a loop as if it came from `untildone start`.

    A file that names no count means a loop whose checks must report no errors.
    """
    loop = bind_claims(context, project, loop)
    return Request(
        session=session,
        project=project,
        preset=loop.preset,
        task=loop.task,
        checks=loop.checks,
        also=(security.make_check(project),) if "zero_security" in loop.zero_counts else (),
        counts=select_counts(set(loop.zero_counts) - {"zero_errors"}),
        zero_errors="zero_errors" in loop.zero_counts or not loop.zero_counts,
        targets=loop.targets,
        promises=loop.promises,
        claims=loop.claims,
        steps=loop.steps,
        done_when=loop.done_when,
        bounds=limit_rounds(Bounds(stagnation=loop.stagnation), loop.rounds, by),
        by=by,
    )


def limit_rounds(current: Bounds, rounds: int | None, by: Speaker) -> Bounds:
    """Return the bounds with this limit of rounds; an agent gets the ceiling at most."""
    if rounds is None:
        return current
    return replace(current, rounds=CEILINGS["rounds"] if _exceeds_ceiling(rounds, by) else rounds)


def _exceeds_ceiling(rounds: int, by: Speaker) -> bool:
    """Say whether an agent asks for too many rounds; 0 means no limit and is too many."""
    return by == "agent" and not 0 < rounds <= CEILINGS["rounds"]


def describe_differences(loop: ImportedLoop, by: Speaker) -> tuple[str, ...]:
    """Return one message for each difference from the file: defaults, ceilings, ignored fields."""
    lines = list(loop.defaults)
    if loop.rounds is not None and _exceeds_ceiling(loop.rounds, by):
        limit = loop.rounds or "no limit"
        lines.append(
            f"an agent may set at most {CEILINGS['rounds']} rounds: used instead of {limit}"
        )
    if loop.ignored_fields:
        unknown = ", ".join(f"`{key}`" for key in loop.ignored_fields)
        lines.append(f"ignored: {unknown}")
    return tuple(lines)


def find_begun_loop(context: Context, project: Path, loop_file: LoopFile) -> str:
    """Return the id of the loop that this content has already started; else an empty text.

    A loop that was cancelled does not count once the file was written again.
    """
    loop = _load_begun_loops(context, project).get(loop_file.identity, "")
    return "" if loop and _is_written_after_cancel(context, loop, loop_file.file) else loop


def _is_written_after_cancel(context: Context, loop: str, file: Path) -> bool:
    """Say whether the loop was cancelled, and the file written since."""
    try:
        progress = context.loops.load(loop).progress
        written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except (OSError, DamagedFileError, UserError):
        return False
    return progress.outcome == "cancelled" and written > datetime.fromisoformat(progress.updated_at)


def remember_loop(context: Context, project: Path, identity: str, loop: str) -> None:
    """Remember that this content belongs to this loop, so that it starts no other."""
    loops = _load_begun_loops(context, project)
    if loops.get(identity) == loop:
        return
    folder = project_folder(context.home, project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(
        folder / _BEGUN_LOOPS_FILE, encode({**loops, identity: loop}), keep_previous=False
    )


def _load_begun_loops(context: Context, project: Path) -> dict[str, str]:
    """Return the ids of the project's imported loops by the identity of their file."""
    try:
        data = read_bounded(project_folder(context.home, project) / _BEGUN_LOOPS_FILE)
        return decode(data, dict[str, str])
    except (FileNotFoundError, DamagedFileError):
        return {}
