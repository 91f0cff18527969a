"""Every ratchet there is."""

from untildone.core.evidence import Concern
from untildone.integrity.comparison import Comparison, FindConcerns
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
COMPARISONS: tuple[FindConcerns, ...] = (
    suppressions.find_concerns,
    settings.find_concerns,
    scripts.find_concerns,
    shadowing.find_concerns,
    sniffing.find_concerns,
    special_cases.find_concerns,
    tests_ratchet.find_concerns,
    tests_data.find_concerns,
    tests_runner.find_concerns,
    tests_mocks.find_concerns,
)


def find_concerns(comparison: Comparison) -> tuple[Concern, ...]:
    """Of every ratchet, each once."""
    found = (lost for ratchet in COMPARISONS for lost in ratchet(comparison))
    return tuple({lost.id: lost for lost in found}.values())
