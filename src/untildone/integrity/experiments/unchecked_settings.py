"""The experiment that needs no run: names what was loosened of tools that no check runs."""

from contextlib import suppress

from msgspec.structs import replace

from untildone.core.evidence import Evidence
from untildone.core.text import join_first
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.trial import Trial
from untildone.integrity.settings.comparison import find_unchecked_tools
from untildone.integrity.suppressions.comparison import find_unread_rules
from untildone.worktree.limits import LimitExceeded


def run_experiment(evidence: Evidence, trial: Trial) -> Evidence:
    """Return the evidence with lines that name loosened tools and suppressions nobody reads."""
    if trial.comparison is None or evidence.fault:
        return evidence
    lines: tuple[str, ...] = ()
    with suppress(LimitExceeded):
        lines = trial.comparison.read_within_budget(_describe_unchecked)
    return replace(evidence, comparisons=(*evidence.comparisons, *lines))


def _describe_unchecked(comparison: Comparison) -> tuple[str, ...]:
    tools, rules = find_unchecked_tools(comparison), find_unread_rules(comparison)
    which = "it" if len(tools) == 1 else "them"
    lines = (
        f"settings of {', '.join(tools)} were loosened; no check runs {which}" if tools else "",
        f"suppressions were added that no check reads: {join_first(rules)}" if rules else "",
    )
    return tuple(filter(None, lines))
