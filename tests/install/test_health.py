"""Problems of an installation for clients other than Claude Code."""

import json
from pathlib import Path

import pytest

from cli.world import CommandLine
from clients.codex import trust_hooks


@pytest.fixture
def machine(tmp_path: Path) -> CommandLine:
    made = CommandLine(tmp_path)
    made.untildone("init", "--agent", "codex")
    return made


def list_errors(machine: CommandLine) -> list[tuple[str, str]]:
    findings = json.loads(machine.untildone("doctor", "--json").stdout)["findings"]
    return [(found["name"], found["text"]) for found in findings if found["level"] == "error"]


def test_hooks_that_nobody_trusts_are_reported(machine: CommandLine) -> None:
    ((name, text),) = list_errors(machine)
    file = machine.home / ".codex" / "hooks.json"
    assert name == "trust"
    assert text.startswith(f"Codex does not run our hooks in `{file}` (`SessionStart`, ")
    assert text.endswith(": not trusted yet")


def test_trusted_hooks_are_fine(machine: CommandLine) -> None:
    config = machine.home / ".codex" / "config.toml"
    config.write_text(trust_hooks(config.with_name("hooks.json")), encoding="utf-8")
    assert list_errors(machine) == []


def test_a_changed_hook_is_reported(machine: CommandLine) -> None:
    config = machine.home / ".codex" / "config.toml"
    trust = trust_hooks(config.with_name("hooks.json"))
    head, _, rest = trust.partition("sha256:")
    config.write_text(f"{head}sha256:0{rest}", encoding="utf-8")
    ((_, text),) = list_errors(machine)
    assert text.endswith("(`SessionStart`): changed since you trusted it")


def test_missing_hooks_name_their_client(machine: CommandLine) -> None:
    (machine.home / ".codex" / "hooks.json").write_text("{}", encoding="utf-8")
    assert ("hooks", "no hook of untildone is installed for Codex") in list_errors(machine)
