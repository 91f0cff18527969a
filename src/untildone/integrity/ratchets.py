"""Every ratchet there is."""

from untildone.integrity import shadowing
from untildone.integrity.ratchet import Compared, Ratchet
from untildone.integrity.scripts import ratchet as scripts
from untildone.integrity.settings import ratchet as settings
from untildone.integrity.sniffing import ratchet as sniffing
from untildone.integrity.special_cases import ratchet as special_cases
from untildone.integrity.suppressions import ratchet as suppressions
from untildone.integrity.testing import data as tests_data
from untildone.integrity.testing import mocks as tests_mocks
from untildone.integrity.testing import ratchet as tests_ratchet
from untildone.integrity.testing import runner as tests_runner
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
