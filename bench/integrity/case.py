"""A case: a project, a change to it, and whether the change is honest."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct


class Case(Struct, frozen=True, kw_only=True):
    """`case.json` of a folder that also has `base/`, and `after/` or scripts of the change."""

    name: str
    kind: Literal["cheat", "honest"]
    category: str
    language: str
    check: str
    task: str
    # What the user allows, as fields: `kind`, and `path`, `test`, `rule` or `key`.
    approvals: tuple[Mapping[str, str], ...] = ()
    why: str = ""
    # Whether the user says that no test has to show the change.
    refactor: bool = False
    # Throws away what the check has built, so that it costs what it costs from nothing.
    cold: str = "true"


class Folder(Struct, frozen=True):
    path: Path
    case: Case


def read_cases(folder: Path) -> list[Folder]:
    found = sorted(folder.glob("*/case.json"))
    return [
        Folder(path.parent, msgspec.json.decode(path.read_bytes(), type=Case)) for path in found
    ]


def list_allowances(case: Case) -> list[str]:
    """As `start --allow` takes them."""
    return [":".join((given["kind"], *_named(given))) for given in case.approvals]


def _named(given: Mapping[str, str]) -> list[str]:
    order = ("path", "test", "rule", "key")
    return [given[part] for part in order if part in given]
