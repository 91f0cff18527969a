"""The experiment: do the checks pass without the benchmarks that there is a concern about?

A benchmark may import the test runner or end the program. Where no check needs the file, that is
nobody's concern: the checks run once on the current tree and once with the baseline's tests, both
times with the baseline's version of the file.
"""

from collections.abc import Collection

from msgspec.structs import replace

from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.core.late_patterns import compile_late
from untildone.core.text import join_first
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.integrity.experiments.sandbox_runs import SandboxRuns
from untildone.integrity.experiments.trial import Trial
from untildone.sandbox.sandbox_source import SandboxFiles

# benchmarks/parse.py, bench/run.js, asv_bench/
_BENCHMARK = compile_late(r"(.+/)?(asv_)?bench(es|mark|marks)?/.+")
# What a file can do only if something loads it.
_KINDS = (
    *(ConcernKind.RUNNER, ConcernKind.SNIFFING),
    *(ConcernKind.HARD_CODED, ConcernKind.ALWAYS_EQUAL),
)


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence without the concerns about benchmarks that no check needs.

    Nothing is run beside a concern that is asked about whatever this shows.
    """
    comparison = trial.comparison
    if comparison is None or evidence.fault:
        return evidence
    unapproved = trial.find_unapproved(evidence)
    concerns = [each for each in unapproved if _is_about_benchmark(comparison, each)]
    others = tuple(each for each in evidence.concerns or () if each not in concerns)
    rest = replace(evidence, concerns=others)
    if not concerns or not trial.is_provable(rest):
        return evidence
    paths = sorted({each.path for each in concerns})
    if not _pass_without(paths, SandboxRuns(evidence=evidence, trial=trial, comparison=comparison)):
        return evidence
    line = f"no check needs {join_first([f'`{path}`' for path in paths])}: the checks pass without"
    return replace(rest, comparisons=(*evidence.comparisons, line))


def _is_about_benchmark(comparison: Comparison, concern: Concern) -> bool:
    is_product = comparison.role(concern.path) == "product"
    return concern.kind in _KINDS and is_product and bool(_BENCHMARK.fullmatch(concern.path))


def _pass_without(paths: Collection[str], runs: SandboxRuns) -> bool:
    """Say whether all checks pass with the baseline's version of the files, on both trees."""
    inputs, comparison = runs.trial.inputs, runs.comparison
    checks = inputs.contract.checks
    if not all(check.replay for check in checks) or (inputs.sandbox and not inputs.sandbox.works):
        return False
    return all(
        runs.run(_restore(files, paths, comparison), checks).passed
        for files in (take_tree(comparison, current=True), inputs.files)
    )


def _restore(files: SandboxFiles, paths: Collection[str], comparison: Comparison) -> SandboxFiles:
    old = comparison.old
    kept = {path: origin for path, origin in files.files.items() if path not in paths}
    kept |= {path: old.root / path for path in paths if path in old}
    return SandboxFiles(kept, tuple(dict.fromkeys((*files.restored, *paths))))
