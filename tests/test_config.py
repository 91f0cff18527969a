"""`untildone.toml`, or `[tool.untildone]`: what a repository proposes, told with its mistakes."""

import hashlib
from pathlib import Path

import pytest

from untildone.config import Configuration, Configured, Proposal, proposal
from untildone.errors import UserError
from untildone.loop.model import Check

TEXT = """\
[checks.test]
command = "pytest -q"
timeout = 30

[checks."e2e: all"]
command = "make e2e"
when = "done"
cwd = "web"
success_pattern = "ok"
failure_pattern = "bad"
"""
CONFIGURATION = Configuration(
    checks={
        "test": Configured(command="pytest -q", timeout=30),
        "e2e: all": Configured(
            command="make e2e", when="done", cwd="web", success_pattern="ok", failure_pattern="bad"
        ),
    }
)


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_its_own_file(tmp_path: Path) -> None:
    path = written(tmp_path, "untildone.toml", TEXT)

    assert proposal(tmp_path) == Proposal(
        path=path,
        sha256=hashlib.sha256(TEXT.encode()).hexdigest(),
        text=TEXT,
        configuration=CONFIGURATION,
    )


def test_a_section_of_pyproject(tmp_path: Path) -> None:
    section = TEXT.replace("[checks", "[tool.untildone.checks")
    written(tmp_path, "pyproject.toml", f"[project]\nname = 'x'\n{section}")

    found = proposal(tmp_path)

    assert found is not None
    assert found.configuration == CONFIGURATION


def test_its_own_file_comes_first(tmp_path: Path) -> None:
    written(tmp_path, "untildone.toml", TEXT)
    written(tmp_path, "pyproject.toml", "[tool.untildone.checks.other]\ncommand = 'x'\n")

    found = proposal(tmp_path)

    assert found is not None
    assert found.path.name == "untildone.toml"


def test_as_checks() -> None:
    assert CONFIGURATION.as_checks(Path("/p/untildone.toml")) == (
        Check(
            name="test",
            command="pytest -q",
            timeout=30,
            reason="configured in `untildone.toml`",
        ),
        Check(
            name="e2e: all",
            command="make e2e",
            when="done",
            cwd="web",
            success_pattern="ok",
            failure_pattern="bad",
            reason="configured in `untildone.toml`",
        ),
    )


@pytest.mark.parametrize(
    "text", ["", "[tool.ruff]\nx = 1\n", "[[[", "tool = 5\n", "\udcff", "#" * 1_000_001]
)
def test_a_pyproject_that_is_none_of_our_business(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))

    assert proposal(tmp_path) is None


def test_no_file_at_all(tmp_path: Path) -> None:
    (tmp_path / "untildone.toml").mkdir()

    assert proposal(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("checks = 5\n", "expected `object`, got `int` - at `$.checks`"),
        ("[checks.a]\n", "object missing required field `command` - at `$.checks[...]`"),
        (
            "[checks.a]\ncommand = 'x'\nwhen = 'later'\n",
            "invalid enum value 'later' - at `$.checks[...].when`",
        ),
        ("[checks.a]\ncommand = 5\n", "expected `str`, got `int` - at `$.checks[...].command`"),
        (
            "[checks.a]\ncommand = 'x'\nrun = 'y'\n",
            "object contains unknown field `run` - at `$.checks[...]`",
        ),
        ("check = 5\n", "object contains unknown field `check`"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, "untildone.toml", text)

    with pytest.raises(UserError) as error:
        proposal(tmp_path)

    assert error.value.message == f"`{path}`: {message}"
    assert error.value.hint.startswith("a check is a table `[checks.NAME]` with `command`, `when`")


@pytest.mark.parametrize("data", [b"[[[", b"\xff = 1", b"a = 1\na = 2\n", b"a = " + b"[" * 9_000])
def test_what_is_not_toml(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "untildone.toml").write_bytes(data)

    with pytest.raises(UserError, match="is not TOML"):
        proposal(tmp_path)


def test_a_file_too_large_to_be_one(tmp_path: Path) -> None:
    written(tmp_path, "untildone.toml", "#" * 1_000_001)

    with pytest.raises(UserError, match="is larger than 1000000 bytes"):
        proposal(tmp_path)
