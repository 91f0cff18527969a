"""Adds up what the agent's messages in a loop cost, from the transcripts of its session.

A transcript is a file to which the client appends a line for each message. Only what was added
since the last time is read; the ledger, a file of the loop, says how far that was and what it
cost. A forked or resumed session repeats messages in another transcript: each is counted once.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone.agents.events import Usage
from untildone.engine.context import Context
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record

_LEDGER_FILE = "spend.json"
# Of a new transcript only the last part is read, of a known one at most so many new parts.
_PART_BYTES = 2_000_000
_MAX_PARTS = 16
_MAX_SUBAGENT_FILES = 500
_MAX_UNPRICED_MODELS = 20
# So many of the last messages are remembered by id: a message is repeated for each of its
# parts, and by a fork of the session.
_MAX_REMEMBERED_MESSAGES = 2_000
# "2026-01-31T12:00:00"
_LENGTH_TO_SECONDS = 19


class Ledger(
    Struct,
    frozen=True,
    kw_only=True,
    # The names in files that earlier versions wrote.
    rename={"read_bytes": "read", "older_total": "earlier"},
):
    """How far each transcript was read, and what the messages in them cost."""

    # By the path of a transcript.
    read_bytes: dict[str, int] = {}
    # The price of each of the last messages by its id, and the sum of all older ones.
    prices: dict[str, float] = {}
    older_total: float = 0
    # The model of the answers that name none: the last one named before them.
    model: str = ""
    # Models without a known price: the total does not include them.
    unpriced: tuple[str, ...] = ()
    # The user has been told that nothing can be priced here.
    announced: bool = False

    @property
    def total(self) -> float | None:
        """The sum of all prices; None if there is none: an unknown format is not free."""
        has_prices = self.older_total or self.prices
        return self.older_total + sum(self.prices.values()) if has_prices else None


def load_ledger(context: Context, record: Record) -> Ledger:
    """Return the loop's ledger; an empty one if its file is missing or damaged."""
    try:
        return msgspec.json.decode(_ledger_path(context, record).read_bytes(), type=Ledger)
    except (OSError, msgspec.MsgspecError):
        return Ledger()


def save_ledger(context: Context, record: Record, ledger: Ledger) -> None:
    """Write the ledger's file; if that fails, the transcripts are read again next time."""
    with suppress(OSError):
        write_atomically(
            _ledger_path(context, record), msgspec.json.encode(ledger), keep_previous=False
        )


def _ledger_path(context: Context, record: Record) -> Path:
    return context.loops.get_folder(record.contract.id) / _LEDGER_FILE


def update_ledger(
    context: Context, record: Record, transcript: str, *, is_whole: bool = False
) -> Ledger:
    """Read what is new in the session's transcript and its subagents'; return the saved ledger.

    `is_whole` if the session began with the loop: then all of an unknown transcript is read.
    """
    ledger = load_ledger(context, record)
    read_bytes = dict(ledger.read_bytes)
    if is_whole:
        read_bytes.setdefault(transcript, 0)
    usages: dict[str, Usage] = {}
    model = ledger.model
    for path in _list_transcripts(context, transcript):
        for line in _read_new_lines(path, read_bytes):
            usage = context.agent.parse_usage(line)
            if usage and not usage.model:
                model = model or _find_model(context, path)
                usage = replace(usage, model=model)
            elif usage and not usage.id:
                model = usage.model
            # Compared by the second: messages of the loop's first second count.
            started_at = record.contract.started_at[:_LENGTH_TO_SECONDS]
            if usage and usage.id and usage.at[:_LENGTH_TO_SECONDS] >= started_at:
                usages[usage.id] = usage
    if read_bytes == ledger.read_bytes:
        return ledger
    ledger = _add_prices(replace(ledger, read_bytes=read_bytes, model=model), usages)
    save_ledger(context, record, ledger)
    return ledger


def _find_model(context: Context, transcript: str) -> str:
    """Return the last model that the transcript names, also from before the loop."""
    usages = map(context.agent.parse_usage, _read_new_lines(transcript, {}))
    named = [usage.model for usage in usages if usage and usage.model]
    return named[-1] if named else "unknown"


def _list_transcripts(context: Context, transcript: str) -> list[str]:
    """Return the session's transcript and those of its subagents, if they have a folder."""
    folder = context.agent.find_subagents_folder(transcript)
    subagents = islice(Path(folder).rglob("*.jsonl"), _MAX_SUBAGENT_FILES) if folder else ()
    return [transcript, *map(str, subagents)]


def _read_new_lines(path: str, read_bytes: dict[str, int]) -> Iterator[bytes]:
    """Yield the complete lines that were not read before, and update `read_bytes` of the path.

    A file that is missing or cannot be read has none.
    """
    try:
        # Without blocking: opening a pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return
        # An unknown file, and one that has become shorter, is read from its last part on.
        position = read_bytes.get(path, status.st_size + 1)
        if position > status.st_size:
            position = max(0, status.st_size - _PART_BYTES)
        for _ in range(_MAX_PARTS):
            file.seek(position)
            data = file.read(_PART_BYTES)
            # A line longer than a part is not a message and is skipped.
            complete = data.rfind(b"\n") + 1 or (len(data) if len(data) == _PART_BYTES else 0)
            position += complete
            read_bytes[path] = position
            if not complete:
                return
            yield from data[:complete].split(b"\n")


def _add_prices(ledger: Ledger, usages: dict[str, Usage]) -> Ledger:
    """Return the ledger with the prices of these messages, by their ids."""
    prices, unpriced = dict(ledger.prices), set(ledger.unpriced)
    for message_id, usage in usages.items():
        try:
            # The later entry of a message has more of its tokens.
            prices[message_id] = max(_compute_price(usage), prices.get(message_id, 0))
        except (ImportError, LookupError, TypeError, ValueError):
            # An error in the library of prices must not fail the stop.
            unpriced.add(usage.model)
    oldest = list(prices)[: max(0, len(prices) - _MAX_REMEMBERED_MESSAGES)]
    return replace(
        ledger,
        older_total=ledger.older_total + sum(prices.pop(message_id) for message_id in oldest),
        prices=prices,
        unpriced=tuple(sorted(unpriced))[:_MAX_UNPRICED_MODELS],
    )


def _compute_price(usage: Usage) -> float:
    """Return the price of a message in dollars; raises LookupError for an unknown model."""
    # To save time, a hook keeps msgspec from importing this module (by an entry None), but
    # genai-prices needs it.
    if sys.modules.get("typing_extensions", sys) is None:
        del sys.modules["typing_extensions"]
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    cache_write_tokens = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    tokens = Tokens(
        input_tokens=usage.input_tokens + usage.cache_read_tokens + cache_write_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=cache_write_tokens,
        cache_write_5m_tokens=usage.cache_write_5m_tokens,
        cache_write_1h_tokens=usage.cache_write_1h_tokens,
        web_searches=usage.web_searches,
    )
    provider = usage.provider or None
    return float(calc_price(tokens, usage.model, provider_id=provider).total_price)
