"""The command that installs an extra fits how untildone was installed."""

import sys
from pathlib import Path

import pytest

from untildone.extras import describe_extra

PACKAGE = "'apprise<2,>=1.9'"


def test_pip_installs_it_into_the_same_environment() -> None:
    assert describe_extra("notify") == f"`{sys.executable} -m pip install {PACKAGE}`"


def test_pipx_adds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pipx_metadata.json").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))

    assert describe_extra("notify") == f"`pipx inject untildone {PACKAGE}`"


def test_uv_does_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)

    python = sys.executable
    assert describe_extra("notify") == f"`uv pip install --python {python} {PACKAGE}`"


def test_an_extra_that_this_installation_does_not_know() -> None:
    assert describe_extra("later") == "install untildone again, with the extra `later`"


def test_a_copy_that_was_never_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])

    assert describe_extra("notify") == "install untildone again, with the extra `notify`"
