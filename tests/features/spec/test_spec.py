"""A loop from a spec: its start, its gates, its steps and its end, with real stops."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from snippets import snippet
from untildone.core.contract import Claim, Contract
from untildone.engine import verbs
from untildone.engine.agent_verbs import AgentVerb
from untildone.errors import UserError
from untildone.features.spec import steps
from untildone.features.spec.cleanup import remove_finished_loop
from untildone.features.spec.rubric import Opinion
from untildone.features.spec.scoring import score_loop
from untildone.features.spec.shape_file import load_shape_file
from untildone.store.lock import hold_lock
from untildone.store.trusted_files import record_trust
from world import World, shown

TASK = "Refactor all API routes to use validation middleware"
CLEAR = f"{TASK} in src/api; no new dependencies; done when `make e2e` passes"
SHAPE = """\
criteria:
- it reads well
mustNot:
- `test -f bad.txt`
- lose data
"""


@pytest.fixture
def world(world: World) -> World:
    world.git("init", "-q")
    return world


def start(world: World, **fields: Any) -> Contract:  # noqa: ANN401  any field of the request
    return world.start(baseline="none", **{"task": TASK, "preset": "loop", **fields}).contract


def stop(world: World, message: str = "Done.") -> str:
    return shown(world.stop(last_assistant_message=message))


def test_a_vague_task_is_not_started(world: World) -> None:
    with pytest.raises(UserError, match="the spec is vague: it scores 2 of 10") as refused:
        start(world, task="Make it better")

    assert refused.value.exit_code == 19
    assert refused.value.hint.startswith("say in it: what will be true")
    assert world.session.get_loop_id() == ""


@pytest.mark.parametrize(
    ("task", "score", "gated"),
    [(TASK, 7, True), (CLEAR, 10, False), (f"{TASK}. Proceed without confirmation.", 7, False)],
)
def test_the_shape_decides_on_gates(world: World, task: str, score: int, gated: bool) -> None:
    contract = start(world, task=task)

    assert (contract.score, contract.gated, contract.done_when) == (score, gated, "both")


def test_a_spec_without_check_and_criterion_asks_for_one(world: World) -> None:
    answer = world.prompt(f"/untildone:loop {CLEAR}")

    assert "What must be true in the end?" in answer["systemMessage"]
    assert "Criteria:\n- none yet. Name what must be true in the end" in shown(answer)


def test_the_agent_learns_how_to_name_a_missing_criterion_and_the_loop_ends(world: World) -> None:
    start(world, task=CLEAR, checks=())
    held = stop(world)
    for verb in (
        AgentVerb(verb="criterion", name="routes", by="review"),
        AgentVerb(verb="met", name="routes", by="review", text="read"),
        AgentVerb(verb="signal"),
    ):
        verbs.record_agent_verb(world.context, world.loop, verb)
    stop(world)

    assert "Unmet: a criterion (none is agreed yet).\n" in held
    assert "Name what must be true in the end, each with `untildone criterion add NAME" in held
    assert world.outcome == "claimed"


def write_shape(world: World) -> Path:
    path = world.project / ".loop" / "shape" / "SHAPE.md"
    path.parent.mkdir(parents=True)
    path.write_text(SHAPE, encoding="utf-8")
    return path


def test_commands_of_a_shape_that_nobody_trusted_are_only_words(world: World) -> None:
    write_shape(world)

    contract = start(world, claims=(Claim(name="mine"),))

    assert contract.claims == (Claim(name="mine"), Claim(name="it reads well"))
    assert contract.must_not == ()
    assert contract.limits == ("lose data", "`test -f bad.txt` exits 0 (not run: not trusted)")


def test_commands_of_a_trusted_shape_pause_the_loop(world: World) -> None:
    path = write_shape(world)
    found = load_shape_file(world.project)
    assert found is not None
    record_trust(world.state_folder, path, sha256=found.sha256, text=found.text)
    contract = start(world)
    assert (contract.must_not, contract.limits) == (("test -f bad.txt",), ("lose data",))

    world.project.joinpath("bad.txt").touch()
    stop(world)

    assert world.state() == ("paused", "forbidden", 1)


def test_the_three_gates(world: World) -> None:
    start(world)
    steps.add_steps(world.context, world.loop, ("find it", "mend it"))
    assert stop(world, "Here are the steps.").splitlines()[0] == (
        "untildone: Not green: check red. here are 2 steps: 1. find it; 2. mend it. Proceed?"
        " Your next prompt is the answer."
    )
    assert world.prompt("what is step 2?")["systemMessage"] == (
        f"untildone: loop {world.loop} still asks: Not green: check red."
        " here are 2 steps: 1. find it; 2. mend it."
        " Proceed?"
    )
    assert world.state() == ("paused", "gate", 1)
    assert world.prompt("yes")["systemMessage"] == f"untildone: loop {world.loop} goes on"

    steps.complete_step(world.context, world.loop, "1", cwd=world.project)
    assert "step `find it` is complete: continue with `mend it`?" in stop(world)
    world.prompt("go on, but keep the names")

    world.project.joinpath("done.txt").touch()
    verbs.record_agent_verb(world.context, world.loop, AgentVerb(verb="signal"))
    assert "all criteria are met: confirm that it is done?" in stop(world)
    assert world.state() == ("paused", "gate", 3)
    world.prompt("yes")

    assert "╭─ 🟢 SHIP" in stop(world, "Thank you.")
    assert world.state() == ("finished", "done", 4)


def test_the_last_gate_is_asked_again_after_instructions(world: World) -> None:
    start(world)
    world.project.joinpath("done.txt").touch()
    verbs.record_agent_verb(world.context, world.loop, AgentVerb(verb="signal"))
    stop(world)
    world.prompt("also rename the file")

    stop(world, "Renamed. EXIT_SIGNAL: true")

    assert world.state() == ("active", None, 2)
    stop(world, "EXIT_SIGNAL: true")
    assert world.state() == ("paused", "gate", 3)
    verbs.resume(world.context, world.loop)
    stop(world, "Well.")
    assert world.state() == ("finished", "done", 4)


def test_a_no_leaves_the_loop_paused_and_gates_can_be_skipped(world: World) -> None:
    start(world)
    stop(world)
    world.prompt("no")
    assert world.state() == ("paused", "gate", 1)

    world.prompt("continue without asking")

    assert (world.state()[0], world.contract.gated) == ("active", False)
    assert "Unmet: check" in stop(world)


def test_gates_are_skipped_while_it_runs(world: World) -> None:
    start(world)

    world.prompt("proceed without confirmation")

    assert (world.state(), world.contract.gated) == (("active", None, 0), False)


def test_a_strict_agent_brings_gates_and_never_takes_them(world: World) -> None:
    start(world, task=CLEAR)
    record = world.record
    strict = {
        "done": Opinion(score=0, reason="e2e is no proof"),
        "scope": Opinion(score=1, reason="-"),
    }

    assert score_loop(world.context, record, strict).total == 7  # type: ignore[arg-type]  # literals
    assert world.contract.gated

    freed = world.record
    generous = {"done": Opinion(score=2, reason="clear")}
    assert score_loop(world.context, freed, generous).total == 10  # type: ignore[arg-type]  # literals
    assert world.contract.gated


def test_what_the_user_freed_stays_free(world: World) -> None:
    start(world)
    world.prompt("proceed without confirmation")
    strict = {"done": Opinion(score=0, reason="unclear")}

    score_loop(world.context, world.record, strict)  # type: ignore[arg-type]

    assert not world.contract.gated


def test_a_contradiction_is_reported_to_the_agent(world: World) -> None:
    start(world, task=CLEAR)
    block = snippet("""
        ---LOOP_STATUS---
        EXIT_SIGNAL: true
        CRITERIA: {"check": true}
        ---END_STATUS---""")

    reported = stop(world, block)

    assert "- `check`: true, but the check `check` is red\n" in reported
    assert "- `EXIT_SIGNAL: true`, but unmet: check\n" in reported


def test_what_the_agent_does_next_is_shown_to_the_user(world: World) -> None:
    start(world, task=CLEAR)
    block = snippet("""
        ---LOOP_STATUS---
        EXIT_SIGNAL: false
        NEXT: mend the routes
        ---END_STATUS---""")

    answer = world.stop(last_assistant_message=block)

    assert answer["systemMessage"].splitlines()[-1] == (
        "[LOOP] Round 1/10 | Cost: unknown/$25 | Next: mend the routes"
    )


def test_a_claim_the_agent_takes_back_does_not_count(world: World) -> None:
    start(world, task=CLEAR, claims=(Claim(name="docs"),))
    world.project.joinpath("done.txt").touch()
    met = AgentVerb(verb="met", name="docs", by="review", text="read")
    verbs.record_agent_verb(world.context, world.loop, met)
    block = snippet("""
        ---LOOP_STATUS---
        EXIT_SIGNAL: true
        CRITERIA: {"docs": false}
        ---END_STATUS---""")

    assert "Unmet: docs" in stop(world, block)
    stop(world, "EXIT_SIGNAL: true")
    assert world.state() == ("finished", "done", 2)


def test_a_change_of_type_1_waits_for_its_precheck(world: World) -> None:
    start(world, task=CLEAR, reversibility="1")
    world.project.joinpath("done.txt").touch()

    assert "Unmet: precheck." in stop(world, "EXIT_SIGNAL: true")
    precheck = AgentVerb(verb="precheck", text="old clients were looked at")
    verbs.record_agent_verb(world.context, world.loop, precheck)
    stop(world, "EXIT_SIGNAL: true")

    assert world.state() == ("finished", "done", 2)
    receipt = json.loads((world.project / ".untildone" / "receipt.json").read_text())
    assert (receipt["verdict"], receipt["precheck"]) == ("SHIP", "old clients were looked at")


def test_steps_are_only_added(world: World) -> None:
    start(world, task=CLEAR)
    steps.add_steps(world.context, world.loop, ("one", "two", "one"))
    steps.add_steps(world.context, world.loop, ("three", "two"))

    assert world.contract.steps == ("one", "two", "three")
    with pytest.raises(UserError, match="`four` is not a step of this loop"):
        steps.complete_step(world.context, world.loop, "four", cwd=world.project)
    with pytest.raises(UserError, match="a loop takes 100 steps at most"):
        steps.add_steps(world.context, world.loop, tuple(map(str, range(98))))


def test_a_checkpoint_before_each_step_is_brought_back(world: World) -> None:
    start(world, task=CLEAR, reversibility="2B")
    steps.add_steps(world.context, world.loop, ("one", "two"))
    world.project.joinpath("a.txt").write_text("one\n", encoding="utf-8")
    steps.complete_step(world.context, world.loop, "one", cwd=world.project)
    world.project.joinpath("a.txt").write_text("two\n", encoding="utf-8")
    record = world.record

    restored = steps.roll_back(world.context, record, "two", cwd=world.project)

    assert (restored.written, restored.removed) == (("a.txt",), ())
    assert world.project.joinpath("a.txt").read_text(encoding="utf-8") == "one\n"
    assert steps.roll_back(world.context, record, "1", cwd=world.project).removed == ("a.txt",)
    with pytest.raises(UserError, match=r"no checkpoint of `9` \(there are: `step-1`, `step-2`"):
        steps.roll_back(world.context, record, "9", cwd=world.project)


def test_after_a_rollback_a_step_is_done_again_and_a_claim_reported_again(world: World) -> None:
    start(world, task=CLEAR, reversibility="2B", claims=(Claim(name="docs"),))
    file = world.project / "a.txt"
    steps.add_steps(world.context, world.loop, ("one", "two"))
    # The second of the list comes first.
    for step, text in (("two", "wrong\n"), ("one", "more\n")):
        file.write_text(text, encoding="utf-8")
        steps.complete_step(world.context, world.loop, step, cwd=world.project)
    met = AgentVerb(verb="met", name="docs", by="review", text="read")
    verbs.record_agent_verb(world.context, world.loop, met)

    record = world.record
    steps.roll_back(world.context, record, "two", cwd=world.project)
    progress = world.progress
    assert (file.exists(), progress.steps_done, progress.met) == (False, (), {})

    file.write_text("right\n", encoding="utf-8")
    for _ in range(2):
        steps.complete_step(world.context, world.loop, "two", cwd=world.project)
        file.write_text("after\n", encoding="utf-8")
    record = world.record
    steps.roll_back(world.context, record, "1", cwd=world.project)
    assert file.read_text(encoding="utf-8") == "right\n"


def test_nothing_is_kept_where_the_user_chose_so(world: World) -> None:
    start(world, task=CLEAR, reversibility="2B", clean=True)
    world.project.joinpath("done.txt").touch()

    stop(world, "EXIT_SIGNAL: true")

    assert world.context.loops.list_all() == ()
    assert list((world.state_folder / "loops").iterdir()) == []
    refs = subprocess.run(
        ["git", "for-each-ref"], cwd=world.project, capture_output=True, check=True
    )
    assert refs.stdout == b""


def test_a_cancelled_loop_is_cleaned_up_too(world: World) -> None:
    start(world, task=CLEAR, clean=True)

    verbs.cancel(world.context, world.loop)

    assert world.context.loops.list_all() == ()
    with pytest.raises(UserError, match="`--clean` can only be given by the user"):
        start(world, task=CLEAR, clean=True, by="agent")


def test_a_stop_that_is_being_judged_cleans_up_itself(world: World) -> None:
    start(world, task=CLEAR, clean=True)
    folder = world.loop_folder

    with hold_lock(folder / "judging.lock", timeout=0):
        verbs.cancel(world.context, world.loop)
        assert folder.exists()

    assert remove_finished_loop(world.context, world.loop)
    assert not remove_finished_loop(world.context, world.loop)
