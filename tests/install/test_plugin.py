"""The plugin in the repository is what the package makes, and the real client takes it."""

import json
import shutil
from pathlib import Path

import pytest

from client.harness import Client
from client.model_server import ModelServer
from untildone import __version__
from untildone.install import plugin
from untildone.install.claude_lines import build_plugin_entries
from untildone.install.settings_editing import Entries

REPOSITORY = Path(__file__).parents[2]
PLUGIN = REPOSITORY / "plugin"
EVENTS = {
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "ConfigChange",
    "PreCompact",
    "SessionEnd",
}
WRITTEN_BY_HAND = {"plugin/.claude-plugin/icon.png", "plugin/LICENSE", "plugin/README.md"}


def list_committed() -> dict[str, Path]:
    paths = [*PLUGIN.rglob("*"), REPOSITORY / plugin.MARKETPLACE]
    return {path.relative_to(REPOSITORY).as_posix(): path for path in paths if path.is_file()}


def test_the_plugin_is_what_the_package_makes() -> None:
    there = {
        path: file.read_text(encoding="utf-8")
        for path, file in list_committed().items()
        if path not in WRITTEN_BY_HAND
    }
    assert there == plugin.build_plugin_files(build_plugin_entries())


def test_writing_it_anew_gives_the_same_files(tmp_path: Path) -> None:
    plugin.write_plugin(tmp_path, build_plugin_entries())

    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.relative_to(tmp_path).as_posix() for path in made} | WRITTEN_BY_HAND == set(
        list_committed()
    )


def test_there_is_one_version() -> None:
    manifest = json.loads(PLUGIN.joinpath(".claude-plugin/plugin.json").read_text(encoding="utf-8"))
    market = json.loads(REPOSITORY.joinpath(plugin.MARKETPLACE).read_text(encoding="utf-8"))

    versions = [manifest["version"], market["metadata"]["version"], market["plugins"][0]["version"]]
    assert versions == [__version__] * 3


def test_each_event_has_its_group_of_hooks() -> None:
    group: dict[str, object] = {"hooks": [{"type": "command", "command": "x"}]}

    assert plugin.build_hooks(Entries(hooks={"Stop": group}))["hooks"] == {"Stop": [group]}
    assert build_plugin_entries().hooks.keys() >= EVENTS


def test_the_license_is_the_repository_s() -> None:
    assert PLUGIN.joinpath("LICENSE").read_bytes() == REPOSITORY.joinpath("LICENSE").read_bytes()


def new_client(folder: Path, server: ModelServer) -> Client:
    return Client(home=folder / "home", project=folder / "project", server=server)


@pytest.mark.client
def test_the_client_finds_nothing_to_report(tmp_path: Path) -> None:
    with ModelServer() as server:
        client = new_client(tmp_path, server)
        one = client.command("plugin", "validate", "--strict", str(PLUGIN))
        market = client.command("plugin", "validate", "--strict", str(REPOSITORY))

    assert (one.returncode, market.returncode) == (0, 0), one.stdout + market.stdout
    assert "These checks found nothing to report" in one.stdout
    assert "⚠" not in one.stdout + market.stdout


@pytest.mark.client
def test_the_client_installs_it_from_the_repository_and_runs_its_skills(tmp_path: Path) -> None:
    copy = tmp_path / "repository"
    for path, file in list_committed().items():
        copy.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy / path)
    with ModelServer(["done"]) as server:
        client = new_client(tmp_path, server)
        added = client.command("plugin", "marketplace", "add", str(copy))
        installed = client.command("plugin", "install", "untildone@untildone")
        client.run("/untildone:lint src --rounds 2")

    assert (added.returncode, installed.returncode) == (0, 0), added.stderr + installed.stderr
    assert "Task: src --rounds 2" in "".join(server.requests[0].texts)
