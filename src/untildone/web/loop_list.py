"""The list of all loops: those that wait for the user first, filtered, one page at a time."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.progress import Progress
from untildone.engine.context import Context
from untildone.engine.hold_status import check_hold
from untildone.report.page.inert_text import make_line
from untildone.report.running_checks import find_running_check
from untildone.report.times import format_cost, format_time
from untildone.store.loop_index import Entry
from untildone.store.loops import Record, UnreadableLoop
from untildone.web.live_loop import RunningLine, describe_running

Group: TypeAlias = Literal["asks", "active", "paused", "finished", "broken"]
GROUPS: tuple[Group, ...] = get_args(Group)
PAGE_SIZE = 50
# Outcomes at which a loop cannot go on without an answer of the user.
_ASKING = ("needs-approval", "gate", "blocked", "tampered", "forbidden", "unrunnable")
_UNFINISHED: tuple[Group, ...] = ("asks", "active")


class LoopRow(Struct, frozen=True, kw_only=True):
    id: str
    group: Group
    state: str
    title: str
    project: str = ""
    # Why it is paused, or what is unmet.
    note: str = ""
    round: int = 0
    max_rounds: int = 0
    cost: str = ""
    # The time of the last change in UTC for programs, and local for people.
    at: str = ""
    time: str = ""
    agent: str = ""
    running: RunningLine | None = None
    # Why the agent of an active loop may stop unjudged.
    not_held: str = ""


class Listing(Struct, frozen=True, kw_only=True):
    """What the user asked to see: one group or all, with these words, this page of it."""

    group: Group | None = None
    words: str = ""
    page: int = 1


class LoopList(Struct, frozen=True, kw_only=True):
    listing: Listing
    rows: tuple[LoopRow, ...]
    # How many loops there are of each group, and how many the listing has on how many pages.
    counts: dict[Group, int]
    found: int
    pages: int


def parse_listing(query: dict[str, str]) -> Listing:
    """Return what an address asks for; what makes no sense in it is left out."""
    group = next((name for name in GROUPS if name == query.get("group")), None)
    page = query.get("page", "")
    number = int(page) if page.isdecimal() and len(page) < 7 else 1
    return Listing(group=group, words=make_line(query.get("q", ""), 200), page=max(1, number))


def build_list(context: Context, entries: Sequence[Entry], listing: Listing) -> LoopList:
    """Return one page of the list; only of its rows more than the loop itself is read."""
    grouped = [(choose_group(entry), entry) for entry in entries]
    counts = {name: sum(group == name for group, _ in grouped) for name in GROUPS}
    words = listing.words.casefold().split()
    found = [
        (group, entry)
        for group, entry in grouped
        if listing.group in (None, group) and _has_words(entry, words)
    ]
    # What is unfinished first; the loops of a group stay ordered by their start.
    found.sort(key=lambda pair: _rank(pair[0]))
    pages = max(1, -(-len(found) // PAGE_SIZE))
    first = (min(listing.page, pages) - 1) * PAGE_SIZE
    shown = found[first : first + PAGE_SIZE]
    return LoopList(
        listing=listing,
        rows=tuple(make_row(context, group, entry) for group, entry in shown),
        counts=counts,
        found=len(found),
        pages=pages,
    )


def choose_group(entry: Entry) -> Group:
    if isinstance(entry, UnreadableLoop):
        return "broken"
    progress = entry.progress
    if progress.status == "paused" and (progress.outcome in _ASKING or progress.open_concerns):
        return "asks"
    return progress.status


def _rank(group: Group) -> int:
    return _UNFINISHED.index(group) if group in _UNFINISHED else len(_UNFINISHED)


def _has_words(entry: Entry, words: Iterable[str]) -> bool:
    if isinstance(entry, UnreadableLoop):
        text = f"{entry.id} {entry.reason}"
    else:
        contract = entry.contract
        text = f"{contract.id} {contract.project} {contract.agent} {contract.task}"
    text = text.casefold()
    return all(word in text for word in words)


def make_row(context: Context, group: Group, entry: Entry) -> LoopRow:
    if isinstance(entry, UnreadableLoop):
        title = "This loop cannot be read"
        reason = make_line(entry.reason, 300)
        name = make_line(entry.id, 64)
        return LoopRow(id=name, group=group, state="damaged", title=title, note=reason)
    contract, progress = entry.agreed, entry.progress
    at = progress.updated_at or contract.started_at
    row = LoopRow(
        id=contract.id,
        group=group,
        state=progress.outcome or progress.status,
        title=make_line(contract.task, 160) or "(no task)",
        project=make_line(Path(contract.project).name, 60),
        note=_describe(progress),
        round=progress.round,
        max_rounds=contract.bounds.rounds,
        cost="" if progress.spend_usd is None else format_cost(progress.spend_usd),
        at=at,
        time=format_time(at),
        agent=make_line(contract.agent, 40),
    )
    return _add_activity(context, entry, row) if group == "active" else row


def _add_activity(context: Context, record: Record, row: LoopRow) -> LoopRow:
    running = find_running_check(context.session_of(record))
    held, reason = check_hold(context, record)
    return replace(
        row,
        running=describe_running(running) if running else None,
        not_held=make_line(reason, 200) if held is False else "",
    )


def _describe(progress: Progress) -> str:
    if progress.status == "active":
        return make_line(f"unmet: {', '.join(progress.unmet)}", 160) if progress.unmet else ""
    return make_line(progress.reason, 200)
