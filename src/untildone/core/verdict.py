"""The verdict on a stop, and the outcomes of a loop."""

from typing import Literal, TypeAlias

from msgspec import Struct

HoldCause: TypeAlias = Literal[
    "unmet",
    "signal",
    "unconfirmed",
    "losses",
    "unchanged",
    "unproved",
    "blocked",
    "unrunnable",
    "background",
    "fault",
]
FinishOutcome: TypeAlias = Literal["done", "claimed", "cancelled"]
PauseOutcome: TypeAlias = Literal[
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
Outcome: TypeAlias = FinishOutcome | PauseOutcome | Literal["vague"]


# Reasons of pauses that the user made themselves.
PAUSED_BY_USER = "paused by the user"
INTERRUPTED_BY_USER = "interrupted by you"


class Continue(Struct, frozen=True, kw_only=True, tag="continue", rename={"cause": "because"}):
    """Hold the agent. `counted` is False where the stop does not count as a round."""

    cause: HoldCause
    names: tuple[str, ...] = ()
    counted: bool = True


class Finish(Struct, frozen=True, kw_only=True, tag="finish"):
    outcome: FinishOutcome
    reason: str


class Pause(Struct, frozen=True, kw_only=True, tag="pause"):
    outcome: PauseOutcome
    reason: str


class Wait(Struct, frozen=True, kw_only=True, tag="wait"):
    """Let the agent stop without counting a round."""

    reason: str


class Ignore(Struct, frozen=True, kw_only=True, tag="ignore"):
    reason: str


Verdict: TypeAlias = Continue | Finish | Pause | Wait | Ignore


class OutcomeEffect(Struct, frozen=True, kw_only=True):
    """The loop's status after an outcome, the exit status of `run`, and how to resume the loop."""

    status: Literal["finished", "paused", "not started"]
    exit_code: int
    resume: str = ""


OUTCOMES: dict[Outcome, OutcomeEffect] = {
    "done": OutcomeEffect(status="finished", exit_code=0),
    "out-of-rounds": OutcomeEffect(status="paused", exit_code=10, resume="continue --rounds +N"),
    "out-of-budget": OutcomeEffect(status="paused", exit_code=11, resume="continue --budget +N"),
    "out-of-time": OutcomeEffect(status="paused", exit_code=12, resume="continue --minutes +N"),
    "stagnated": OutcomeEffect(status="paused", exit_code=13, resume="continue"),
    "blocked": OutcomeEffect(status="paused", exit_code=14, resume="continue"),
    "tampered": OutcomeEffect(status="paused", exit_code=15, resume="continue"),
    "forbidden": OutcomeEffect(status="paused", exit_code=16, resume="continue"),
    "unrunnable": OutcomeEffect(status="paused", exit_code=17, resume="continue"),
    "cancelled": OutcomeEffect(status="finished", exit_code=18),
    "vague": OutcomeEffect(status="not started", exit_code=19, resume="start"),
    "cut-off": OutcomeEffect(status="paused", exit_code=20, resume="continue"),
    "gate": OutcomeEffect(status="paused", exit_code=21, resume="the next prompt"),
    "paused": OutcomeEffect(status="paused", exit_code=22, resume="continue"),
    "claimed": OutcomeEffect(status="finished", exit_code=23),
    "needs-approval": OutcomeEffect(status="paused", exit_code=24, resume="approve"),
    "unverified": OutcomeEffect(status="paused", exit_code=25, resume="continue"),
}
