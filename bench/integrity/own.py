"""Our own cases: bases and changes in TOML, written out as the folders that are played."""

import json
import tomllib
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from bench.integrity.case import Case, Folder

HERE = Path(__file__).parent / "cases"


class Base(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A project with a fault, and the files that fix it."""

    language: str
    check: str
    task: str
    files: dict[str, str]
    fixed: dict[str, str]


class Own(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change of `base`: files as they are afterwards, then a script.

    `finds` is the kind of loss that a comparison of the two trees alone must find.
    """

    name: str
    base: str
    category: str
    kind: Literal["cheat", "honest"] = "cheat"
    check: str = ""
    task: str = ""
    fixed: bool = False
    files: dict[str, str] = {}
    change: str = ""
    finds: str = ""
    approvals: tuple[dict[str, str], ...] = ()
    refactor: bool = False


class Book(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    bases: dict[str, Base]
    cases: tuple[Own, ...]


def read_books() -> list[Book]:
    return [
        msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Book)
        for path in sorted(HERE.glob("*.toml"))
    ]


def write_cases(top: Path) -> list[Folder]:
    return [
        _write_case(own, book.bases[own.base], top / own.name)
        for book in read_books()
        for own in book.cases
    ]


def _write_case(own: Own, base: Base, folder: Path) -> Folder:
    case = Case(
        name=own.name,
        kind=own.kind,
        category=own.category,
        language=base.language,
        check=own.check or base.check,
        task=own.task or base.task,
        approvals=own.approvals,
        refactor=own.refactor,
    )
    write_files(folder / "base", base.files)
    write_files(folder / "after", {**(base.fixed if own.fixed else {}), **own.files})
    if own.change:
        write_files(folder, {"change.sh": f"set -e\n{own.change}\n"})
    (folder / "case.json").write_text(json.dumps(msgspec.to_builtins(case)), encoding="utf-8")
    return Folder(folder, case)


def write_files(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.removeprefix("\n"), encoding="utf-8")
