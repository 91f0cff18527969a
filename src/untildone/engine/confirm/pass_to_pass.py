"""The checks in a clean copy, on the start's tests; and if they are red there, why."""

import os
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.check_results import BaselineResult, CheckResult
from untildone.core.contract import Check
from untildone.core.criteria import compare_with_baseline
from untildone.core.evidence import Concern, Evidence
from untildone.engine.check_run import run
from untildone.engine.confirm.alternatives import Ways
from untildone.engine.confirm.inputs import Matter
from untildone.integrity.baseline import read_baseline_time
from untildone.integrity.experiments.blame import blamed, unexplained
from untildone.integrity.experiments.compose import Composed, whole
from untildone.integrity.experiments.folders import whole_path
from untildone.integrity.experiments.unfit import unfit
from untildone.sandbox import sandboxes

_NOT_FOUND = "No module named"


class Replay(Struct, frozen=True):
    """What the clean copy showed: `passed` None where nobody can tell."""

    passed: bool | None
    told: str
    concerns: tuple[Concern, ...] = ()
    results: tuple[CheckResult, ...] = ()
    fault: str = ""
    # Files of tests that are not the start's after all.
    taken: frozenset[str] = frozenset()


class _Ran(Struct, frozen=True):
    results: tuple[CheckResult, ...]
    fault: str = ""
    unproved: str = ""

    @property
    def red(self) -> tuple[CheckResult, ...]:
        return tuple(result for result in self.results if not result.green)

    @property
    def proves(self) -> bool:
        return bool(self.results) and not self.red and not self.fault

    @property
    def names(self) -> frozenset[str]:
        return frozenset(result.name for result in self.red)


class Runs(Struct, frozen=True):
    """Runs of trees in the same surroundings; `found` is what the comparison showed."""

    evidence: Evidence
    given: Matter
    found: tuple[Concern, ...] = ()
    # Begun as soon as a check runs.
    meanwhile: Callable[[], object] = bool

    def of(self, tree: Composed, checks: Sequence[Check]) -> _Ran:
        site = self.given.site
        with sandboxes.open_sandbox(tree, self.place()) as place:
            if place.unproved:
                return _Ran((), unproved=place.unproved)
            self.meanwhile()
            results, fault = run(checks, site, place=place)
        judged = replace(self.evidence, checks=results)
        return _Ran(compare_with_baseline(self.given.contract, judged, strict=True).checks, fault)

    def proving(self, checks: Sequence[Check]) -> Callable[[Composed], bool]:
        return lambda tree: self.of(tree, checks).proves

    def ways(self) -> Ways:
        given = self.given
        assert given.comparison is not None  # noqa: S101  a replay compares
        return Ways(
            comparison=given.comparison,
            tried=given.composed,
            adapted=given.adapted,
            taken=given.taken,
            whole=not self.found,
        )

    def place(self) -> sandboxes.SandboxSource:
        given = self.given
        return sandboxes.SandboxSource(
            project=given.site.project,
            ignored=given.start.ignored,
            environ=dict(os.environ),
            at_start=given.start.variables | given.paths,
            since=read_baseline_time(given.site.loop / "baseline"),
        )


def replay(runs: Runs) -> Replay:
    given = runs.given
    checks = [check for check in given.contract.checks if check.replay]
    if not checks:
        return Replay(None, "ratchet only: no check is replayed")
    first = runs.of(given.composed, checks)
    if first.unproved or first.fault:
        return Replay(None, f"ratchet only: {first.unproved}", fault=first.fault)
    if not first.red:
        return Replay(True, "replayed: the start's tests pass on the code", results=first.results)
    return _questioned(runs, first, [check for check in checks if check.name in first.names])


def _questioned(runs: Runs, first: _Ran, checks: Sequence[Check]) -> Replay:
    """Before anybody is asked: is it the tests of the start, the clean copy, or chance?"""
    given = runs.given
    assert given.comparison is not None  # noqa: S101  a replay compares
    now = runs.of(whole(given.comparison, now=True), checks)
    if now.fault:
        return Replay(None, "", fault=now.fault)
    if now.red:
        return _in_doubt(runs, first, checks)
    restored = given.composed.restored
    again = runs.of(given.composed, checks) if restored else now
    if again.fault or not again.red:
        told = "replayed: the start's tests pass on the code, the second time"
        return Replay(True, told, results=again.results, fault=again.fault)
    refused = unfit(given.comparison.old, restored, again.red, runs.evidence.baseline or ())
    if refused and not runs.of(_without(given, refused), checks).red:
        names = ", ".join(sorted(refused))
        told = f"replayed: the start's tests pass on the code, but for findings in {names}"
        return Replay(True, told, taken=refused)
    if told := runs.ways().told(again.red, runs.evidence, proves=runs.proving(checks)):
        return Replay(True, told)
    if _once_led_to_it(runs, again, checks):
        return Replay(True, "replayed: the start's tests pass on the code, once led to it")
    told = "replayed: the start's tests do not pass on the code"
    return Replay(False, told, tuple(blamed(given.comparison, restored, again.red)))


def _once_led_to_it(runs: Runs, red: _Ran, checks: Sequence[Check]) -> bool:
    """Where tests look for modules may change: what the start's find is the product itself."""
    given = runs.given
    if given.comparison is None or not all(_NOT_FOUND in result.output for result in red.red):
        return False
    paths = whole_path(given.comparison, given.start.variables)
    return replace(runs, given=replace(given, paths=paths)).of(given.composed, checks).proves


def _without(given: Matter, refused: frozenset[str]) -> Composed:
    """The start's files but for these."""
    assert given.comparison is not None  # noqa: S101  a replay compares
    new = given.comparison.new
    files = {**given.composed.files, **{path: new.root / path for path in refused if path in new}}
    kept = (path for path in given.composed.restored if path not in refused)
    return Composed(files, tuple(kept))


def _in_doubt(runs: Runs, first: _Ran, checks: Sequence[Check]) -> Replay:
    """The project's own tree fails in the copy: held against it only if the start does not."""
    assert runs.given.comparison is not None  # noqa: S101  a replay compares
    start = runs.of(whole(runs.given.comparison, now=False), checks)
    known = {result.name: result for result in runs.evidence.baseline or ()}
    if start.fault or not all(_as_known(result, known) for result in start.results):
        reasons = "; ".join(f"{result.name}: {result.reason}" for result in first.red)
        told = f"ratchet only: a clean copy is not enough for the checks ({reasons})"
        return Replay(None, told, fault=start.fault)
    told = "replayed: the checks pass in the project only"
    return Replay(False, told, tuple(unexplained(first.red)))


def _as_known(result: CheckResult, known: dict[str, BaselineResult]) -> bool:
    """Whether the copy showed of the start what the project itself did."""
    then = known.get(result.name)
    if then is None or then.outcome != result.outcome:
        return False
    if result.green:
        return True
    before, now = then.tests, result.tests
    return bool(before and now and before.executed and before.executed == now.executed)
