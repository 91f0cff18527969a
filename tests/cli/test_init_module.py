"""`init` for a client whose hooks are a program of ours in its own language."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cli.world import CommandLine
from untildone.install.plugin_module import parse_module


def find_module(cli: CommandLine) -> Path:
    return cli.home / ".config" / "opencode" / "plugins" / "untildone.js"


def test_the_module_holds_our_hooks_and_is_removed(cli: CommandLine) -> None:
    assert cli.run("init", "--agent", "opencode")[0] == 0
    hooks = parse_module(find_module(cli).read_text("utf-8"))["hooks"]
    assert isinstance(hooks, dict)
    assert {"Stop", "UserPromptSubmit", "PreToolUse"} < set(hooks)
    assert "-I -S" in hooks["Stop"][0]["command"]
    assert cli.run("init", "--agent", "opencode")[1].splitlines()[1:] == [
        "everything is installed already"
    ]
    assert cli.run("uninstall")[0] == 0
    # The folders too: `init` made them.
    assert not (cli.home / ".config").exists()


def test_folders_that_the_user_had_or_uses_stay(cli: CommandLine) -> None:
    (cli.home / ".config").mkdir()
    cli.run("init", "--agent", "opencode", "--agent", "copilot")
    (cli.home / ".copilot" / "config.json").write_text("{}", encoding="utf-8")
    cli.run("uninstall")
    assert [*(cli.home / ".config").iterdir()] == []
    assert [path.name for path in (cli.home / ".copilot").iterdir()] == ["config.json"]


def test_a_changed_module_is_renewed_and_still_removed(cli: CommandLine) -> None:
    cli.run("init", "--agent", "opencode")
    path = find_module(cli)
    written = path.read_bytes()
    path.write_bytes(b"// nothing is left\n")
    cli.run("init", "--agent", "opencode")
    assert path.read_bytes() == written
    path.write_bytes(b"// nothing is left\n")
    cli.run("uninstall")
    assert not path.exists()


def test_a_file_of_the_user_in_its_place_comes_back(cli: CommandLine) -> None:
    path = find_module(cli)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"// mine\n")
    cli.run("init", "--agent", "opencode")
    cli.run("uninstall")
    assert path.read_bytes() == b"// mine\n"


def test_a_project_has_a_module_for_every_machine(cli: CommandLine) -> None:
    assert cli.run("init", "--agent", "opencode", "--scope", "project")[0] == 0
    path = cli.project / ".opencode/plugins/untildone.js"
    assert str(cli.home) not in path.read_text(encoding="utf-8")
    assert (cli.project / ".opencode/commands/untildone/test.md").is_file()
    cli.run("uninstall")
    assert not (cli.project / ".opencode").exists()


@pytest.mark.parametrize("text", ["", "// other", "const HOOKS = {broken}"])
def test_a_foreign_module_has_no_hooks_of_ours(text: str) -> None:
    assert parse_module(text) in ({}, {"hooks": {}})


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node.js")
def test_the_client_can_import_the_module(cli: CommandLine) -> None:
    cli.run("init", "--agent", "opencode")
    path = find_module(cli).with_suffix(".mjs")
    shutil.copy(find_module(cli), path)
    program = f"import * as it from {json.dumps(str(path))}; console.log(Object.keys(it).join())"
    done = subprocess.run(
        [shutil.which("node") or "node", "--input-type=module", "-e", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    # The client runs every export as a plugin.
    assert done.stdout == "Untildone\n", done.stderr
