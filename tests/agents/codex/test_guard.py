"""Patches of Codex meet the tool-call guard and the spool as edits of their files do."""

import pytest

from untildone.agents.codex import hooks
from untildone.commands.written_files import find_written_paths
from untildone.hooks.guard import Places, find_refusal
from untildone.hooks.spool import split_files

HOME, APP = "/home/dev", "/home/dev/app"
STATE = f"{HOME}/.local/state/untildone"
PLACES = Places(
    protected=(STATE,), folder=hooks.FOLDER, user_folder="/srv/codex", files=hooks.SETTINGS
)


def patch(*headers: str) -> str:
    body = "\n".join(f"{header}\n@@\n-a\n+b" for header in headers)
    return f"*** Begin Patch\n{body}\n*** End Patch\n"


def shell(*headers: str) -> tuple[str, str]:
    return "Bash", f"apply_patch <<'EOF'\n{patch(*headers)}EOF\n"


def tool(*headers: str) -> tuple[str, str]:
    return "apply_patch", patch(*headers)


def refuse(name: str, command: str) -> str:
    payload: dict[str, object] = {
        "tool_name": name,
        "tool_input": {"command": command},
        "cwd": APP,
    }
    call = hooks.translate("PreToolUse", payload)
    inputs = call["tool_input"]
    assert isinstance(inputs, dict)
    return find_refusal(str(call["tool_name"]), inputs, cwd=APP, places=PLACES)


@pytest.mark.parametrize("form", [tool, shell])
@pytest.mark.parametrize(
    ("header", "path"),
    [
        (f"*** Update File: {HOME}/.codex/hooks.json", f"{HOME}/.codex/hooks.json"),
        ("*** Add File: ../.codex/config.toml", f"{APP}/../.codex/config.toml"),
        ("*** Delete File: .codex/hooks.json", f"{APP}/.codex/hooks.json"),
        ("*** Move to: /srv/codex/config.toml", "/srv/codex/config.toml"),
    ],
)
def test_settings_are_the_users(form: type, header: str, path: str) -> None:
    reason = refuse(*form("*** Update File: a.py", header))
    assert reason == (
        f"`{path}` may hold untildone's entries: only the user can change it; leave it as it is"
    )


@pytest.mark.parametrize("form", [tool, shell])
def test_the_state_is_ours(form: type) -> None:
    reason = refuse(*form("*** Update File: a.py", f"*** Delete File: {STATE}/loops/x"))
    assert reason.startswith(f"`{STATE}/loops/x` belongs to untildone")


@pytest.mark.parametrize("form", [tool, shell])
def test_other_files_are_the_agents(form: type) -> None:
    assert refuse(*form("*** Update File: a.py", "*** Add File: hooks.json")) == ""


@pytest.mark.parametrize(
    "command",
    [
        "echo > ~/.codex/config.toml",
        "rm ../.codex/hooks.json",
        "sed -i s/a/b/ /srv/codex/hooks.json",
        f"echo x >> {STATE}/loops/x/journal",
        "untildone cancel",
    ],
)
def test_shell_lines(command: str) -> None:
    assert refuse("Bash", command)


def test_an_editor_of_another_server_may_not_write_the_trust() -> None:
    inputs: dict[str, object] = {"path": f"{HOME}/.codex/config.toml", "content": ""}
    assert find_refusal("mcp__files__write_file", inputs, cwd=APP, places=PLACES)


def spool(name: str, command: str) -> list[tuple[object, object]]:
    payload: dict[str, object] = {"tool_name": name, "tool_input": {"command": command}, "cwd": APP}
    calls = split_files(hooks.translate("PostToolUse", payload))
    return [(call["tool_name"], call["tool_input"]) for call in calls]


def test_each_file_of_a_patch_is_spooled_as_an_edit() -> None:
    edits = [("Edit", {"file_path": f"{APP}/{name}"}) for name in ("a.py", "b.py")]
    headers = "*** Update File: a.py", "*** Add File: b.py"
    assert spool(*tool(*headers)) == edits
    assert spool(*shell(*headers))[1:] == edits
    assert spool("Bash", "true") == [("Bash", {"command": "true"})]


def test_a_patch_in_the_shell_may_write_its_files() -> None:
    inputs: dict[str, object] = {"command": "true", "file_paths": [f"{APP}/a.py"]}
    assert find_written_paths("Bash", inputs, APP) == [f"{APP}/a.py"]
