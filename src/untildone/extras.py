"""How the packages of an extra are added to this installation of untildone."""

import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

# apprise<2,>=1.9; extra == 'notify'
_REQUIREMENT = re.compile(r"(?P<package>[^;]+?)\s*;\s*extra == ['\"](?P<extra>[\w-]+)['\"]")


def describe_extra(extra: str) -> str:
    """Return the command that installs the extra, in backticks, or what to do without one."""
    packages = _list_packages(extra)
    if not packages:
        return f"install untildone again, with the extra `{extra}`"
    return f"`{' '.join((*_find_installer(Path(sys.executable)), shlex.join(packages)))}`"


def _list_packages(extra: str) -> tuple[str, ...]:
    """Return what the extra consists of; nothing for a copy that was never installed."""
    # Imported here because it is slow, and hardly any call gets here.
    from importlib.metadata import PackageNotFoundError, requires

    try:
        requirements: Iterable[str] = requires("untildone") or ()
    except PackageNotFoundError:
        return ()
    found = filter(None, map(_REQUIREMENT.fullmatch, requirements))
    return tuple(match["package"] for match in found if match["extra"] == extra)


def _find_installer(python: Path) -> tuple[str, ...]:
    """Return the words before the packages: pipx's, pip's, or uv's where there is no pip."""
    if (python.parents[1] / "pipx_metadata.json").is_file():
        return ("pipx", "inject", "untildone")
    # Imported here as above.
    from importlib.util import find_spec

    quoted = shlex.quote(str(python))
    if find_spec("pip"):
        return (quoted, "-m", "pip", "install")
    return ("uv", "pip", "install", "--python", quoted)
