"""`score`: the rubric at the command line."""

import json
from pathlib import Path

from cli.world import CommandLine, error
from world import SESSION

CLEAR = (
    "Fix /api/token: p95 <100ms, no new dependencies, done when `make e2e` passes and it is merged"
)


def test_a_clear_spec(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run("score", CLEAR)

    assert (code, stderr) == (0, "")
    assert stdout.splitlines() == [
        "10 of 10: tool-shaped",
        "  outcome      2 (<100ms)",
        "  scope        2 (/api/token)",
        "  constraints  2 (no new)",
        "  success      2 (`make e2e` passes)",
        "  done         2 (done when `make e2e` passes and it is merged)",
        "workflow: debug; find the root cause before any workaround",
    ]


def test_the_agents_lower_score_counts_and_brings_gates(cli: CommandLine) -> None:
    code, stdout, _ = cli.run(
        "score", CLEAR, "--done", "0: nobody merges", "--success", "1=no e2e here"
    )

    assert code == 0
    assert stdout.splitlines()[0] == "7 of 10: colleague-shaped"
    assert "  success      2 (`make e2e` passes), yours 1 (no e2e here)" in stdout.splitlines()
    assert stdout.splitlines()[-6:] == [
        "asks the user after the steps are known",
        "asks the user after each round",
        "asks the user before it is done",
        "answer these to make it clearer:",
        "  - which commands or observations show that it works?",
        "  - what ends the work: done when …?",
    ]


def test_a_vague_spec_exits_19_with_the_questions(cli: CommandLine, tmp_path: Path) -> None:
    spec = tmp_path / "spec.md"
    spec.write_text("Make it better", encoding="utf-8")

    code, stdout, _ = cli.run("score", "--file", str(spec), "--json")

    found = json.loads(stdout)
    assert (code, found["total"], found["shape"], found["gates"]) == (19, 0, "vague", [])
    assert len(found["questions"]) == len(found["ratings"]) == 5
    assert (found["workflow"], found["first"], found["of"]) == (None, "", 10)


def test_a_spec_from_a_pipe(cli: CommandLine) -> None:
    done = cli.untildone("score", "-", stdin=CLEAR)

    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "10 of 10: tool-shaped")


def test_the_loop_of_this_session_gains_gates_by_it(cli: CommandLine) -> None:
    loop = cli.start("--preset", "loop", "--task", CLEAR, "--check", "true")

    found = cli.json("score", "--outcome", "0:hard to say", "--done", "1:who merges?")

    assert (found["total"], found["shape"]) == (7, "colleague")
    (amendment,) = cli.json("show", loop)["progress"]["amendments"]
    assert (amendment["by"], amendment["gated"]) == ("agent", True)


def test_wrong_use(cli: CommandLine) -> None:
    assert cli.run("score", "x", "--done", "3:much") == error(
        "`--done 3:much` is not a score with a reason",
        'for example `--done "1:no number is named"`',
    )
    assert cli.run("score", "x", "--done", "2") == error(
        "`--done 2` is not a score with a reason", 'for example `--done "1:no number is named"`'
    )
    assert cli.run("score")[0] == 2


def test_a_vague_loop_is_not_started(cli: CommandLine) -> None:
    code, stdout, stderr = cli.run("start", "--session", SESSION, "--preset", "loop")

    assert (code, stdout) == (19, "")
    assert stderr.startswith("error: the spec is vague: it scores 1 of 10, and a loop needs 5\n")
    assert cli.json("status")["loops"] == []


def test_the_start_of_a_loop_from_a_spec_discloses_its_state(cli: CommandLine) -> None:
    _, stdout, _ = cli.run("start", "--session", SESSION, "--preset", "loop", "--task", CLEAR)

    (loop,) = cli.json("status")["loops"]
    place = cli.state_folder / "loops" / loop["id"]
    assert stdout.splitlines()[1:] == [
        "[LOOP] Starting | Shape: tool (10/10) | Workflow: B (find the root cause before any"
        " workaround) | Budget: $25",
        "untildone: no check was found and no criterion is named. What must be true in the end?"
        ' `untildone criterion add "…"` adds it; else the agent names the criteria',
        f"untildone: its state is in `{place}`, kept when it ends (`--clean` deletes it then);"
        f" `untildone show {loop['id']}` shows it, `untildone cancel {loop['id']}` ends it",
    ]
