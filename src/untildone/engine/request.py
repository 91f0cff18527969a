"""What the user or the agent asks for when a loop is to start; the contract is made from it.

Command line and slash commands fill in `StartOptions`, a prompt gives a `PromptedLoop`; both become
a `Request`.
"""

from pathlib import Path
from typing import Literal, cast, get_args

from msgspec import Struct

from untildone.core.contract import (
    Check,
    Claim,
    ExitRule,
    LoopSettings,
    Preset,
    Reversibility,
    Speaker,
    Terms,
    Verification,
)
from untildone.errors import UserError

# The task of each preset if the user names none.
DEFAULT_TASKS = {
    "build": "Make the build pass: find what breaks it and fix the code.",
    "test": "Make every test pass by fixing the code, not the tests.",
    "lint": "Clear every finding of the linters and formatters; keep what the code does.",
    "ship": "Make build, tests and linters pass.",
    "fix": "Clear every error the project's own tools report.",
    "loop": "Finish the work.",
}


class Request(Terms, frozen=True, kw_only=True):
    """What `start`, a slash command or a phrase asks for.

    Without `checks` those of the project are used. The checks of `also` are added in either case.
    """

    project: Path
    also: tuple[Check, ...] = ()
    # Names of checks that the user leaves out.
    without: tuple[str, ...] = ()
    done_when: ExitRule | None = None
    by: Speaker = "user"
    # The preset `fix` counts errors unless the user switches it off.
    zero_errors: bool = True
    oracle: Path | None = None


class StartOptions(LoopSettings, frozen=True, kw_only=True):
    """The values of the options of `start`, as the user gave them.

    `template` includes its argument: `coverage-to 80`. None means that the option is not used.
    """

    template: str = ""
    preset: Preset | Literal[""] = ""
    # The same as `proof` "files".
    refactor: bool = False
    success_pattern: str = ""
    failure_pattern: str = ""
    zero_errors: bool | None = None
    zero_warnings: bool = False
    zero_security: bool = False
    tests_pass: bool = False
    targets: tuple[str, ...] = ()
    todos: bool = False
    from_todos: bool = False
    then: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    security_rules: tuple[Path, ...] = ()
    allow: tuple[str, ...] = ()
    oracle: Path | None = None
    reversibility: Reversibility = "2A"
    clean: bool | None = None


class PromptedLoop(Struct, frozen=True, kw_only=True):
    """A loop that a prompt asks for; `explicit` if by a slash command, not by a phrase."""

    preset: str
    task: str
    explicit: bool


def parse_claim(text: str) -> Claim:
    """Return the claim of a text such as `docs are complete` or `docs are complete=review`.

    What follows `=` is part of the name unless it is a kind of verification.
    """
    name, _, kind = text.rpartition("=")
    if kind in get_args(Verification):
        return Claim(name=name, verification=cast(Verification, kind))
    return Claim(name=text)


def name_checks(
    commands: tuple[str, ...], *, success: str = "", failure: str = ""
) -> tuple[Check, ...]:
    """Return a check for each command of the user, named `check`, `check-2`, …

    `success` and `failure` are the patterns that judge the output of each.
    """
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
