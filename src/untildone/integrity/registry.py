"""Every ratchet there is."""

from untildone.core.model import Loss
from untildone.integrity.comparison import Compared, Ratchet
from untildone.integrity.environment import shadowing
from untildone.integrity.hard_coded import comparison as special_cases
from untildone.integrity.scripts import comparison as scripts
from untildone.integrity.settings import comparison as settings
from untildone.integrity.sniffing import comparison as sniffing
from untildone.integrity.suppressions import comparison as suppressions
from untildone.integrity.tests import comparison as tests_ratchet
from untildone.integrity.tests import data as tests_data
from untildone.integrity.tests import mocks as tests_mocks
from untildone.integrity.tests import runner as tests_runner

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
