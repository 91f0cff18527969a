"""The doctor finds what keeps a loop from holding, each with what fixes it."""

import json
import subprocess
import tempfile
from pathlib import Path

import pytest

from checks.security.bare import PATH, bare_python
from cli.patient import Patient, error, note
from cli.world import Terminal
from client.world import BIN
from features.importers.formats import samples
from snippets import snippet
from untildone.engine import loop_problems
from untildone.features.edits import switch
from untildone.install.health import list_probes


@pytest.fixture
def patient(tmp_path: Path, terminal: Terminal) -> Patient:
    return Patient(tmp_path, terminal=terminal)


def interpreter(patient: Patient) -> str:
    """The one `init` was run by, by the name it wrote into the hooks."""
    record = json.loads(patient.state_folder.joinpath("installed.json").read_text(encoding="utf-8"))
    return str(record["files"][0]["program"]["interpreter"])


def test_nothing_is_wrong_after_init(tmp_path: Path) -> None:
    patient = Patient(tmp_path)

    assert patient.findings() == (0, [])
    assert "nothing needs fixing" in patient.untildone("doctor").stdout


def test_automatic_mode_is_reported(patient: Patient) -> None:
    patient.untildone("init", "--auto")

    assert patient.findings() == note(
        "automatic mode",
        "on: a turn whose edits bring errors is held, with or without a loop",
        "`untildone init --no-auto` switches it off",
    )


def test_automatic_mode_without_the_extra_is_reported(patient: Patient, tmp_path: Path) -> None:
    switch.write_modes(str(patient.state_folder), frozenset({switch.AUTO}))
    bare = bare_python(tmp_path / "bare")

    done = subprocess.run(
        [bare, "-m", "untildone", "doctor"],
        cwd=patient.project,
        env={**patient.environment, "PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (
        "note: automatic mode: security findings are not looked for: `ast-grep` is not installed\n"
        f"  fix: `{bare} -m pip install 'ast-grep-cli<1,>=0.38'`\n"
    ) in done.stdout


def test_hooks_that_are_missing(tmp_path: Path) -> None:
    patient = Patient(tmp_path, install="nothing")

    assert patient.findings() == error(
        "hooks", "no hook of untildone is installed", "`untildone init`"
    )


def test_one_hook_that_is_missing(patient: Patient) -> None:
    found = json.loads(patient.settings.read_text(encoding="utf-8"))
    del found["hooks"]["Stop"]
    patient.settings.write_text(json.dumps(found), encoding="utf-8")

    assert patient.findings() == error("hooks", "not installed for `Stop`", "`untildone init`")


def test_hooks_of_another_state(patient: Patient) -> None:
    other = patient.home / "other"
    patient.extra["UNTILDONE_HOME"] = str(other)

    assert patient.findings() == error(
        "stale",
        f"the hooks in `{patient.settings}` are out of date:"
        f" their state is in `{patient.state_folder}`, ours in `{other}`",
        "`untildone init`",
    )


def test_hooks_of_another_version(patient: Patient) -> None:
    patient.change(" -I -S ", " -I  -S ")
    record = patient.state_folder / "installed.json"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace('"version":"0.1.0"', '"version":"0.0.9"'), encoding="utf-8")

    assert patient.findings() == error(
        "stale",
        f"the hooks in `{patient.settings}` are out of date:"
        " written by version 0.0.9, this is 0.1.0",
        "`untildone init`",
    )


def test_an_interpreter_that_is_gone(patient: Patient) -> None:
    patient.change(interpreter(patient), "/gone/python")

    code, found = patient.findings()

    assert code == 1
    gone = ("error", "interpreter", "`/gone/python` is gone: no hook can start", "`untildone init`")
    assert gone in found
    assert [each[1] for each in found] == ["stale", "interpreter"]


def test_a_package_that_is_gone(patient: Patient) -> None:
    patient.change("/untildone/hooks/__main__.py ", "/untildone/untildone/hooks/__main__.py ")

    code, found = patient.findings()

    assert (code, [each[1] for each in found]) == (1, ["stale", "interpreter"])
    assert found[1][2].endswith("/untildone/untildone`")


def test_an_interpreter_that_is_another_program_now(patient: Patient) -> None:
    record = patient.state_folder / "installed.json"
    found = json.loads(record.read_text(encoding="utf-8"))
    found["files"][0]["program"]["interpreter_sha256"] = "00"
    record.write_text(json.dumps(found), encoding="utf-8")

    assert patient.findings() == note(
        "interpreter",
        f"`{interpreter(patient)}` is not the program it was when `init` ran",
        "`untildone init`, if you upgraded it",
    )


def test_a_package_that_was_changed(patient: Patient) -> None:
    record = patient.state_folder / "installed.json"
    found = json.loads(record.read_text(encoding="utf-8"))
    program = found["files"][0]["program"]
    program["package_sha256"] = "00"
    record.write_text(json.dumps(found), encoding="utf-8")

    assert patient.findings() == note(
        "package",
        f"the modules in `{program['package']}` are not those that were there when `init` ran",
        "`untildone init`, if you upgraded untildone",
    )


def test_hooks_installed_twice(patient: Patient) -> None:
    patient.untildone("init", "--scope", "local")
    local = patient.project / ".claude" / "settings.local.json"

    assert patient.findings() == note(
        "duplicated",
        f"the hooks are installed 2 times: `{patient.settings}`, `{local}`",
        "harmless; `untildone uninstall`, then `untildone init`, keeps one",
    )


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_hooks_that_are_switched_off(patient: Patient, name: str) -> None:
    path = patient.write(f".claude/{name}", '{"disableAllHooks": true}')

    assert patient.findings() == error(
        "switched off",
        f"hooks are switched off: `disableAllHooks` is set in `{path}`",
        f"remove `disableAllHooks` from `{path}`",
    )


def test_untildone_that_is_switched_off(patient: Patient) -> None:
    patient.extra["UNTILDONE_DISABLE"] = "1"

    assert patient.findings() == error(
        "switched off", "`UNTILDONE_DISABLE` is set: no agent is held", "`unset UNTILDONE_DISABLE`"
    )


def test_a_cap_that_is_too_low(patient: Patient) -> None:
    path = patient.write(
        ".claude/settings.json", '{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "3"}}'
    )

    assert patient.findings() == error(
        "cap",
        f"`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` is `3` in {path}:"
        " the client releases after that many holds",
        "set it to `60` there",
    )


def test_a_cap_that_was_removed(patient: Patient) -> None:
    patient.change("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "ANOTHER")

    assert patient.findings() == error(
        "cap",
        "`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` is not set: the client releases the agent after 8 holds",
        "`untildone init`",
    )


def test_no_cap_at_all_is_fine(patient: Patient) -> None:
    patient.change(
        '"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "60"', '"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": 0'
    )

    assert patient.findings() == (0, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".shipkit/relentless-state.local.md", "---\nskill: test\n---\n"),
        (".stravinsky/continuation-loop.md", "---\nactive: true\n---\n"),
        (
            ".claude/ralph-loop.local.md",
            snippet("""
                ---
                active: true
                ---
                work"""),
        ),
        (".shipspec/active-loop.local.json", "{}"),
        (".loop/state.json", '{"status": "running"}'),
        (".ralph/ralph-loop.state.json", '{"active": true}'),
        (".omc/state/sessions/x/ralph-state.json", '{"active":true}'),
        (".jikime_loop_state.json", samples.JIKIME),
        ("specs/login/.ralph-state.json", samples.SMART_RALPH),
    ],
)
def test_a_loop_of_another_tool(patient: Patient, name: str, text: str) -> None:
    patient.write(name, text)

    assert patient.findings() == error(
        "another loop",
        f"another tool's loop seems active: `{name}`; two loops fight over each stop",
        f"end it there, or `rm {name}`",
    )


@pytest.mark.parametrize(
    "text",
    [
        snippet("""
            ---
            iteration: 1
            active: false
            ---
        """),
        '{"iteration": 1,\n "active": false}',
    ],
)
def test_a_loop_of_another_tool_that_is_over(patient: Patient, text: str) -> None:
    patient.write(".claude/ralph-loop.local.md", text)

    assert patient.findings() == (0, [])


def test_a_stop_hook_of_another_tool(patient: Patient) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "bash stop.sh"}]}]}
    path = patient.write(".claude/settings.json", json.dumps({"hooks": hooks}))

    assert patient.findings() == note(
        "another hook", f"`bash stop.sh` in `{path}` also runs at every stop"
    )


def test_a_state_that_cannot_be_written(patient: Patient) -> None:
    place = patient.home / "file"
    place.write_text("", encoding="utf-8")
    patient.extra["UNTILDONE_HOME"] = str(place)

    code, found = patient.findings()

    assert code == 1
    assert (
        "error",
        "state",
        f"the state folder `{place}` is not a folder",
        "set `UNTILDONE_HOME` to a folder of your own on a local disk",
    ) in found


def test_a_state_that_cannot_be_made(patient: Patient) -> None:
    (patient.home / "file").write_text("", encoding="utf-8")
    place = patient.home / "file" / "state"
    patient.extra["UNTILDONE_HOME"] = str(place)

    code, found = patient.findings()

    assert code == 1
    assert f"the state folder `{place}` cannot be made in `{patient.home / 'file'}`" in [
        each[2] for each in found
    ]


def test_a_check_whose_tool_is_missing(patient: Patient) -> None:
    patient.write("Cargo.toml", "[package]\nname = 'a'\n")
    patient.extra["PATH"] = f"{BIN}:/nowhere"

    code, found = patient.findings()

    assert code == 1
    assert {each[1] for each in found} == {"tools"}
    assert found[0][2].startswith("`cargo` was not found, which the check `")
    assert found[0][3] == "install `cargo`, or name another command with `--check`"


def test_settings_that_are_no_json(patient: Patient) -> None:
    path = patient.write(".claude/settings.json", "{\n  nonsense\n}")

    assert patient.findings() == error(
        "settings",
        f"`{path}` is not valid JSON at line 2, column 3: expecting a key in double quotes",
        f"correct `{path}`",
    )


def test_a_configuration_that_is_broken(patient: Patient) -> None:
    patient.write("untildone.toml", "[checks.test]\ncomand = 'x'\n")

    code, found = patient.findings()

    assert (code, [each[1] for each in found]) == (1, ["configuration"])
    assert found[0][2].startswith("untildone.toml:")


def test_a_configuration_that_is_not_trusted(patient: Patient) -> None:
    path = patient.write("untildone.toml", "[checks.test]\ncommand = 'true'\n")

    assert patient.findings() == note(
        "configuration",
        f"`{path}` is not trusted on this machine: nothing it says is run",
        "`untildone trust`",
    )


def test_a_damaged_loop(patient: Patient) -> None:
    loop = patient.start()
    folder = patient.state_folder / "loops" / loop
    for path in folder.iterdir():
        if path.is_file():
            path.write_bytes(b"damaged")

    code, found = patient.findings()

    assert code == 1
    assert found[0][:2] == ("error", "damaged loop")
    assert found[0][2].startswith(f"loop {loop} cannot be read: ")
    assert found[0][3] == f"move `{folder}` away"


def test_a_loop_that_nobody_holds(patient: Patient) -> None:
    loop = patient.start()

    assert patient.findings() == note(
        "not held",
        f"loop {loop}: no hook of this session was seen",
        f"`untildone cancel {loop}` ends it",
    )


def test_many_loops_that_nobody_holds_are_counted(patient: Patient) -> None:
    for number in range(7):
        patient.untildone("start", "--session", f"s{number}", "--promise", "ALL WRITTEN")

    _, found = patient.findings()

    assert [name for _, name, _, _ in found] == ["not held"] * 6
    assert found[-1][2:] == ("2 more loops", "`untildone status --all` lists them")


def test_why_the_last_loop_ended(patient: Patient) -> None:
    loop = patient.start()
    patient.untildone("pause", loop)

    assert patient.findings() == note(
        "last loop",
        f"loop {loop} is paused: paused by the user",
        f"`untildone continue {loop}`",
    )


def test_a_record_that_is_damaged(patient: Patient) -> None:
    record = patient.state_folder / "installed.json"
    record.write_text("{", encoding="utf-8")

    code, found = patient.findings()

    assert (code, [each[1] for each in found]) == (1, ["record"])
    assert found[0][3] == f"move `{record}` away, then run `untildone init`"


def test_a_loop_whose_seal_is_broken(patient: Patient) -> None:
    loop = patient.start()
    contract = patient.state_folder / "loops" / loop / "contract.json"
    contract.write_bytes(contract.read_bytes().replace(b"test -f", b"true -f"))

    code, found = patient.findings()

    assert (code, found[0][:2]) == (1, ("error", "damaged loop"))
    assert found[0][2].startswith(f"the seal of loop {loop} is broken: ")
    assert found[0][3] == f"`untildone cancel {loop}`"


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no file system in memory here")
def test_a_state_that_is_gone_after_a_restart(patient: Patient) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        patient.extra["UNTILDONE_HOME"] = place
        done = patient.untildone("doctor", check=False)

    assert f"note: state: `{place}` is on tmpfs: " in done.stdout


def test_users_see_what_to_fix_first(patient: Patient) -> None:
    patient.write("untildone.toml", "[checks.test]\ncommand = 'true'\n")
    patient.extra["UNTILDONE_DISABLE"] = "1"

    shown = patient.untildone("doctor", check=False).stdout.splitlines()

    assert shown[:2] == [
        "error: switched off: `UNTILDONE_DISABLE` is set: no agent is held",
        "  fix: `unset UNTILDONE_DISABLE`",
    ]
    assert shown[-1] == "1 problem to fix"


def test_the_doctor_lists_what_it_looked_at(patient: Patient) -> None:
    patient.extra["UNTILDONE_DISABLE"] = "1"

    shown = patient.untildone("doctor", check=False).stdout.splitlines()

    listed = shown[shown.index("looked at:") + 1 : -1]
    assert listed[:3] == [
        f"  ✓ settings files: {patient.settings}",
        "  ✗ whether hooks are switched on",
        f"  ✓ installed hooks: {patient.settings}",
    ]
    assert [line[4:].partition(":")[0] for line in listed] == [
        *list_probes("claude"),
        *loop_problems.PROBES,
    ]
    found = json.loads(patient.untildone("doctor", "--json", check=False).stdout)["looked_at"]
    assert found[1] == {"name": "whether hooks are switched on", "result": "error", "at": ""}
