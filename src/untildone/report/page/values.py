"""What a page shows, already in the words and figures that a reader sees."""

from typing import Literal, TypeAlias

from msgspec import Struct

# How something is to be taken: a page shows it by a mark and a colour, never by colour alone.
Tone: TypeAlias = Literal["good", "bad", "warn", "calm"]
Unit: TypeAlias = Literal["findings", "tests", "USD", "seconds", "rounds"]


class Headline(Struct, frozen=True, kw_only=True):
    """The outcome in one line, why, and what the user can do now."""

    state: str
    tone: Tone
    text: str
    reason: str = ""
    next_steps: tuple[str, ...] = ()


class Figure(Struct, frozen=True, kw_only=True):
    """One key figure; `note` sets it in relation to a bound or to the baseline."""

    name: str
    value: str
    note: str = ""
    tone: Tone = "calm"


class Fact(Struct, frozen=True, kw_only=True):
    """A named statement; `details` are folded below it, `more` counts those not listed."""

    name: str
    text: str
    tone: Tone = "calm"
    details: tuple[str, ...] = ()
    more: int = 0


class CheckRow(Struct, frozen=True, kw_only=True):
    """A check on the baseline and now; empty texts: it did not run then."""

    name: str
    command: str
    before: str = ""
    before_tone: Tone = "calm"
    now: str = ""
    tone: Tone = "calm"
    how: str = ""


class Series(Struct, frozen=True, kw_only=True):
    """One figure over the rounds; None where it is unknown. `style` names its colour."""

    name: str
    values: tuple[float | None, ...]
    style: str


class Chart(Struct, frozen=True, kw_only=True):
    """Bars over rounds, stacked if there are several series; each is also shown as a table."""

    id: str
    title: str
    unit: Unit
    # One for each bar: `start`, then the numbers of the rounds.
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    note: str = ""
    # Whether the bars follow each other in one loop, so that the first and the last are compared.
    is_course: bool = True


class Mark(Struct, frozen=True, kw_only=True):
    """The result of one check in one round."""

    name: str
    summary: str
    tone: Tone


class Diff(Struct, frozen=True, kw_only=True):
    path: str
    text: str


class Listed(Struct, frozen=True, kw_only=True):
    """The first of several texts, and how many are not listed."""

    texts: tuple[str, ...] = ()
    more: int = 0


class RoundView(Struct, frozen=True, kw_only=True):
    """One judged stop. `skipped` says which rounds before this one in the list are left out."""

    number: int
    # The time in UTC for programs, and local for people.
    at: str
    time: str
    duration: str
    verdict: str
    tone: Tone
    # Why the agent was held or released, in one line.
    told: str
    # The text that the agent was given when it was held, cut if long.
    feedback: str = ""
    agent: str = ""
    cost: str = ""
    message: str = ""
    checks: tuple[Mark, ...] = ()
    more_checks: int = 0
    # Failures of the baseline that are gone since the round before; negative: they came back.
    fixed_count: int = 0
    fixed: Listed = Listed()
    new: Listed = Listed()
    # Why it is unknown which failures are gone or new.
    unlisted_because: str = ""
    files: Listed = Listed()
    concerns: Listed = Listed()
    notes: Listed = Listed()
    diffs: tuple[Diff, ...] = ()
    # Stops after this round whose checks were broken off.
    unjudged: tuple[str, ...] = ()
    skipped: str = ""


class ConcernView(Struct, frozen=True, kw_only=True):
    """Something the baseline had and the tree has not; `approval` is empty while it is open."""

    name: str
    because: str = ""
    approval: str = ""
    change: str = ""


class Step(Struct, frozen=True, kw_only=True):
    """One command of those that reproduce the result, and what it shows."""

    command: str
    purpose: str


class LoopView(Struct, frozen=True, kw_only=True):
    """Everything that the page of a loop shows."""

    loop: str
    title: str
    # The whole task, if it is longer than the title.
    task: str = ""
    project: str
    # The name of the project's folder.
    folder: str
    is_active: bool
    headline: Headline
    figures: tuple[Figure, ...]
    checks: tuple[CheckRow, ...]
    more_checks: int = 0
    # What shows the change, and what stayed unknown.
    shown_by: tuple[Fact, ...]
    unknown: tuple[str, ...]
    charts: tuple[Chart, ...]
    # Why there is no chart of a kind.
    not_drawn: tuple[str, ...] = ()
    # The newest first.
    rounds: tuple[RoundView, ...]
    round_count: int
    concerns: tuple[ConcernView, ...] = ()
    more_concerns: int = 0
    facts: tuple[Fact, ...] = ()
    reproduce: tuple[Step, ...] = ()
    version: str
