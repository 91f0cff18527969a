"""Finds for each concern the lines that it is about, and adds the part of them that differs.

The texts are those of the files: a concern knows only normalized values, such as `18.0` for 18.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.concerns import get_file, get_subject
from untildone.core.differing_part import find_differing_part
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison

_MAX_CONCERNS = 200
# Of longer files and blocks the lines are not compared: that may take seconds.
_MAX_LINES = 3_000
_MAX_BLOCK = 40
# Of more lines no pair is shown that the reason has nothing of: it would be any pair.
_MAX_UNHINTED = 10
_MAX_LINE_LENGTH = 400
# What the reason of a concern quotes: values, rules, command lines.
_QUOTED = compile_late(r"`([^`]+)`")
_CLOSING = ("}", ")", "]", "end")


class _Block(Struct, frozen=True):
    """Lines of the baseline and the current lines in their place, with the first numbers."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    old_start: int
    new_start: int


def add_differences(
    concerns: Sequence[Concern], comparison: Comparison | None
) -> tuple[Concern, ...]:
    """Return the concerns with the part that differs, and which of them are about new files."""
    if comparison is None:
        return tuple(concerns)
    changed = comparison.changes.list_paths()
    blocks: dict[str, list[_Block]] = {}
    found = []
    for concern in concerns[:_MAX_CONCERNS]:
        path = get_file(concern)
        if path not in changed:
            found.append(concern)
            continue
        if path not in blocks:
            blocks[path] = list(_list_blocks(comparison, path))
        found.append(_add_difference(concern, blocks[path], comparison, path))
    return (*found, *concerns[_MAX_CONCERNS:])


def _add_difference(
    concern: Concern, blocks: list[_Block], comparison: Comparison, path: str
) -> Concern:
    if path not in comparison.old:
        return replace(concern, added=path in comparison.new)
    if path not in comparison.new or concern.kind == ConcernKind.REMOVE_TEST:
        return concern
    subject = get_subject(concern)
    texts = comparison.old.text(path), comparison.new.text(path)
    name = subject.rpartition("::")[2].partition("[")[0]
    near = _select_near(blocks, texts, name) if subject != concern.path else blocks
    hints = _list_hints(concern)
    block = max(near or blocks, key=lambda each: _rate_block(each, hints), default=None)
    if block is None or not (near or len(blocks) == 1 or _rate_block(block, hints)[0]):
        return concern
    old, new = _find_pair(block, hints)
    return replace(concern, old=old, new=new)


def _list_blocks(comparison: Comparison, path: str) -> Iterator[_Block]:
    """Yield the changed blocks of a file of both trees."""
    old, new = (tree.text(path).splitlines() for tree in comparison.trees)
    if not old or not new or max(len(old), len(new)) > _MAX_LINES:
        return
    matcher = SequenceMatcher(a=old, b=new)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            yield _Block(tuple(old[start:end]), tuple(new[new_start:new_end]), start, new_start)


def _select_near(blocks: list[_Block], texts: tuple[str, str], name: str) -> list[_Block]:
    """Return the blocks inside of what has this name: a test, or else the lines that have it."""
    old, new = (tuple(_find_regions(text.splitlines(), name)) for text in texts)
    return [
        block
        for block in blocks
        if _touches(block.old_start, len(block.old), old)
        or _touches(block.new_start, len(block.new), new)
    ]


def _touches(start: int, length: int, regions: Iterable[range]) -> bool:
    return any(start < region.stop and region.start < start + length for region in regions)


def _find_regions(lines: list[str], name: str) -> Iterator[range]:
    """Yield the lines of each block of code whose first line has the name.

    It ends before the next line that is indented no more, and begins with the lines directly
    above, which may be decorators or rows of parameters.
    """
    pattern = re.compile(rf"(?<!\w){re.escape(name.rpartition('.')[2] or name)}(?!\w)")
    for number, line in enumerate(lines):
        if pattern.search(line[:_MAX_LINE_LENGTH]):
            yield range(_find_first_line(lines, number), _find_last_line(lines, number) + 1)


def _find_first_line(lines: list[str], number: int) -> int:
    indent = _measure_indent(lines[number])
    while number and lines[number - 1].strip():
        above = lines[number - 1]
        if _measure_indent(above) < indent or above.lstrip().startswith("}"):
            break
        number -= 1
    return number


def _find_last_line(lines: list[str], number: int) -> int:
    indent = _measure_indent(lines[number])
    last = number
    for at in range(number + 1, len(lines)):
        text = lines[at].lstrip()
        if text and _measure_indent(lines[at]) <= indent:
            return at if text.startswith(_CLOSING) else last
        last = at if text else last
    return last


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _rate_block(block: _Block, hints: tuple[str, ...]) -> tuple[int, bool]:
    """Rate by how much the block has of what the reason quotes; edits come before the rest."""
    return _count_hints("\n".join((*block.old, *block.new)), hints), bool(block.old and block.new)


def _list_hints(concern: Concern) -> tuple[str, ...]:
    """Return what the reason quotes besides the names, as the file may have it."""
    names = {concern.path, get_file(concern)}
    quoted = (text for text in _QUOTED.findall(concern.detail) if text not in names)
    parts = (part.strip() for text in quoted for part in text.split(", "))
    return tuple(dict.fromkeys(part.rpartition(".")[2] or part for part in parts if part))


def _count_hints(text: str, hints: tuple[str, ...]) -> int:
    return sum(hint in text for hint in hints)


def _find_pair(block: _Block, hints: tuple[str, ...]) -> tuple[str, str]:
    """Return the differing part of the pair of lines that the hints are about."""
    old = [line[:_MAX_LINE_LENGTH] for line in block.old[:_MAX_BLOCK] if line.strip()]
    new = [line[:_MAX_LINE_LENGTH] for line in block.new[:_MAX_BLOCK] if line.strip()]
    if old and new:
        nearest = (max((_rate(was, now), was, now) for now in new) for was in old)
        _, was, now = max(
            nearest, key=lambda pair: (_count_hints("\n".join(pair[1:]), hints), pair)
        )
        is_any = max(len(old), len(new)) > _MAX_UNHINTED and not _count_hints(was + now, hints)
        return ("", "") if is_any else find_differing_part(was, now)
    lines = old or new
    line = max(lines, key=lambda line: _count_hints(line, hints), default="")
    part = find_differing_part(line, "")[0].rstrip(",")
    return (part, "") if old else ("", part)


def _rate(old: str, new: str) -> float:
    """Rate how similar two lines are; equal ones differ by nothing that could be shown."""
    return 0 if old.split() == new.split() else SequenceMatcher(a=old, b=new).quick_ratio()
