"""The parts of a plan run by themselves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from features.plans.samples import task
from snippets import snippet
from untildone.errors import UserError
from untildone.features.plans.order import list_startable, list_uncompleted
from untildone.process.orphans import end_marked_processes
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress
from untildone.runs.tasks import merge_markers, worktrees
from untildone.runs.tasks.git_answers import Git, require_git_version
from untildone.runs.tasks.slugs import make_slug
from untildone.store import journal
from untildone.store.durable_files import DamagedFileError

TASKS = {"A": task(status="completed"), "B": task("A"), "C": task("B"), "D": task()}


@pytest.mark.parametrize(
    ("finished", "taken", "expected"),
    [
        pytest.param((), (), ["B", "D"], id="as the plan has them"),
        pytest.param((), ("B",), ["D"], id="one is at work"),
        pytest.param(("B",), ("D",), ["C"], id="what it needs is merged"),
        pytest.param(("B", "C", "D"), (), [], id="nothing left"),
    ],
)
def test_ready(finished: tuple[str, ...], taken: tuple[str, ...], expected: list[str]) -> None:
    assert list_startable(TASKS, completed=finished, excluded=taken) == expected


def test_left_are_those_neither_completed_nor_merged() -> None:
    assert list_uncompleted(TASKS, completed=("D",)) == ("B", "C")


@pytest.mark.parametrize("name", ["a/../b", "..", "", "Ä b", "x.lock", "-f"])
def test_a_name_becomes_one_that_a_branch_can_have(name: str) -> None:
    made = f"untildone/{make_slug(name)}"

    assert (
        subprocess.run(["git", "check-ref-format", "--branch", made], check=False).returncode == 0
    )
    assert make_slug(name) != make_slug(name + "!")


def test_markers_of_a_merge_are_found_until_they_are_gone(tmp_path: Path) -> None:
    file = tmp_path / "list"
    file.write_text(
        snippet("""
            a
            <<<<<<< ours
            b
            =======
            c
            >>>>>>> theirs
        """),
        encoding="utf-8",
    )
    gone = str(tmp_path / "gone")

    assert merge_markers.main([gone, str(file)]) == 1
    file.write_text("a\n<<<<<<<\n", encoding="utf-8")
    assert merge_markers.main([gone, str(file)]) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="NOT TESTED, needs Linux")
def test_what_a_killed_run_left_is_ended_and_nothing_else(tmp_path: Path) -> None:
    sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
    marked, other = (
        subprocess.Popen(sleeping, env={**os.environ, "A_MARK": value}, cwd=tmp_path)
        for value in ("1", "12")
    )
    try:
        assert end_marked_processes("A_MARK", "1") == 1
        assert (marked.wait(60) < 0, other.poll()) == (True, None)
    finally:
        other.kill()
        other.wait()


def test_steps_are_read_back_in_the_order_of_the_last_ones(tmp_path: Path) -> None:
    log = PlanJournal(tmp_path, lambda: "now")
    log.begin_anew("c0ffee")
    log.append("A", TaskProgress(step="merged"))
    log.append("B", TaskProgress(step="merged"))
    log.append("A", TaskProgress(step="merged", reason="again"))

    known = PlanJournal(tmp_path, lambda: "now")
    assert (known.base, known.list_merged(), known.get("A").reason) == (
        "c0ffee",
        ("B", "A"),
        "again",
    )

    known.begin_anew("f00")
    assert (known.states, (tmp_path / "journal.jsonl.1").exists()) == ({}, True)


def test_a_step_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """Merges were made one by one, before a step had the head of its batch."""
    course = {"step": "merging", "session": "s", "onto": "1", "commit": "2", "merge": "3"}
    data: dict[str, object] = {"task": "A", "course": course}
    journal.append(tmp_path / "journal.jsonl", "merging", data=data, at="now")

    assert PlanJournal(tmp_path, lambda: "now").get("A") == TaskProgress(
        step="merging", session="s", onto="1", commit="2", merge="3"
    )


def test_a_step_that_somebody_altered_is_named(tmp_path: Path) -> None:
    log = PlanJournal(tmp_path, lambda: "now")
    log.append("A", TaskProgress(step="verified", commit="1"))
    path = tmp_path / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"verified", b"merged", 1))

    with pytest.raises(DamagedFileError, match="was altered"):
        PlanJournal(tmp_path, lambda: "now")


def test_what_git_says_is_reported(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    git = Git(tmp_path)

    with pytest.raises(UserError, match="`git rev-parse` failed in "):
        git.ask("rev-parse", "--verify", "nothing")
    with pytest.raises(UserError, match="`git merge-base` failed in "):
        git.contains("nothing", "else")
    assert git.find_commit("HEAD") == ""
    subprocess.run(["git", "init", "-q", "inner"], cwd=tmp_path, check=True)
    with pytest.raises(UserError, match=r"'inner/' does not have a commit .*; adding files failed"):
        git.ask("add", "-A")


def test_a_long_answer_of_git_is_heard_to_its_end(tmp_path: Path) -> None:
    """As the files of a large conflict are."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    names = [f"{number:04}-{'x' * 90}" for number in range(2_000)]
    for name in names:
        (tmp_path / name).touch()

    assert Git(tmp_path).ask("ls-files", "--others").splitlines() == names


def test_commits_have_our_name_where_the_user_gave_git_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    git = Git(tmp_path)
    tree = git.ask("write-tree")

    def by() -> list[str]:
        commit = git.make_commit(tree, message="Nothing")
        return git.ask("show", "-s", "--format=%an <%ae>%n%cn <%ce>", commit).splitlines()

    subprocess.run(["git", "config", "user.name", "Ann"], cwd=tmp_path, check=True)
    assert by() == 2 * ["untildone <untildone@localhost>"]

    subprocess.run(["git", "config", "user.email", "ann@localhost"], cwd=tmp_path, check=True)
    assert by() == 2 * ["Ann <ann@localhost>"]
    require_git_version(Git(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="NOT TESTED, needs names that Windows refuses")
def test_what_is_in_a_worktree_is_kept_as_git_would_add_it(tmp_path: Path) -> None:
    def git(*words: str, cwd: Path = tmp_path) -> str:
        who = ("-c", "user.name=me", "-c", "user.email=me@localhost")
        ran = subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True)
        return ran.stdout.decode().strip()

    def write(name: str, text: str = "x\n") -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    git("init", "-q", "-b", "main")
    for name in ("gone", "file", "folder/a", "edited", "crlf"):
        write(name)
    write(".gitattributes", "crlf text\n")
    write(".gitignore", "ignored\n")
    git("add", "-A")
    git("commit", "-q", "-m", "Begin")
    for name in ("gone", "file", "folder/a"):
        (tmp_path / name).unlink()
    (tmp_path / "folder").rmdir()
    for name in (" new\nline", "file/a", "folder", "edited", "ignored", ".untildone/log"):
        write(name, "y\n")
    write("crlf", "y\r\n")
    (tmp_path / "link").symlink_to("edited")
    (tmp_path / "inner").mkdir()
    git("init", "-q", cwd=tmp_path / "inner")
    git("commit", "-q", "--allow-empty", "-m", "Begin", cwd=tmp_path / "inner")

    kept = worktrees.commit_worktree(
        Git(tmp_path), branch="task", onto="main", plan="", message="x"
    )

    git("add", "-A", ":/", ":(exclude,top).untildone")
    assert git("rev-parse", f"{kept}^{{tree}}") == git("write-tree")
    assert git("show", f"{kept}:crlf") == "y"
