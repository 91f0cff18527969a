"""The options of `untildone start`: one table for the command line and for slash commands.

The table is `start_options.toml`. Both fill in `StartOptions`; `build_request` turns that into the
request for a loop.
"""

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from msgspec import Struct, convert
from msgspec.structs import asdict, replace

from untildone.core.contract import Bounds, ExitRule, Preset, Proof, Reversibility, Speaker
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.request import Request, StartOptions, name_checks, parse_claim
from untildone.engine.scope import Scope
from untildone.errors import UserError

Kind: TypeAlias = Literal["text", "choice", "integer", "number", "flag", "folder", "file"]
# How an option is written in the text of a slash command: with a value in quotes, a plain word, a
# path without quotes, or no value.
Form: TypeAlias = Literal["quoted", "word", "path", "flag"]

# The literal types that list the choices of an option.
_CHOICES = {
    "preset": Preset,
    "done_when": ExitRule,
    "proof": Proof,
    "reversibility": Reversibility,
}
_LARGEST_BOUND = 1_000_000


class StartOption(Struct, frozen=True, kw_only=True):
    """One option; `name` is its field in `StartOptions`, `bound` its field in `Bounds`, if any.

    `forms` are the ways to write it in a slash command; without any it cannot be written there.
    `off` is the spelling that sets a flag to False, such as `--no-zero-errors`.
    """

    name: str
    spellings: tuple[str, ...]
    help: str
    kind: Kind = "text"
    metavar: str | None = None
    repeatable: bool = False
    default: str = ""
    off: str = ""
    bound: str = ""
    forms: tuple[Form, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(_CHOICES[self.name])


def _load_options() -> tuple[StartOption, ...]:
    """Return the options of the table, in its order."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return tuple(convert({"name": name, **row}, StartOption) for name, row in table.items())


OPTIONS = _load_options()


def build_request(
    context: Context, options: StartOptions, *, session: str, project: Path, by: Speaker = "user"
) -> Request:
    """Return the request that the options ask for, with what the features read from them."""
    request = Request(
        session=session,
        project=project,
        preset=options.preset,
        task=options.task,
        checks=name_checks(
            options.checks, success=options.success_pattern, failure=options.failure_pattern
        ),
        promises=options.promises,
        claims=tuple(map(parse_claim, options.criteria)),
        must_not=options.must_not,
        done_when=options.done_when,
        proof=_choose_proof(options),
        bounds=apply_bounds(Bounds(), asdict(options)),
        allow=options.allow,
        without=options.without,
        oracle=options.oracle,
        by=by,
        reversibility=options.reversibility,
        clean=bool(options.clean),
    )
    for feature in load_used_features(context, Scope(event="start", options=options)):
        request = feature.read_options(context, options, request)
    return request


def _choose_proof(options: StartOptions) -> Proof | None:
    if options.refactor and options.proof == "tests":
        raise UserError(
            "`--refactor` means `--proof files`, not `--proof tests`",
            hint="leave one of them out",
        )
    return "files" if options.refactor else options.proof


def apply_bounds(bounds: Bounds, values: Mapping[str, object]) -> Bounds:
    """Return the bounds with those options of `values` that set a bound.

    `values` are by option name; what is missing or None stays as it is in `bounds`. Raises
    UserError if a number is out of range.
    """
    numbers = {
        option: cast(float, values[option.name])
        for option in OPTIONS
        if option.bound and values.get(option.name) is not None
    }
    for option, value in numbers.items():
        if not (math.isfinite(value) and 0 <= value <= _LARGEST_BOUND):
            raise UserError(
                f"`{option.spellings[0]} {value:g}` is out of range",
                hint=f"give a number from 0, which is no bound, to {_LARGEST_BOUND}",
            )
    return replace(bounds, **{option.bound: value for option, value in numbers.items()})
