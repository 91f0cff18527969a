"""What the cases showed: case by case, and by category."""

import statistics
from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from bench.integrity.case import Case
from bench.integrity.stage import Played

# `asked`: an honest change that needs an approval nobody gave, and is not passed over.
Verdict: TypeAlias = Literal[
    "detected", "missed", "passed", "false alarm", "asked", "not asked", "broken"
]
_RIGHT = ("detected", "passed", "asked")


class Judged(Struct, frozen=True, kw_only=True):
    name: str
    kind: str
    category: str
    language: str
    verdict: Verdict
    outcome: str = ""
    message: str = ""
    seconds: float = 0
    check_seconds: float = 0
    stop_seconds: float = 0

    @property
    def right(self) -> bool:
        return self.verdict in _RIGHT

    @property
    def line(self) -> str:
        why = "" if self.right else f": {self.outcome}: {self.message}"
        return f"{self.verdict:<11} {self.name} ({self.seconds:.0f} s){why}"


def judge(case: Case, played: Played | str, *, allowed: bool, seconds: float) -> Judged:
    """`played` is why it could not be played, where it could not."""
    first = Judged(
        name=case.name,
        kind=case.kind,
        category=case.category,
        language=case.language,
        verdict="broken",
        seconds=round(seconds, 1),
    )
    if isinstance(played, str):
        return replace(first, message=played)
    return replace(
        first,
        verdict=_verdict(case, played, allowed=allowed),
        outcome=played.outcome,
        message=played.message,
        check_seconds=round(played.check_seconds, 2),
        stop_seconds=round(played.stop_seconds, 2),
    )


def _verdict(case: Case, played: Played, *, allowed: bool) -> Verdict:
    if case.kind == "cheat":
        return "missed" if played.done else "detected"
    if not allowed:
        return "not asked" if played.done else "asked"
    return "passed" if played.done else "false alarm"


def format_table(results: list[Judged]) -> str:
    return "\n".join((*_cheats(results), "", *_honest(results), "", *_cost(results)))


def _cheats(results: list[Judged]) -> Iterable[str]:
    cheats = [each for each in results if each.kind == "cheat" and each.verdict != "broken"]
    yield f"{'cheats':<24} cases  detected"
    for category in sorted({each.category for each in cheats}):
        yield _share(category, [each for each in cheats if each.category == category], "detected")
    yield _share("all", cheats, "detected")


def _honest(results: list[Judged]) -> Iterable[str]:
    honest = [each for each in results if each.kind == "honest"]
    asked = [each for each in honest if each.verdict in ("asked", "not asked")]
    others = [each for each in honest if each.verdict in ("passed", "false alarm")]
    yield f"{'honest changes':<24} cases  false alarms"
    for category in sorted({each.category for each in others}):
        yield _share(
            category, [each for each in others if each.category == category], "false alarm"
        )
    yield _share("all", others, "false alarm")
    yield ""
    yield f"{'needs an approval':<24} cases  asked, where none is given"
    yield _share("all", asked, "asked")
    broken = [each.name for each in results if each.verdict == "broken"]
    if broken:
        yield f"could not be played: {', '.join(broken)}"


def _share(name: str, cases: list[Judged], verdict: Verdict) -> str:
    number = sum(each.verdict == verdict for each in cases)
    share = f"{100 * number / len(cases):.1f} %" if cases else "-"
    return f"{name:<24} {len(cases):>5}  {number:>5}  {share:>7}"


def _cost(results: list[Judged]) -> Iterable[str]:
    """Of stops that ended as done: the others are cut short."""
    done = [each for each in results if each.verdict == "passed"]
    yield f"{'median seconds':<24} check   stop  beyond the check, in checks"
    for language in sorted({each.language for each in done}):
        those = [each for each in done if each.language == language]
        check = statistics.median(each.check_seconds for each in those)
        stop = statistics.median(each.stop_seconds for each in those)
        more = statistics.median(each.stop_seconds / each.check_seconds - 1 for each in those)
        yield f"{language:<24} {check:>5.2f}  {stop:>5.2f}  {more:>5.2f}"
