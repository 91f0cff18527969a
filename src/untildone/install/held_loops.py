"""Whether the installed hooks can judge the next stop of a loop whose session is alive."""

from pathlib import Path

from untildone.engine.context import Context
from untildone.install.client_files import find_install_paths
from untildone.install.health import (
    find_disabled_hooks,
    find_missing_hooks,
    find_package_changes,
    find_untrusted_hooks,
)
from untildone.install.installation import read_installation

_HOLD_CHECKS = (
    find_disabled_hooks,
    find_missing_hooks,
    find_untrusted_hooks,
    find_package_changes,
)


def find_hold_problem(context: Context, *, project: str, agent: str) -> str:
    """Return what may keep the hooks of a running session from judging its next stop, if any."""
    paths = find_install_paths(context, Path(project), agent=agent)
    installation = read_installation(paths, context.environ)
    problems = (problem for check in _HOLD_CHECKS for problem in check(installation))
    problem = next(problems, None)
    return problem.text if problem else ""
