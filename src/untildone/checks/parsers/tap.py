"""TAP, the lines of `prove`, `bats`, `tape` and others: a plan, and `ok` or `not ok` per test."""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import make_diagnostic, name_tests, split_blocks
from untildone.core.check_results import Tests
from untildone.core.late_patterns import compile_late

PROGRAMS = ("bats", "tape", "tap", "ava", "perl", "prove", "mocha", "_mocha")

# 1..4
_PLAN = compile_late(r"(?m)^1\.\.(?P<count>\d{1,9})(?: *#.*)?$")
# The first line. A program that ends early may write no plan.
_VERSION = compile_late(r"(?m)^TAP version 1[34]$")
# not ok 5 - is later # TODO later
#     ok 1 - is open
_RESULT = compile_late(
    r"(?mi)^(?P<indent> {0,64})(?P<failed>not )?ok (?P<number>\d{1,9})(?: -)?"
    r"(?: (?P<test>[^#\n]*))?(?:# *(?P<directive>skip|todo)\b.*|#.*)?$"
)
# Bail out!  no database
_BAIL = compile_late(r"(?m)^Bail out! *(?P<reason>.*)$")
#     at: Test.<anonymous> (/tmp/shop/tap/cart.js:4:5)
#   at cart.t line 3.
# (in test file cart.bats, line 2)
_LOCATION = compile_late(
    r"(?m)^ *(?:at:?|#) .*?(?<=[\s(])(?P<path>[^\s()]+?)"
    r"(?:,? line (?=\d+[.)]$)|:(?=\d+:\d+\)?$))(?P<line>\d{1,9})"
)
#     expected: 3
#     actual:   2
_EXPECTED = compile_late(r"(?m)^[ #]*expected: *(?P<value>\S.*)$")
_ACTUAL = compile_late(r"(?m)^[ #]*(?:actual|got): *(?P<value>\S.*)$")
_MESSAGE = compile_late(
    r"(?m)^(?: +| *# {2,})(?P<text>(?!---|\.\.\.|#|at |Failed |operator:)\S.*)$"
)
# `node --test` writes TAP too, and has its own parser.
_NODE = compile_late(r"(?m)^ *(?:# )?duration_ms:? [\d.]+$")


class _Line(Struct):
    """A result and the text below it."""

    depth: int
    name: str
    outcome: str
    below: str


def parse(output: str) -> Iterator[Diagnostic]:
    for line in _find_leaves(output):
        if line.outcome == "failed":
            location = _LOCATION.search(line.below)
            yield make_diagnostic(location, code=line.name, text=_choose_text(line.below))
    for match in _BAIL.finditer(output) if _is_tap(output) else ():
        yield Diagnostic(path="", code="Bail out!", text=match["reason"] or "gave up")


def _is_tap(output: str) -> bool:
    return bool(_PLAN.search(output) or _VERSION.search(output)) and not _NODE.search(output)


def _choose_text(below: str) -> str:
    expected, actual = _EXPECTED.search(below), _ACTUAL.search(below)
    if expected and actual:
        return f"expected {expected['value']}, got {actual['value']}"
    message = _MESSAGE.search(below)
    return message["text"] if message else "failed"


def _read_lines(output: str) -> Iterator[_Line]:
    if not _is_tap(output):
        return
    for match, below in split_blocks(_RESULT, output):
        outcome = "failed" if match["failed"] else "passed"
        yield _Line(
            depth=len(match["indent"]),
            name=(match["test"] or "").strip() or f"test {int(match['number'])}",
            outcome="skipped" if match["directive"] else outcome,
            below=below,
        )


def _find_leaves(output: str) -> list[_Line]:
    """Return the tests without parents, which follow their subtests.

    A parent that fails counts itself only if none of its subtests failed.
    """
    leaves: list[_Line] = []
    for line in _read_lines(output):
        inner = len(leaves)
        while inner and leaves[inner - 1].depth > line.depth:
            inner -= 1
            leaves[inner].name = f"{line.name} > {leaves[inner].name}"
            leaves[inner].depth = line.depth
        outcomes = {child.outcome for child in leaves[inner:]}
        if not outcomes or (line.outcome == "failed" and "failed" not in outcomes):
            leaves.append(line)
    return leaves


def parse_tests(output: str) -> Tests | None:
    if not _is_tap(output):
        return None
    names: dict[str, list[str]] = {"passed": [], "failed": [], "skipped": []}
    for line in _find_leaves(output):
        names[line.outcome].append(line.name)
    names["failed"] += ["Bail out!"] * bool(_BAIL.search(output))
    report = name_tests(names["failed"], passing=names["passed"], skipping=names["skipped"])
    # Tests of the plan without a result: the program ended early. Without a plan it is one or more.
    plans = [int(match["count"]) for match in _PLAN.finditer(output)]
    reported = sum(not match["indent"] for match in _RESULT.finditer(output))
    missing = max(sum(plans) - reported, 0) if plans else 1
    return replace(report, failed=report.failed + missing)
