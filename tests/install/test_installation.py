"""What is installed, read from files as people and other tools leave them."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from untildone.install.claude_lines import build_settings_entries, build_windows_groups
from untildone.install.client_files import InstallPaths, apply_plan, plan_init
from untildone.install.health import find_interpreter_changes, list_probes
from untildone.install.installation import (
    HookCommand,
    Installation,
    parse_hook_command,
    read_installation,
)
from untildone.install.own_entries import CAP_VARIABLE, is_our_hook


@pytest.fixture
def place(tmp_path: Path) -> InstallPaths:
    package = tmp_path / "untildone"
    (package / "hooks").mkdir(parents=True)
    (package / "hooks" / "__main__.py").touch()
    python = tmp_path / "python"
    python.write_bytes(b"an interpreter")
    return InstallPaths(
        user=tmp_path / ".claude",
        project=tmp_path / "project",
        home=tmp_path / "state",
        python=python,
        package=package,
    )


@pytest.fixture
def settings(place: InstallPaths) -> Path:
    place.home.mkdir()
    apply_plan(place, plan_init(place, "user"))
    return place.get_settings_file("user")


def list_messages(machine: Installation) -> list[tuple[str, str]]:
    return [
        (found.name, found.text)
        for seek in list_probes("claude").values()
        for found in seek(machine)
    ]


def test_a_settings_file_that_cannot_be_read(place: InstallPaths) -> None:
    path = place.get_settings_file("user")
    path.mkdir(parents=True)

    (file,) = read_installation(place, {}).files

    assert file.fault == f"`{path}` cannot be read: Is a directory"


def test_an_empty_settings_file_is_none(place: InstallPaths) -> None:
    path = place.get_settings_file("user")
    path.parent.mkdir()
    path.touch()

    (file,) = read_installation(place, {}).files

    assert (file.fault, file.settings, file.ours) == ("", {}, {})


@pytest.mark.parametrize("listed", [None, "[]", "{", '{"plugins": {"untildone@x": []}}'])
def test_a_plugin_whose_place_is_unknown(place: InstallPaths, listed: str | None) -> None:
    path = place.get_settings_file("user")
    path.parent.mkdir()
    path.write_text('{"enabledPlugins": {"untildone@x": true}}', encoding="utf-8")
    if listed is not None:
        (place.user / "plugins").mkdir()
        place.user.joinpath("plugins", "installed_plugins.json").write_text(
            listed, encoding="utf-8"
        )

    machine = read_installation(place, {})

    assert (machine.plugin, machine.plugin_hooks) == ("untildone@x", None)


def test_what_a_line_starts(place: InstallPaths) -> None:
    expected = HookCommand(
        python=str(place.python), package=str(place.package), home=str(place.home)
    )
    given = {"home": place.home, "python": place.python, "package": place.package}
    groups = [
        build_settings_entries(**given).hooks["Stop"],
        build_windows_groups(**given)["Stop"],
    ]

    for group in groups:
        hooks = group["hooks"]
        assert isinstance(hooks, list)
        assert parse_hook_command(hooks[0]) == expected


@pytest.mark.parametrize(
    "hook",
    [
        {"command": "untildone hook Stop"},
        {"command": "an 'unclosed quotation"},
        {"command": "-I -S x"},
        {"command": "python -I -S folder Stop claude"},
    ],
)
def test_a_line_that_names_no_interpreter(hook: dict[str, object]) -> None:
    assert parse_hook_command(hook) is None


def test_windows_starts_each_event_without_a_shell(place: InstallPaths) -> None:
    groups = build_windows_groups(home=place.home, python=place.python, package=place.package)

    assert set(groups) == set(
        build_settings_entries(home=place.home, python=place.python, package=place.package).hooks
    )
    assert groups["Stop"] == {
        "hooks": [
            {
                "type": "command",
                "command": str(place.python),
                "args": [
                    *("-I", "-S", str(place.package / "hooks" / "__main__.py")),
                    *("Stop", "claude", "settings", str(place.home)),
                ],
                "timeout": 7_200,
            }
        ]
    }
    assert groups["SessionStart"]["hooks"][0]["timeout"] == 30  # type: ignore[index]  # as above
    assert groups["SessionEnd"]["hooks"][0]["timeout"] == 10  # type: ignore[index]  # as above
    assert all(is_our_hook(group["hooks"][0]) for group in groups.values())  # type: ignore[index]


def test_lines_of_ours_that_start_something_unknown(place: InstallPaths, settings: Path) -> None:
    found = json.loads(settings.read_text(encoding="utf-8"))
    for groups in found["hooks"].values():
        groups[0]["hooks"][0]["command"] = "untildone hook Stop # untildone hook"
    settings.write_text(json.dumps(found), encoding="utf-8")

    assert list_messages(read_installation(place, {})) == [
        ("stale", f"the hooks in `{settings}` are out of date: the lines differ")
    ]


def test_an_interpreter_that_only_the_record_still_names(
    place: InstallPaths, settings: Path
) -> None:
    text = settings.read_text(encoding="utf-8")
    other = Path(sys.executable)
    settings.write_text(text.replace(shlex.quote(str(place.python)), str(other)), encoding="utf-8")
    place.python.unlink()

    assert [found.text for found in find_interpreter_changes(read_installation(place, {}))] == [
        f"`{place.python}` is not the program it was when `init` ran"
    ]


def test_a_cap_of_the_environment(place: InstallPaths, settings: Path) -> None:
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace(CAP_VARIABLE, "ANOTHER"), encoding="utf-8")

    assert list_messages(read_installation(place, {CAP_VARIABLE: "80"})) == []
    assert list_messages(read_installation(place, {CAP_VARIABLE: "5"})) == [
        (
            "cap",
            f"`{CAP_VARIABLE}` is `5` in the environment:"
            " the client releases after that many holds",
        )
    ]
