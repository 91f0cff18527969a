"""The command line, run in this process."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from cli.slow_stop import SlowStop
from cli.world import CommandLine, Output, Terminal
from untildone.cli.main import main

# What would lead to the state or the session of whoever runs the tests.
THEIRS = ("CLAUDE", "UNTILDONE_", "XDG_")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    def run(arguments: Sequence[str], environ: Mapping[str, str], folder: Path) -> Output:
        with monkeypatch.context() as here:
            for name in [name for name in os.environ if name.startswith(THEIRS)]:
                here.delenv(name)
            for name, value in environ.items():
                here.setenv(name, value)
            here.chdir(folder)
            capsys.readouterr()
            code = main(arguments)
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def cli(tmp_path: Path, terminal: Terminal) -> CommandLine:
    return CommandLine(tmp_path, terminal=terminal)


@pytest.fixture
def slow_stop(cli: CommandLine) -> Iterator[SlowStop]:
    """A stop whose check runs."""
    cli.write("done.txt", "")
    stop = SlowStop(cli)
    (cli.project / "done.txt").unlink()
    stop.begin()
    stop.wait_until(lambda: stop.session.has("running"))
    yield stop
    stop.end()
