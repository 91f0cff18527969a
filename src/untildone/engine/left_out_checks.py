"""Checks that a loop is started without, and those whose tool is missing when it starts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from untildone.checks.missing_tools import find_missing_tool
from untildone.core.contract import Check, Contract, LeftOut
from untildone.errors import UserError


def leave_out_checks(
    checks: tuple[Check, ...], names: Sequence[str]
) -> tuple[tuple[Check, ...], tuple[LeftOut, ...]]:
    """Return the checks without those that `--without` names, and these.

    `lint` names the check `lint` and all like `lint:ruff`. Raises UserError if a name fits none, or
    if none is left.
    """
    for name in names:
        if not any(is_named(check, name) for check in checks):
            known = ", ".join(f"`{check.name}`" for check in checks) or "none"
            raise UserError(
                f"`--without {name}` names no check of this loop (available: {known})",
                hint="`untildone detect` lists the checks",
            )
    dropped = [check for check in checks if any(is_named(check, name) for name in names)]
    if dropped and len(dropped) == len(checks):
        raise UserError(
            "`--without` leaves no check", hint='name another: `--check "YOUR COMMAND"`'
        )
    kept = tuple(check for check in checks if check not in dropped)
    return kept, tuple(LeftOut(name=check.name, reason="`--without`") for check in dropped)


def is_named(check: Check, name: str) -> bool:
    """Say whether the name is the check's own, or `lint` for `lint:ruff`."""
    return check.name == name or check.name.startswith(f"{name}:")


def find_missing_tools(
    checks: Sequence[Check], project: Path, environ: Mapping[str, str]
) -> tuple[LeftOut, ...]:
    """Return the checks whose tool is not installed, each with the command that installs it."""
    found = ((check, find_missing_tool(check, project, environ)) for check in checks)
    return tuple(LeftOut(name=check.name, reason=tool.text) for check, tool in found if tool)


def describe_missing_tools(contract: Contract) -> Iterator[str]:
    """Yield a line for the user about each check that cannot run now."""
    detected = {check.name for check in contract.checks if check.detected}
    others_run = len(contract.missing_tools) < len(contract.checks)
    for missing in contract.missing_tools:
        is_dispensable = others_run and missing.name in detected
        end = "the loop goes on without it" if is_dispensable else "the loop pauses without it"
        remedy = f"; `--without {missing.name}` leaves it out" if others_run else ""
        yield f"`{missing.name}` cannot be run: {missing.reason}; {end}{remedy}"
