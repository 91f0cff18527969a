"""The rules by which a request for a loop is refused, with a UserError that says why.

An agent may ask for less than a user: no approvals in advance, and bounds up to a ceiling.
"""

from untildone.core.contract import Check, ExitRule
from untildone.core.decide import MAX_ROUNDS
from untildone.engine.context import Context
from untildone.engine.lost_loops import describe_lost_loop
from untildone.engine.request import Request
from untildone.errors import UserError

# The highest bounds of a loop that an agent starts.
CEILINGS = {"rounds": MAX_ROUNDS, "budget_usd": 100}
# The kinds of `--allow KIND:PATH[:DETAIL]`, such as `remove-test:tests/a.py`.
ALLOWABLE = ("suppression", "remove-test", "edit-test", "edit-expected", "config")


def require_no_loop(context: Context, session_id: str) -> None:
    """Raise UserError if the session has a loop already, or if it is no session."""
    session = context.session(session_id)
    if not session.known:
        raise UserError(
            f"`{session_id}` is not a session id", hint="`untildone status --all` lists sessions"
        )
    lost = describe_lost_loop(context, session)
    if lost:
        raise UserError(lost.removeprefix("untildone: "), hint="`untildone status --all` shows it")
    loop = session.get_loop_id()
    if loop:
        raise UserError(
            f"this session has the loop `{loop}` already",
            hint=f"`untildone cancel {loop}` ends it, `untildone continue {loop}` goes on with it",
        )


def require_valid_request(request: Request) -> None:
    """Raise UserError if a request has no bound, empty texts, or more than an agent may ask for."""
    bounds = request.bounds
    if not bounds.rounds and not bounds.budget_usd:
        raise UserError("a loop needs a bound", hint="give `--rounds N` or `--budget USD` above 0")
    _require_texts(request)
    if request.by == "user":
        return
    for option, value in (
        ("--allow", request.allow),
        ("--clean", request.clean),
        ("--without", request.without),
        ("--oracle", request.oracle),
        ("--proof files", request.proof == "files"),
    ):
        if value:
            raise UserError(
                f"`{option}` can only be given by the user", hint="ask them to start the loop"
            )
    for name, ceiling in CEILINGS.items():
        number = getattr(bounds, name)
        if not 0 < number <= ceiling:
            raise UserError(
                f"an agent may start a loop with at most {ceiling} {name.partition('_')[0]}",
                hint=f"give a number from 1 to {ceiling}",
            )


def _require_texts(request: Request) -> None:
    """Raise UserError for empty texts (an empty promise is in every message) and unknown kinds."""
    texts_by_option = {
        "--promise": request.promises,
        "--criterion": tuple(claim.name for claim in request.claims),
        "--must-not": request.must_not,
    }
    for option, texts in texts_by_option.items():
        if not all(text.strip() for text in texts):
            raise UserError(f"`{option}` is empty", hint="say it in words, or leave it out")
    for allowed in request.allow:
        kind, _, path = allowed.partition(":")
        if kind not in ALLOWABLE or not path:
            raise UserError(
                f"`--allow {allowed}` is unknown",
                hint=f"`KIND:PATH[:DETAIL]` with one of {', '.join(ALLOWABLE)}",
            )


def require_evidence(rule: ExitRule, request: Request, checks: tuple[Check, ...]) -> None:
    """Raise UserError if the exit rule could never be met, or would leave out a criterion."""
    if request.claims and rule != "both":
        raise UserError(
            f"`--criterion` would not count with `--done-when {rule}`",
            hint="use `--done-when both`, or leave one of them out",
        )
    if rule in ("checks", "either") and not checks:
        raise UserError(
            f"`--done-when {rule}` needs a check", hint='name one: `--check "YOUR COMMAND"`'
        )
    if rule == "promise" and not request.promises:
        raise UserError(
            "`--done-when promise` needs a promise", hint='give one: `--promise "ALL TESTS GREEN"`'
        )
