"""Bounds as people write them: `+5` and `5` add, `=5` sets."""

import re

from untildone.engine.verbs import Grant
from untildone.errors import UserError

_FIELDS = {
    "rounds": "rounds",
    "iterations": "rounds",
    "max-iterations": "rounds",
    "budget": "budget_usd",
    "minutes": "minutes",
    "round-minutes": "round_minutes",
}
_OPTION = re.compile(rf"--({'|'.join(_FIELDS)})(?:=|\s+)(?P<value>[+=]?\d+(?:\.\d+)?)")
_WHOLE = re.compile(r"[+=]?[0-9]{1,6}")
_DECIMAL = re.compile(r"[+=]?[0-9]{1,6}(?:\.[0-9]{1,6})?")


def parse_grant(text: str) -> Grant | None:
    """What `continue --rounds +5 --budget=10` grants; None where it says nothing."""
    given = {found[1]: found["value"] for found in _OPTION.finditer(text)}
    return build_grant(given) if given else None


def build_grant(given: dict[str, str]) -> Grant | None:
    """Values by option name; `budget=10` of the seeds adds like `+10`."""
    numbers: dict[str, float] = {}
    exact: list[str] = []
    for option, value in given.items():
        field = _FIELDS[option]
        numbers[field] = _parse_number(option, value)
        if value.startswith("="):
            exact.append(field)
    if not numbers:
        return None
    return Grant(
        rounds=int(numbers.get("rounds", 0)),
        budget_usd=numbers.get("budget_usd", 0),
        minutes=numbers.get("minutes", 0),
        round_minutes=numbers.get("round_minutes", 0),
        exact=tuple(exact),
    )


def _parse_number(option: str, value: str) -> float:
    whole = _FIELDS[option] == "rounds"
    if not (_WHOLE if whole else _DECIMAL).fullmatch(value):
        raise UserError(
            f"`{value}` is not a number for `--{option}`",
            hint=f"`--{option} +5` adds five, `--{option} =5` sets it",
        )
    return float(value.lstrip("+="))
