"""More rounds, money or minutes for a loop, which the user grants when it continues.

`continue --rounds +5` and `--rounds 5` add five to the loop's bound, `--rounds =5` sets it to five.
"""

from msgspec.structs import replace

from untildone.core.contract import Bounds
from untildone.core.late_patterns import compile_late
from untildone.core.progress import Progress
from untildone.errors import UserError
from untildone.store.loops import Record

# The fields of `Bounds` by the options' names.
_FIELDS = {
    "rounds": "rounds",
    "iterations": "rounds",
    "max-iterations": "rounds",
    "budget": "budget_usd",
    "minutes": "minutes",
    "round-minutes": "round_minutes",
}
_OPTION = compile_late(rf"--({'|'.join(_FIELDS)})(?:=|\s+)(?P<value>[+=]?\d+(?:\.\d+)?)")
_WHOLE = compile_late(r"[+=]?[0-9]{1,6}")
_DECIMAL = compile_late(r"[+=]?[0-9]{1,6}(?:\.[0-9]{1,6})?")


class Grant(Bounds, frozen=True, kw_only=True):
    """Numbers to add to the bounds; those of fields that `exact` names replace the bound."""

    rounds: int = 0
    budget_usd: float = 0
    exact: tuple[str, ...] = ()


def parse_grant(text: str) -> Grant | None:
    """Return what a text such as `--rounds +5 --budget=10` grants; None if it has no option.

    `--budget=10` adds ten: here `=` only separates option and value. `--budget==10` sets ten.
    """
    return build_grant({found[1]: found["value"] for found in _OPTION.finditer(text)})


def build_grant(values: dict[str, str]) -> Grant | None:
    """Return the grant of values such as {"rounds": "+5", "budget": "=10"}; None if empty."""
    numbers = {_FIELDS[option]: _parse_number(option, value) for option, value in values.items()}
    if not numbers:
        return None
    exact = tuple(_FIELDS[option] for option, value in values.items() if value.startswith("="))
    rounds = int(numbers.pop("rounds", 0))
    return replace(Grant(rounds=rounds, exact=exact), **numbers)


def _parse_number(option: str, value: str) -> float:
    """Return the number without its sign; raise UserError if it is none. Rounds are integers."""
    pattern = _WHOLE if _FIELDS[option] == "rounds" else _DECIMAL
    if not pattern.fullmatch(value):
        raise UserError(
            f"`{value}` is not a number for `--{option}`",
            hint=f"`--{option} +5` adds five, `--{option} =5` sets it",
        )
    return float(value.lstrip("+="))


def repeat_reached_bound(record: Record) -> Grant:
    """Return a grant of the original bound for the one at which the loop paused, if any."""
    bounds = record.contract.bounds
    match record.progress.outcome:
        case "out-of-rounds":
            return Grant(rounds=bounds.rounds)
        case "out-of-budget":
            return Grant(budget_usd=bounds.budget_usd)
        # Not if a single round took too long: its time is counted from zero again anyway.
        case "out-of-time" if record.progress.active_seconds >= 60 * record.agreed.bounds.minutes:
            return Grant(minutes=bounds.minutes)
        case _:
            return Grant()


def apply_grant(bounds: Bounds, grant: Grant, progress: Progress) -> Bounds:
    """Return the new bounds; raise UserError if the loop would pause again at once.

    A bound of 0 means that there is none, so rounds and money are not added to it, only set.
    """

    def add(name: str) -> float:
        number = getattr(grant, name)
        return float(number if name in grant.exact else getattr(bounds, name) + number)

    granted = replace(
        bounds,
        rounds=int(add("rounds")) if bounds.rounds or "rounds" in grant.exact else 0,
        budget_usd=add("budget_usd") if bounds.budget_usd or "budget_usd" in grant.exact else 0,
        minutes=add("minutes") if bounds.minutes or grant.minutes else 0,
        round_minutes=add("round_minutes"),
    )
    if not granted.rounds and not granted.budget_usd:
        raise UserError("a loop needs a bound", hint="give `--rounds =N` or `--budget =USD`")
    if 0 < granted.rounds <= progress.round:
        raise UserError(
            f"a bound of {granted.rounds} leaves no round: {progress.round} are used up",
            hint="`untildone continue --rounds +5` adds five",
        )
    spent, minutes = progress.spend_usd or 0, progress.active_seconds / 60
    if 0 < granted.budget_usd <= spent:
        raise UserError(
            f"a budget of {granted.budget_usd:g} USD is used up: {spent:.2f} are spent",
            hint="`untildone continue --budget +5` adds five",
        )
    if 0 < granted.minutes <= minutes:
        raise UserError(
            f"a bound of {granted.minutes:g} minutes is used up: {minutes:.0f} have passed",
            hint="`untildone continue --minutes +30` adds half an hour",
        )
    return granted
