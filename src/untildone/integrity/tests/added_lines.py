"""Changes of tests that keep every line and only add whole tests, rows of tables and the like.

Most honest changes of tests are such. What they could take away shows in a run of the baseline's
tests, so they are read only where no such run passes.
"""

from collections.abc import Iterator, Sequence

from untildone.core.evidence import Concern
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.concern_search import search_concerns
from untildone.integrity.tests import comparison as tests

_WORD = compile_late(r"\w+")
# def test_a(): … func (c Cart) TestA( … class TestCart
_NAMED = compile_late(r"^\s*(?:async +)?(?:def|func|fn|function|class) +(?:\([^)]*\) *)?(\w+)")
# t.test('adds', … it("adds", …
_TITLED = compile_late(r"^\s*(?:\w+\.)*(?:test|it|describe|context|suite)\(\s*['\"`]")
# @pytest.mark.parametrize(… #[test]
_DECORATOR = compile_late(r"^\s*(?:@\w|#\[)")
# ferry.fare = …
_REBOUND = compile_late(r"(\w+)[\w.\[\]'\"]* *=(?!=)")
_IMPORT = compile_late(r"^(?:from +[\w.]+ +)?import +[\w.]+")
_COMMENT = compile_late(r"^\s*(?:#(?!\[)|//(?! *(?:go:|\+build))|\*|/\*.*\*/)")
# A row of a table: brackets, texts, numbers, and names of fields before a colon.
_STRING = compile_late(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)""")
_FIELD = compile_late(r"\b\w+ *:|\b(?:true|false|null|nil|None|True|False|undefined)\b|\b\d\w*")
_ROW = compile_late(r"[\s{}()\[\],.+-]*")


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield the concerns about tests, unless they are read only after a run."""
    if not comparison.fact(find_extended_files):
        yield from tests.find_concerns(comparison)


def find_concerns_about_additions(comparison: Comparison) -> tuple[Concern, ...]:
    """Return the concerns that `find_concerns` has left out. Use as a fact."""
    if not comparison.fact(find_extended_files):
        return ()
    return search_concerns(comparison, (tests.find_concerns,))


def find_extended_files(comparison: Comparison) -> tuple[str, ...]:
    """Return the changed test files if all of them only gained lines, else none. Use as a fact."""
    old, new = comparison.trees
    paths = tests.find_changed_files(comparison)
    if all(only_gains(old.text(path), new.text(path)) for path in paths):
        return paths
    return ()


def only_gains(old: str, new: str) -> bool:
    """Say whether all old lines are there, in their order, beside rows of tables and new tests."""
    known = frozenset(_WORD.findall(old))
    added: list[str] = []
    remaining = iter(new.splitlines())
    for line in old.splitlines():
        for other in remaining:
            if other == line:
                break
            added.append(other)
        else:
            return False
        if added and not _is_harmless(added, known, following=line):
            return False
        added = []
    return not old or _is_harmless(list(remaining), known)


def _is_harmless(lines: Sequence[str], known: frozenset[str], following: str = "") -> bool:
    """Say whether the lines are rows and comments, and perhaps new tests and functions behind.

    The line `following` them must not have become a part of the last one.
    """
    for number, line in enumerate(lines):
        if _begins_function(lines, number, known):
            rest = lines[number:]
            is_closed = not following.strip() or _measure_indent(following) <= _measure_indent(line)
            is_balanced = not sum(map(_count_open, rest))
            return is_closed and is_balanced and not any(_rebinds(each, known) for each in rest)
        if not (_is_row(line) or _COMMENT.match(line) or _imports_new_names(line, known)):
            return False
    return True


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _count_open(line: str) -> int:
    """Return how many brackets the line opens, less those that it closes."""
    text = _STRING.sub("", line)
    return sum(text.count(each) for each in "([{") - sum(text.count(each) for each in ")]}")


def _begins_function(lines: Sequence[str], number: int, known: frozenset[str]) -> bool:
    """Say whether a test or function with a new name begins in this line, or is decorated by it."""
    is_decorated = bool(_DECORATOR.match(lines[number]))
    for line in lines[number:] if is_decorated else (lines[number],):
        if named := _NAMED.match(line):
            return named[1] not in known
        if _TITLED.match(line):
            return True
    return False


def _rebinds(line: str, known: frozenset[str]) -> bool:
    """Say whether a line outside of functions gives a known name another value."""
    rebound = _REBOUND.match(line)
    return rebound is not None and rebound[1] in known


def _is_row(line: str) -> bool:
    return bool(_ROW.fullmatch(_FIELD.sub("", _STRING.sub("", line))))


def _imports_new_names(line: str, known: frozenset[str]) -> bool:
    return bool(_IMPORT.match(line)) and known.isdisjoint(
        _WORD.findall(line.rpartition("import")[2])
    )
