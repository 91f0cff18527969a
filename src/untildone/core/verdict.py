"""The verdict on a stop, and the outcomes of a loop."""

from typing import Literal, TypeAlias

from msgspec import Struct

Because: TypeAlias = Literal[
    "unmet", "signal", "unconfirmed", "losses", "blocked", "unrunnable", "background", "fault"
]
Ending: TypeAlias = Literal["done", "claimed", "cancelled"]
Pausing: TypeAlias = Literal[
    "out-of-rounds",
    "out-of-budget",
    "out-of-time",
    "stagnated",
    "blocked",
    "tampered",
    "forbidden",
    "unrunnable",
    "cut-off",
    "gate",
    "paused",
    "needs-approval",
    "unverified",
]
Outcome: TypeAlias = Ending | Pausing | Literal["vague"]


class Continue(Struct, frozen=True, kw_only=True, tag="continue"):
    """Hold the agent. `counted` is False where the stop does not count as a round."""

    because: Because
    names: tuple[str, ...] = ()
    counted: bool = True


class Finish(Struct, frozen=True, kw_only=True, tag="finish"):
    outcome: Ending
    reason: str


class Pause(Struct, frozen=True, kw_only=True, tag="pause"):
    outcome: Pausing
    reason: str


class Wait(Struct, frozen=True, kw_only=True, tag="wait"):
    """Let the agent stop without counting a round."""

    reason: str


class Ignore(Struct, frozen=True, kw_only=True, tag="ignore"):
    reason: str


Verdict: TypeAlias = Continue | Finish | Pause | Wait | Ignore


class Ended(Struct, frozen=True, kw_only=True):
    """The loop's status after an outcome, the exit status of `run`, and how to resume the loop."""

    status: Literal["finished", "paused", "not started"]
    exit_code: int
    resume: str = ""


OUTCOMES: dict[Outcome, Ended] = {
    "done": Ended(status="finished", exit_code=0),
    "out-of-rounds": Ended(status="paused", exit_code=10, resume="continue --rounds +N"),
    "out-of-budget": Ended(status="paused", exit_code=11, resume="continue --budget +N"),
    "out-of-time": Ended(status="paused", exit_code=12, resume="continue --minutes +N"),
    "stagnated": Ended(status="paused", exit_code=13, resume="continue"),
    "blocked": Ended(status="paused", exit_code=14, resume="continue"),
    "tampered": Ended(status="paused", exit_code=15, resume="continue"),
    "forbidden": Ended(status="paused", exit_code=16, resume="continue"),
    "unrunnable": Ended(status="paused", exit_code=17, resume="continue"),
    "cancelled": Ended(status="finished", exit_code=18),
    "vague": Ended(status="not started", exit_code=19, resume="start"),
    "cut-off": Ended(status="paused", exit_code=20, resume="continue"),
    "gate": Ended(status="paused", exit_code=21, resume="the next prompt"),
    "paused": Ended(status="paused", exit_code=22, resume="continue"),
    "claimed": Ended(status="finished", exit_code=23),
    "needs-approval": Ended(status="paused", exit_code=24, resume="approve"),
    "unverified": Ended(status="paused", exit_code=25, resume="continue"),
}
