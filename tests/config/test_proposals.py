"""Loading `untildone.toml`, `[tool.untildone]` and the user's settings."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from snippets import snippet
from untildone.config.proposals import Proposal, load_proposal, load_proposals, load_user_settings
from untildone.config.schema import Configuration, Milestone, Template, UserSettings
from untildone.core.contract import Check, CheckSettings
from untildone.errors import UserError

TEXT = """\
security_rules = ["rules"]

[checks.test]
command = "pytest -q"
timeout = 30
parser = "pytest"
replay = false
replay_reason = "it needs the network"

[checks."e2e: all"]
command = "make e2e"
when = "done"
cwd = "web"
success_pattern = "ok"
failure_pattern = "bad"
pattern = '(?P<path>\\S+) (?P<text>.*)'

[templates.port]
task = "Port it"
checks = ["test"]
rounds = 20

[[milestones]]
on = ["done", "pause"]
run = "notify-send untildone"
"""
CONFIGURATION = Configuration(
    security_rules=("rules",),
    checks={
        "test": CheckSettings(
            command="pytest -q",
            timeout=30,
            parser="pytest",
            replay=False,
            replay_reason="it needs the network",
        ),
        "e2e: all": CheckSettings(
            command="make e2e",
            when="done",
            cwd="web",
            success_pattern="ok",
            failure_pattern="bad",
            pattern=r"(?P<path>\S+) (?P<text>.*)",
        ),
    },
    templates={"port": Template(task="Port it", checks=("test",), rounds=20)},
    milestones=(Milestone(on=("done", "pause"), run="notify-send untildone"),),
)


def write_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    return path


def names(project: Path) -> list[str]:
    return [file.name for file in load_proposals(project)]


def test_its_own_file(tmp_path: Path) -> None:
    path = write_file(tmp_path / "untildone.toml", TEXT)

    assert load_proposals(tmp_path) == (
        Proposal(
            path=path,
            sha256=hashlib.sha256(TEXT.encode()).hexdigest(),
            text=TEXT,
            configuration=CONFIGURATION,
        ),
    )


@pytest.mark.parametrize("text", [TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT])
def test_as_an_editor_of_windows_saves_it(tmp_path: Path, text: str) -> None:
    write_file(tmp_path / "untildone.toml", text)

    found = load_proposal(tmp_path)

    assert found is not None
    assert found.configuration == CONFIGURATION


def test_a_section_of_pyproject(tmp_path: Path) -> None:
    section = TEXT.replace("[checks", "[tool.untildone.checks").replace("[[", "[[tool.untildone.")
    section = section.replace("[templates", "[tool.untildone.templates")
    write_file(tmp_path / "pyproject.toml", f"[project]\nname = 'x'\n[tool.untildone]\n{section}")

    found = load_proposal(tmp_path)

    assert found is not None
    assert found.configuration == CONFIGURATION


def test_its_own_file_comes_first(tmp_path: Path) -> None:
    write_file(tmp_path / "untildone.toml", TEXT)
    write_file(tmp_path / "pyproject.toml", "[tool.untildone.checks.other]\ncommand = 'x'\n")

    assert names(tmp_path) == ["untildone.toml"]


def test_the_checks_of_a_folder_run_there_and_are_named_after_it(tmp_path: Path) -> None:
    write_file(tmp_path / "packages/api/untildone.toml", TEXT)

    (found,) = load_proposals(tmp_path)

    assert found.make_checks() == {
        "test": Check(
            name="packages/api:test",
            command="pytest -q",
            cwd="packages/api",
            timeout=30,
            parser="pytest",
            replay=False,
            replay_reason="it needs the network",
            reason="configured in `packages/api/untildone.toml`",
        ),
        "e2e: all": Check(
            name="packages/api:e2e: all",
            command="make e2e",
            cwd="packages/api/web",
            when="done",
            success_pattern="ok",
            failure_pattern="bad",
            pattern=r"(?P<path>\S+) (?P<text>.*)",
            reason="configured in `packages/api/untildone.toml`",
        ),
    }


def test_folders_that_are_not_the_projects_are_left_out(tmp_path: Path) -> None:
    for folder in ("", "web/", "a/b/", "ignored/", "node_modules/x/", "other/", "gone/"):
        write_file(tmp_path / f"{folder}untildone.toml", "")
    for repository in (tmp_path, tmp_path / "other"):
        subprocess.run(["git", "init", "-q"], cwd=repository, check=True)
    write_file(tmp_path / ".gitignore", "ignored/\n")
    subprocess.run(["git", "add", "gone", "node_modules"], cwd=tmp_path, check=True)
    (tmp_path / "gone/untildone.toml").unlink()

    assert names(tmp_path) == ["untildone.toml", "a/b/untildone.toml", "web/untildone.toml"]


def test_the_same_outside_git(tmp_path: Path) -> None:
    for folder in ("web/", "node_modules/x/", "other/deep/"):
        write_file(tmp_path / f"{folder}untildone.toml", "")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "other", check=True)

    assert names(tmp_path) == ["web/untildone.toml"]


def test_more_files_than_anybody_means(tmp_path: Path) -> None:
    for number in range(201):
        write_file(tmp_path / f"f{number}/untildone.toml", "")

    with pytest.raises(UserError, match=r"there are 201 files `untildone\.toml` below"):
        load_proposals(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[tool.ruff]\nx = 1\n", "[[[", "tool = 5\n", "\udcff", "#" * 1_000_001]
)
def test_a_pyproject_that_is_none_of_our_business(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(text.encode("utf-8", "surrogateescape"))

    assert load_proposal(tmp_path) is None


def test_no_file_at_all(tmp_path: Path) -> None:
    (tmp_path / "untildone.toml").mkdir()

    assert load_proposals(tmp_path) == ()
    assert load_user_settings(tmp_path / "config.toml") == UserSettings()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every file can be read")
def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    write_file(tmp_path / "untildone.toml", "").chmod(0)

    with pytest.raises(UserError, match=r"`untildone\.toml` cannot be read: Permission denied"):
        load_proposals(tmp_path)


def test_what_the_user_wrote_for_all_projects(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "config.toml",
        snippet("""
            [[milestones]]
            on = ['done']
            notify = 'json://x'
        """),
    )

    assert load_user_settings(path) == UserSettings(
        milestones=(Milestone(on=("done",), notify="json://x"),)
    )


def test_a_mistake_in_what_the_user_wrote(tmp_path: Path) -> None:
    path = write_file(tmp_path / "config.toml", "\n[checks.a]\ncommand = 'x'\n")

    with pytest.raises(UserError) as error:
        load_user_settings(path)

    assert (error.value.message, error.value.hint) == (
        f"{path}:2: `checks` is unknown; allowed: `milestones`, `notify`, `otel`, `recall_todos`",
        "fix it there",
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a = 1\nb = [x]\n", "untildone.toml:2:6: not TOML: invalid value"),
        (b"a = 1\n\xff = 1", "untildone.toml:2: not TOML: a byte that is not UTF-8"),
        (b"a = 1\na = 2\n", "untildone.toml:2:6: not TOML: cannot overwrite a value"),
        (b"a = ", "untildone.toml:1:5: not TOML: invalid value"),
        (b"a = " + b"[" * 9_000, "untildone.toml: not TOML: nested too deep"),
        (b"#" * 1_000_001, "`untildone.toml` is larger than 1000000 bytes"),
    ],
)
def test_what_is_not_toml(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "untildone.toml").write_bytes(data)

    with pytest.raises(UserError) as error:
        load_proposal(tmp_path)

    assert error.value.message == message
