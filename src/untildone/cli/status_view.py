"""Which loops `untildone status` shows, and its lines about them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from msgspec.structs import replace

from untildone.cli import loops
from untildone.cli.options import find_project
from untildone.cli.status_display import MOST_IN_FULL, render_loop, render_table, select_shown
from untildone.cli.terminal_text import Display
from untildone.engine.context import Context
from untildone.engine.hold_status import load_loop_status
from untildone.engine.lost_loops import pause_unindexed_loop
from untildone.engine.removed_folders import explain_removed_folders
from untildone.engine.stale_loops import STALE_DAYS, find_stale_loops, take_unlisted
from untildone.features.edits import switch
from untildone.install.held_loops import find_hold_problem
from untildone.report.status import LoopStatus, StatusReport
from untildone.store.loops import Record, UnreadableLoop

Entries: TypeAlias = Sequence[Record | UnreadableLoop]


class StatusView:
    """The loops that one call of the command shows."""

    def __init__(self, context: Context, project: Path | None, *, everywhere: bool) -> None:
        self.context = context
        self.everywhere = everywhere
        self.folder = str(find_project(project))
        # In an agent's shell: the loops of its session, as those of others would only confuse it.
        self.session = loops.get_session_id(context)
        self.by_session = bool(self.session) and project is None

    def load_entries(self) -> Entries:
        """Read every loop, once for all that is shown."""
        return self.context.loops.list_all()

    def build_report(self, entries: Entries) -> StatusReport:
        """Return the status of every loop, as `--json` prints it."""
        return StatusReport(
            loops=self._load_loops(self._select(entries)),
            unreadable=tuple(entry for entry in entries if isinstance(entry, UnreadableLoop)),
            automatic=self._is_automatic(),
        )

    def render(self, entries: Entries, display: Display) -> Iterator[str]:
        """Yield the lines about the loops."""
        records = self._select(entries)
        if not records and not list_damaged(entries):
            yield self._describe_nothing(entries)
        stale = {record.contract.id for record in self._find_stale(entries)}
        records = [record for record in records if record.contract.id not in stale] or records
        shown, hidden = select_shown(records)
        found, now = self._load_loops(shown), self.context.now()
        if len(found) > MOST_IN_FULL:
            yield from render_table(
                found, display, now=now, with_projects=self.everywhere, hidden=hidden
            )
            return
        for number, loop in enumerate(found):
            yield from ("",) if number else ()
            yield from render_loop(loop, display, now=now, with_project=self.everywhere)

    def list_notices(self, entries: Entries) -> list[str]:
        """Return what else is to be said; loops that were forgotten are listed once."""
        lines = []
        if self._is_automatic():
            lines.append(
                "automatic mode is on:"
                " turns whose edits bring errors are held, with or without a loop"
            )
        # To the user: an agent may not clean up.
        if self.session:
            return lines
        lines += explain_removed_folders(self.context)
        if unlisted := take_unlisted(self.context, self._find_stale(entries)):
            lines.append(f"paused for more than {STALE_DAYS} days; `untildone clean` cancels them:")
            lines += (f"  {loops.format_loop(record)}" for record in unlisted)
        return lines

    def _select(self, entries: Entries) -> list[Record]:
        """Return the loops to show, the newest first."""
        records = [
            pause_unindexed_loop(self.context, entry)
            for entry in entries
            if isinstance(entry, Record) and (self.everywhere or self._is_here(entry))
        ]
        if self.everywhere:
            return records
        # The unfinished loops, else the newest one, so that a script sees its end.
        unfinished = [record for record in records if record.progress.status != "finished"]
        return unfinished or records[:1]

    def _is_automatic(self) -> bool:
        return switch.AUTO in switch.read_modes(str(self.context.home))

    def _is_here(self, record: Record) -> bool:
        if self.by_session:
            return self.context.session_of(record).id == self.session
        return record.contract.project == self.folder

    def _load_loops(self, records: Sequence[Record]) -> tuple[LoopStatus, ...]:
        return tuple(
            _confirm_held(self.context, load_loop_status(self.context, record))
            for record in records
        )

    def _find_stale(self, entries: Entries) -> list[Record]:
        if self.everywhere:
            return []
        records = (entry for entry in entries if isinstance(entry, Record))
        return find_stale_loops(self.context, records)

    def _describe_nothing(self, entries: Entries) -> str:
        start = "`untildone start --preset test` starts one"
        place = "session" if self.session else "project"
        count = sum(isinstance(entry, Record) for entry in entries)
        return f"no loop in this {place}; {start}{loops.describe_other_loops(count)}"


def list_damaged(entries: Entries) -> list[str]:
    """Return a line for each loop that cannot be read; such a loop is never left out."""
    damaged = (entry for entry in entries if isinstance(entry, UnreadableLoop))
    return [f"loop {entry.id} cannot be read: {entry.reason}" for entry in damaged]


def _confirm_held(context: Context, loop: LoopStatus) -> LoopStatus:
    """Return `held` as unknown if the hooks of a running session are disabled or gone by now."""
    if loop.held is not True:
        return loop
    problem = find_hold_problem(context, project=loop.project, agent=loop.agent)
    if not problem:
        return loop
    return replace(loop, held="unknown", not_held_because=problem, needs_you=problem)
