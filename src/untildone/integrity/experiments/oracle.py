"""The oracle: a hidden check that the user keeps outside of the repository.

It is given by `untildone start --oracle PATH` and runs only to confirm work that is otherwise done.
"""

import hashlib
import os
import sys
import tempfile
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
from untildone.sandbox.home_folder import find_user_home
from untildone.sandbox.sandbox_source import SandboxSource
from untildone.sandbox.sandboxes import open_sandbox

_TIMEOUT_SECONDS = 1_800.0
# What runs an oracle that is not executable, by its suffix.
_INTERPRETERS = {".py": sys.executable, ".sh": "sh", ".js": "node", ".mjs": "node", ".cjs": "node"}
# The message says neither where the check is nor what it printed: an agent that knew the hidden
# inputs could answer them one by one.
_FAILED = "a hidden check of the user does not pass"


def make_oracle(path: Path, project: Path) -> Oracle:
    """Return the oracle with its digest; raise UserError if it cannot be run.

    A file inside of the project is refused too: the agent could read it there.
    """
    file = Path(os.path.realpath(path))
    if file.is_relative_to(os.path.realpath(project)):
        raise UserError(
            f"the oracle `{path}` lies inside of the project",
            hint="keep it elsewhere: `mv` it out of the repository, and its history",
        )
    if not file.is_file():
        raise UserError(f"the oracle `{path}` is not a file", hint="name a program or a script")
    if file.suffix not in _INTERPRETERS and not os.access(file, os.X_OK):
        raise UserError(f"the oracle `{path}` cannot be run", hint=f"`chmod +x {path}`")
    return Oracle(path=str(file), sha256=_digest(file))


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence with the result of the oracle.

    It is not run if the work is not accepted anyhow: each run could tell the agent something.
    """
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
    """Run the oracle in a sandbox with the current tree; in the project if there is no baseline."""
    if trial.comparison is None:
        return run_oracle(oracle, cwd=trial.inputs.project, environ=filter_environment(os.environ))
    source = make_sandbox_source(trial.inputs, trial.comparison)
    lent_paths = (*source.lent_paths, _find_own_files(oracle, source))
    source = replace(source, lent_paths=lent_paths)
    with open_sandbox(take_tree(trial.comparison, current=True), source) as sandbox:
        environ = filter_environment(sandbox.environ)
        return run_oracle(
            oracle, cwd=sandbox.project, environ=environ, through=sandbox.wrapper_argv
        )


def _find_own_files(oracle: Oracle, source: SandboxSource) -> Path:
    """Return what an oracle may read: its folder, or only itself if the folder holds much more."""
    file = Path(oracle.path)
    shared = (find_user_home(source.environ), tempfile.gettempdir(), source.project)
    is_shared = any(Path(os.path.realpath(path)).is_relative_to(file.parent) for path in shared)
    return file if is_shared else file.parent


def run_oracle(
    oracle: Oracle, *, cwd: Path, environ: Mapping[str, str], through: tuple[str, ...] = ()
) -> Concern | None:
    """Run the oracle in `cwd` and return a concern if it fails or is not the same file any more.

    `through` is the command line that enters the sandbox.
    """
    file = Path(oracle.path)
    if _digest(file) != oracle.sha256:
        reason = "the hidden check of the user is gone or has changed since the start"
        return make_concern(ConcernKind.ORACLE, "hidden", reason=reason, content=_digest(file))
    interpreter = _INTERPRETERS.get(file.suffix)
    is_executable = os.access(file, os.X_OK)
    argv = (interpreter, str(file)) if interpreter and not is_executable else (str(file),)
    finished = run((*through, *argv), cwd=cwd, timeout=_TIMEOUT_SECONDS, env=dict(environ))
    if finished.exit_code == 0:
        return None
    return make_concern(ConcernKind.ORACLE, "hidden", reason=_FAILED)


def _digest(file: Path) -> str:
    """Return the hash of the file's content; empty if it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""
