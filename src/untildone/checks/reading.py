"""What a program printed, read by the parsers that know it, however much it is."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.inventory import Inventory
from untildone.checks.output import clean, pieces
from untildone.checks.parser import Parser, total
from untildone.checks.parsers import DOCUMENTS, LAST_RESORT, PARSERS
from untildone.core.check_results import Tests
from untildone.process import LOG_LIMIT, Finished

_AT_ONCE = 2_000_000
_MOST = 100_000
_CUT = "..."
# A list or an object of JSON, or XML: not a log line such as `[INFO] started`.
_DOCUMENT = re.compile(rb"^(?:\[\s*(?:\{|$)|\{\s*(?:\"|$)|<\?xml |<testsuite)", re.MULTILINE)


class Place(Struct, frozen=True, kw_only=True):
    """Where a program ran: a folder of a project."""

    project: Path | None = None
    folder: str = ""

    def relative(self, text: str) -> str:
        """Paths as seen from there: they must be the same in a copy of the project."""
        if self.project is None:
            return text
        text = _without(self.project / self.folder, text, seen_as="")
        if not self.folder:
            return text
        return _without(self.project, text, seen_as=f"{posixpath.relpath('.', self.folder)}/")


def _without(path: Path, text: str, *, seen_as: str) -> str:
    # macOS reports /tmp as /private/tmp: tools print the one, people give the other.
    roots = sorted({path.absolute(), path.resolve()}, reverse=True)
    either = "|".join(re.sub(r"\\\\|/", r"[\\\\/]", re.escape(str(root))) for root in roots)
    return re.sub(rf"(?<![\w./-])(?:file:///?)?(?:{either})[\\/]", seen_as, text)


class Printed(Struct, frozen=True, kw_only=True):
    """`text` is all of it, or its beginning and end beside `whole`, the file with all of it."""

    place: Place
    text: str
    whole: Path | None = None
    # All of it as it came, where it means nothing in pieces.
    document: str = ""


def printed(finished: Finished, *, place: Place, whole: Path | None) -> Printed:
    cut = finished.size > len(finished.head) + len(finished.tail)
    if whole is None or not cut or not _is_whole(whole, finished.size):
        return Printed(place=place, text=_fit(finished.text, place))
    if finished.size <= _AT_ONCE:
        return Printed(place=place, text=_fit(_text(whole), place))
    in_pieces = finished.size > LOG_LIMIT or not _DOCUMENT.search(finished.head)
    document = "" if in_pieces else _text(whole)
    return Printed(place=place, text=_fit(finished.text, place), whole=whole, document=document)


def _is_whole(path: Path, size: int) -> bool:
    """A full disk may have cost it its end; of a flood it has all that is kept."""
    try:
        return path.stat().st_size == size or size > LOG_LIMIT
    except OSError:
        return False


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _fit(text: str, place: Place) -> str:
    return place.relative(clean(text, environ=os.environ))


def tests_in(output: Printed, parsers: tuple[Parser, ...]) -> Tests | None:
    readers = [parser for parser in parsers if not output.document or parser in DOCUMENTS]
    text = output.document or output.text
    return total(filter(None, (parser.tests(text) for parser in readers)))


def diagnostics_in(
    output: Printed, parsers: tuple[Parser, ...], *, red: bool
) -> tuple[Diagnostic, ...]:
    found = _of_document(output, parsers) if output.document else ()
    found = found or tuple(_of_pieces(output, _worth_asking(output, parsers)))
    # A log line of a program that passed may look just like a complaint.
    return tuple(_of_pieces(output, (LAST_RESORT,))) if red and not found else found


def _worth_asking(output: Printed, parsers: tuple[Parser, ...]) -> tuple[Parser, ...]:
    """All of them are too many for a large output: those that know its beginning or its end."""
    if output.whole is None or len(parsers) < len(PARSERS):
        return parsers
    return tuple(parser for parser in parsers if any(True for _ in parser.parse(output.text)))


def _of_pieces(output: Printed, parsers: tuple[Parser, ...]) -> Iterator[Diagnostic]:
    texts: Iterable[str] = (output.text,)
    if output.whole and parsers:
        texts = (_fit(piece, output.place) for piece in pieces(output.whole))
    found = (each for text in texts for parser in parsers for each in parser.parse(text))
    yield from islice(found, _MOST)


def _of_document(output: Printed, parsers: tuple[Parser, ...]) -> tuple[Diagnostic, ...]:
    """Cleaning all of it would take longer than reading it: what is found in it is cleaned."""
    readers = [parser for parser in parsers if parser in DOCUMENTS]
    found = [each for parser in readers for each in parser.parse(output.document)]
    fit = _fit_texts(dict.fromkeys(each.text for each in found), output.place)
    return tuple(
        each if fit[each.text] == each.text else replace(each, text=fit[each.text])
        for each in found
    )


def uncut(
    found: tuple[Diagnostic, ...], inventory: Inventory | None, place: Place
) -> tuple[Diagnostic, ...]:
    """pytest cuts its summary to the width of a terminal, but not its report."""
    cut = [each for each in found if each.code and each.text.endswith(_CUT)]
    if inventory is None or not cut:
        return found
    said = {case.id: case.text for case in inventory.cases}
    texts = {each: said.get(f"{each.path}::{each.code}", "") for each in cut}
    whole = {
        each: text
        for each, text in texts.items()
        if text and text.startswith(each.text.removesuffix(_CUT))
    }
    fit = _fit_texts(dict.fromkeys(whole.values()), place)
    return tuple(replace(each, text=fit[whole[each]]) if each in whole else each for each in found)


def _fit_texts(said: Iterable[str], place: Place) -> dict[str, str]:
    """All at once: each of them is one line, and stays one unless something ran over its end."""
    lines = list(said)
    cleaned = _fit("\n".join(lines), place).split("\n")
    if len(cleaned) != len(lines):
        cleaned = [_fit(line, place) for line in lines]
    return dict(zip(lines, cleaned, strict=True))
