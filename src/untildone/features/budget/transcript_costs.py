"""Reads the new part of a loop's transcripts and computes its price.

The ledger belongs to the loop: a forked or resumed session repeats its messages, and each one is
paid once.
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

_FILE = "spend.json"
# Of a new transcript only the last part is read, of a known one this many new parts.
_PART = 2_000_000
_MOST_PARTS = 16
_MOST_FILES = 500
# A message is repeated for each of its parts, and by a fork of the session.
_REMEMBERED = 2_000


class Ledger(Struct, frozen=True, kw_only=True):
    """How far each transcript was read, and the price of each of the last messages."""

    read: dict[str, int] = {}
    prices: dict[str, float] = {}
    earlier: float = 0
    # Models without a known price: the total does not include them.
    unpriced: tuple[str, ...] = ()
    # The user has been told that nothing can be priced here.
    announced: bool = False

    @property
    def total(self) -> float | None:
        """None if nothing was priced yet: a transcript of unknown format is not free."""
        known = self.earlier or self.prices
        return self.earlier + sum(self.prices.values()) if known else None


def load_ledger(context: Context, record: Record) -> Ledger:
    """A new ledger if it is missing or damaged."""
    try:
        return msgspec.json.decode(_ledger_path(context, record).read_bytes(), type=Ledger)
    except (OSError, msgspec.MsgspecError):
        return Ledger()


def save_ledger(context: Context, record: Record, ledger: Ledger) -> None:
    """If it cannot be saved, the transcripts are read again next time."""
    with suppress(OSError):
        write_atomically(
            _ledger_path(context, record), msgspec.json.encode(ledger), keep_previous=False
        )


def _ledger_path(context: Context, record: Record) -> Path:
    return context.loops.get_folder(record.contract.id) / _FILE


def update_ledger(context: Context, record: Record, transcript: str) -> Ledger:
    """The ledger with the new messages of the session's transcript and of its subagents'."""
    ledger = load_ledger(context, record)
    read = dict(ledger.read)
    found: dict[str, Usage] = {}
    subagents = Path(context.agent.find_subagents_folder(transcript)).rglob("*.jsonl")
    for path in (transcript, *map(str, islice(subagents, _MOST_FILES))):
        for line in _read_new_lines(path, read):
            usage = context.agent.parse_usage(line)
            # Compared by the second: messages of the loop's first second count.
            if usage and usage.at[:19] >= record.contract.started_at[:19]:
                found[usage.id] = usage
    if read == ledger.read:
        return ledger
    ledger = _add_prices(replace(ledger, read=read), found)
    save_ledger(context, record, ledger)
    return ledger


def _read_new_lines(path: str, read: dict[str, int]) -> Iterator[bytes]:
    """Whole lines not read before; none of a file that is missing or not readable."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return
        known = read.get(path, status.st_size + 1)
        start = known if known <= status.st_size else max(0, status.st_size - _PART)
        for _ in range(_MOST_PARTS):
            file.seek(start)
            data = file.read(_PART)
            # A line longer than a part is not a message and is skipped.
            complete = data.rfind(b"\n") + 1 or (len(data) if len(data) == _PART else 0)
            start += complete
            read[path] = start
            if not complete:
                return
            yield from data[:complete].split(b"\n")


def _add_prices(ledger: Ledger, found: dict[str, Usage]) -> Ledger:
    prices, unpriced = dict(ledger.prices), set(ledger.unpriced)
    for name, usage in found.items():
        try:
            # The later entry of a message has more of its tokens.
            prices[name] = max(_compute_price(usage), prices.get(name, 0))
        except (ImportError, LookupError, TypeError, ValueError):
            # An error in the library of prices must not fail the stop.
            unpriced.add(usage.model)
    oldest = list(prices)[: max(0, len(prices) - _REMEMBERED)]
    return replace(
        ledger,
        earlier=ledger.earlier + sum(prices.pop(name) for name in oldest),
        prices=prices,
        unpriced=tuple(sorted(unpriced))[:20],
    )


def _compute_price(usage: Usage) -> float:
    # A hook blocks this module while it imports msgspec, but genai-prices needs it.
    if sys.modules.get("typing_extensions", sys) is None:
        del sys.modules["typing_extensions"]
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    written = usage.cache_write_5m_tokens + usage.cache_write_1h_tokens
    tokens = Tokens(
        input_tokens=usage.input_tokens + usage.cache_read_tokens + written,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=written,
        cache_write_5m_tokens=usage.cache_write_5m_tokens,
        cache_write_1h_tokens=usage.cache_write_1h_tokens,
        web_searches=usage.web_searches,
    )
    return float(calc_price(tokens, usage.model, provider_id=usage.provider).total_price)
