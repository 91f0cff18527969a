"""The security check in a loop that the client starts: hooks run with `-I -S`."""

from pathlib import Path

from hooks.world import HookWorld


def test_the_program_beside_the_interpreter_is_found(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    prompt = '/untildone:fix it --check "false" --zero-security'
    # As after `pipx install`: only the command itself is on the user's PATH.
    environ = {**world.environment(), "PATH": "/usr/bin:/bin"}

    answer = world.run_hook(
        "UserPromptSubmit", world.payload("UserPromptSubmit", prompt=prompt), environ=environ
    )

    assert "holds this session until check (`false`), security" in answer.stdout.decode()
