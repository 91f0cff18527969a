"""`gcc`, `clang` and the linker behind them: errors and warnings, not their notes."""

from collections.abc import Iterator

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic
from untildone.core.late_patterns import compile_late

PROGRAMS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake")

_PATH = (
    r"(?P<path>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*"
    r"\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tpp|def|m|mm|cu|s|i|ii|l|y|ll|yy))"
)
# cart.c:8:12: warning: implicit declaration of function 'nothing' [-Wimplicit-function-declaration]
# include.c:1:10: fatal error: nothing.h: No such file or directory
_COMPILER = compile_late(
    rf"(?mi)^(?:\./)?{_PATH}:(?P<line>\d{{1,9}})(?::\d+)?: (?:fatal )?(?P<severity>error|warning): "
    r"(?P<text>\S.*?)(?: \[(?P<code>-W[^\s\]]+|-f[\w-]+)\])?$"
)
# link.c:(.text+0x5): undefined reference to `missing'
# /usr/bin/ld: link.c:2: undefined reference to `missing'
_LINKER = compile_late(
    rf"(?mi)^(?:\S*ld(?:\.\w+)?: )?{_PATH}:(?:(?P<line>\d{{1,9}})|\(\S+\)): "
    r"(?P<text>undefined reference to .+|multiple definition of .+)$"
)


def parse(output: str) -> Iterator[Diagnostic]:
    yield from map(make_diagnostic, _COMPILER.finditer(output))
    for match in _LINKER.finditer(output):
        yield make_diagnostic(match, code="ld")
