"""The command with which a check runs: its tools only judge, also where they are set up to edit."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from untildone.commands.checking_form import make_checking_form
from untildone.commands.package_scripts import parse_package_scripts
from untildone.commands.programs import PACKAGE_MANAGERS, split_words
from untildone.core.contract import Check

_PROGRAMS = Path("node_modules", ".bin")


def make_checking_check(
    check: Check, folder: Path, environ: Mapping[str, str], *, source: Path
) -> Check:
    """Return the check with its command in a form that edits nothing.

    A package manager runs a script with the packages' programs in `PATH`; where the script of the
    `package.json` in `source` is written out, the check gets those of `folder`, where it runs. In
    a sandbox both are different paths of the same folder.
    """
    plain = make_checking_form(check.command)
    if PACKAGE_MANAGERS.isdisjoint(split_words(check.command)):
        return replace(check, command=plain)
    scripts = parse_package_scripts(_read(source / "package.json"))
    form = make_checking_form(check.command, scripts)
    if form == plain:
        return replace(check, command=plain)
    path = check.env.get("PATH") or environ.get("PATH", os.defpath)
    parts = [str(place / _PROGRAMS) for place in (folder, *folder.parents)]
    return replace(check, command=form, env=check.env | {"PATH": os.pathsep.join((*parts, path))})


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
