"""Verified work is merged into a branch: in batches, without a checkout, each with its own merge.

Nothing here moves a branch. The caller moves it to `head`, only if it is still at the tip.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from untildone.runs.tasks import batch, worktrees
from untildone.runs.tasks.batch import Candidate, Conflict, Results, Verify
from untildone.runs.tasks.git_answers import Git
from untildone.runs.tasks.merge_evidence import (
    describe_conflicts,
    describe_failures,
    describe_red_merge,
)

# Returns the tree that a candidate's merge is to have, made from the merged one.
Amend: TypeAlias = Callable[[str, Candidate], str]


class Merge(Struct, frozen=True, kw_only=True):
    """`checks` were green on the whole batch; there are none if it was merged before."""

    candidate: Candidate
    commit: str
    checks: tuple[str, ...] = ()


class SentBack(Struct, frozen=True, kw_only=True):
    """Work that has to be changed first: on the commit `onto`, with the files of `tree`."""

    candidate: Candidate
    reason: str
    onto: str
    tree: str
    conflicts: tuple[str, ...] = ()


class Hindered(Struct, frozen=True, kw_only=True):
    """Work that cannot be merged for a reason that is not its own."""

    candidate: Candidate
    reason: str


class MergedBatch(Struct, frozen=True, kw_only=True):
    tip: str
    head: str
    merged: tuple[Merge, ...]
    sent_back: tuple[SentBack, ...]
    hindered: tuple[Hindered, ...]


class Target(Struct, frozen=True, kw_only=True):
    """A branch at its `tip`; `verify` runs the checks of candidates on a commit."""

    git: Git
    branch: str
    tip: str
    verify: Verify
    amend: Amend = lambda tree, _candidate: tree
    # Added to the messages of merges, below the title.
    trailer: Callable[[Candidate], str] = lambda _candidate: ""


def merge_batch(target: Target, candidates: Sequence[Candidate]) -> MergedBatch:
    """Merge what stays green together; what a killed run has merged counts as merged."""
    contained = tuple(one for one in candidates if is_contained(target.git, target.tip, one))
    decision = batch.decide_batch(
        target.tip,
        [one for one in candidates if one not in contained],
        join=lambda onto, candidate: _join(target, onto, candidate),
        verify=target.verify,
    )
    before = (
        Merge(candidate=one, commit=_find_merge(target.git, target.tip, one)) for one in contained
    )
    now = (
        Merge(candidate=one.candidate, commit=one.place, checks=_list_names(one.results))
        for one in decision.merged
    )
    return MergedBatch(
        tip=target.tip,
        head=decision.head,
        merged=(*before, *now),
        sent_back=_list_sent_back(target, decision),
        hindered=_list_hindered(target, decision),
    )


def is_contained(git: Git, tip: str, candidate: Candidate) -> bool:
    """Say whether the tip has the work; work that changed nothing never counts as merged."""
    is_empty = git.contains(candidate.base, candidate.commit)
    return not is_empty and git.contains(tip, candidate.commit)


def _find_merge(git: Git, tip: str, candidate: Candidate) -> str:
    """Return the merge of the candidate, or its own commit if somebody took it without one."""
    words = ("rev-list", "--first-parent", "--parents", tip, f"^{candidate.commit}")
    for line in git.ask(*words).splitlines():
        commit, *parents = line.split()
        if candidate.commit in parents:
            return commit
    return candidate.commit


def _join(target: Target, onto: str, candidate: Candidate) -> str | Conflict:
    merged = worktrees.merge_trees(target.git, onto, candidate.commit)
    if merged.conflicts:
        return Conflict(tree=merged.tree, files=merged.conflicts)
    tree = target.amend(merged.tree, candidate)
    title = f"Merge {candidate.task}: {candidate.title}"
    message = "\n\n".join(filter(None, (title, target.trailer(candidate))))
    return target.git.make_commit(tree, onto, candidate.commit, message=message)


def _list_names(results: Results) -> tuple[str, ...]:
    return tuple(result.name for result in results)


def _list_sent_back(target: Target, decision: batch.Decision) -> tuple[SentBack, ...]:
    colliding = (
        SentBack(
            candidate=one.candidate,
            reason=describe_conflicts(one.conflict.files, branch=target.branch),
            onto=one.onto,
            tree=one.conflict.tree,
            conflicts=one.conflict.files,
        )
        for one in decision.collisions
    )
    red = (
        SentBack(
            candidate=one.candidate,
            reason=describe_red_merge(one.results, branch=target.branch),
            onto=one.onto,
            tree=target.git.ask("rev-parse", f"{one.place}^{{tree}}"),
        )
        for one in decision.culprits
    )
    return (*colliding, *red)


def _list_hindered(target: Target, decision: batch.Decision) -> tuple[Hindered, ...]:
    reason = f"`{target.branch}` itself is red:\n{describe_failures(decision.own_red)}"
    return tuple(Hindered(candidate=one, reason=reason) for one in decision.hindered)
