"""The results of the baseline, and what later rounds report against them."""

import sys

import pytest

from core.samples import GREEN, RED, failing, finding, result
from snippets import snippet
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult, FileTotals, Totals
from untildone.core.contract import Check
from untildone.engine.baseline_results import save_baseline_results
from untildone.store import baseline_records
from world import World, shown

PYTEST = Check(name="tests", command=f"{sys.executable} -m pytest -q -p no:cacheprovider")
PASSES = "def test_{0}(): assert True\n"
FAILS = "def test_{0}(): assert 1 == 2\n"
ASKS = """\
def test_{0}():
    import product
    assert product.done
"""


def tests(world: World, *functions: str) -> None:
    (world.project / "test_it.py").write_text("".join(functions), encoding="utf-8")


def begin(world: World, *functions: str) -> None:
    """Start a loop whose baseline was checked by the real runner."""
    tests(world, *functions)
    world.start(checks=(PYTEST,), baseline="none")
    save_baseline_results(
        world.context, world.loop, run_checks([PYTEST], RunOptions(project=world.project))
    )


def read_baseline(world: World) -> tuple[CheckResult, ...]:
    loops = world.context.loops
    digest = loops.load(world.loop).progress.baseline
    return baseline_records.read_results(
        loops.get_folder(world.loop), digest, tuple[CheckResult, ...]
    )


def test_the_baseline_keeps_tests_by_name(world: World) -> None:
    begin(world, PASSES.format("a"), FAILS.format("b"))

    (start,) = read_baseline(world)

    assert start.tests is not None
    assert (start.tests.passing, start.tests.failing) == (
        ("test_it.py::test_a",),
        ("test_it.py::test_b",),
    )
    assert ([each.code for each in start.findings], start.output) == (["test_b"], "")


def test_a_regression_is_reported_as_one(world: World) -> None:
    begin(world, PASSES.format("a"), FAILS.format("b"), FAILS.format("c"))
    tests(world, FAILS.format("a"), PASSES.format("b"), FAILS.format("c"))

    text = shown(world.stop())

    assert "Regressions, passed in the baseline and fail now:\n  test_it.py::test_a: assert" in text
    assert "Failed already in the baseline, by file:\n  test_it.py: 1 failing test\n" in text
    assert (
        "Since the baseline: 1 fixed, 0 new, 1 regressed, 1 remaining"
        " (0 % fewer failures than in the baseline).\n"
    ) in text


def test_a_removed_test_is_named_and_holds(world: World) -> None:
    begin(world, PASSES.format("a"), FAILS.format("b"))
    tests(world, PASSES.format("a"))

    text = shown(world.stop())

    assert "the checks pass, but something the baseline had is gone" in text
    assert "`test_b` ran in the baseline and no longer runs" in text


def test_a_renamed_test_is_named_and_lets_go(world: World) -> None:
    product = world.project / "product.py"
    product.write_text("done = False\n", encoding="utf-8")
    begin(world, PASSES.format("a"), ASKS.format("b"))
    product.write_text("done = 1 < 2\n", encoding="utf-8")
    tests(world, PASSES.format("a"), ASKS.format("better_name"))

    released = world.stop()

    assert world.state() == ("finished", "done", 1)
    assert released["systemMessage"].endswith(
        " | initial: 1 failing test; final: 0 failing tests; improvement: 100 %"
    )
    receipt = (world.project / ".untildone" / "receipt.md").read_text(encoding="utf-8")
    assert "(1 test of the baseline did not run: test_it.py::test_b)" in receipt


def test_a_round_keeps_counts_but_not_every_name(world: World) -> None:
    begin(world, *(PASSES.format(number) for number in range(60)), FAILS.format("b"))
    (world.project / "test_it.py").write_text(
        snippet("""
            import pytest
            @pytest.mark.parametrize('n', range(60))
            def test_n(n): assert n < 0
        """),
        encoding="utf-8",
    )
    world.stop()

    (entry,) = world.context.loops.read_rounds(world.loop)

    assert entry.totals == Totals(failed=60)
    assert entry.checks[0].tests is not None
    assert (len(entry.checks[0].tests.failing), len(entry.checks[0].findings)) == (50, 50)
    assert entry.files == ()


def test_a_round_keeps_its_worst_files(world: World) -> None:
    line = (
        'echo "a.py:1: error: wrong"; echo "a.py:2: error: bad"; echo "b.py:1: error: no"; exit 1'
    )
    world.start(checks=(Check(name="check", command=line),))
    world.stop()

    (entry,) = world.context.loops.read_rounds(world.loop)

    assert (entry.totals, entry.files) == (
        Totals(errors=3),
        (FileTotals(path="a.py", errors=2), FileTotals(path="b.py", errors=1)),
    )


def test_an_altered_baseline_pauses_the_loop(world: World) -> None:
    world.start()
    path = world.context.loops.get_folder(world.loop) / "baseline" / "results.json"
    path.write_text("{}", encoding="utf-8")

    assert f"paused (tampered): `{path}` was altered" in world.stop()["systemMessage"]


@pytest.mark.parametrize(
    ("given", "red", "outcome"),
    [
        pytest.param(RED, (), "no-evidence", id="a bare exit code may be the copy's"),
        pytest.param(failing("t"), ("test",), "red", id="a test"),
        pytest.param(result("red", findings=(finding(),)), ("test",), "red", id="a finding"),
        pytest.param(GREEN, (), "green", id="green"),
    ],
)
def test_what_a_copy_proves(
    world: World, given: CheckResult, red: tuple[str, ...], outcome: str
) -> None:
    world.start(baseline="none")

    record = save_baseline_results(world.context, world.loop, (given,), copied=True)

    assert record.progress.checks_seen_red == red
    assert [each.outcome for each in read_baseline(world)] == [outcome]


def test_a_check_without_a_baseline_result_is_compared_with_nothing(
    world: World,
) -> None:
    world.start(baseline="none")
    save_baseline_results(world.context, world.loop, (result("unrunnable", "check"),))

    assert "the start" not in shown(world.stop())
