"""The tools of the live tests: installed once, and missed aloud."""

from pathlib import Path

import pytest

from tools import NotInstalled, Tool, install, missing, on_machine

NOTHING = Tool("nothing-like-this-package", "0.0.0")


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNTILDONE_TOOLS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")


def test_a_missing_tool_skips_the_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNTILDONE_REQUIRE_TOOLS", raising=False)
    with pytest.raises(pytest.skip.Exception, match="`nothing-like-this` is not installed"):
        on_machine("nothing-like-this")


def test_a_missing_tool_fails_the_test_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNTILDONE_REQUIRE_TOOLS", "1")
    with pytest.raises(pytest.fail.Exception, match="UNTILDONE_REQUIRE_TOOLS=1 demands"):
        missing("no such tool")


def test_what_cannot_be_installed_says_why() -> None:
    with pytest.raises(NotInstalled, match="`nothing-like-this-package` could not be installed"):
        install(NOTHING)
    assert not NOTHING.folder.joinpath("ready").exists()


def test_what_is_installed_is_not_installed_again() -> None:
    program = NOTHING.folder / "bin" / NOTHING.package
    program.parent.mkdir(parents=True)
    program.touch()
    NOTHING.folder.joinpath("ready").touch()
    assert install(NOTHING) == program


def test_a_package_without_the_program_is_not_the_tool() -> None:
    NOTHING.folder.mkdir()
    NOTHING.folder.joinpath("ready").touch()
    with pytest.raises(NotInstalled, match="holds no program `nothing-like-this-package`"):
        install(NOTHING)
