"""What a loop is asked for, before it is agreed on."""

from pathlib import Path
from typing import cast, get_args

from msgspec import Struct

from untildone.core.contract import (
    Bounds,
    Check,
    Claim,
    Count,
    ExitRule,
    Reversibility,
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
    done_when: ExitRule | None = None
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


class StartOptions(Struct, frozen=True, kw_only=True):
    """The values given; `template` is its name with its argument: `coverage-to 80`."""

    template: str = ""
    preset: str = ""
    task: str = ""
    checks: tuple[str, ...] = ()
    success_pattern: str = ""
    failure_pattern: str = ""
    promises: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: ExitRule | None = None
    rounds: int | None = None
    budget: float | None = None
    minutes: float | None = None
    round_minutes: float | None = None
    stagnation_limit: int | None = None
    zero_errors: bool | None = None
    zero_warnings: bool = False
    zero_security: bool = False
    tests_pass: bool = False
    targets: tuple[str, ...] = ()
    todos: bool = False
    from_todos: bool = False
    then: tuple[str, ...] = ()
    security_rules: tuple[Path, ...] = ()
    allow: tuple[str, ...] = ()
    oracle: Path | None = None
    reversibility: Reversibility = "2A"
    clean: bool | None = None


class PromptedLoop(Struct, frozen=True, kw_only=True):
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
