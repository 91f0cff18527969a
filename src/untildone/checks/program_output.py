"""Parses what a program printed with the parsers that know it, however long the output is."""

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.clean_output import clean, read_pieces
from untildone.checks.findings import Diagnostic
from untildone.checks.parser import Parser, RunnerParser, sum_tests
from untildone.checks.parsers import LAST_RESORT, PARSERS, reads_documents
from untildone.checks.run_report import RunReport
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late
from untildone.process.output import LOG_LIMIT
from untildone.process.runner import Finished

_READ_AT_ONCE = 2_000_000
_MOST_DIAGNOSTICS = 100_000
_ELLIPSIS = "..."
# The beginning of JSON or XML, but not a log line such as `[INFO] started`.
_DOCUMENT = compile_late(rb"^(?:\[\s*(?:\{|$)|\{\s*(?:\"|$)|<\?xml |<testsuite)", re.MULTILINE)


class RunFolder(Struct, frozen=True, kw_only=True):
    """The folder of a project in which a program ran."""

    project: Path | None = None
    folder: str = ""

    def clean(self, text: str) -> str:
        """Return the text without secrets, its paths relative, so that a sandbox gives the same."""
        text = clean(text, environ=os.environ)
        if self.project is None:
            return text
        text = _replace_root(self.project / self.folder, text, by="")
        if not self.folder:
            return text
        return _replace_root(self.project, text, by=f"{posixpath.relpath('.', self.folder)}/")

    def clean_lines(self, texts: Iterable[str]) -> dict[str, str]:
        """Return each text of one line with its clean form; cleaning all at once is faster."""
        lines = list(texts)
        cleaned = self.clean("\n".join(lines)).split("\n")
        if len(cleaned) != len(lines):
            # An escape sequence or a secret extended beyond its line.
            cleaned = [self.clean(line) for line in lines]
        return dict(zip(lines, cleaned, strict=True))


def _replace_root(path: Path, text: str, *, by: str) -> str:
    # macOS resolves /tmp to /private/tmp: tools print one form, users give the other.
    roots = sorted({path.absolute(), path.resolve()}, reverse=True)
    alternatives = "|".join(re.sub(r"\\\\|/", r"[\\\\/]", re.escape(str(root))) for root in roots)
    return re.sub(rf"(?<![\w./-])(?:file:///?)?(?:{alternatives})[\\/]", by, text)


class ProgramOutput(Struct, frozen=True, kw_only=True):
    """The output of a program.

    `text` is all of it, or its beginning and end if `file` has all of it.
    `document` is all of it, not cleaned, if it is JSON or XML that cannot be read in pieces.
    """

    folder: RunFolder
    text: str
    file: Path | None = None
    document: str = ""


def load_output(finished: Finished, *, folder: RunFolder, file: Path | None) -> ProgramOutput:
    is_cut = finished.size > len(finished.head) + len(finished.tail)
    if file is None or not is_cut or not _is_complete(file, finished.size):
        return ProgramOutput(folder=folder, text=folder.clean(finished.text))
    if finished.size <= _READ_AT_ONCE:
        return ProgramOutput(folder=folder, text=folder.clean(_read_text(file)))
    in_pieces = finished.size > LOG_LIMIT or not _DOCUMENT.search(finished.head)
    return ProgramOutput(
        folder=folder,
        text=folder.clean(finished.text),
        file=file,
        document="" if in_pieces else _read_text(file),
    )


def _is_complete(path: Path, size: int) -> bool:
    """Say whether the file has the output; beyond `LOG_LIMIT` it is cut on purpose."""
    try:
        return path.stat().st_size == size or size > LOG_LIMIT
    except OSError:
        return False


def _read_text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def parse_tests(output: ProgramOutput, parsers: tuple[Parser, ...]) -> Tests | None:
    text = output.document or output.text
    return sum_tests(
        tests
        for parser in parsers
        if isinstance(parser, RunnerParser) and (not output.document or reads_documents(parser))
        if (tests := parser.parse_tests(text))
    )


def parse_diagnostics(
    output: ProgramOutput, parsers: tuple[Parser, ...], *, red: bool
) -> tuple[Diagnostic, ...]:
    found = _parse_document(output, parsers) if output.document else ()
    found = found or tuple(_parse_pieces(output, _filter_parsers(output, parsers)))
    # A log line of a program that passed may look like a finding.
    return tuple(_parse_pieces(output, (LAST_RESORT,))) if red and not found else found


def _filter_parsers(output: ProgramOutput, parsers: tuple[Parser, ...]) -> tuple[Parser, ...]:
    """Return the parsers, for a large output only those that find something in its ends."""
    if output.file is None or len(parsers) < len(PARSERS):
        return parsers
    # All of them would take too long.
    return tuple(parser for parser in parsers if any(True for _ in parser.parse(output.text)))


def _parse_pieces(output: ProgramOutput, parsers: tuple[Parser, ...]) -> Iterator[Diagnostic]:
    texts: Iterable[str] = (output.text,)
    if output.file and parsers:
        texts = map(output.folder.clean, read_pieces(output.file))
    found = chain.from_iterable(parser.parse(text) for text in texts for parser in parsers)
    yield from islice(found, _MOST_DIAGNOSTICS)


def _parse_document(output: ProgramOutput, parsers: tuple[Parser, ...]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics in a document."""
    readers = filter(reads_documents, parsers)
    found = [diagnostic for parser in readers for diagnostic in parser.parse(output.document)]
    # Only the texts are cleaned: cleaning the document would take longer than parsing it.
    cleaned = output.folder.clean_lines(dict.fromkeys(diagnostic.text for diagnostic in found))
    if all(text == clean_text for text, clean_text in cleaned.items()):
        return tuple(found)
    return tuple(replace(diagnostic, text=cleaned[diagnostic.text]) for diagnostic in found)


def restore_cut_texts(
    found: tuple[Diagnostic, ...], report: RunReport | None, folder: RunFolder
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with full texts: pytest cuts its summary, but not its report."""
    reported = {case.id: case.text for case in report.cases} if report else {}
    texts: dict[Diagnostic, str] = {}
    for diagnostic in found:
        text = reported.get(f"{diagnostic.path}::{diagnostic.code}", "")
        beginning = diagnostic.text.removesuffix(_ELLIPSIS)
        is_cut = beginning != diagnostic.text
        if text and is_cut and text.startswith(beginning):
            texts[diagnostic] = text
    cleaned = folder.clean_lines(dict.fromkeys(texts.values()))
    return tuple(
        replace(diagnostic, text=cleaned[texts[diagnostic]]) if diagnostic in texts else diagnostic
        for diagnostic in found
    )
