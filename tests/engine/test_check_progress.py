"""What a session records of its running checks."""

from pathlib import Path

from untildone.checks.result_cache import ResultCache
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.engine.check_progress import record_progress
from untildone.report.running_checks import RunningCheck, find_running_check
from world import World

TEST, LINT = (Check(name=name, command=name) for name in ("test", "lint"))
GREEN = CheckResult(name="test", command="test", outcome="green", seconds=480)


def describe(world: World) -> str:
    return str(find_running_check(world.session) or "")


def test_the_first_check_that_runs_is_shown_with_an_estimate(world: World, tmp_path: Path) -> None:
    history = ResultCache(tmp_path / "cache", {})
    history.store(TEST, "k", GREEN)
    shown = []
    with record_progress(world.session, "confirming", history) as report:
        for check, result in ((TEST, None), (LINT, None), (TEST, GREEN), (LINT, GREEN)):
            report(check, result)
            shown.append(describe(world))

    assert shown == [
        "confirming test 0 s of about 8 min",
        "confirming test 0 s of about 8 min",
        "confirming lint 0 s",
        "",
    ]


def test_the_record_of_an_interrupted_run_is_removed(world: World, tmp_path: Path) -> None:
    with record_progress(world.session, "check", ResultCache(tmp_path / "cache", {})) as report:
        report(TEST, None)

    assert not world.session.has("running")


def test_the_record_of_another_process_stays(world: World, tmp_path: Path) -> None:
    """Process 1 runs as long as the machine does."""
    checks = {"test": {"since": 0.0, "expected": None}}
    world.session.write_json("running", {"process": 1, "phase": "baseline", "checks": checks})
    with record_progress(world.session, "check", ResultCache(tmp_path / "cache", {})):
        pass

    assert describe(world).startswith("checking test on the baseline ")


def test_times_are_told_in_seconds_then_in_minutes() -> None:
    texts = [
        str(RunningCheck("test", phase, seconds=seconds, expected_seconds=expected))
        for phase, seconds, expected in (
            ("check", 12.4, 99.0),
            ("affected", 3.0, None),
            ("confirming", 120.0, 1_500.0),
        )
    ]

    assert texts == [
        "checking test 12 s of about 99 s",
        "confirming test 3 s, affected tests first",
        "confirming test 2 min of about 25 min",
    ]
