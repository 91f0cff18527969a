"""Verified commits are merged in a real repository, without a checkout."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from untildone.core.check_results import CheckOutcome, CheckResult
from untildone.runs.tasks.batch import Candidate
from untildone.runs.tasks.git_answers import Git
from untildone.runs.tasks.merging import MergedBatch, Target, merge_batch


class Repository:
    """Each task has changed one file; a place is red if a file says so."""

    def __init__(self, folder: Path) -> None:
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
        self.git = Git(folder)
        self.runs = 0
        self.base = self.commit("", list="first\n", state="green\n")
        self.tip = self.base

    def commit(self, parent: str, **files: str) -> str:
        lines = self.git.ask("ls-tree", parent).splitlines() if parent else []
        entries = {line.split("\t")[1]: line for line in lines}
        for name, text in files.items():
            blob = self.git.ask("hash-object", "-w", "--stdin", stdin=text.encode())
            entries[name] = f"100644 blob {blob}\t{name}"
        tree = self.git.ask("mktree", stdin=("\n".join(entries.values()) + "\n").encode())
        return self.git.make_commit(tree, *filter(None, (parent,)), message="x")

    def candidate(self, task: str, **files: str) -> Candidate:
        commit = self.commit(self.base, **files)
        return Candidate(task=task, title="Do it", commit=commit, base=self.base)

    def verify(self, place: str, _batch: Sequence[Candidate]) -> tuple[CheckResult, ...]:
        self.runs += 1
        is_red = "red" in self.git.ask("show", f"{place}:state")
        outcome: CheckOutcome = "red" if is_red else "green"
        return (CheckResult(name="state", command="look", outcome=outcome, output="it is red"),)

    def merge(self, *candidates: Candidate) -> MergedBatch:
        target = Target(git=self.git, branch="main", tip=self.tip, verify=self.verify)
        return merge_batch(target, candidates)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_each_task_has_its_own_merge(repository: Repository) -> None:
    one, two = repository.candidate("A", a="1\n"), repository.candidate("B", b="2\n")

    batch = repository.merge(one, two)

    log = repository.git.ask("log", "--first-parent", "--format=%s", batch.head).splitlines()
    assert log == ["Merge B: Do it", "Merge A: Do it", "x"]
    before = repository.git.ask("rev-parse", f"{batch.head}^1")
    assert [merge.commit for merge in batch.merged] == [before, batch.head]
    assert (batch.merged[0].checks, repository.runs) == (("state",), 1)


def test_conflicts_and_red_merges_are_sent_back_with_what_to_go_on_from(
    repository: Repository,
) -> None:
    repository.tip = repository.commit(repository.base, list="first\nours\n")
    good = repository.candidate("A", a="1\n")
    conflicting = repository.candidate("B", list="first\ntheirs\n")
    red = repository.candidate("C", state="red\n")

    batch = repository.merge(conflicting, good, red)

    assert [merge.candidate.task for merge in batch.merged] == ["A"]
    one, other = batch.sent_back
    assert (one.candidate.task, one.conflicts, one.onto) == ("B", ("list",), repository.tip)
    assert one.reason == "merging it into `main` conflicts in `list`"
    assert "<<<<<<<" in repository.git.ask("show", f"{one.tree}:list")
    assert (other.candidate.task, other.onto) == ("C", batch.head)
    assert other.reason == ("merged into `main` its checks fail:\n- state (`look`): red\nit is red")
    assert repository.git.ask("show", f"{other.tree}:a") == "1"


def test_what_the_branch_has_already_is_not_merged_again(repository: Repository) -> None:
    one, two = repository.candidate("A", a="1\n"), repository.candidate("B", b="2\n")
    first = repository.merge(one, two)
    repository.tip = repository.commit(first.head, c="3\n")

    again = repository.merge(one, two)

    assert (again.head, repository.runs) == (repository.tip, 1)
    assert [merge.commit for merge in again.merged] == [merge.commit for merge in first.merged]


def test_work_that_somebody_took_without_a_merge_counts_as_merged(repository: Repository) -> None:
    one = repository.candidate("A", a="1\n")
    repository.tip = one.commit

    (merge,) = repository.merge(one).merged

    assert merge.commit == one.commit


def test_work_that_changed_nothing_is_merged_like_any_other(repository: Repository) -> None:
    nothing = Candidate(task="A", title="", commit=repository.base, base=repository.base)

    batch = repository.merge(nothing)

    assert batch.merged[0].commit == batch.head != repository.tip


def test_a_red_branch_is_no_fault_of_the_task(repository: Repository) -> None:
    one = repository.candidate("A", a="1\n")
    repository.tip = repository.commit(repository.base, state="red\n")

    batch = repository.merge(one)

    (hindered,) = batch.hindered
    assert (batch.head, batch.merged, batch.sent_back) == (repository.tip, (), ())
    assert hindered.reason.startswith("`main` itself is red:\n- state (`look`): red")
