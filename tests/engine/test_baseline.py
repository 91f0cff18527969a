"""The results of the baseline, and what later rounds report against them."""

import subprocess
import sys
import time
from collections.abc import Iterator
from threading import Event

import pytest
from msgspec.structs import replace

from core.samples import GREEN, RED, failing, finding, result
from endings import RECEIPT, hide_effort
from snippets import snippet
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult, FileTotals, Totals
from untildone.core.contract import Check
from untildone.core.time_limits import find_time_limit
from untildone.engine.baseline_results import (
    bound_wait,
    estimate_round,
    open_history,
    run_detached_baseline,
    save_baseline_results,
    wait_for_baseline,
)
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


def begin(world: World, *functions: str, allow: tuple[str, ...] = ()) -> None:
    """Start a loop whose baseline was checked by the real runner."""
    tests(world, *functions)
    world.start(checks=(PYTEST,), baseline="none", allow=allow)
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
    functions = PASSES.format("a"), FAILS.format("b"), FAILS.format("c")
    # What edited tests seem to fix counts only where the user allows it.
    begin(world, *functions, allow=("edit-test:test_it.py",))
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
    assert hide_effort(released["systemMessage"]).endswith(
        f" | initial: 1 failing test; final: 0 failing tests; improvement: 100 % | {RECEIPT}"
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


def test_an_edit_straight_after_the_start_is_not_taken_into_the_baseline(world: World) -> None:
    """The detached process begins after the agent has edited already."""
    tests(world, FAILS.format("a"))
    world.start(checks=(PYTEST,), baseline="none")
    tests(world, PASSES.format("a"))

    run_detached_baseline(world.context, world.loop, tree="another one")

    (start,) = read_baseline(world)
    assert (start.outcome, start.tests and start.tests.failing) == ("red", ("test_it.py::test_a",))


def test_the_baseline_tells_how_long_a_check_takes(world: World) -> None:
    world.start(baseline="none")
    save_baseline_results(
        world.context,
        world.loop,
        (CheckResult(name="check", command="c", outcome="red", seconds=400),),
    )

    (check,) = world.contract.checks
    past = open_history(world.context, world.contract).load_past_runs(check)

    assert find_time_limit(check.timeout, past) == 1_200


class SlowBaseline:
    """A loop whose checks still run on the baseline: a process that sleeps stands for them."""

    def __init__(self, world: World, seconds: float) -> None:
        self.world = world
        world.start(baseline="none")
        self.process = subprocess.Popen(["sleep", str(seconds)])
        world.session.write("baseline", str(self.process.pid))

    def wait(self, deadline: float) -> float:
        """How many seconds the first stop waits; `deadline` counts from now."""
        began = time.monotonic()
        wait_for_baseline(self.world.context, self.world.record, Event(), deadline=began + deadline)
        return time.monotonic() - began

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def slow_baseline(world: World) -> Iterator[SlowBaseline]:
    slow = SlowBaseline(world, 60)
    yield slow
    slow.end()


def test_the_wait_for_the_baseline_ends_at_the_deadline(slow_baseline: SlowBaseline) -> None:
    assert 0.5 <= slow_baseline.wait(deadline=0.5) < 5


def test_a_cancelled_loop_waits_for_no_baseline(slow_baseline: SlowBaseline) -> None:
    slow_baseline.world.prompt("/untildone:cancel")

    assert slow_baseline.wait(deadline=30) < 5


@pytest.mark.parametrize(
    ("own_seconds", "expected"),
    [
        pytest.param(0.1, 30, id="a quick check"),
        pytest.param(1_500, 3_000, id="a long one"),
    ],
)
def test_the_baseline_is_waited_for_about_as_long_as_the_own_checks_take(
    own_seconds: float, expected: float
) -> None:
    assert bound_wait(own_seconds) == expected


def test_a_round_takes_as_long_as_its_checks_took_before(world: World) -> None:
    world.start(baseline="none")
    slow = Check(name="slow", command="slow", when="done")
    unknown = Check(name="unknown", command="unknown")
    contract = replace(world.contract, checks=(*world.contract.checks, slow, unknown))
    taken = {"check": 400, "slow": 9_000}
    history = open_history(world.context, contract)
    for check in contract.checks[:2]:
        green = CheckResult(
            name=check.name, command="c", outcome="green", seconds=taken[check.name]
        )
        history.store(check, "tree", green)

    assert estimate_round(world.context, contract) == 400


@pytest.mark.slow
def test_a_stop_does_not_wait_for_a_baseline_that_hangs(world: World) -> None:
    slow = SlowBaseline(world, 900)

    held = world.stop()

    assert slow.process.poll() is None
    slow.end()
    assert held["systemMessage"] == "untildone: held, round 1 of 10, unmet: check red"
