"""Claims of another tool's file that a check of the project can prove: "tests pass".

Hope's loop believes what the agent reports about its criteria. Where the project has a check for
one of them, the check decides instead.
"""

import re
from pathlib import Path

from msgspec.structs import replace

from untildone.core.agent_message import normalize
from untildone.core.contract import Check, Claim
from untildone.engine.context import Context
from untildone.engine.project_checks import choose_checks
from untildone.errors import UserError
from untildone.features.importers.formats.loop_format import ImportedLoop

_SUCCEEDS = r"(?:are |is |must )?(?:pass(?:es|ing)?|succeeds?|clean|green|work(?:s|ing)?)"
# "all unit tests pass", "no lint errors", "the build is green"; by the preset with such checks.
_PRESETS = {
    "test": rf"(?:all |the |unit )*tests? {_SUCCEEDS}",
    "lint": rf"(?:the )?lint(?:er|ing)? {_SUCCEEDS}"
    r"|(?:no|zero|0) lint(?:er|ing)? (?:errors?|findings?)",
    "build": rf"(?:the |project )*build {_SUCCEEDS}|it (?:builds|compiles)",
}


def bind_claims(context: Context, project: Path, loop: ImportedLoop) -> ImportedLoop:
    """Return the loop with checks of the project in place of the claims that they prove."""
    checks: list[Check] = []
    claims: list[Claim] = []
    for claim in loop.claims:
        found = _find_checks(context, project, claim.name)
        checks += _name_checks(found, claim.name)
        claims += [] if found else [claim]
    return replace(loop, claims=tuple(claims), checks=(*loop.checks, *checks))


def _find_checks(context: Context, project: Path, name: str) -> tuple[Check, ...]:
    """Return the checks of the preset that the claim is about; none if there is no such check."""
    text = normalize(name)
    preset = next((key for key, claim in _PRESETS.items() if re.fullmatch(claim, text)), "")
    try:
        return choose_checks(context, project, preset) if preset else ()
    except UserError:
        return ()


def _name_checks(checks: tuple[Check, ...], claim: str) -> list[Check]:
    """Return the checks under the claim's name, by which the agent reports on it."""
    if len(checks) == 1:
        return [replace(checks[0], name=claim)]
    return [replace(check, name=f"{claim}: {check.name}") for check in checks]
