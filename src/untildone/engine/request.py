"""What a loop is asked for, before it is agreed on."""

from pathlib import Path
from typing import cast, get_args

from msgspec import Struct

from untildone.core.model import (
    Bounds,
    Check,
    Claim,
    Count,
    Reversibility,
    Rule,
    Speaker,
    Verification,
)
from untildone.core.plan_task import PlanTask
from untildone.errors import UserError

# Presets of loops over tasks of a plan.
PLANNED = ("implement-task", "implement-feature")


class Request(Struct, frozen=True, kw_only=True):
    """What `start`, a slash command or a phrase asks for; checks not given are found.

    `also` stands beside those given or found.
    """

    session: str
    project: Path
    preset: str = ""
    task: str = ""
    checks: tuple[Check, ...] = ()
    also: tuple[Check, ...] = ()
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    steps: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: Rule | None = None
    bounds: Bounds = Bounds()
    allow: tuple[str, ...] = ()
    by: Speaker = "user"
    reversibility: Reversibility = "2A"
    clean: bool = False
    # Beside `zero_errors`, which the preset `fix` has unless the user switches it off.
    counts: tuple[Count, ...] = ()
    zero_errors: bool = True
    targets: tuple[str, ...] = ()
    todos: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    after: str = ""
    oracle: Path | None = None
    plan: PlanTask | None = None


class Wanted(Struct, frozen=True, kw_only=True):
    """A loop asked for; `explicit` by a slash command, else by a phrase."""

    preset: str
    task: str
    explicit: bool


def parse_claim(text: str) -> Claim:
    """`NAME` or `NAME=VERIFICATION`."""
    name, _, kind = text.rpartition("=")
    if kind in get_args(Verification):
        return Claim(name=name, verification=cast(Verification, kind))
    return Claim(name=text)


def name_checks(
    commands: tuple[str, ...], *, success: str = "", failure: str = ""
) -> tuple[Check, ...]:
    """Checks of commands that the user gave: `check`, `check-2`, …"""
    if (success or failure) and not commands:
        raise UserError(
            "a pattern judges the output of a check, and none is named",
            hint='name it: `--check "YOUR COMMAND"`',
        )
    return tuple(
        Check(
            name="check" if number == 1 else f"check-{number}",
            command=command,
            success_pattern=success,
            failure_pattern=failure,
            reason="given by hand",
        )
        for number, command in enumerate(commands, 1)
    )
