"""`.loop/shape/SHAPE.md`: criteria, what must not be, and how each criterion is verified."""

import re
from collections.abc import Iterator
from typing import get_args

from msgspec import Struct

from untildone.core.contract import Claim, Verification

SHAPE_FILE = ".loop/shape/SHAPE.md"
MAX_SHAPE_FILE = 200_000
_MOST = 100
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
_KINDS: tuple[Verification, ...] = get_args(Verification)


class ShapeContents(Struct, frozen=True, kw_only=True):
    """`commands` are those of what must not be that stand in backticks as a whole."""

    claims: tuple[Claim, ...] = ()
    commands: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


def parse_shape_file(text: str) -> ShapeContents:
    """What the file says; lines it does not know are skipped."""
    said: dict[str, list[str]] = {"criteria": [], "mustnot": [], "verification": []}
    for name, line in _sorted(text[:MAX_SHAPE_FILE]):
        said[name].append(line)
    kinds = dict(_kinds(said["verification"]))
    names = list(dict.fromkeys(_items(said["criteria"])))[:_MOST]
    limits = list(dict.fromkeys(_items(said["mustnot"])))[:_MOST]
    commands = [limit[1:-1].strip() for limit in limits if re.fullmatch(r"`[^`]*\S[^`]*`", limit)]
    return ShapeContents(
        claims=tuple(_claim(name, kinds) for name in names),
        commands=tuple(commands),
        limits=tuple(limit for limit in limits if limit[1:-1].strip() not in commands),
    )


def _sorted(text: str) -> Iterator[tuple[str, str]]:
    """Each line below the heading it belongs to."""
    section = ""
    for line in text.splitlines():
        heading = None if _ITEM.fullmatch(line) else _SECTION.fullmatch(line)
        if heading:
            section = re.sub(r"[ -]", "", heading["name"].casefold())
            yield from ((section, f"- {part}") for part in _parts(heading["inline"] or ""))
        elif _OTHER_SECTION.match(line):
            section = ""
        elif section:
            yield section, line


def _parts(inline: str) -> list[str]:
    return [part.strip().strip("\"'") for part in inline.split(",") if part.strip()]


def _items(lines: list[str]) -> Iterator[str]:
    for line in lines:
        item = _ITEM.fullmatch(line.rstrip())
        if item:
            yield item["text"].strip("\"'")


def _kinds(lines: list[str]) -> Iterator[tuple[str, Verification]]:
    for line in lines:
        found = _VERIFIED.match(line)
        kind = _kind(found["kind"]) if found else None
        if found and kind:
            yield _folded(found["name"]), kind


def _kind(text: str) -> Verification | None:
    return next((kind for kind in _KINDS if kind in text.casefold()), None)


def _claim(name: str, kinds: dict[str, Verification]) -> Claim:
    return Claim(name=name, verification=kinds.get(_folded(name), "execution"))


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[\"'`*]", "", text).casefold().split())
