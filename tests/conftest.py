"""What every test starts from."""

import os
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from untildone.store.home import prepare_home
from world import World

# Whoever runs the tests in the background has these ignored, and every program started here would
# inherit that: then it could not be interrupted, which is what some tests are about.
for _name in ("SIGINT", "SIGHUP", "SIGQUIT"):
    if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) == signal.SIG_IGN:
        signal.signal(getattr(signal, _name), signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# How fast examples are made and tried says something about the machine, not about our code.
settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any machine")

TESTS = Path(__file__).parent
# What takes long by nature: real clients, real languages, kills at every step, whole loops.
SLOW = (
    "agents/test_made_up.py",
    "browser",
    "checks/parsers/test_real_programs.py",
    "checks/test_coverage.py",
    "cli/test_check_options.py",
    "cli/test_ci.py",
    "cli/test_demo.py",
    "cli/test_drill.py",
    "cli/test_hostile_git.py",
    "cli/test_milestones.py",
    "cli/test_otel.py",
    "cli/test_receipt.py",
    "cli/test_run_plan.py",
    "cli/test_templates.py",
    "client",
    "clients",
    "engine/test_approval.py",
    "engine/test_from_check.py",
    "faults",
    "features/importers/test_importers.py",
    "features/plans/test_task_loops.py",
    "features/spec/test_checkpoints.py",
    "features/templates/test_refine_plan.py",
    "hooks/test_state.py",
    "integrity/experiments/test_unchecked_settings.py",
    "integrity/test_every_hostile_source.py",
    "languages",
    "process/test_git.py",
    "runs/plan",
    "runs/queue/test_database_faults.py",
    "runs/queue/test_documented_steps.py",
    "runs/queue/test_merges.py",
    "runs/queue/test_roles.py",
    "runs/queue/test_secrets.py",
    "runs/queue/test_worker.py",
    "runs/queue/test_worker_faults.py",
    "runs/queue/test_worker_limits.py",
    "runs/queue/test_worker_trust.py",
    "runs/test_acp_run.py",
    "runs/test_outer_loop.py",
    "store/test_crashes.py",
    "test_bench_integrity.py",
)

# Of these, what reaches lines that no quick test does.
MEASURED = (
    "cli/test_check_options.py",
    "cli/test_demo.py",
    "cli/test_drill.py",
    "cli/test_milestones.py",
    "cli/test_otel.py",
    "cli/test_receipt.py",
    "cli/test_run_plan.py",
    "cli/test_templates.py",
    "engine/test_approval.py",
    "features/importers/test_importers.py",
    "features/plans/test_task_loops.py",
    "features/spec/test_checkpoints.py",
    "features/templates/test_refine_plan.py",
    "integrity/experiments/test_fail_to_pass.py",
    "integrity/experiments/test_opaque_files.py",
    "integrity/experiments/test_unchecked_settings.py",
    "runs/queue/test_merges.py",
    "runs/queue/test_worker.py",
    "runs/queue/test_worker_limits.py",
    "runs/test_outer_loop.py",
)


# Set while coverage is measured: then it also is in the programs that a test starts, which takes
# longer than all quick tests do without it. They do much the same for each example of a test, so
# only the first ones are measured so.
COVERAGE = "COVERAGE_PROCESS_CONFIG"
EXAMPLES = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves to `make test-slow`."""
    examples = Counter[str]()
    named = {name: TESTS / name for name in (*SLOW, *MEASURED)}
    missing = [name for name, path in named.items() if not path.exists()]
    if missing:
        raise pytest.UsageError(f"{__file__} names what is not there: {missing}")
    for item in items:
        places = {item.path, *item.path.parents}
        if any(named[name] in places for name in SLOW):
            item.add_marker("slow")
        test = item.nodeid.partition("[")[0]
        examples[test] += 1
        if any(named[name] in places for name in MEASURED):
            item.add_marker("measured")
        elif examples[test] > EXAMPLES:
            item.add_marker("unmeasured_programs")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    measured = os.environ.get(COVERAGE)
    if measured and item.get_closest_marker("unmeasured_programs"):
        del os.environ[COVERAGE]
    try:
        return (yield)
    finally:
        if measured:
            os.environ[COVERAGE] = measured


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    prepare_home(world.state_folder)
    return world
