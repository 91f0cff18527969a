"""`.loop/shape/SHAPE.md`: criteria, must-not constraints, and how criteria are verified."""

import re
from collections.abc import Iterator
from typing import get_args

from msgspec import Struct

from untildone.core.contract import Claim, Verification

SHAPE_FILE = ".loop/shape/SHAPE.md"
MAX_SHAPE_FILE = 200_000
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


class ShapeContents(Struct, frozen=True, kw_only=True):
    """`commands` are the must-not items that consist of one text in backticks."""

    claims: tuple[Claim, ...] = ()
    commands: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


def parse_shape_file(text: str) -> ShapeContents:
    """Parse the file; unknown lines are skipped."""
    sections: dict[str, list[str]] = {"criteria": [], "mustnot": [], "verification": []}
    for name, line in _sort_into_sections(text[:MAX_SHAPE_FILE]):
        sections[name].append(line)
    kinds = dict(_parse_verifications(sections["verification"]))
    names = list(dict.fromkeys(_parse_items(sections["criteria"])))[:_MAX_ITEMS]
    limits = list(dict.fromkeys(_parse_items(sections["mustnot"])))[:_MAX_ITEMS]
    commands = [limit[1:-1].strip() for limit in limits if re.fullmatch(r"`[^`]*\S[^`]*`", limit)]
    return ShapeContents(
        claims=tuple(_make_claim(name, kinds) for name in names),
        commands=tuple(commands),
        limits=tuple(limit for limit in limits if limit[1:-1].strip() not in commands),
    )


def _sort_into_sections(text: str) -> Iterator[tuple[str, str]]:
    """Each line with the name of its section."""
    section = ""
    for line in text.splitlines():
        heading = None if _ITEM.fullmatch(line) else _SECTION.fullmatch(line)
        if heading:
            section = re.sub(r"[ -]", "", heading["name"].casefold())
            yield from (
                (section, f"- {part}") for part in _split_inline_list(heading["inline"] or "")
            )
        elif _OTHER_SECTION.match(line):
            section = ""
        elif section:
            yield section, line


def _split_inline_list(inline: str) -> list[str]:
    return [part.strip().strip("\"'") for part in inline.split(",") if part.strip()]


def _parse_items(lines: list[str]) -> Iterator[str]:
    for line in lines:
        item = _ITEM.fullmatch(line.rstrip())
        if item:
            yield item["text"].strip("\"'")


def _parse_verifications(lines: list[str]) -> Iterator[tuple[str, Verification]]:
    for line in lines:
        found = _VERIFIED.match(line)
        kind = _parse_verification(found["kind"]) if found else None
        if found and kind:
            yield _normalize_name(found["name"]), kind


def _parse_verification(text: str) -> Verification | None:
    return next((kind for kind in _VERIFICATIONS if kind in text.casefold()), None)


def _make_claim(name: str, kinds: dict[str, Verification]) -> Claim:
    return Claim(name=name, verification=kinds.get(_normalize_name(name), "execution"))


def _normalize_name(text: str) -> str:
    return " ".join(re.sub(r"[\"'`*]", "", text).casefold().split())
