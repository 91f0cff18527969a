"""`.loop/shape/SHAPE.md`: criteria, must-not constraints, and how criteria are verified."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.contract import Claim, Verification
from untildone.engine.context import Context
from untildone.store.trusted_files import read_trusted_hash

SHAPE_FILE = ".loop/shape/SHAPE.md"
_LARGEST = 200_000
_MAX_ITEMS = 100
# "criteria:", "### Must-NOT Constraints", "**Verification:**", "criteria: [a, b]"
_SECTION = re.compile(
    r"[#*\s]*(?:[\w-]+ )?(?P<name>criteria|must[ -]?not|verification)\b[^:\n|]{0,40}:?\**[ \t]*"
    r"(?:\[(?P<inline>[^\]\n]*)\])?[ \t]*",
    re.IGNORECASE,
)
_OTHER_SECTION = re.compile(r"[ \t]*#")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>.*\S)")
# "- tests pass: execution output", "| tests pass | execution output | `npm test` |"
_VERIFIED = re.compile(
    r"[\s|*+-]*(?P<name>[^|\n]*?\S)[\"'`*]*[ \t]*(?:\||:)[ \t]*(?P<kind>[^|\n]*)"
)
_VERIFICATIONS: tuple[Verification, ...] = get_args(Verification)


class ShapeFile(Struct, frozen=True, kw_only=True):
    path: Path
    text: str
    sha256: str


class ShapeContents(Struct, frozen=True, kw_only=True):
    """`commands` are the must-not items that consist of one text in backticks."""

    claims: tuple[Claim, ...] = ()
    commands: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


def load_shape_file(project: Path) -> ShapeFile | None:
    path = project / SHAPE_FILE
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST)
    except OSError:
        return None
    digest = hashlib.sha256(data).hexdigest()
    return ShapeFile(path=path, text=data.decode("utf-8-sig", "replace"), sha256=digest)


def read_trusted_shape(context: Context, project: Path) -> ShapeContents:
    """The content of SHAPE.md; its commands are not run until the user trusts the file."""
    file = load_shape_file(project)
    if file is None:
        return ShapeContents()
    shape = parse_shape_file(file.text)
    if not shape.commands or read_trusted_hash(context.home, file.path) == file.sha256:
        return shape
    words = tuple(f"`{command}` exits 0 (not run: not trusted)" for command in shape.commands)
    return replace(shape, commands=(), limits=(*shape.limits, *words))


def parse_shape_file(text: str) -> ShapeContents:
    """Parse the file; unknown lines are skipped."""
    sections: dict[str, list[str]] = {"criteria": [], "mustnot": [], "verification": []}
    for section, line in _sort_into_sections(text[:_LARGEST]):
        sections[section].append(line)
    kinds = dict(_parse_verifications(sections["verification"]))
    limits = _parse_items(sections["mustnot"])
    commands = [limit[1:-1].strip() for limit in limits if re.fullmatch(r"`[^`]*\S[^`]*`", limit)]
    return ShapeContents(
        claims=tuple(
            Claim(name=name, verification=kinds.get(_normalize_name(name), "execution"))
            for name in _parse_items(sections["criteria"])
        ),
        commands=tuple(commands),
        limits=tuple(limit for limit in limits if limit[1:-1].strip() not in commands),
    )


def _sort_into_sections(text: str) -> Iterator[tuple[str, str]]:
    """Each line with the name of its section; an inline list as one line for each part."""
    section = ""
    for line in text.splitlines():
        heading = None if _ITEM.fullmatch(line) else _SECTION.fullmatch(line)
        if heading:
            section = re.sub(r"[ -]", "", heading["name"].casefold())
            for part in (heading["inline"] or "").split(","):
                if part.strip():
                    yield section, "- " + part.strip().strip("\"'")
        elif _OTHER_SECTION.match(line):
            section = ""
        elif section:
            yield section, line


def _parse_items(lines: list[str]) -> list[str]:
    items = (_ITEM.fullmatch(line.rstrip()) for line in lines)
    return list(dict.fromkeys(item["text"].strip("\"'") for item in items if item))[:_MAX_ITEMS]


def _parse_verifications(lines: list[str]) -> Iterator[tuple[str, Verification]]:
    """The name of each criterion, and how it is verified."""
    for line in lines:
        found = _VERIFIED.match(line)
        for kind in _VERIFICATIONS if found else ():
            if found and kind in found["kind"].casefold():
                yield _normalize_name(found["name"]), kind
                break


def _normalize_name(text: str) -> str:
    return " ".join(re.sub(r"[\"'`*]", "", text).casefold().split())
