"""The status of loops on the terminal: one in full, or many as a table."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from untildone.cli.terminal_text import Display
from untildone.core.text import pluralize
from untildone.report.status import LoopStatus
from untildone.report.status_text import (
    Row,
    describe_age,
    describe_head,
    list_rows,
    name_loop_state,
)
from untildone.store.loops import Record

# More loops than this are a table, so that they fit one screen.
MOST_IN_FULL = 2
_LABEL = 9
_INDENT = 2 + _LABEL + 1
_BAR = 20
_MOST_FINISHED = 12
_MOST_NEEDS = 6
# The first columns of the table are names.
_NAMES = 2
_BOLD = {"bold": True}
_DIM = {"dim": True}
_STATES = {"active": "cyan", "paused": "yellow", "done": "green"}
_TONES = {"good": "green", "warn": "yellow", "ask": "yellow"}


def render_loop(
    loop: LoopStatus, display: Display, *, now: str, with_project: bool
) -> Iterator[str]:
    """Yield the lines of one loop."""
    head = f"{loop.id}  "
    state = display.paint(describe_head(loop), fg=_choose_colour(loop))
    yield display.paint(head, **_BOLD) + state
    yield f"  {display.fit_headline(loop.task, indent=2)}"
    yield ""
    for row in list_rows(loop, now=now, with_project=with_project):
        yield _render_row(row, display)


def _render_row(row: Row, display: Display) -> str:
    label = display.paint(f"  {row.label:<{_LABEL}} ", **_DIM)
    colour = {"fg": _TONES[row.tone]} if row.tone else {}
    if row.share is not None:
        full, empty = display.draw_bar(row.share, width=_BAR)
        bar = display.paint(full, **colour) + display.paint(empty, **_DIM)
        return f"{label}{bar}  {display.fit(row.text, indent=_INDENT + _BAR + 2)}"
    if row.tone == "ask":
        # A command that has to be typed is shown whole.
        return label + display.paint(display.wrap(row.text, indent=_INDENT), **colour, **_BOLD)
    # Without a label it is a line of the diff below a question.
    fit = display.fit if row.label else display.fit_code
    return label + fit(row.text, indent=_INDENT)


def _choose_colour(loop: LoopStatus) -> str:
    if loop.status == "finished":
        return _STATES.get(loop.outcome or "", "white")
    return _STATES[loop.status] if loop.held or loop.status != "active" else "yellow"


def select_shown(records: Sequence[Record]) -> tuple[list[Record], int]:
    """Return the loops of a table, unfinished ones first, and how many finished ones are left out.

    Their status is loaded for these alone: there may be a thousand.
    """
    if len(records) <= MOST_IN_FULL:
        return list(records), 0
    finished = [record for record in records if record.progress.status == "finished"]
    unfinished = [record for record in records if record.progress.status != "finished"]
    return [*unfinished, *finished[:_MOST_FINISHED]], max(0, len(finished) - _MOST_FINISHED)


def render_table(
    loops: Sequence[LoopStatus], display: Display, *, now: str, with_projects: bool, hidden: int
) -> Iterator[str]:
    """Yield a line for each loop, then what is needed from the user."""
    cells = [("loop", "state", "round", "USD", "changed")]
    cells += [_list_cells(loop, now=now) for loop in loops]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    heads = ["  ".join(map(_align, range(len(row)), row, widths)) + "  " for row in cells]
    yield display.paint(f"{heads[0]}task", **_DIM)
    for loop, head in zip(loops, heads[1:], strict=True):
        folder = f"{Path(loop.project).name}: " if with_projects else ""
        colour = {"fg": _choose_colour(loop)} if loop.status != "finished" else {}
        text = display.fit_headline(f"{folder}{loop.task.lstrip()}", indent=len(head))
        yield display.paint(head, **colour) + text
    if hidden:
        where = " --all" if with_projects else ""
        yield f"and {pluralize(hidden, 'older finished loop')}: `untildone history{where}`"
    yield from _list_needs(loops, display)


def _align(column: int, cell: str, width: int) -> str:
    """Return the cell in its column: names to the left, figures to the right."""
    return cell.ljust(width) if column < _NAMES else cell.rjust(width)


def _list_cells(loop: LoopStatus, *, now: str) -> tuple[str, str, str, str, str]:
    spent = "?" if loop.spend_usd is None else f"{loop.spend_usd:.2f}"
    bound = f"/{loop.max_rounds}" if loop.max_rounds else ""
    age = describe_age(loop.updated_at, now=now).removesuffix(" ago")
    return loop.id, _name_state(loop), f"{loop.round}{bound}", spent, age


def _name_state(loop: LoopStatus) -> str:
    """Return a short name: `held`, `not held`, `needs-approval`, `done`."""
    if loop.outcome:
        return loop.outcome
    return {True: "held", False: "not held", "unknown": "held?"}[loop.held]


def _list_needs(loops: Sequence[LoopStatus], display: Display) -> Iterator[str]:
    """Yield what the user has to do for which loop."""
    needs = [
        loop for loop in loops if loop.status != "finished" and (loop.questions or loop.needs_you)
    ]
    if needs:
        yield ""
        yield display.paint("needed from you", fg="yellow", bold=True)
    for loop in needs[:_MOST_NEEDS]:
        head = f"  {loop.id}  "
        text = loop.questions[0] if loop.questions else loop.needs_you
        yield head + display.wrap(f"{name_loop_state(loop)}: {text}", indent=len(head))
    if len(needs) > _MOST_NEEDS:
        yield f"  and {pluralize(len(needs) - _MOST_NEEDS, 'more loop')}"
