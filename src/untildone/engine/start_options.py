"""The options of `start`: one table for the command line and for slash commands.

Both fill in `StartOptions`, and `build_request` makes a loop's request of it.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from msgspec import Struct
from msgspec.structs import asdict, replace

from untildone.core.contract import Bounds, ExitRule, Reversibility, Speaker
from untildone.engine.context import Context
from untildone.engine.feature import load_used_features
from untildone.engine.phrases import PRESETS
from untildone.engine.request import Request, StartOptions, name_checks, parse_claim
from untildone.engine.scope import Scope
from untildone.engine.start import ALLOWABLE
from untildone.errors import UserError

Kind: TypeAlias = Literal["text", "choice", "integer", "number", "flag", "folder", "file"]
# How an option is written in the text of a slash command: with a value in quotes, a plain word, a
# path without quotes, or no value.
Form: TypeAlias = Literal["quoted", "word", "path", "flag"]

_BOUNDS = Bounds()
_LARGEST_BOUND = 1_000_000


class StartOption(Struct, frozen=True, kw_only=True):
    """One option; `name` is its field in `StartOptions`, `bound` its field in `Bounds`.

    Without `forms`, a slash command does not take it. `off` is the spelling that sets a flag to
    False.
    """

    name: str
    spellings: tuple[str, ...]
    help: str
    kind: Kind = "text"
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    repeatable: bool = False
    default: str = ""
    off: str = ""
    bound: str = ""
    forms: tuple[Form, ...] = ()


OPTIONS: tuple[StartOption, ...] = (
    StartOption(
        name="template",
        spellings=("--template",),
        metavar="NAME",
        forms=("quoted", "word"),
        help="Start a named loop; `untildone templates` lists them.",
    ),
    StartOption(
        name="preset",
        spellings=("--preset",),
        kind="choice",
        choices=PRESETS,
        help="Select the checks, and a default task.",
    ),
    StartOption(
        name="task",
        spellings=("--task",),
        help="What the agent is to do; repeated to it each round.",
    ),
    StartOption(
        name="checks",
        spellings=("--check",),
        metavar="CMD",
        repeatable=True,
        forms=("quoted",),
        help="A check; may be repeated.",
    ),
    StartOption(
        name="success_pattern",
        spellings=("--success-pattern",),
        metavar="RE",
        forms=("quoted",),
        help="Must match the output.",
    ),
    StartOption(
        name="failure_pattern",
        spellings=("--failure-pattern",),
        metavar="RE",
        forms=("quoted",),
        help="Must not match the output.",
    ),
    StartOption(
        name="promises",
        spellings=("--promise",),
        metavar="TEXT",
        repeatable=True,
        forms=("quoted",),
        help="What the agent says when it is done; of several, any one.",
    ),
    StartOption(
        name="criteria",
        spellings=("--criterion",),
        metavar="NAME[=VERIFICATION]",
        repeatable=True,
        forms=("quoted",),
        help="What only the agent can report on (`untildone met`); may be repeated.",
    ),
    StartOption(
        name="must_not",
        spellings=("--must-not",),
        metavar="CMD",
        repeatable=True,
        forms=("quoted",),
        help="Pause the loop if this command exits 0; may be repeated.",
    ),
    StartOption(
        name="done_when",
        spellings=("--done-when",),
        kind="choice",
        choices=get_args(ExitRule),
        forms=("word",),
        help="What ends the loop: the checks, the agent's word, both, or whichever is first.",
    ),
    StartOption(
        name="rounds",
        spellings=("--rounds", "--iterations", "--max-iterations"),
        kind="integer",
        metavar="N",
        default=str(_BOUNDS.rounds),
        bound="rounds",
        forms=("word",),
        help="Pause at the Nth judged stop that is not met; 0 is no bound.",
    ),
    StartOption(
        name="budget",
        spellings=("--budget",),
        kind="number",
        metavar="USD",
        default=f"{_BOUNDS.budget_usd:g}",
        bound="budget_usd",
        forms=("word",),
        help="Pause at this cost; 0 is no bound.",
    ),
    StartOption(
        name="minutes",
        spellings=("--minutes",),
        kind="number",
        metavar="N",
        bound="minutes",
        forms=("word",),
        help="Pause after this time.",
    ),
    StartOption(
        name="round_minutes",
        spellings=("--round-minutes",),
        kind="number",
        metavar="N",
        bound="round_minutes",
        forms=("word",),
        help="Pause a round that takes longer.",
    ),
    StartOption(
        name="stagnation_limit",
        spellings=("--stagnation-limit",),
        kind="integer",
        metavar="N",
        bound="stagnation",
        forms=("word",),
        help="Pause after N rounds without any progress; 0 is off.",
    ),
    StartOption(
        name="zero_errors",
        spellings=("--zero-errors",),
        kind="flag",
        off="--no-zero-errors",
        forms=("flag",),
        help="Hold until no error is reported; `--preset fix` does.",
    ),
    StartOption(
        name="zero_warnings",
        spellings=("--zero-warnings",),
        kind="flag",
        forms=("flag",),
        help="Also hold until no warning is reported.",
    ),
    StartOption(
        name="zero_security",
        spellings=("--zero-security",),
        kind="flag",
        forms=("flag",),
        help="Also hold until no security finding is left.",
    ),
    StartOption(
        name="tests_pass",
        spellings=("--tests-pass",),
        kind="flag",
        forms=("flag",),
        help="Also hold until all tests pass.",
    ),
    StartOption(
        name="targets",
        spellings=("--target",),
        metavar="PATH",
        repeatable=True,
        forms=("quoted", "path"),
        help="Count only findings in this path; may be repeated.",
    ),
    StartOption(
        name="todos",
        spellings=("--todos",),
        kind="flag",
        forms=("flag",),
        help="Make the unfinished TODO items criteria.",
    ),
    StartOption(
        name="from_todos",
        spellings=("--from-todos",),
        kind="flag",
        forms=("flag",),
        help="Make the unfinished TODO items criteria and the task.",
    ),
    StartOption(
        name="then",
        spellings=("--then",),
        metavar="TEMPLATE",
        repeatable=True,
        forms=("quoted", "word"),
        help="Start this template when the loop ends well; may be repeated.",
    ),
    StartOption(
        name="security_rules",
        spellings=("--security-rules",),
        kind="folder",
        metavar="DIR",
        repeatable=True,
        help="A folder of your own ast-grep rules, beside ours; may be repeated.",
    ),
    StartOption(
        name="allow",
        spellings=("--allow",),
        metavar="KIND:PATH[:DETAIL]",
        repeatable=True,
        forms=("quoted", "path"),
        help="A concern you allow beforehand: " + ", ".join(ALLOWABLE) + ".",
    ),
    StartOption(
        name="oracle",
        spellings=("--oracle",),
        kind="file",
        metavar="PATH",
        help="Your own program outside of the repository, hidden from the agent: must exit 0.",
    ),
    StartOption(
        name="reversibility",
        spellings=("--reversibility",),
        kind="choice",
        choices=get_args(Reversibility),
        default="2A",
        forms=("word",),
        help="2B saves the tree before each step for `rollback`, 1 requires a precheck first.",
    ),
    StartOption(
        name="clean",
        spellings=("--clean",),
        kind="flag",
        off="--keep",
        forms=("flag",),
        help="Remove the loop's state when it has ended, or keep it.",
    ),
)


def build_request(
    context: Context, options: StartOptions, *, session: str, project: Path, by: Speaker = "user"
) -> Request:
    checks = name_checks(
        options.checks, success=options.success_pattern, failure=options.failure_pattern
    )
    request = Request(
        session=session,
        project=project,
        preset=options.preset,
        task=options.task,
        checks=checks,
        promises=options.promises,
        claims=tuple(map(parse_claim, options.criteria)),
        must_not=options.must_not,
        done_when=options.done_when,
        bounds=apply_bounds(Bounds(), asdict(options)),
        allow=options.allow,
        oracle=options.oracle,
        by=by,
        reversibility=options.reversibility,
        clean=bool(options.clean),
    )
    for feature in load_used_features(context, Scope(event="start", options=options)):
        request = feature.read_options(context, options, request)
    return request


def apply_bounds(bounds: Bounds, values: Mapping[str, object]) -> Bounds:
    """`values` by the names of the options; what is missing or None stays as it is in `bounds`."""
    given = {
        option: cast(float, values[option.name])
        for option in OPTIONS
        if option.bound and values.get(option.name) is not None
    }
    for option, value in given.items():
        if not (math.isfinite(value) and 0 <= value <= _LARGEST_BOUND):
            raise UserError(
                f"`{option.spellings[0]} {value:g}` is out of range",
                hint=f"give a number from 0, which is no bound, to {_LARGEST_BOUND}",
            )
    return replace(bounds, **{option.bound: value for option, value in given.items()})
