"""Which comments of the code a check might heed: none does where tests are run and no more."""

import re

from untildone.integrity.ratchet import Compared
from untildone.integrity.scripts.bound import bound
from untildone.integrity.scripts.followed import followed
from untildone.integrity.settings.read import is_configuration, read

# Runners of tests that read no comment of the code; some compile what is typed.
_DEAF = frozenset(("pytest", "unittest", "node", "vitest", "jest", "mocha"))
# Not `discover`.
_MEASURES = re.compile(r"(?<![a-z])cov|Coverage|\b(c8|nyc)\b")
# pytest's options; the switches of jest and vitest.
_SWITCH = re.compile(r"(.*\.)?(addopts|collectCoverage|coverage\.enabled)")

# What only those who count the lines that were run take notice of.
OF_COVERAGE = frozenset(("pragma: no cover", "coverage ignore"))


def lints(compared: Compared) -> bool:
    """True where nobody can tell what is run."""
    calls = [call for command in compared.commands for call in bound(compared.new, command)]
    return not calls or any(call[0] not in _DEAF for call in calls)


def measures_coverage(compared: Compared) -> bool:
    run = (text for command in compared.commands for text, _ in followed(compared.old, command))
    return any(map(_MEASURES.search, run)) or any(
        _is_switched_on(compared.old.text(path), path)
        for path in filter(is_configuration, compared.old)
    )


def _is_switched_on(text: str, path: str) -> bool:
    values = (
        each for key, some in read(path, text).items() if _SWITCH.fullmatch(key) for each in some
    )
    return any(value is True or _MEASURES.search(str(value)) for value in values)
