"""Green checks proved: compared with the start, and run again on its tests in a clean copy."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from msgspec.structs import replace

from untildone.commands.scripts import find_run_scripts
from untildone.core.concerns import is_allowed, strip_content_digest
from untildone.core.contract import Contract, Oracle
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.core.missing_tests import find_missing_tests
from untildone.engine.check_run import Site
from untildone.engine.confirm.inputs import Matter, matter
from untildone.engine.confirm.pass_to_pass import Replay, Runs, replay
from untildone.integrity import oracle
from untildone.integrity.comparison import Comparison
from untildone.integrity.environment.comparison import find_environment_concerns
from untildone.integrity.environment.node_packages import find_package_concerns
from untildone.integrity.experiments.compose import whole
from untildone.integrity.registry import find_concerns, folds
from untildone.integrity.tests.inventory import serves
from untildone.process import environment
from untildone.sandbox import sandboxes

# A run of the start's own tests shows whether these took anything away.
_PROVABLE = frozenset((ConcernKind.EDIT_TEST, ConcernKind.EDIT_EXPECTED))


def proved(evidence: Evidence, given: Matter) -> Evidence:
    """The person's hidden check comes last: only what holds otherwise is asked of it."""
    shown = _shown(evidence, given)
    lost = [each for each in shown.concerns or () if not is_allowed(each, given.contract.allow)]
    if given.contract.oracle is None or lost or shown.fault or shown.broken_seal:
        return shown
    hidden = _hidden(given.contract.oracle, Runs(evidence, given))
    told = "the hidden check passes" if hidden is None else "the hidden check does not pass"
    more = (hidden,) if hidden else ()
    return replace(
        shown, concerns=(*(shown.concerns or ()), *more), comparisons=(*shown.comparisons, told)
    )


def _hidden(secret: Oracle, runs: Runs) -> Concern | None:
    given = runs.given
    if given.comparison is None:
        return oracle.run_oracle(secret, cwd=given.site.project, environ=environment(os.environ))
    with sandboxes.open_sandbox(whole(given.comparison, now=True), runs.place()) as place:
        environ = environment(place.environ)
        return oracle.run_oracle(secret, cwd=place.project, environ=environ, through=place.through)


def _shown(evidence: Evidence, given: Matter) -> Evidence:
    if given.broken:
        return replace(evidence, broken_seal=given.broken)
    allow = given.contract.allow
    if given.comparison is None:
        found = tuple(find_missing_tests(evidence, allow))
        told = f"not compared with the start: {given.off}"
        return replace(evidence, concerns=found, comparisons=(told,))
    with ThreadPoolExecutor(max_workers=1) as apart:
        # An environment has tens of thousands of files: they are looked at while the checks run,
        # and not before, since that would hold up all that has to be done first.
        around = cache(lambda: apart.submit(_around, given))
        found = tuple(find_concerns(given.comparison))
        found += tuple(_not_run(evidence, given.comparison, (*allow, *(each.id for each in found))))
        runs = Runs(evidence, given, found, meanwhile=around)
        shown = replay(runs) if _provable(found, allow) else None
        found += around().result()
    if shown is None or not _provable(found, allow):
        return replace(
            evidence, concerns=found, comparisons=("compared with the start, not replayed",)
        )
    return _replayed(evidence, given, found, shown)


def _not_run(
    evidence: Evidence, comparison: Comparison, allow: tuple[str, ...]
) -> Iterator[Concern]:
    """Read again only where a name is missing: another test may have taken it in."""
    if any(find_missing_tests(evidence, allow)):
        yield from find_missing_tests(evidence, allow, folds(comparison))


def _provable(found: Sequence[Concern], allow: tuple[str, ...]) -> bool:
    return all(each.kind in _PROVABLE for each in found if not is_allowed(each, allow))


def differences(contract: Contract, site: Site) -> tuple[Concern, ...]:
    """What a comparison alone tells; nothing where there is nothing to compare with."""
    given = matter(contract, site)
    return () if given.comparison is None else _differing(given, given.comparison)


def _differing(given: Matter, comparison: Comparison) -> tuple[Concern, ...]:
    return (*find_concerns(comparison), *_around(given))


def _around(given: Matter) -> tuple[Concern, ...]:
    """What is not in the tree, and decides all the same what the checks come to."""
    project = given.site.project
    commands = [check.command for check in given.contract.checks]
    return (
        *find_environment_concerns(project, commands, os.environ, given.start.surroundings),
        *find_package_concerns(project, given.start.dependencies),
    )


def _replayed(
    evidence: Evidence, given: Matter, found: tuple[Concern, ...], replay: Replay
) -> Evidence:
    told = (replay.told, *_followed(given), *_left_out(given.contract))
    if replay.fault:
        return replace(evidence, fault=evidence.fault or replay.fault)
    if replay.passed is False:
        named = {lost.path for lost in found}
        more = tuple(lost for lost in replay.concerns if lost.path not in named)
        return replace(evidence, concerns=(*found, *more), comparisons=told)
    if replay.passed and not given.composed.restored:
        ran = {result.name for result in evidence.checks}
        missing = tuple(result for result in replay.results if result.name not in ran)
        evidence = replace(evidence, checks=evidence.checks + missing)
    if replay.passed and evidence.baseline:
        known = tuple(each for each in found if each.path not in replay.taken)
        shown = _shown_harmless(given, _told_by_the_run(evidence, given, known))
        told += _harmless(shown)
        found = tuple(each for each in found if each not in shown)
    return replace(evidence, concerns=found, comparisons=told)


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
    evidence: Evidence, given: Matter, found: tuple[Concern, ...]
) -> tuple[Concern, ...]:
    """A run without a report shows only what became of the scripts that it ran and was red by."""
    if given.comparison is None or any(result.tests for result in evidence.checks):
        return found
    red = {result.name for result in evidence.baseline or () if not result.green}
    checks = (check for check in given.contract.checks if check.replay and check.name in red)
    ran = {
        path for each in checks for _, path in find_run_scripts(given.comparison.old, each.command)
    }
    return tuple(each for each in found if each.path in ran)


def _shown_harmless(given: Matter, found: Sequence[Concern]) -> tuple[Concern, ...]:
    """By tests of the start: a file that was taken from now by an approval shows nothing."""
    comparison = given.comparison
    assert comparison is not None  # noqa: S101  a replay compares
    differ = {*comparison.changes.edited, *comparison.changes.removed, *comparison.changes.added}
    taken = {
        each for each in differ - set(given.composed.restored) if comparison.role(each) == "test"
    }
    helped = any(serves(each) for each in taken)
    return tuple(
        each
        for each in found
        if each.kind in _PROVABLE and each.path not in taken and (each.path in differ or not helped)
    )


def _harmless(found: Sequence[Concern]) -> tuple[str, ...]:
    names = [strip_content_digest(each.id) for each in found]
    told = f"the start's tests pass, so these took nothing away: {', '.join(names)}"
    return (told,) if names else ()
