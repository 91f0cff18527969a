"""git is called so that nothing a repository names is run, with real hostile repositories."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from process.hostile_git import HOOKS, WHO, Hostile
from untildone.process.git import find_git, read_git_config, run_git

pytestmark = pytest.mark.skipif(os.name == "nt", reason="NOT TESTED, the witnesses are scripts")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Hostile:
    return Hostile(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def hostile(shared: Hostile) -> Hostile:
    shared.arm()
    return shared


def test_plain_git_runs_what_the_repository_names(tmp_path: Path) -> None:
    """What is expected to stay away below would be there."""
    hostile = Hostile(tmp_path)
    # Otherwise git reads only files that are as new as its index.
    hostile.arm()
    hostile.git("status", check=False)
    # A filter that ends is the end of git as well.
    hostile.git("config", "filter.long.process", "")
    for words in (
        ("status",),
        ("-C", "bare", "status"),
        ("diff", "left", "right"),
        ("diff", "--no-ext-diff", "left", "right"),
        ("-c", "diff.external=", "diff", "left", "right"),
        ("commit", "--allow-empty", "-m", "x"),
        ("-c", "commit.gpgSign=false", "commit", "--allow-empty", "-m", "x"),
        ("merge-tree", "--write-tree", "left", "right"),
        ("worktree", "add", "-q", "--detach", str(tmp_path / "tree")),
        ("diff", "--no-index", "data.txt", "notes.md"),
        ("st",),
    ):
        hostile.arm(again=True)
        hostile.git(*words, check=False)

    seldom = {"askpass", "ssh", "alternates", "pager", "editor", "config-hook"}
    expected = {path.name for path in hostile.programs.iterdir()} | set(HOOKS)
    assert expected - seldom <= set(hostile.left())


STATUS = ("status", "--porcelain=v2", "--untracked-files=all")


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(STATUS, id="status"),
        pytest.param(("diff", "HEAD"), id="diff"),
        pytest.param(("diff", "left", "right"), id="diff of commits"),
        pytest.param(("ls-files", "--cached", "--others", "--exclude-standard"), id="ls-files"),
        pytest.param(("ls-files", "--modified"), id="ls-files of what changed"),
        pytest.param(("update-index", "--refresh"), id="update-index"),
        pytest.param(("hash-object", "-w", "shop.py", "notes.md"), id="hash-object"),
        pytest.param(("check-ignore", "-q", "."), id="check-ignore"),
        pytest.param(("update-ref", "refs/untildone/a", "HEAD"), id="update-ref"),
        pytest.param(("commit", "--allow-empty", "-qm", "x"), id="commit"),
        pytest.param(("commit-tree", "HEAD^{tree}", "-m", "x"), id="commit-tree"),
        pytest.param(("merge-tree", "--write-tree", "left", "right"), id="merge-tree"),
        pytest.param(("reset", "-q", "HEAD", "--", "shop.py"), id="reset"),
        pytest.param(("read-tree", "--reset", "-u", "left"), id="read-tree"),
        pytest.param(("reset", "-q", "--hard"), id="reset --hard"),
        pytest.param(("branch", "-f", "new", "left"), id="branch"),
        pytest.param(("for-each-ref",), id="for-each-ref"),
    ],
)
def test_nothing_that_a_repository_names_is_run(hostile: Hostile, words: tuple[str, ...]) -> None:
    done = run_git(words, cwd=hostile.project, environ=hostile.environ, variables=WHO)

    assert hostile.left() == []
    assert done.exit_code in (0, 1), done.text


@pytest.mark.parametrize("folder", ["nested", "bare"])
def test_nothing_that_an_embedded_repository_names_is_run(hostile: Hostile, folder: str) -> None:
    run_git(STATUS, cwd=hostile.project / folder, environ=hostile.environ)

    assert hostile.left() == []


def test_an_embedded_bare_repository_is_not_obeyed(hostile: Hostile) -> None:
    done = run_git(("rev-parse", "--git-dir"), cwd=hostile.project / "bare")

    assert done.exit_code == 128
    assert "bare repository" in done.text


def test_a_merge_driver_is_replaced_by_the_merge_of_git(hostile: Hostile) -> None:
    words = ("merge-tree", "--write-tree", "left", "right")
    tree = run_git(words, cwd=hostile.project).text.strip()

    merged = run_git(("cat-file", "-p", f"{tree}:shop.py"), cwd=hostile.project).text
    assert merged == "first = 2\n\n\n\n\nlast = 2\n"


def test_a_signature_is_not_shown_to_a_program(hostile: Hostile) -> None:
    head = hostile.git("cat-file", "commit", "main")
    lines = " signed\n -----END PGP SIGNATURE-----"
    signed = head.replace("\n\n", f"\ngpgsig -----BEGIN PGP SIGNATURE-----\n{lines}\n\n", 1)
    words = ("hash-object", "-t", "commit", "-w", "--stdin")
    made = run_git(words, cwd=hostile.project, stdin=signed.encode() + b"\n").text.strip()
    hostile.arm()

    run_git(("log", "-1", "--show-signature", made), cwd=hostile.project)
    assert hostile.left() == []
    hostile.git("log", "-1", "--show-signature", made)
    assert hostile.left() == ["gpg"]


def by_ssh(hostile: Hostile) -> str:
    hostile.git("config", "core.sshCommand", str(hostile.program("ssh")))
    return "ssh://localhost/x"


def by_extension(hostile: Hostile) -> str:
    hostile.git("config", "protocol.ext.allow", "always")
    return f"ext::{hostile.program('ssh')}"


def by_program(hostile: Hostile) -> str:
    hostile.git("config", "remote.away.uploadpack", str(hostile.program("ssh")))
    return str(hostile.project)


@pytest.mark.parametrize("url", [by_ssh, by_extension, by_program])
def test_what_is_missing_is_not_fetched(tmp_path: Path, url: Callable[[Hostile], str]) -> None:
    hostile = Hostile(tmp_path)
    blob = hostile.git("rev-parse", "right:shop.py")
    for name, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "away"),
        ("remote.away.promisor", "true"),
        ("remote.away.url", url(hostile)),
    ):
        hostile.git("config", name, value)
    (hostile.project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    hostile.arm()

    done = run_git(("cat-file", "-p", blob), cwd=hostile.project)
    assert (done.exit_code, hostile.left()) == (128, [])
    hostile.git("cat-file", "-p", blob, check=False)
    assert hostile.left() == ["ssh"]


def test_a_driver_that_cannot_be_switched_off_stops_the_command(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    (hostile.project / ".gitattributes").write_text("*.py filter=a=b\n", encoding="utf-8")
    clean = str(hostile.program("odd"))
    hostile.git("config", "filter.a=b.clean", clean)
    hostile.arm()

    done = run_git(STATUS, cwd=hostile.project)

    assert (done.exit_code, done.missing) == (None, "the drivers of git cannot be read")
    assert hostile.left() == []


def test_settings_are_read_without_ours(hostile: Hostile) -> None:
    found = read_git_config(r"^(core\.fsmonitor|safe|filter\.in)", cwd=hostile.project)

    program = str(hostile.programs / "fsmonitor")
    assert found == (("safe.barerepository", "explicit"), ("core.fsmonitor", program))[::-1]


def test_a_broken_configuration_stops_the_command(tmp_path: Path) -> None:
    hostile = Hostile(tmp_path)
    (hostile.project / ".git" / "config").write_text("[core\n", encoding="utf-8")

    assert run_git(STATUS, cwd=hostile.project).exit_code is None
    assert read_git_config(".", cwd=hostile.project) is None


def test_git_is_looked_for_in_absolute_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert find_git({"PATH": f"{os.pathsep}."}) is None
    assert find_git({"PATH": f".{os.pathsep}{tmp_path}"}) == str(program)
    missing = run_git(("version",), cwd=tmp_path, environ={"PATH": "."})
    assert missing.missing == "`git` was not found"
