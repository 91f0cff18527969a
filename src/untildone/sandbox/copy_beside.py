"""A sandbox without namespaces: a copy beside the project, with a home folder of its own."""

import os
from pathlib import Path

from untildone.sandbox.environment import move_home
from untildone.sandbox.home_folder import find_user_home, list_lent_entries
from untildone.sandbox.lent_folders import find_lent_folders
from untildone.sandbox.linked_dependencies import link_dependencies
from untildone.sandbox.mount_plan import Layout
from untildone.sandbox.sandbox_source import Sandbox, SandboxSource


def make_copy_beside(source: SandboxSource, layout: Layout, environ: dict[str, str]) -> Sandbox:
    """Return a sandbox whose links lead into the copy as far as that is possible."""
    home, user_home = layout.top / "home", find_user_home(source.environ)
    home.mkdir()
    for name in list_lent_entries(user_home, since=source.since):
        _link(_locate(user_home, name, source), home / name)
    environ = move_home(environ, home, user_home=user_home)
    folders = [folder.path for folder in find_lent_folders(source)]
    target = environ.get("CARGO_TARGET_DIR", "")
    if os.path.isabs(target) and os.path.isdir(target):  # noqa: PTH112, PTH117  a text, not a path
        # The copy's builds must not end up in a build folder outside of the project.
        folders.append(target)
    project = Path(os.path.realpath(source.project))
    variables, unproved = link_dependencies(project, layout.copy, folders)
    return Sandbox(
        project=layout.copy,
        written_project=layout.copy,
        environ={**environ, **variables},
        exchange_folder=layout.exchange,
        unproved=unproved,
    )


def _locate(user_home: Path, name: str, source: SandboxSource) -> Path:
    top, _, rest = name.partition("/")
    moved = source.environ.get("CARGO_HOME") if top == ".cargo" else None
    return Path(moved) / rest if moved else user_home / name


def _link(source: Path, target: Path) -> None:
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source, target_is_directory=source.is_dir())
