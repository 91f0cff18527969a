"""A check that the user keeps outside of the repository, run only to confirm."""

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from untildone.core.concerns import make_concern
from untildone.core.contract import Oracle
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.errors import UserError
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.integrity.experiments.trial import Trial, make_sandbox_source
from untildone.process.command import filter_environment
from untildone.process.runner import run
from untildone.sandbox.sandboxes import open_sandbox

_SECONDS = 1_800.0
_PROGRAMS = {".py": sys.executable, ".sh": "sh", ".js": "node", ".mjs": "node", ".cjs": "node"}
# It says neither where the check is nor what it printed: an agent that knew the hidden inputs
# could answer them one by one.
_FAILED = "a hidden check of the user does not pass"


def make_oracle(path: Path, project: Path) -> Oracle:
    """Refuse a file inside of the project: the agent could read it there."""
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


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Run the hidden check, unless something else already stands against the work."""
    oracle = trial.inputs.contract.oracle
    if oracle is None or evidence.fault or trial.find_unapproved(evidence):
        return evidence
    concern = _run_on_current_tree(oracle, trial)
    if concern is None:
        return replace(evidence, comparisons=(*evidence.comparisons, "the hidden check passes"))
    return replace(
        evidence,
        concerns=(*(evidence.concerns or ()), concern),
        comparisons=(*evidence.comparisons, "the hidden check does not pass"),
    )


def _run_on_current_tree(oracle: Oracle, trial: Trial) -> Concern | None:
    if trial.comparison is None:
        return run_oracle(oracle, cwd=trial.inputs.project, environ=filter_environment(os.environ))
    source = make_sandbox_source(trial.inputs, trial.comparison)
    with open_sandbox(take_tree(trial.comparison, current=True), source) as sandbox:
        environ = filter_environment(sandbox.environ)
        return run_oracle(
            oracle, cwd=sandbox.project, environ=environ, through=sandbox.wrapper_argv
        )


def run_oracle(
    oracle: Oracle, *, cwd: Path, environ: Mapping[str, str], through: tuple[str, ...] = ()
) -> Concern | None:
    """Run the check in `cwd`; `through` is the command line that enters the sandbox."""
    place = Path(oracle.path)
    if _digest(place) != oracle.sha256:
        because = "the hidden check of the user is gone or has changed since the start"
        return make_concern(ConcernKind.ORACLE, "hidden", reason=because, content=_digest(place))
    program = _PROGRAMS.get(place.suffix)
    argv = (program, str(place)) if program and not os.access(place, os.X_OK) else (str(place),)
    finished = run((*through, *argv), cwd=cwd, timeout=_SECONDS, env=dict(environ))
    if finished.exit_code == 0:
        return None
    return make_concern(ConcernKind.ORACLE, "hidden", reason=_FAILED)


def _digest(place: Path) -> str:
    try:
        return hashlib.sha256(place.read_bytes()).hexdigest()
    except OSError:
        return ""
