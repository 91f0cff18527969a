"""`untildone run --plan` in real repositories, around a client that plays a script."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from runs.plan.world import PROGRAM, PlanWorld, has, simple, task, writes
from snippets import snippet
from untildone.web.plan_runs import PlanIndex

WORK = "untildone/pay"


def steps(ended: dict[str, Any]) -> dict[str, tuple[str, str | None, int]]:
    return {each["id"]: (each["step"], each["outcome"], each["rounds"]) for each in ended["tasks"]}


def checkout(world: PlanWorld) -> tuple[str, ...]:
    """All of the user's own: files, index, HEAD, stash."""
    files = sorted(path for path in world.project.rglob("*") if ".git" not in path.parts)
    contents = [f"{path.name}:{path.read_text('utf-8')}" for path in files if path.is_file()]
    index = world.git("ls-files", "--stage")
    return (*contents, index, world.git("rev-parse", "HEAD"), world.git("stash", "list"))


def untildone(world: PlanWorld, *words: str) -> str:
    command = [str(PROGRAM), *words]
    return subprocess.run(
        command, cwd=world.project, env=world.environ, check=True, capture_output=True, text=True
    ).stdout


def test_every_task_is_verified_in_its_worktree_and_merged(tmp_path: Path) -> None:
    world = simple(tmp_path)
    world.written()
    before = checkout(world)

    events = world.events("-j", "2")

    ended = events[-1]
    assert (ended["event"], ended["outcome"], ended["exit_code"]) == ("plan-ended", "done", 0)
    assert steps(ended) == {
        "A": ("merged", "done", 1),
        "B": ("merged", "done", 2),
        "C": ("merged", "done", 1),
    }
    assert [world.shown(name) for name in "abc"] == ["one", "whole", "end"]
    plan = json.loads(world.shown("TASKS.json"))
    assert {value["status"] for value in plan["tasks"].values()} == {"completed"}
    assert checkout(world) == before
    assert world.git("branch", "--format=%(refname:short)").split() == ["main", WORK]
    assert len(world.git("worktree", "list").splitlines()) == 1
    order = [event["task"] for event in events if event["event"] == "task-merged"]
    assert order[-1] == "C"
    (run,) = PlanIndex(Path(world.environ["UNTILDONE_HOME"])).list_all()
    assert (run.feature, run.state, run.summary) == ("pay", "done", "3 of 3 tasks merged")


def test_finished_tasks_are_not_repeated(tmp_path: Path) -> None:
    world = simple(tmp_path)
    world.written()
    world.run()
    calls = world.calls()

    ended = world.ended()

    assert (ended["outcome"], world.calls()) == ("done", calls)


def test_lines_report_what_happens_and_a_summary_what_it_cost(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()

    ran = world.run()

    assert re.sub(r"\d+:\d\d", "TIME", ran.stdout) == (
        "A  merged (1 round, TIME, 0.25 USD)  Something\n"
        "done: every task is verified and merged, and the whole feature is green (TIME, 0.25 USD)\n"
    )
    first, second, *_, before, last = ran.stderr.splitlines()
    assert (first, second) == (f"plan pay: 1 task to do into `{WORK}`", "A: Something")
    assert re.fullmatch(r"A: merged [0-9a-f]{12}", before)
    assert last == f"the work is on `{WORK}`; run `git merge {WORK}` to take it"


def test_a_conflict_goes_back_to_the_task_with_both_sides(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    (world.project / "list").write_text("first\n", encoding="utf-8")
    one = writes(list="first\nmine\n")
    world.add("A", one, **task(checks=(has("list", "mine"),)))
    other = {**writes(list="first\nyours\n"), "takes": 3}
    both = writes(list="first\nmine\nyours\n")
    world.add("B", other, both, **task(checks=(has("list", "yours"),)))
    world.written()

    events = world.events("-j", "2")

    (back,) = [event for event in events if event["event"] == "task-sent-back"]
    assert (back["task"], back["reason"]) == ("B", f"merging it into `{WORK}` conflicts in `list`")
    assert events[-1]["outcome"] == "done"
    assert world.shown("list") == "first\nmine\nyours"
    assert steps(events[-1]) == {"A": ("merged", "done", 1), "B": ("merged", "done", 2)}


def test_a_merge_that_is_red_goes_back_to_the_task(tmp_path: Path) -> None:
    """B breaks what A was verified by; each alone is green."""
    world = PlanWorld(tmp_path)
    (world.project / "n").write_text("1\n", encoding="utf-8")
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"), has("n", "1"))))
    breaks = {"writes": {"b": "whole\n", "n": "2\n"}, "takes": 3}
    mends = {"writes": {"b": "whole\n", "n": "1 2\n"}}
    world.add("B", breaks, mends, **task(checks=(has("b", "whole"),)))
    world.written()

    events = world.events("-j", "2")

    (back,) = [event for event in events if event["event"] == "task-sent-back"]
    assert back["task"] == "B"
    assert back["reason"].startswith(f"merged into `{WORK}` its checks fail:\n- ")
    assert (events[-1]["outcome"], world.shown("n")) == ("done", "1 2")


def test_tasks_that_wait_for_a_merge_are_merged_together(tmp_path: Path) -> None:
    """While the first is merged the others are verified; the checks run once for both."""
    world = PlanWorld(tmp_path)
    log = tmp_path / "checked"
    slow = f"test -e README && echo $PWD >> {log} && sleep 2"
    for name in "ABC":
        world.add(name, writes(**{name: "one\n"}), **task(checks=(has(name, "one"), slow)))
    world.written()

    ended = world.ended("-j", "3")

    assert ended["outcome"] == "done"
    titles = world.git("log", "--first-parent", "--merges", "--format=%s", WORK).splitlines()
    assert sorted(titles) == [f"Merge {name}: Something" for name in "ABC"]


def test_a_task_that_gives_up_keeps_back_only_what_needs_it(tmp_path: Path) -> None:
    world = simple(tmp_path)
    world.plays["B"] = [writes(b="half\n")]
    world.written()

    ended = world.ended("--rounds", "2")

    assert (ended["outcome"], ended["exit_code"]) == ("out-of-rounds", 10)
    assert steps(ended) == {
        "A": ("merged", "done", 1),
        "B": ("ended", "out-of-rounds", 2),
        "C": ("waiting", None, 0),
    }
    assert world.git("ls-tree", "--name-only", WORK).split() == ["README", "TASKS.json", "a"]

    world.plays["B"] = [writes(b="whole\n")]
    (tmp_path / "plays.json").write_text(json.dumps(world.plays), encoding="utf-8")
    ended = world.ended("--rounds", "2")
    assert (ended["outcome"], world.shown("b")) == ("done", "whole")


def test_a_task_that_was_continued_by_itself_is_merged_and_not_repeated(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="half\n"), writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()
    first = world.run("--rounds", "1")
    (loop,) = json.loads(untildone(world, "status", "--all", "--json"))["loops"]
    assert (first.stderr.splitlines()[-3:], first.returncode) == (
        [
            "A: out-of-rounds: round 1 of 1",
            f"A: `untildone show {loop['id']}` shows what is left",
            "run the same command again to continue",
        ],
        10,
    )

    untildone(world, "continue", loop["id"], "--rounds", "+1")

    ended = world.ended("--rounds", "1")
    assert (ended["outcome"], world.shown("a"), world.calls()) == ("done", "one", ["A 0", "A 1"])


def test_a_task_that_ran_into_a_bound_is_given_as_much_again(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="half\n"), **task(checks=(has("a", "one"),)))
    world.written()

    assert steps(world.ended("--rounds", "2")) == {"A": ("ended", "out-of-rounds", 2)}
    assert steps(world.ended("--rounds", "2")) == {"A": ("ended", "out-of-rounds", 4)}


def test_without_git_tasks_are_done_one_after_another_in_place(tmp_path: Path) -> None:
    world = simple(tmp_path, git=False)
    world.written(commit=False)

    started, *_, ended = world.events("-j", "2")

    assert (started["jobs"], ended["outcome"], ended["branch"]) == (1, "done", "")
    assert started["notices"] == [
        f"`{world.project}` is in no git repository: tasks are worked on there, one after another"
    ]
    plan = json.loads(world.plan.read_text(encoding="utf-8"))
    assert {value["status"] for value in plan["tasks"].values()} == {"completed"}


def test_the_state_of_the_checkout_is_said_and_left_alone(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()
    (world.project / ".gitmodules").write_text("", encoding="utf-8")
    (world.project / ".gitattributes").write_text("*.bin filter=lfs\n", encoding="utf-8")
    world.git("add", "-A")
    world.git("commit", "-qm", "modules")
    world.git("switch", "-q", "--detach")
    (world.project / "README").write_text("changed\n", encoding="utf-8")
    before = checkout(world)

    started, *_, ended = world.events()

    assert started["notices"] == [
        "what is not committed in your checkout is not part of this: HEAD is used",
        "HEAD is detached: the work branch begins at that commit",
        "submodules are empty folders in the worktrees of tasks",
        "git filters, such as LFS, are not run: worktrees have files as committed",
    ]
    assert (ended["outcome"], world.shown("README")) == ("done", "pay")
    assert checkout(world) == before


def test_an_untracked_plan_records_what_is_completed(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.plan = tmp_path / "TASKS.json"
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()

    assert world.ended()["outcome"] == "done"
    assert json.loads(world.plan.read_text("utf-8"))["tasks"]["A"]["status"] == "completed"


def test_a_populated_submodule_stays_what_it_is(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    world = PlanWorld(tmp_path)
    who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
    for words in (("init", "-q"), (*who, "commit", "-q", "--allow-empty", "-m", "Begin")):
        subprocess.run(["git", *words], cwd=library, env=world.environ, check=True)
    world.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.written()
    before = world.git("ls-tree", "main", "lib")

    ended = world.ended()

    assert (ended["outcome"], world.git("ls-tree", WORK, "lib")) == ("done", before)
    assert world.git("submodule", "status").split()[:2] == [before.split()[2], "lib"]


def test_what_a_plan_says_itself_is_not_said_beside_it(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    world.written()

    assert "`--check` cannot be combined with `--plan`" in world.run("--check", "true").stderr


def test_a_subjective_criterion_needs_its_promise(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    prompt = snippet("""
        Write it.

        ## Completion Promise

        THE PAGE IS NICE
    """)
    lazy, good = writes(a="one\n"), {"says": "<promise>THE PAGE IS NICE</promise>"}
    criteria = {"acceptance_criteria": ["It is nice"], "prompt": prompt}
    world.add("A", lazy, good, **{**task(checks=(has("a", "one"),)), **criteria})
    world.written()

    assert steps(world.ended()) == {"A": ("merged", "done", 2)}


def test_what_rests_on_words_alone_is_merged_and_said_to_be_claimed(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    prompt = snippet("""
        Write it.

        ## Completion Promise

        THE PAGE IS NICE
    """)
    good = {**writes(a="one\n"), "says": "<promise>THE PAGE IS NICE</promise>"}
    world.add("A", good, **task(acceptance_criteria=["It is nice"], prompt=prompt))
    world.written()

    ended = world.ended()

    assert steps(ended) == {"A": ("merged", "claimed", 1)}
    assert (ended["outcome"], ended["exit_code"], ended["reason"]) == (
        *("claimed", 23),
        "every task is merged; by words alone: A",
    )
    assert world.shown("a") == "one"


@pytest.mark.skipif(sys.platform == "win32", reason="NOT TESTED, needs signals")
def test_ctrl_c_pauses_and_the_same_command_goes_on(tmp_path: Path) -> None:
    world = PlanWorld(tmp_path)
    hangs = {"writes": {"b": "half\n"}, "takes": 600}
    world.add("A", hangs, **task(checks=(has("a", "one"),)))
    world.written()
    command = world.command("--json")
    with subprocess.Popen(
        command, cwd=world.project, env=world.environ, stdout=subprocess.PIPE, text=True
    ) as process:
        while not world.calls():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate()

    ended = json.loads(said.splitlines()[-1])
    assert (process.returncode, ended["outcome"]) == (22, "paused")
    assert steps(ended) == {"A": ("ended", "paused", 0)}

    world.plays["A"] = [writes(a="one\n")]
    (tmp_path / "plays.json").write_text(json.dumps(world.plays), encoding="utf-8")
    assert world.ended()["outcome"] == "done"
