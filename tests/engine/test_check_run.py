"""Running checks for a stop: which limits they have, in the project and in a sandbox."""

import os
import time
from pathlib import Path
from threading import Event

import pytest

from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.time_limits import DEFAULT_RULES, TimeRules
from untildone.engine.check_run import CheckSite, open_result_cache, run_within_deadline
from untildone.engine.payload import STOP_DEADLINE
from untildone.sandbox.sandbox_source import Sandbox
from world import World


@pytest.mark.parametrize("in_sandbox", [False, True])
def test_a_past_run_extends_the_limit(world: World, tmp_path: Path, *, in_sandbox: bool) -> None:
    """A second is allowed at first, three after a run that took one."""
    world.start()
    check = Check(name="t", command="sleep 1.5")
    site = CheckSite(
        state_home=world.state_folder,
        project=world.project,
        logs=None,
        session=world.session,
        deadline=time.monotonic() + 60,
        shared_folder=tmp_path / "shared",
        loop_folder=tmp_path,
        abandoned=Event(),
        time_rules=TimeRules(first=1),
    )
    earlier = CheckResult(name="t", command="t", outcome="red", seconds=1)
    open_result_cache(site.shared_folder).store(check, "k", earlier)
    sandbox = Sandbox(
        project=world.project,
        written_project=world.project,
        exchange_folder=world.folder,
        environ=dict(os.environ),
    )

    results, _ = run_within_deadline([check], site, sandbox=sandbox if in_sandbox else None)

    assert [result.outcome for result in results] == ["green"]


def test_a_stop_has_time_to_run_a_check_and_to_confirm_it() -> None:
    assert 2 * DEFAULT_RULES.longest < STOP_DEADLINE
