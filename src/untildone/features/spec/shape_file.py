"""Reads `.loop/shape/SHAPE.md`: criteria, must-not constraints, and how criteria are verified.

    criteria:
    - tests pass
    must not:
    - `grep -r TODO src`
    - change the public API
    verification:
    - tests pass: execution output

A constraint in backticks is a command; it is run only after the user trusted the file.
"""

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
_MAX_BYTES = 200_000
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
_VERIFICATION_LINE = re.compile(
    r"[\s|*+-]*(?P<name>[^|\n]*?\S)[\"'`*]*[ \t]*(?:\||:)[ \t]*(?P<kind>[^|\n]*)"
)
_VERIFICATIONS: tuple[Verification, ...] = get_args(Verification)


class ShapeFile(Struct, frozen=True, kw_only=True):
    """The file as it was read; the hash is what the user trusts."""

    path: Path
    text: str
    sha256: str


class ShapeContents(Struct, frozen=True, kw_only=True):
    """What the file says."""

    # The criteria.
    claims: tuple[Claim, ...] = ()
    # The must-not items that consist of one text in backticks: commands that must not exit with 0.
    # The other ones are `limits`.
    commands: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


def load_shape_file(project: Path) -> ShapeFile | None:
    """Return the project's SHAPE.md; None if it has none."""
    path = project / SHAPE_FILE
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError:
        return None
    digest = hashlib.sha256(data).hexdigest()
    return ShapeFile(path=path, text=data.decode("utf-8-sig", "replace"), sha256=digest)


def read_trusted_shape(context: Context, project: Path) -> ShapeContents:
    """Return what SHAPE.md says; commands of a file without trust become limits in words."""
    file = load_shape_file(project)
    if file is None:
        return ShapeContents()
    shape = parse_shape_file(file.text)
    if not shape.commands or read_trusted_hash(context.home, file.path) == file.sha256:
        return shape
    words = tuple(f"`{command}` exits 0 (not run: not trusted)" for command in shape.commands)
    return replace(shape, commands=(), limits=(*shape.limits, *words))


def parse_shape_file(text: str) -> ShapeContents:
    """Return what the text of a SHAPE.md says; unknown lines are skipped."""
    sections: dict[str, list[str]] = {"criteria": [], "mustnot": [], "verification": []}
    for section, line in _sort_into_sections(text[:_MAX_BYTES]):
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
    """Yield each line with the name of its section: `criteria`, `mustnot` or `verification`.

    An inline list, `criteria: [a, b]`, is yielded as the lines `- a` and `- b`.
    """
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
    """Return the texts of list items such as `- text`, `1. text` or `- [ ] text`, each once."""
    items = (_ITEM.fullmatch(line.rstrip()) for line in lines)
    return list(dict.fromkeys(item["text"].strip("\"'") for item in items if item))[:_MAX_ITEMS]


def _parse_verifications(lines: list[str]) -> Iterator[tuple[str, Verification]]:
    """Yield the normalized name of each criterion, and how it is verified."""
    for line in lines:
        match = _VERIFICATION_LINE.match(line)
        words = match["kind"].casefold() if match else ""
        kind = next((kind for kind in _VERIFICATIONS if kind in words), None)
        if match and kind:
            yield _normalize_name(match["name"]), kind


def _normalize_name(text: str) -> str:
    """Return the name of a criterion for comparison, without quotes, case and extra spaces."""
    return " ".join(re.sub(r"[\"'`*]", "", text).casefold().split())
