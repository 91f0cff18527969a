"""Every ratchet there is."""

from untildone.integrity import (
    scripts,
    settings,
    shadowing,
    sniffing,
    special_cases,
    suppressions,
    tests_data,
    tests_mocks,
    tests_ratchet,
    tests_runner,
)
from untildone.integrity.ratchet import Compared, Ratchet
from untildone.loop.model import Loss

# One module each: what it compares is said there.
RATCHETS: tuple[Ratchet, ...] = (
    suppressions.losses,
    settings.losses,
    scripts.losses,
    shadowing.losses,
    sniffing.losses,
    special_cases.losses,
    tests_ratchet.losses,
    tests_data.losses,
    tests_runner.losses,
    tests_mocks.losses,
)


def losses(both: Compared) -> tuple[Loss, ...]:
    """Of every ratchet, each once."""
    found = (lost for ratchet in RATCHETS for lost in ratchet(both))
    return tuple({lost.id: lost for lost in found}.values())
