"""The doctor looks at the plugin as the client records it."""

import json
from pathlib import Path

import pytest

from cli.patient import Patient, note
from client.world import BIN

NAME = "untildone@untildone"


def enable(patient: Patient, *, files: bool = True) -> Path:
    folder = patient.home / ".claude"
    (folder / "plugins").mkdir(parents=True, exist_ok=True)
    text = json.dumps({"enabledPlugins": {NAME: True}})
    if not patient.settings.exists():
        patient.settings.write_text(text, encoding="utf-8")
    else:
        patient.write(".claude/settings.json", text)
    place = folder / "plugins" / "cache"
    hooks = Path(__file__).parents[2] / "plugin" / "hooks" / "hooks.json"
    if files:
        (place / "hooks").mkdir(parents=True)
        (place / "hooks" / "hooks.json").write_bytes(hooks.read_bytes())
    listed = {"version": 2, "plugins": {NAME: [{"installPath": str(place)}]}}
    (folder / "plugins" / "installed_plugins.json").write_text(json.dumps(listed), encoding="utf-8")
    return place / "hooks" / "hooks.json"


@pytest.mark.slow
def test_a_plugin_holds_but_cannot_raise_the_cap(tmp_path: Path) -> None:
    patient = Patient(tmp_path, install="nothing")
    enable(patient)

    assert patient.findings() == note(
        "cap",
        "a plugin cannot raise the client's cap of 8 holds in a row: loops pause there",
        "`untildone init` raises it to 60",
    )
    assert patient.untildone("drill").returncode == 0


def test_a_plugin_beside_the_settings_is_harmless(tmp_path: Path) -> None:
    patient = Patient(tmp_path)
    enable(patient)

    assert patient.findings() == note(
        "duplicated",
        f"the hooks are installed 2 times: `{patient.settings}`, the plugin `{NAME}`",
        f"harmless; `claude plugin uninstall {NAME}` removes one",
    )


def test_a_plugin_of_another_version_is_stale(tmp_path: Path) -> None:
    patient = Patient(tmp_path)
    path = enable(patient)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"timeout": 7200', '"timeout": 600'), encoding="utf-8")

    code, found = patient.findings()

    assert code == 1
    assert found[0] == (
        "error",
        "stale",
        f"the plugin in `{path}` is not of version 0.1.0",
        f"`claude plugin update {NAME}`",
    )


def test_a_plugin_without_its_files_is_missing(tmp_path: Path) -> None:
    patient = Patient(tmp_path, install="nothing")
    enable(patient, files=False)

    code, found = patient.findings()

    assert (code, found[0][2]) == (
        1,
        f"the plugin `{NAME}` is enabled, but its hooks were not found",
    )


def test_a_plugin_needs_the_program_on_the_path(tmp_path: Path) -> None:
    patient = Patient(tmp_path, install="nothing")
    enable(patient)
    patient.extra["PATH"] = "/usr/bin:/bin"

    code, found = patient.findings()

    assert (code, found[0]) == (
        1,
        (
            "error",
            "interpreter",
            "the plugin starts `untildone`, which is not on `PATH`",
            f"`pipx ensurepath`, or link `{BIN / 'untildone'}` into a folder on `PATH`",
        ),
    )
