"""Shell completion: the script, and what it offers."""

import subprocess

import pytest

from cli.world import CommandLine


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(cli: CommandLine, shell: str) -> None:
    code, stdout, stderr = cli.run("completion", shell)

    assert (code, stderr) == (0, "")
    assert f"_UNTILDONE_COMPLETE={shell}_complete" in stdout


def test_bash_takes_the_script(cli: CommandLine) -> None:
    script = cli.untildone("completion", "bash").stdout

    done = subprocess.run(
        ["bash", "-c", f"{script}\ncomplete -p untildone"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout.split()[-1]) == (0, "untildone")


def test_commands_are_offered_and_hidden_ones_are_not(cli: CommandLine) -> None:
    code, stdout, _ = cli.run_process(
        _UNTILDONE_COMPLETE="bash_complete", COMP_WORDS="untildone st", COMP_CWORD="1"
    )

    assert (code, stdout.splitlines()) == (0, ["plain,start", "plain,status", "plain,steps"])
