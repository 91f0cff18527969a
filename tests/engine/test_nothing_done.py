"""No sequence of verbs and words makes a loop `done` on a tree that equals the baseline."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untildone.core.contract import Claim
from untildone.core.plan_task import PlanTask
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.request import name_checks
from untildone.engine.verbs import record_agent_verb
from untildone.errors import UserError
from untildone.features.plans.verifier_reports import (
    CriterionEvidence,
    VerifierReport,
    record_report,
)
from untildone.store.home import prepare_home
from world import World

LOOPS: dict[str, dict[str, Any]] = {
    "checks": {},
    "both": {"done_when": "both", "claims": (Claim(name="docs"),)},
    "either": {"done_when": "either"},
    "a spec": {
        "preset": "loop",
        "task": "Add a page for seniors to the site in `page.txt` with the half fare; it is done"
        " when the check passes and the docs describe it. Do not touch other pages.",
        "claims": (Claim(name="docs"),),
    },
    "changed files": {"proof": "files"},
    "hard to undo": {"reversibility": "1"},
    "a task": {
        "plan": PlanTask(task="TASK-001"),
        "done_when": "both",
        "claims": (Claim(name="docs", verification="review"),),
    },
}
MESSAGES = (
    "Done.",
    "EXIT_SIGNAL: true",
    "<untildone:done />",
    "<task-loop-complete>VERIFIED</task-loop-complete>",
    '---LOOP_STATUS---\nEXIT_SIGNAL: true\nCRITERIA: {"docs": true}\n---END_STATUS---',
    "<untildone:blocked>nothing to do</untildone:blocked>",
)
VERBS = (
    AgentVerb(verb="signal"),
    AgentVerb(verb="met", name="docs", text="I read them", by="review"),
    AgentVerb(verb="met", name="more", text="I ran it", by="execution"),
    AgentVerb(verb="criterion", name="more", by="execution"),
    AgentVerb(verb="note", text="all is done"),
    AgentVerb(verb="precheck", text="it could fail"),
    AgentVerb(verb="blocked", text="there is nothing to do"),
)


def verify(world: World) -> None:
    evidence = {"docs": CriterionEvidence(met=True, evidence="looked at it")}
    report = VerifierReport(result="VERIFIED", criteria=evidence)
    record_report(world.context, world.loop, "TASK-001", report)


def edit_and_undo(world: World) -> None:
    """A round is judged in between, at which the check is red."""
    world.write("broken.txt", "")
    world.stop()
    (world.project / "broken.txt").unlink()


def call(verb: AgentVerb) -> Callable[[World], None]:
    def act(world: World) -> None:
        record_agent_verb(world.context, world.loop, verb)

    return act


actions = st.lists(
    st.sampled_from((*(call(verb) for verb in VERBS), verify, edit_and_undo)), max_size=4
)


@pytest.mark.slow
@pytest.mark.timeout(300)
@given(
    loop=st.sampled_from(sorted(LOOPS)),
    turns=st.lists(st.tuples(actions, st.sampled_from(MESSAGES)), min_size=1, max_size=3),
)
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
def test_a_loop_that_was_green_before(
    loop: str, turns: list[tuple[list[Callable[[World], None]], str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        prepare_home(world.state_folder)
        world.write("page.txt", "a page\n")
        checks = name_checks(("test ! -e broken.txt",))
        world.start(baseline="run", checks=checks, **LOOPS[loop])
        for acts, message in turns:
            for act in acts:
                with suppress(UserError):
                    act(world)
            world.stop(last_assistant_message=message)

        assert world.outcome != "done"
