"""The drill passes where the hook holds, and says what is wrong where it does not."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from cli.patient import Patient

SCENES = [
    "installed",
    "no loop",
    "red",
    "green",
    "other session",
    "subdirectory",
    "worktree",
    "garbage",
    "crash",
    "time-out",
    "hostile repository",
    "canary",
]


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(tmp_path)


def run_drill(patient: Patient) -> tuple[int, dict[str, str], str]:
    """Exit code, the problems by scene, and how to fix them."""
    done = patient.untildone("drill", "--json", check=False)
    assert done.stderr == ""
    report: dict[str, Any] = json.loads(done.stdout)
    problems = {each["name"]: each["problem"] for each in report["proofs"] if not each["passed"]}
    return done.returncode, problems, report["mend"]


def test_it_passes_after_init_and_leaves_everything_as_it_was(patient: Patient) -> None:
    patient.start()
    # A detached process of the loop still tries out its sandboxes.
    while any(patient.state_folder.glob("sessions/*/*/trial")):
        time.sleep(0.1)
    before = patient.settings.read_bytes()
    state = {path for path in patient.state_folder.rglob("*") if path.name != "loops"}

    done = patient.untildone("drill")

    rows = [line for line in done.stdout.splitlines() if line.startswith(("pass", "FAIL"))]
    assert [row[6:26].strip() for row in rows if row.startswith("pass")] == SCENES
    assert len(rows) == len(SCENES)
    assert patient.settings.read_bytes() == before
    assert {path for path in patient.state_folder.rglob("*") if path.name != "loops"} == state


def test_it_fails_where_nothing_is_installed(tmp_path: Path) -> None:
    code, problems, mend = run_drill(Patient(tmp_path, install="nothing"))

    assert (code, problems) == (1, {"installed": "no hook of untildone is installed for `Stop`"})
    assert "`untildone init`" in mend


def test_it_fails_where_the_stop_hook_was_removed(patient: Patient) -> None:
    found = json.loads(patient.settings.read_text(encoding="utf-8"))
    del found["hooks"]["Stop"]
    patient.settings.write_text(json.dumps(found), encoding="utf-8")

    code, problems, _ = run_drill(patient)

    assert (code, problems) == (1, {"installed": "no hook of untildone is installed for `Stop`"})


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_it_fails_where_hooks_are_switched_off(patient: Patient, name: str) -> None:
    path = patient.project / ".claude" / name
    path.parent.mkdir()
    path.write_text('{"disableAllHooks": true}', encoding="utf-8")

    code, problems, mend = run_drill(patient)

    reported = f"hooks are switched off: `disableAllHooks` is set in `{path}`"
    assert (code, problems) == (1, {"installed": reported})
    assert mend == f"remove `disableAllHooks` from `{path}`"


def test_it_fails_where_the_interpreter_is_gone(patient: Patient) -> None:
    found = json.loads(patient.settings.read_text(encoding="utf-8"))
    words = found["hooks"]["Stop"][0]["hooks"][0]["command"].split()
    patient.change(words[words.index("-I") - 1], "/gone/python")

    code, problems, mend = run_drill(patient)

    assert code == 1
    assert problems["red"].startswith("not held: untildone is not installed here")
    assert {"red", "green", "canary"} <= set(problems)
    assert "`untildone init`" in mend


def test_it_fails_where_the_client_would_end_the_hook(patient: Patient) -> None:
    patient.change('"timeout": 7200', '"timeout": 0.01')

    code, problems, _ = run_drill(patient)

    assert (code, problems["canary"]) == (1, "the client ends the hook after 0.01 seconds")


def test_it_fails_where_the_hook_says_nothing(patient: Patient) -> None:
    patient.change("exit 0; }; exec", "exit 0; }; exit 0; exec")

    code, problems, _ = run_drill(patient)

    assert code == 1
    assert problems["red"] == problems["canary"] == "not held: silence"
    assert problems["garbage"] == "neither held nor a line to the user"
    assert problems["crash"] == "no line to the user"


def test_it_fails_where_the_hook_holds_whatever_comes(patient: Patient) -> None:
    hold = 'echo \'{\\"decision\\": \\"block\\", \\"reason\\": \\"no\\"}\'; exit 0; command'
    patient.change("|| exit 0; command", f"; {hold}")

    code, problems, _ = run_drill(patient)

    assert code == 1
    assert {"no loop", "green", "other session"} <= set(problems)


def test_it_fails_where_the_user_switched_it_off(patient: Patient) -> None:
    patient.extra["UNTILDONE_DISABLE"] = "1"

    code, problems, mend = run_drill(patient)

    assert (code, problems) == (1, {"installed": "`UNTILDONE_DISABLE` is set: no agent is held"})
    assert mend == "`unset UNTILDONE_DISABLE`"


def test_a_failure_is_reported_with_its_remedy(tmp_path: Path) -> None:
    done = Patient(tmp_path, install="nothing").untildone("drill", check=False)

    assert done.stdout.splitlines() == [
        "FAIL  installed            a hook at Stop",
        "      no hook of untildone is installed for `Stop`",
        "",
        "1 of 1 failed",
        "fix: run `untildone init` to write the hooks again; `untildone doctor` shows more",
    ]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("touch ran-by-untildone", "a command of the repository was run"),
        ("touch .untildone/x 2>/dev/null", "written through a link of the repository"),
    ],
)
def test_it_fails_where_the_hook_serves_a_hostile_repository(
    patient: Patient, command: str, problem: str
) -> None:
    patient.change("exit 0; }; exec", f"exit 0; }}; {command}; exec")

    code, problems, _ = run_drill(patient)

    assert (code, problems) == (1, {"hostile repository": problem})
