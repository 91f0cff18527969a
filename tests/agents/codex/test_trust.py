"""Which hooks Codex 0.166.0 does not run: hashes as its `hooks/list` printed them."""

from typing import Any

import pytest

from untildone.agents.codex import agent as codex
from untildone.agents.codex.trust import compute_hash
from untildone.agents.layout import UntrustedHook

FILE = "/home/dev/.codex/hooks.json"
STOP = {"type": "command", "command": "echo hi", "timeout": 7_200}
STOP_HASH = "sha256:fca0eca700ad9bdf3db146215ad9f3da150864442c01207b7e09e666cabc00e8"
SETTINGS = {"hooks": {"Stop": [{"hooks": [STOP]}]}}


def command(text: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON value
    return {"type": "command", "command": text, **fields}


@pytest.mark.parametrize(
    ("event", "group", "hook", "expected"),
    [
        ("Stop", {}, STOP, STOP_HASH.removeprefix("sha256:")),
        ("Stop", {"matcher": "ignored"}, STOP, STOP_HASH.removeprefix("sha256:")),
        (
            "PreToolUse",
            {},
            command("echo a"),
            "4940b41523e276db410f0fa9647a53d6f1701ab02d89a325290b200003683362",
        ),
        (
            "PreToolUse",
            {"matcher": "Bash"},
            command("echo b", timeout=5),
            "cb0d3f90e063f8f1741e396132e1961684d7cd69240410b1e49e317e675c0243",
        ),
        (
            "PreToolUse",
            {"matcher": "Bash"},
            command("echo c", statusMessage="x"),
            "607cf4cb4e7c06ce81f275dccf3b1ba01349df61f7f4518c4f5fe461469dab51",
        ),
        (
            "SessionStart",
            {},
            command('echo é "q" \\ / <x> & \u2028', timeout=30),
            "9170eb19c7a00b106ca697790285c153cd9715f371f0a0d70d77928ee93185eb",
        ),
        (
            "SessionEnd",
            {},
            command("echo d", timeout=3),
            "119f554906f56ceefc7ff9736608c4e5a8a383a25f2816cce91d0434befb1bc6",
        ),
        (
            "SessionEnd",
            {},
            command("x", timeout=9),
            "b1aa6329f3a5daf36ae487200db1136f90a884bb805ddb24a6326c98dd6f29f6",
        ),
        (
            "SessionEnd",
            {},
            command("y"),
            "c2ebd3a779ded21546fd35e02080a82bcbe6009d64c71dc9d994099853801417",
        ),
        (
            "UserPromptSubmit",
            {},
            command("echo a", timeout=30, **{"async": False}),
            "1eb4754d20f835da51771481a954c4c26d28ca6cdb42623c73a32bae06a59fb7",
        ),
    ],
)
def test_the_hash(event: str, group: dict[str, Any], hook: dict[str, Any], expected: str) -> None:
    assert compute_hash(event, group, hook) == f"sha256:{expected}"


def state(**fields: str) -> str:
    lines = "\n".join(f"{name} = {value}" for name, value in fields.items())
    return f'[hooks.state."{FILE}:stop:0:0"]\n{lines}\n'


TRUSTED = state(trusted_hash=f'"{STOP_HASH}"')


@pytest.mark.parametrize(
    ("trust", "project", "reason"),
    [
        ("", "", "not trusted yet"),
        ("not = toml = at all", "", "not trusted yet"),
        (TRUSTED, "", ""),
        (state(trusted_hash='"sha256:00"'), "", "changed since you trusted it"),
        (state(trusted_hash=f'"{STOP_HASH}"', enabled="false"), "", "disabled"),
        (
            f"{TRUSTED}[features]\nhooks = false\n",
            "",
            "hooks are switched off: `hooks = false` in `config.toml`",
        ),
        (TRUSTED, "/home/dev/app", "the project is not trusted"),
        (f'{TRUSTED}[projects."/home/dev/app"]\ntrust_level = "trusted"\n', "/home/dev/app", ""),
    ],
)
def test_a_hook_that_does_not_run(trust: str, project: str, reason: str) -> None:
    expected = UntrustedHook(event="Stop", command="echo hi", reason=reason)
    found = codex.find_untrusted_hooks((FILE, "/elsewhere/hooks.json"), SETTINGS, trust, project)
    assert found == ((expected,) if reason else ())


def test_a_hook_that_moved_lost_its_trust() -> None:
    settings = {"hooks": {"Stop": [{"hooks": [command("first")]}, {"hooks": [STOP]}]}}
    found = codex.find_untrusted_hooks((FILE,), settings, TRUSTED, "")
    assert [hook.reason for hook in found] == ["changed since you trusted it", "not trusted yet"]
