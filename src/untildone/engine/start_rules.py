"""What a request for a loop must not ask for, and what it must bring."""

from untildone.core.contract import Check, ExitRule
from untildone.core.decide import MAX_ROUNDS
from untildone.engine.context import Context
from untildone.engine.lost_loops import describe_lost_loop
from untildone.engine.request import Request
from untildone.errors import UserError

# The most that an agent may grant its own loop.
CEILINGS = {"rounds": MAX_ROUNDS, "budget_usd": 100}
# What `--allow` may name: each is followed by a path or a test.
ALLOWABLE = ("suppression", "remove-test", "edit-test", "edit-expected", "config")


def require_no_loop(context: Context, session_id: str) -> None:
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
    """Refuses a request without a bound, with empty texts, or beyond what an agent may ask for."""
    bounds = request.bounds
    if not bounds.rounds and not bounds.budget_usd:
        raise UserError("a loop needs a bound", hint="give `--rounds N` or `--budget USD` above 0")
    _require_texts(request)
    if request.by == "user":
        return
    for option, value in (
        ("--allow", request.allow),
        ("--clean", request.clean),
        ("--oracle", request.oracle),
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
    """Refuses empty texts: an empty promise would be found in every message."""
    texts_by_option = {
        "--promise": request.promises,
        "--criterion": tuple(claim.name for claim in request.claims),
        "--must-not": request.must_not,
    }
    for option, texts in texts_by_option.items():
        if not all(text.strip() for text in texts):
            raise UserError(f"`{option}` is empty", hint="say it in words, or leave it out")
    for allowed in request.allow:
        kind, _, what = allowed.partition(":")
        if kind not in ALLOWABLE or not what:
            raise UserError(
                f"`--allow {allowed}` is unknown",
                hint=f"`KIND:PATH[:DETAIL]` with one of {', '.join(ALLOWABLE)}",
            )


def require_evidence(rule: ExitRule, request: Request, checks: tuple[Check, ...]) -> None:
    if rule in ("checks", "either") and not checks:
        raise UserError(
            f"`--done-when {rule}` needs a check", hint='name one: `--check "YOUR COMMAND"`'
        )
    if rule == "promise" and not request.promises:
        raise UserError(
            "`--done-when promise` needs a promise", hint='give one: `--promise "ALL TESTS GREEN"`'
        )
