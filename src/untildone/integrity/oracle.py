"""A check that the person keeps outside of the repository, run only to confirm."""

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from untildone.core.concerns import make_concern
from untildone.core.contract import Oracle
from untildone.core.evidence import Concern, ConcernKind
from untildone.errors import UserError
from untildone.process import run

_SECONDS = 1_800.0
_PROGRAMS = {".py": sys.executable, ".sh": "sh", ".js": "node", ".mjs": "node", ".cjs": "node"}
# Neither where it is nor what it said: who knows the hidden inputs can answer them one by one.
_TOLD = "a hidden check of the person does not pass"


def make_oracle(path: Path, project: Path) -> Oracle:
    """Refused where the agent works: there it would be no secret."""
    place = Path(os.path.realpath(path))
    if place.is_relative_to(os.path.realpath(project)):
        raise UserError(
            f"the oracle `{path}` lies inside of the project",
            hint="keep it elsewhere: `mv` it out of the repository, and its history",
        )
    if not place.is_file():
        raise UserError(f"the oracle `{path}` is not a file", hint="name a program or a script")
    if place.suffix not in _PROGRAMS and not os.access(place, os.X_OK):
        raise UserError(f"the oracle `{path}` cannot be run", hint=f"`chmod +x {path}`")
    return Oracle(path=str(place), sha256=_digest(place))


def run_oracle(
    oracle: Oracle, *, cwd: Path, environ: Mapping[str, str], through: tuple[str, ...] = ()
) -> Concern | None:
    """Run where the work is, through what leads there."""
    place = Path(oracle.path)
    if _digest(place) != oracle.sha256:
        because = "the hidden check of the person is gone or not what it was at the start"
        return make_concern(ConcernKind.ORACLE, "hidden", reason=because, content=_digest(place))
    program = _PROGRAMS.get(place.suffix)
    argv = (program, str(place)) if program and not os.access(place, os.X_OK) else (str(place),)
    finished = run((*through, *argv), cwd=cwd, timeout=_SECONDS, env=dict(environ))
    return (
        None
        if finished.exit_code == 0
        else make_concern(ConcernKind.ORACLE, "hidden", reason=_TOLD)
    )


def _digest(place: Path) -> str:
    try:
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError:
        return ""
