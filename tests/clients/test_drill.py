"""The drill proves the hooks of every agent, as `init` installs them."""

from pathlib import Path

import pytest

from cli.world import CommandLine
from untildone.agents import NAMES

# Claude Code's are in tests/cli/test_drill.py.
OTHERS = NAMES[1:]


@pytest.mark.parametrize("agent", OTHERS)
def test_installed_drilled_and_removed(tmp_path: Path, agent: str) -> None:
    cli = CommandLine(tmp_path)
    assert cli.run_process("init", "--agent", agent)[0] == 0

    code, stdout, stderr = cli.run_process("drill")
    assert (code, stderr) == (0, "")
    assert stdout.splitlines()[-1].startswith("12 of 12 passed")

    assert cli.run_process("uninstall")[0] == 0
    # Loops and receipts are kept.
    files = [path for path in cli.home.rglob("*") if path.is_file() and ".local" not in path.parts]
    assert files == []
