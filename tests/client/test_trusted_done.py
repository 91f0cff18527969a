"""Days on which `done` or a pause was wrong, with the real client."""

from pathlib import Path

import pytest

from client.script import Step, bash
from client.world import ClientWorld
from snippets import snippet

pytestmark = pytest.mark.client

FERRY_TEST = snippet(
    """
    import unittest
    from ferry import fare

    class TestFare(unittest.TestCase):
        def test_youths(self):
            self.assertEqual(fare(15), 6)
    """
)
OLD_BUILD_TEST = snippet(
    """
    const test = require("node:test");
    const assert = require("node:assert");
    const { fare } = require("./fare.js");

    test("youths pay half", () => assert.equal(fare(), 6));
    """
)
UNITTEST = ("--check", "python3 -m unittest")


def write_fare(amount: int) -> str:
    """The shell command that writes a product with this fare.

    Python takes a file of the same second and size for the one that it has compiled already.
    """
    return f"printf 'def fare(age):\\n    return {amount}  # {'.' * amount}\\n' > ferry.py"


def make_ferry(folder: Path, *, fare: int) -> ClientWorld:
    """A project with one test, which is green at a fare of 6."""
    world = ClientWorld(folder)
    world.write("test_ferry.py", FERRY_TEST)
    world.write("ferry.py", f"def fare(age):\n    return {fare}\n")
    world.git("add", "-A")
    world.git("commit", "-qm", "ferry")
    return world


def test_a_failure_whose_values_change_is_work_that_moves(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    world.start(*UNITTEST)
    script: list[Step] = []
    for amount in (11, 10, 9, 8, 7, 6):
        script += [bash(write_fare(amount)), f"It is {amount} now."]

    _, server = world.run(script)

    assert world.standing() == ("finished", "done", 6)
    assert not any("did nothing" in text for texts in world.told(server) for text in texts)


def test_changes_that_undo_each_other_are_told_as_that(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    world.start(*UNITTEST)
    script: list[Step] = []
    for amount in (11, 10, 11, 10):
        script += [bash(write_fare(amount)), f"It is {amount} now."]

    result, server = world.run(script)

    assert world.standing() == ("paused", "stagnated", 4)
    texts = [text for texts in world.told(server) for text in texts]
    assert sum("This is the state of two rounds ago again" in text for text in texts) == 1
    assert "the same two states alternate" in result.notices[-1]


@pytest.mark.parametrize("prompt", ["please fix it", "go on please", "can you fix it?"])
def test_an_order_after_which_nothing_is_edited_is_held(tmp_path: Path, prompt: str) -> None:
    world = make_ferry(tmp_path, fare=12)
    world.start(*UNITTEST, "--rounds", "3")
    world.run(["A plan."], "please plan", "--permission-mode", "plan")

    _, server = world.run(["It is fixed.", "It is fixed.", "It is fixed."], prompt)

    assert len(server.requests) == 3
    assert world.standing() == ("paused", "out-of-rounds", 3)


def test_a_question_releases_with_a_word_and_the_status_follows(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    loop = world.start(*UNITTEST)
    planned, _ = world.run(["A plan."], "please plan", "--permission-mode", "plan")

    asked, server = world.run(["It adds up."], "why is it red?")

    released = "Stop says: untildone: released, not judged: {}; loop {} is active"
    assert planned.notices == (
        released.format("plan mode, in which the agent changes nothing", loop),
    )
    assert asked.notices == (released.format("you asked a question and nothing was changed", loop),)
    assert (len(server.requests), world.standing("held")) == (1, ("active", None, 0, False))


def test_words_that_mean_continue_resume_a_paused_loop(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    world.start(*UNITTEST, "--rounds", "1")
    world.run(["It is fixed."])
    paused = world.standing()

    world.run([bash(write_fare(6)), "Now it is."], "please go on")

    assert paused == ("paused", "out-of-rounds", 1)
    assert world.standing() == ("finished", "done", 2)


def count_runs(condition: str) -> tuple[str, str]:
    """The option of a check that counts its runs outside the project: `$N` is the number.

    In a sandbox, where nothing outside is seen, it passes.
    """
    script = f"test -e ../runs || exit 0; echo x >> ../runs; N=$(wc -l < ../runs); {condition}"
    return "--check", f"sh -c '{script}'"


def test_a_check_that_turns_green_by_chance_is_not_done(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    # Red in the baseline and at the first stop; later it is green in every second run.
    (tmp_path / "runs").touch()
    world.start(*count_runs("test $N -gt 2 && test $((N % 2)) -eq 1"))

    result, _ = world.run(["Done.", "Done.", "Done."])

    assert world.standing()[:2] == ("paused", "unverified")
    assert "check is flaky, green and red on the same tree" in result.notices[-1]


def test_three_green_runs_in_a_row_are_stated_in_the_receipt(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    (tmp_path / "runs").touch()
    world.start(*count_runs("test $N -gt 2"))

    world.run(["Done.", bash("echo more > notes.txt; rm notes.txt"), "Done."])

    receipt = (world.project / ".untildone" / "receipt.md").read_text(encoding="utf-8")
    assert world.standing()[:2] == ("finished", "done")
    assert "it was red on the same tree, then green in 3 runs in a row" in receipt


def test_tests_of_an_old_build_are_not_done(tmp_path: Path) -> None:
    """The build copies sources to `dist`, which git ignores and the tests read."""
    world = ClientWorld(tmp_path)
    world.write("src/fare.test.js", OLD_BUILD_TEST)
    world.write("src/fare.js", "exports.fare = () => 12;\n")
    scripts = '{"build": "sleep 1 && cp -r src/. dist/", "test": "node --test dist/"}'
    world.write("package.json", f'{{"name": "ferry", "scripts": {scripts}}}\n')
    world.write(".gitignore", "dist/\n")
    world.write("dist/fare.test.js", OLD_BUILD_TEST)
    world.write("dist/fare.js", "exports.fare = () => 6;\n")
    world.git("add", "-A")
    world.git("commit", "-qm", "ferry")
    world.start("--preset", "ship", "--rounds", "2")

    world.run(["Done."] * 3)

    assert world.standing("unmet") == ("paused", "out-of-rounds", 2, ["test"])


def test_configuration_that_is_not_trusted_is_never_ignored_in_silence(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=12)
    world.write("Makefile", "test:\n\tpython3 -m unittest\n")
    world.write("untildone.toml", '[checks.team]\ncommand = "false"\n')

    result, _ = world.run(
        ["Done.", bash(write_fare(6)), "Now it is."], "/untildone:test repair the fare"
    )

    line = "`untildone.toml` is not trusted and ignored; `untildone trust` shows it"
    status = world.untildone("status", "--all").stdout
    receipt = (world.project / ".untildone" / "receipt.md").read_text(encoding="utf-8")
    assert line in result.notices[0]
    assert (line in status, f"- {line}" in receipt) == (True, True)


def test_nothing_done_on_a_green_project_is_not_done(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=6)
    world.start(*UNITTEST, "--task", "add a senior fare, with a test")

    _, server = world.run([bash("untildone signal"), "Done.", bash("untildone signal"), "Done."])

    texts = [text for texts in world.told(server) for text in texts]
    assert any("you have changed no file" in text for text in texts)
    assert world.standing()[:2] == ("finished", "claimed")


def test_a_change_undone_again_is_not_done(tmp_path: Path) -> None:
    """A check that was red on the way proves nothing if the tree is the baseline's again."""
    world = make_ferry(tmp_path, fare=6)
    world.start(*UNITTEST)
    script: list[Step] = [bash(write_fare(7)), "Done.", bash("git checkout ferry.py"), "Done."]

    world.run([*script, "Done."])

    assert world.standing()[:2] == ("finished", "claimed")


SENIORS = "printf 'def senior_fare():\\n    return 4\\n' >> ferry.py"
SENIOR_TEST = (
    "printf 'import unittest, ferry\\nclass T(unittest.TestCase):\\n    def test_seniors(self):"
    "\\n        self.assertEqual(ferry.senior_fare(), 4)\\n' > test_seniors.py"
)


def test_a_change_that_no_test_shows_is_claimed(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=6)
    world.start(*UNITTEST, "--task", "add a senior fare, with a test")
    signal = bash("untildone signal")

    result, server = world.run([bash(SENIORS), signal, "Done.", signal, "Done."])

    texts = [text for texts in world.told(server) for text in texts]
    assert any("Add a test that fails without your change" in text for text in texts)
    assert world.standing()[:2] == ("finished", "claimed")
    assert "no test was added or changed" in result.notices[-1]


def test_a_test_that_fails_without_the_change_is_named_at_the_end(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=6)
    world.start(*UNITTEST, "--task", "add a senior fare, with a test")

    result, _ = world.run([bash(f"{SENIORS}; {SENIOR_TEST}; untildone signal"), "Done."])

    assert world.standing()[:2] == ("finished", "done")
    assert "| fail-to-pass 1, pass-to-pass 1 | " in result.notices[-1]


def test_a_refactoring_needs_no_test(tmp_path: Path) -> None:
    world = make_ferry(tmp_path, fare=6)
    world.start(*UNITTEST, "--refactor")

    world.run([bash(f"{SENIORS}; untildone signal"), "Done."])

    assert world.standing()[:2] == ("finished", "done")
