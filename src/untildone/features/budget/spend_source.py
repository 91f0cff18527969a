"""Chooses the source that says what a loop has cost in US dollars.

The sources, in this order: the figure of a headless run, the client's own figure (from its
status line), the sum of the `price_ledger`; else the cost is unknown.
"""

from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.agents.registry import find_agent
from untildone.engine.context import Context
from untildone.store.loops import Record
from untildone.store.sessions import Session

_UNTOLD = "reports no cost"


def begin_ledger(context: Context, record: Record) -> None:
    """Note how long the transcript is when the loop starts: what is before does not count."""
    from untildone.features.budget.price_ledger import Ledger, save_ledger

    transcript = _find_transcript(context.session_of(record), "")
    with suppress(OSError, ValueError):
        size = Path(transcript).stat().st_size
        save_ledger(context, record, Ledger(read_bytes={transcript: size}))


def measure_spend(context: Context, record: Record, event: Stop) -> float | None:
    """Return what the loop has cost so far in dollars, or None if that is unknown."""
    if event.spent_usd is None:
        return _measure_session(context, record, event)
    # Hooks price the transcript of a client that prints its cost as well: that is no further spend.
    # Another client of the same run may print none; then its transcripts were priced.
    has_several = any(amendment.agent for amendment in record.progress.amendments)
    if not event.transcript and not has_several:
        return event.spent_usd
    return event.spent_usd + (_measure_transcript(context, record, event.transcript) or 0)


def _measure_session(context: Context, record: Record, event: Stop) -> float | None:
    session = context.session_of(record)
    # Only an attended client has a status line.
    figure = _read_client_figure(session, record.contract.id) if event.attended else None
    if figure is not None:
        return figure
    transcript = _find_transcript(session, event.transcript)
    if not transcript or not Path(transcript).is_file():
        return None
    if not _is_price_library_installed():
        # The status line of an attended client may run for the first time after a quick first turn.
        if not event.attended or record.progress.round:
            _announce_unknown_spend(context, record, session)
        return None
    return _measure_transcript(context, record, transcript)


def _measure_transcript(context: Context, record: Record, transcript: str) -> float | None:
    """Return what is priced so far, with what is new in the transcript, if one is named."""
    # Imported where it is used: most stops know the client's own figure.
    from untildone.features.budget.price_ledger import load_ledger, update_ledger

    if not transcript:
        return load_ledger(context, record).total
    is_whole = context.session_of(record).has("driver")
    # A file that cannot be read makes the spend unknown but never fails the stop.
    with suppress(OSError):
        return update_ledger(context, record, transcript, is_whole=is_whole).total
    return None


def explain_unknown_spend(context: Context, record: Record) -> str:
    """Return why the spend, or a part of it, is unknown; an empty text if it is known."""
    from untildone.features.budget.price_ledger import load_ledger

    if not _is_price_library_installed() and record.progress.spend_usd is None:
        is_measured = record.progress.round or load_ledger(context, record).announced
        return _describe_remedy() if is_measured else "it is measured at the first stop"
    models = ", ".join(f"`{model}`" for model in load_ledger(context, record).unpriced)
    if models:
        return f"no price is known for {models}"
    is_told = record.progress.spend_usd is not None or not record.progress.round
    return "" if is_told else f"{find_agent(record.contract.agent).LAYOUT.title} {_UNTOLD}"


def _describe_remedy() -> str:
    # Imported where it is used: most stops know what they cost.
    from untildone.extras import describe_extra

    return f"to have it priced: {describe_extra('cost')}"


def _read_client_figure(session: Session, loop: str) -> float | None:
    """Return how much the client's total has grown during the loop; None if it is not known.

    The client gives its total to our status line, which saves the difference.
    """
    saved = session.read_json("spend.json")
    figure = saved.get("spent")
    # The session may have had another loop before.
    return figure if saved.get("loop") == loop and isinstance(figure, float) else None


def _find_transcript(session: Session, from_event: str) -> str:
    """Return the transcript's path that the event names, else the one saved with the session."""
    return from_event or str(session.read_json("session.json").get("transcript", ""))


def _is_price_library_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("genai_prices") is not None


def _announce_unknown_spend(context: Context, record: Record, session: Session) -> None:
    """Tell the user once, with the next notice, that the loop's budget has no effect."""
    from untildone.features.budget.price_ledger import load_ledger, save_ledger

    ledger = load_ledger(context, record)
    if ledger.announced or not record.agreed.bounds.budget_usd:
        return
    save_ledger(context, record, replace(ledger, announced=True))
    line = f"untildone: the spend is unknown, so the budget bounds nothing; {_describe_remedy()}"
    # The file `tell` has the lines for the next notice.
    session.write("tell", " | ".join(filter(None, (session.read("tell"), line))))
