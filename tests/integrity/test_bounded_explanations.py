"""What explains a concern, and what looks outside of the trees, keeps to the budget of a stop."""

import os
import random
import time
from itertools import count, islice
from pathlib import Path
from string import ascii_letters
from typing import NoReturn

from msgspec.structs import replace

from integrity.trees import compare_projects
from untildone.core.check_results import CheckResult
from untildone.core.contract import Contract
from untildone.core.evidence import Concern, ConcernKind, Evidence
from untildone.engine.concern_diffs import load_concern_diffs
from untildone.integrity.baseline import Baseline
from untildone.integrity.comparison import Comparison
from untildone.integrity.confirmation import confirm
from untildone.integrity.confirmation_inputs import ConfirmationInputs, change_contract
from untildone.integrity.environment.dependency_digests import DependencyDigests
from untildone.integrity.experiments.alternatives import find_alternative
from untildone.integrity.registry import find_environment_concerns
from untildone.worktree.limits import Budget
from world import World

PATH = "tests/test_a.py"
RED = CheckResult(name="test", command="pytest", outcome="red")


def write_tests(answer: int) -> str:
    """Write seventy tests, each with other long lines: all pairs of these are compared."""
    chance = random.Random(answer)  # noqa: S311  no secret
    lines = ("".join(chance.choices(ascii_letters, k=390)) for _ in count())
    return "".join(
        f"def test_{n}():\n{''.join(f'    # {line}{chr(10)}' for line in islice(lines, 38))}"
        f"    assert f({n}) == {answer}\n"
        for n in range(70)
    )


def write_shuffled_lines(seed: int) -> str:
    """Write lines of which each occurs so often that a diff of two such files takes long."""
    lines = [f"# {n}" for n in range(110) for _ in range(390)]
    random.Random(seed).shuffle(lines)  # noqa: S311  no secret
    return "\n".join(lines)


def compare_hostile_tests(top: Path, seconds: float) -> Comparison:
    comparison = compare_projects(top, {PATH: write_tests(1)}, {PATH: write_tests(2)})
    return replace(comparison, budget=Budget(seconds=seconds))


def make_inputs(comparison: Comparison, top: Path) -> ConfirmationInputs:
    contract = Contract(
        id="L1", agent="claude", session="s", project=str(top), task="", started_at=""
    )
    return ConfirmationInputs(
        contract=contract,
        project=top,
        baseline_folder=top,
        state_home=top,
        comparison=comparison,
    )


def run_nothing(*_: object, **__: object) -> NoReturn:
    raise AssertionError("nothing is run")


def test_a_concern_is_reported_although_its_lines_take_too_long_to_compare(tmp_path: Path) -> None:
    inputs = make_inputs(compare_hostile_tests(tmp_path, seconds=3.0), tmp_path)
    began = time.process_time()
    evidence = confirm(Evidence(), inputs, run_nothing, load_past_runs=lambda _: ())

    assert time.process_time() - began < 4.5
    assert {concern.path for concern in evidence.concerns or ()} == {PATH}


def test_a_diff_that_takes_too_long_is_not_shown(world: World) -> None:
    world.write(PATH, write_shuffled_lines(1))
    world.start_check("true")
    world.write(PATH, write_shuffled_lines(2))
    concern = Concern(id=f"edit-test:{PATH}", kind=ConcernKind.EDIT_TEST, path=PATH, detail="")
    began = time.process_time()
    diffs = load_concern_diffs(world.context, world.record, [concern], project=world.project)

    assert time.process_time() - began < 2.5
    assert diffs == {PATH: f"the diff of `{PATH}` takes too long to compute"}


def test_an_approval_reads_and_compares_no_tree_again(tmp_path: Path) -> None:
    old, new = ({PATH: f"def test_a():\n    assert f(1) == {answer}\n"} for answer in (1, 2))
    inputs = make_inputs(compare_projects(tmp_path, old, new), tmp_path)
    contract = replace(inputs.contract, allow=(f"edit-expected:{PATH}",))
    as_it_is, approved = (change_contract(inputs, each) for each in (inputs.contract, contract))

    assert as_it_is.comparison is approved.comparison is inputs.comparison
    assert (as_it_is.files.restored, approved.files.restored) == ((PATH,), ())


def test_without_time_no_harmless_cause_is_looked_for(tmp_path: Path) -> None:
    comparison = compare_hostile_tests(tmp_path, seconds=0)
    inputs = make_inputs(comparison, tmp_path)
    found = find_alternative(inputs, comparison, Evidence(), red=[RED], passes=run_nothing)
    assert found == ""


def test_packages_that_take_too_long_to_compare_are_a_concern(tmp_path: Path) -> None:
    file = "node_modules/huge/index.js"
    comparison = compare_projects(tmp_path, {"a.js": "1"}, {"a.js": "2", file: ""})
    os.truncate(comparison.new.root / file, 40_000_000_000)
    comparison = replace(
        comparison,
        baseline=Baseline(entries={}),
        dependency_digests=DependencyDigests(files={file: "1f3a"}),
    )
    (concern,) = find_environment_concerns(comparison, Budget(seconds=0.1))
    assert concern.id == "environment:packages"
    assert "were not compared, since it takes more than" in concern.detail
