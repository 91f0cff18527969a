"""Ours is recognised however it is quoted, and a change that would free the agent is named."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from untildone.install.own_entries import (
    CAP_VARIABLE,
    describe_harm,
    describe_harm_in_file,
    is_our_hook,
    is_ours,
)

OURS: dict[str, object] = {"type": "command", "command": "/opt/untildone/hook Stop", "timeout": 600}
FOREIGN: dict[str, object] = {"type": "command", "command": "say done"}
CAP_60 = {CAP_VARIABLE: "60"}


def settings(*hooks: dict[str, object], **others: object) -> str:
    return json.dumps({"hooks": {"Stop": [{"hooks": list(hooks)}]}, **others})


@pytest.mark.parametrize(
    "command",
    [
        "python -I -S /opt/my tools/untildone/hook Stop",
        '"/opt/my tools/untildone/hook" Stop',
        "test -e x || '/usr/bin/untildone' hook Stop",
        "C:\\tools\\untildone\\hook Stop",
        "C:\\tools\\untildone.exe hook Stop",
        "python -m untildone  hook Stop",
        "untildone statusline",
    ],
)
def test_our_command_is_ours(command: str) -> None:
    assert is_ours(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "/home/me/untildone/hooks/mine.sh",
        "/home/me/not-untildone/hook",
        "my-untildone hook",
        "untildone hooks",
        "untildone check",
        "echo untildone",
    ],
)
def test_a_foreign_command_is_not_ours(command: str) -> None:
    assert not is_ours(command)


def test_a_foreign_mark_does_not_hide_ours_behind_it() -> None:
    assert is_ours("untildone hooks; untildone hook Stop")


@pytest.mark.parametrize(
    ("hook", "expected"),
    [
        ({"command": "python", "args": ["-I", "C:\\x\\untildone\\hook", "Stop"]}, True),
        ({"command": "python", "args": [5, "mine.py"]}, False),
        ({"command": "python", "args": 5}, False),
        ({"command": 5}, False),
        ("untildone hook", False),
    ],
)
def test_a_hook_without_a_shell_is_known_by_its_words(hook: object, expected: bool) -> None:
    assert is_our_hook(hook) is expected


STOP_LOST = "it removes or changes our `Stop` hook"
LOWERED = f"it lowers the variable `{CAP_VARIABLE}`"
UNREADABLE = "it leaves a file that is not a JSON object"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(settings(OURS), "", STOP_LOST, id="file emptied"),
        pytest.param(settings(OURS), "{}", STOP_LOST, id="hooks gone"),
        pytest.param(settings(OURS), settings(FOREIGN), STOP_LOST, id="replaced"),
        pytest.param(settings(OURS), settings(OURS | {"timeout": 1}), STOP_LOST, id="cut short"),
        pytest.param(
            settings(OURS),
            json.dumps({"hooks": {"Stop": [{"matcher": "x", "hooks": [OURS]}]}}),
            STOP_LOST,
            id="given a matcher",
        ),
        pytest.param(
            settings(OURS),
            settings(OURS)[:-1] + ', "hooks": {}}',
            STOP_LOST,
            id="shadowed by a second key",
        ),
        pytest.param(settings(OURS), settings(OURS)[:-1], UNREADABLE, id="broken"),
        pytest.param("", "[]", UNREADABLE, id="no object"),
        pytest.param("", '{"a": NaN}', UNREADABLE, id="NaN"),
        pytest.param("", "[" * 200_000, UNREADABLE, id="nested for ever"),
        pytest.param("", '{"disableAllHooks": true}', "it sets `disableAllHooks`", id="off"),
        pytest.param("", '{"disableAllHooks": 1}', "it sets `disableAllHooks`", id="off by 1"),
        pytest.param(
            "",
            '{"hooksConfig": {"enabled": false}}',
            "it sets `hooksConfig.enabled`",
            id="off in Gemini CLI",
        ),
        pytest.param(
            '{"hooksConfig": {"disabled": []}}',
            '{"hooksConfig": {"disabled": ["a hook"]}}',
            "it sets `hooksConfig.disabled`",
            id="one off in Gemini CLI",
        ),
        pytest.param(
            '{"env": {"QWEN_CODE_STOP_HOOK_BLOCK_CAP": "100"}}',
            "{}",
            "it sets or changes the variable `QWEN_CODE_STOP_HOOK_BLOCK_CAP`",
            id="the cap of Qwen Code",
        ),
        pytest.param(
            "",
            '{"env": {"UNTILDONE_HOME": "/x"}}',
            "it sets or changes the variable `UNTILDONE_HOME`",
            id="our variable set",
        ),
        pytest.param(
            '{"env": {"UNTILDONE_HOME": "/x"}}',
            "{}",
            "it sets or changes the variable `UNTILDONE_HOME`",
            id="our variable removed",
        ),
        pytest.param(settings(OURS, env=CAP_60), settings(OURS), LOWERED, id="cap removed"),
        pytest.param("", settings(env={CAP_VARIABLE: "9"}), LOWERED, id="cap overridden"),
        pytest.param("", settings(env={CAP_VARIABLE: "x"}), LOWERED, id="cap spoiled"),
        pytest.param(
            settings(env={CAP_VARIABLE: "0"}), settings(env=CAP_60), LOWERED, id="cap switched on"
        ),
    ],
)
def test_a_change_that_would_free_the_agent_is_named(
    before: str, after: str, expected: str
) -> None:
    assert describe_harm(before, after) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("permissions", 5),
        ("permissions", {"allow": "Bash"}),
        ("model", 5),
        ("theme", None),
        ("env", "x"),
        ("statusLine", []),
        ("disableAllHooks", []),
        ("hooks", {"Stop": [{"hooks": [OURS]}], "PreToolUse": 5}),
        ("hooks", {"Stop": [{"hooks": [OURS]}, {}]}),
        ("hooks", {"Stop": [{"hooks": [OURS]}, {"hooks": [], "matcher": 5}]}),
        ("hooks", {"Stop": [{"hooks": [OURS, {"type": "x"}]}]}),
        ("hooks", {"Stop": [{"hooks": [OURS, {"type": "command"}]}]}),
        ("hooks", {"Stop": [{"hooks": [OURS, FOREIGN | {"timeout": "5"}]}]}),
    ],
)
def test_a_value_that_makes_the_client_drop_the_file_is_named(key: str, value: object) -> None:
    before = settings(OURS, model="opus")
    after = json.dumps(json.loads(before) | {key: value})

    expected = f"it gives `{key}` a value for which the client ignores the whole file"
    assert describe_harm(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("", settings(OURS, env=CAP_60), id="installed"),
        pytest.param(settings(OURS), settings(OURS, FOREIGN, model="opus"), id="foreign added"),
        pytest.param(settings(OURS, FOREIGN), settings(OURS), id="foreign removed"),
        pytest.param(settings(OURS), "\ufeff" + settings(OURS), id="byte order mark"),
        pytest.param(settings(OURS), json.dumps(json.loads(settings(OURS)), indent=4), id="layout"),
        pytest.param("{", "[", id="was broken before"),
        pytest.param('{"permissions": {}}', '{"permissions": 5}', id="not a file of ours"),
        pytest.param(settings(env=CAP_60), settings(env={CAP_VARIABLE: "0"}), id="cap off"),
        pytest.param(settings(env=CAP_60), settings(env={CAP_VARIABLE: 70}), id="cap raised"),
        pytest.param(
            '{"disableAllHooks": true}', '{"disableAllHooks": true, "a": 1}', id="off already"
        ),
        pytest.param("", '{"hooksConfig": {"enabled": true, "disabled": []}}', id="hooks on"),
        pytest.param(settings(OURS, theme=None), settings(OURS, theme=None, a=1), id="null kept"),
        pytest.param('{"hooks": {"Stop": 5}}', '{"hooks": 5}', id="nonsense that is not ours"),
    ],
)
def test_any_other_change_is_let_through(before: str, after: str) -> None:
    assert describe_harm(before, after) == ""


def record(home: Path, *, of: Path) -> None:
    entries = {"hooks": {"Stop": {"hooks": [OURS]}}, "env": CAP_60}
    files = [{"path": "elsewhere"}, {"path": str(of), "entries": entries}]
    home.joinpath("installed.json").write_text(json.dumps({"files": files}), encoding="utf-8")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(settings(OURS, env=CAP_60), "", id="as it was"),
        pytest.param("{}", STOP_LOST.removeprefix("it "), id="hooks gone"),
        pytest.param(settings(OURS), LOWERED.removeprefix("it "), id="cap gone"),
        pytest.param("\udcff", UNREADABLE.removeprefix("it "), id="not text"),
    ],
)
def test_a_changed_file_is_compared_with_the_record(
    tmp_path: Path, after: str, expected: str
) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(after.encode("utf-8", "surrogateescape"))
    record(tmp_path, of=path)

    assert describe_harm_in_file(str(path), str(tmp_path)) == expected


def test_without_a_record_only_switching_off_is_harm(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    assert describe_harm_in_file(str(path), str(tmp_path)) == ""

    path.write_text('{"disableAllHooks": true}', encoding="utf-8")
    assert describe_harm_in_file(str(path), str(tmp_path)) == "sets `disableAllHooks`"


def test_the_guard_can_afford_to_import_it() -> None:
    script = (
        "import json, sys; before = set(sys.modules); import untildone.install.own_entries;"
        "print(sorted(name for name in set(sys.modules) - before if 'untildone' not in name))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
