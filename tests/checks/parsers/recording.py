"""Recorded output of real programs: one file each, named after the program and its version."""

from pathlib import Path

from untildone.checks.clean_output import clean
from untildone.checks.findings import Diagnostic
from untildone.checks.parser import Parser, RunnerParser
from untildone.checks.parsers import PARSERS
from untildone.core.check_results import Tests

RECORDED = Path(__file__).parent.parent / "recorded"
# Programs that one module reads under another name.
FAMILIES = {"gcc": "cc", "clang": "cc", "basedpyright": "pyright"}


def load_recorded(name: str) -> str:
    return clean(RECORDED.joinpath(f"{name}.txt").read_text(encoding="utf-8"))


def find_owner(name: str) -> str:
    program = name.partition("-")[0]
    return FAMILIES.get(program, program)


def find_parser(name: str) -> Parser:
    return PARSERS[find_owner(name)]


def parse_recorded(name: str) -> tuple[Diagnostic, ...]:
    return tuple(find_parser(name).parse(load_recorded(name)))


def count_recorded(name: str) -> Tests | None:
    return read_tests(find_parser(name), load_recorded(name))


def read_tests(parser: Parser, text: str) -> Tests | None:
    return parser.parse_tests(text) if isinstance(parser, RunnerParser) else None


def error(path: str, line: int, code: str, text: str) -> Diagnostic:
    return Diagnostic(path=path, line=line, code=code, text=text)


def warning(path: str, line: int, code: str, text: str) -> Diagnostic:
    return Diagnostic(path=path, line=line, code=code, severity="warning", text=text)


def info(path: str, line: int, code: str, text: str) -> Diagnostic:
    return Diagnostic(path=path, line=line, code=code, severity="info", text=text)
