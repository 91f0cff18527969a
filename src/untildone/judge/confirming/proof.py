"""Green checks proved: compared with the start, and run again on its tests in a clean copy."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity import dependencies, oracle, surroundings
from untildone.integrity.ratchet import Compared, compared
from untildone.integrity.ratchets import losses
from untildone.integrity.replay import room
from untildone.integrity.replay.adapted import adapted
from untildone.integrity.replay.blame import blamed, unexplained
from untildone.integrity.replay.compose import Composed, FromNow, composed, named_by, whole
from untildone.integrity.replay.folders import python_path
from untildone.integrity.replay.renamed import renamed
from untildone.integrity.replay.unfit import unfit
from untildone.integrity.roles import role
from untildone.integrity.scripts.followed import followed
from untildone.integrity.settings.ratchet import harmless
from untildone.integrity.start import Start, kept, kept_at
from untildone.integrity.testing.inventory import serves
from untildone.integrity.tree import tree_of, walked
from untildone.judge.checking import Site, run
from untildone.judge.confirming.otherwise import Ways
from untildone.loop.criteria import against_start
from untildone.loop.losses import allowed, name_of
from untildone.loop.model import (
    Check,
    CheckResult,
    Contract,
    Evidence,
    Loss,
    Oracle,
    StartResult,
)
from untildone.loop.vanished import lost_tests
from untildone.process import environment

# A run of the start's own tests shows whether these took anything away.
_PROVABLE = frozenset(("edit-test", "edit-expected"))


def _nothing(_: str) -> bool:
    return False


class Matter(Struct, frozen=True, kw_only=True):
    """The start beside now; `off` says why they cannot be compared, `broken` that they may not."""

    contract: Contract
    site: Site
    both: Compared | None = None
    start: Start = Start(entries={})
    composed: Composed = Composed({}, ())
    # Tests that differ by names of the product alone.
    followed: tuple[str, ...] = ()
    # Tests of the start in the words of now.
    adapted: dict[str, str] = {}
    # Where Python finds what the start's tests import.
    paths: dict[str, str] = {}
    # What judges as it is now, whatever it says.
    taken: FromNow = _nothing
    off: str = ""
    broken: str = ""

    def covers(self, check: Check) -> bool:
        """Whether its run in the clean copy is one of this very tree."""
        return self.both is not None and check.replay and not self.composed.restored


def matter(contract: Contract, site: Site) -> Matter:
    if not site.kept:
        off = site.unkept or "the start was not kept"
        return Matter(contract=contract, site=site, off=off)
    folder = site.loop / "baseline"
    try:
        start, old = kept(folder, site.kept)
    except ValueError as error:
        return Matter(contract=contract, site=site, broken=str(error))
    new = tree_of(site.project, walked(site.project, ignored=start.ignored))
    commands = (check.command for check in contract.checks)
    both = compared(old, new, commands, task=contract.task)
    allowed_now = named_by(contract.allow, both)
    followed = renamed(both)
    words = adapted(both)

    def taken(path: str) -> bool:
        return path in followed or allowed_now(path)

    def from_now(path: str) -> bool:
        return taken(path) or _loosens_nothing(both, path)

    return Matter(
        contract=contract,
        site=site,
        both=both,
        start=start,
        composed=composed(both, from_now=from_now, adapted=words),
        adapted=words,
        followed=tuple(sorted(followed.intersection(new))),
        taken=taken,
        paths=python_path(both, start.variables),
    )


def _loosens_nothing(both: Compared, path: str) -> bool:
    return role(path) == "config" and harmless(both, path)


def proved(evidence: Evidence, given: Matter) -> Evidence:
    """The person's hidden check comes last: only what holds otherwise is asked of it."""
    shown = _shown(evidence, given)
    lost = [each for each in shown.losses or () if not allowed(each, given.contract.allow)]
    if given.contract.oracle is None or lost or shown.fault or shown.broken_seal:
        return shown
    hidden = _hidden(given.contract.oracle, _Runs(evidence, given))
    told = "the hidden check passes" if hidden is None else "the hidden check does not pass"
    more = (hidden,) if hidden else ()
    return replace(shown, losses=(*(shown.losses or ()), *more), proved=(*shown.proved, told))


def _hidden(secret: Oracle, runs: "_Runs") -> Loss | None:
    given = runs.given
    if given.both is None:
        return oracle.asked(secret, cwd=given.site.project, environ=environment(os.environ))
    with room.furnished(whole(given.both, now=True), runs.place()) as place:
        environ = environment(place.environ)
        return oracle.asked(secret, cwd=place.project, environ=environ, through=place.through)


def _shown(evidence: Evidence, given: Matter) -> Evidence:
    if given.broken:
        return replace(evidence, broken_seal=given.broken)
    allow = given.contract.allow
    if given.both is None:
        found = tuple(lost_tests(evidence, allow))
        told = f"not compared with the start: {given.off}"
        return replace(evidence, losses=found, proved=(told,))
    with ThreadPoolExecutor(max_workers=1) as apart:
        # An environment has tens of thousands of files: they are looked at while the checks run.
        around = apart.submit(_around, given)
        found = tuple(losses(given.both))
        found += tuple(lost_tests(evidence, (*allow, *(each.id for each in found))))
        replay = _replay(_Runs(evidence, given, found)) if _provable(found, allow) else None
        found += around.result()
    if replay is None or not _provable(found, allow):
        return replace(evidence, losses=found, proved=("compared with the start, not replayed",))
    return _replayed(evidence, given, found, replay)


def _provable(found: Sequence[Loss], allow: tuple[str, ...]) -> bool:
    return all(each.kind in _PROVABLE for each in found if not allowed(each, allow))


def differences(contract: Contract, site: Site) -> tuple[Loss, ...]:
    """What a comparison alone tells; nothing where there is nothing to compare with."""
    given = matter(contract, site)
    return () if given.both is None else _differing(given, given.both)


def _differing(given: Matter, both: Compared) -> tuple[Loss, ...]:
    return (*losses(both), *_around(given))


def _around(given: Matter) -> tuple[Loss, ...]:
    """What is not in the tree, and decides all the same what the checks come to."""
    project = given.site.project
    commands = [check.command for check in given.contract.checks]
    return (
        *surroundings.losses(project, commands, os.environ, given.start.surroundings),
        *dependencies.losses(project, given.start.dependencies),
    )


class _Replay(Struct, frozen=True):
    """What the clean copy showed: `passed` None where nobody can tell."""

    passed: bool | None
    told: str
    losses: tuple[Loss, ...] = ()
    results: tuple[CheckResult, ...] = ()
    fault: str = ""
    # Files of tests that are not the start's after all.
    taken: frozenset[str] = frozenset()


def _replayed(
    evidence: Evidence, given: Matter, found: tuple[Loss, ...], replay: _Replay
) -> Evidence:
    told = (replay.told, *_followed(given), *_left_out(given.contract))
    if replay.fault:
        return replace(evidence, fault=evidence.fault or replay.fault)
    if replay.passed is False:
        named = {lost.path for lost in found}
        more = tuple(lost for lost in replay.losses if lost.path not in named)
        return replace(evidence, losses=(*found, *more), proved=told)
    if replay.passed and not given.composed.restored:
        ran = {result.name for result in evidence.checks}
        missing = tuple(result for result in replay.results if result.name not in ran)
        evidence = replace(evidence, checks=evidence.checks + missing)
    if replay.passed and evidence.start:
        known = tuple(each for each in found if each.path not in replay.taken)
        shown = _shown_harmless(given, _told_by_the_run(evidence, given, known))
        told += _harmless(shown)
        found = tuple(each for each in found if each not in shown)
    return replace(evidence, losses=found, proved=told)


def _followed(given: Matter) -> tuple[str, ...]:
    said = [path for path in given.adapted if path in given.composed.restored]
    told = (
        ("only follow the product to a new name, so taken as they are", given.followed),
        ("the start's, with the names and without the marks that are gone", said),
    )
    return tuple(f"{how}: {', '.join(paths)}" for how, paths in told if paths)


def _left_out(contract: Contract) -> tuple[str, ...]:
    return tuple(
        f"`{check.name}` is not replayed: {check.replay_reason or 'by the person'}"
        for check in contract.checks
        if not check.replay
    )


def _told_by_the_run(
    evidence: Evidence, given: Matter, found: tuple[Loss, ...]
) -> tuple[Loss, ...]:
    """A run without a report shows only what became of the scripts that it ran and was red by."""
    if given.both is None or any(result.tests for result in evidence.checks):
        return found
    red = {result.name for result in evidence.start or () if not result.green}
    checks = (check for check in given.contract.checks if check.replay and check.name in red)
    ran = {path for each in checks for _, path in followed(given.both.old, each.command)}
    return tuple(each for each in found if each.path in ran)


def _shown_harmless(given: Matter, found: Sequence[Loss]) -> tuple[Loss, ...]:
    """By tests of the start: a file that was taken from now by an approval shows nothing."""
    both = given.both
    assert both is not None  # noqa: S101  a replay compares
    differ = {*both.changes.edited, *both.changes.removed, *both.changes.added}
    taken = {each for each in differ - set(given.composed.restored) if both.role(each) == "test"}
    helped = any(serves(each) for each in taken)
    return tuple(
        each
        for each in found
        if each.kind in _PROVABLE and each.path not in taken and (each.path in differ or not helped)
    )


def _harmless(found: Sequence[Loss]) -> tuple[str, ...]:
    names = [name_of(each.id) for each in found]
    told = f"the start's tests pass, so these took nothing away: {', '.join(names)}"
    return (told,) if names else ()


def _replay(runs: "_Runs") -> _Replay:
    given = runs.given
    checks = [check for check in given.contract.checks if check.replay]
    if not checks:
        return _Replay(None, "ratchet only: no check is replayed")
    first = runs.of(given.composed, checks)
    if first.unproved or first.fault:
        return _Replay(None, f"ratchet only: {first.unproved}", fault=first.fault)
    if not first.red:
        return _Replay(True, "replayed: the start's tests pass on the code", results=first.results)
    return _questioned(runs, first, [check for check in checks if check.name in first.names])


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


class _Runs(Struct, frozen=True):
    """Runs of trees in the same surroundings; `found` is what the comparison showed."""

    evidence: Evidence
    given: Matter
    found: tuple[Loss, ...] = ()

    def of(self, tree: Composed, checks: Sequence[Check]) -> _Ran:
        site = self.given.site
        with room.furnished(tree, self.place()) as place:
            if place.unproved:
                return _Ran((), unproved=place.unproved)
            results, fault = run(checks, site, place=place)
        judged = replace(self.evidence, checks=results)
        return _Ran(against_start(self.given.contract, judged, strict=True).checks, fault)

    def proving(self, checks: Sequence[Check]) -> Callable[[Composed], bool]:
        return lambda tree: self.of(tree, checks).proves

    def ways(self) -> Ways:
        given = self.given
        assert given.both is not None  # noqa: S101  a replay compares
        return Ways(
            both=given.both,
            tried=given.composed,
            adapted=given.adapted,
            taken=given.taken,
            whole=not self.found,
        )

    def place(self) -> room.Place:
        given = self.given
        return room.Place(
            project=given.site.project,
            ignored=given.start.ignored,
            environ=dict(os.environ),
            at_start=given.start.variables | given.paths,
            since=kept_at(given.site.loop / "baseline"),
        )


def _questioned(runs: _Runs, first: _Ran, checks: Sequence[Check]) -> _Replay:
    """Before anybody is asked: is it the tests of the start, the clean copy, or chance?"""
    given = runs.given
    assert given.both is not None  # noqa: S101  a replay compares
    now = runs.of(whole(given.both, now=True), checks)
    if now.fault:
        return _Replay(None, "", fault=now.fault)
    if now.red:
        return _in_doubt(runs, first, checks)
    restored = given.composed.restored
    again = runs.of(given.composed, checks) if restored else now
    if again.fault or not again.red:
        told = "replayed: the start's tests pass on the code, the second time"
        return _Replay(True, told, results=again.results, fault=again.fault)
    refused = unfit(given.both.old, restored, again.red, runs.evidence.start or ())
    if refused and not runs.of(_without(given, refused), checks).red:
        names = ", ".join(sorted(refused))
        told = f"replayed: the start's tests pass on the code, but for findings in {names}"
        return _Replay(True, told, taken=refused)
    if told := runs.ways().told(again.red, runs.evidence, proves=runs.proving(checks)):
        return _Replay(True, told)
    told = "replayed: the start's tests do not pass on the code"
    return _Replay(False, told, tuple(blamed(given.both, restored, again.red)))


def _without(given: Matter, refused: frozenset[str]) -> Composed:
    """The start's files but for these."""
    assert given.both is not None  # noqa: S101  a replay compares
    new = given.both.new
    files = {**given.composed.files, **{path: new.root / path for path in refused if path in new}}
    kept = (path for path in given.composed.restored if path not in refused)
    return Composed(files, tuple(kept))


def _in_doubt(runs: _Runs, first: _Ran, checks: Sequence[Check]) -> _Replay:
    """The project's own tree fails in the copy: held against it only if the start does not."""
    assert runs.given.both is not None  # noqa: S101  a replay compares
    start = runs.of(whole(runs.given.both, now=False), checks)
    known = {result.name: result for result in runs.evidence.start or ()}
    if start.fault or not all(_as_known(result, known) for result in start.results):
        reasons = "; ".join(f"{result.name}: {result.reason}" for result in first.red)
        told = f"ratchet only: a clean copy is not enough for the checks ({reasons})"
        return _Replay(None, told, fault=start.fault)
    told = "replayed: the checks pass in the project only"
    return _Replay(False, told, tuple(unexplained(first.red)))


def _as_known(result: CheckResult, known: dict[str, StartResult]) -> bool:
    """Whether the copy showed of the start what the project itself did."""
    then = known.get(result.name)
    if then is None or then.outcome != result.outcome:
        return False
    if result.green:
        return True
    before, now = then.tests, result.tests
    return bool(before and now and before.executed and before.executed == now.executed)
