"""The environment variables of a run in a sandbox."""

from collections.abc import Mapping
from pathlib import Path

from untildone.sandbox.home_folder import STEERING

_TEMPORARY_FOLDER = "/tmp"  # noqa: S108  that of the sandbox


def make_environment(
    environ: Mapping[str, str], baseline_environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables of now, with those that steer tools as in the baseline."""
    inherited = {name: value for name, value in environ.items() if name not in STEERING}
    return inherited | dict(baseline_environ) | {"PYTHONDONTWRITEBYTECODE": "1"}


def add_own_folders(environ: Mapping[str, str], *, own_temporary_folder: bool) -> dict[str, str]:
    """Return the variables for a mounted sandbox, whose temporary folder may be its own."""
    if not own_temporary_folder:
        return dict(environ)
    names = ("TMPDIR", *(name for name in ("TMP", "TEMP") if name in environ))
    return {**environ, **dict.fromkeys(names, _TEMPORARY_FOLDER)}


def move_home(environ: Mapping[str, str], home: Path, *, user_home: Path) -> dict[str, str]:
    """Return the variables for a copy beside the project, which has a home folder of its own."""
    overrides = {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "CARGO_HOME": str(home / ".cargo"),
    }
    if not (home / ".local" / "lib").exists():
        overrides["PYTHONNOUSERSITE"] = "1"
    if "RUSTUP_HOME" not in environ and (user_home / ".rustup").exists():
        overrides["RUSTUP_HOME"] = str(user_home / ".rustup")
    return {**environ, **overrides}
