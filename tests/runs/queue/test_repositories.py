"""Repositories of tasks: what is fetched and pushed, and that no foreign setting counts."""

from pathlib import Path

import pytest

from untildone.errors import UserError
from untildone.runs.queue.repositories import Push, Repository
from world import Machine


class Remote(Machine):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.git("init", "-q", "-b", "main")
        self.write("a", "one\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Begin")
        self.git("tag", "-a", "-m", "v1", "v1")
        self.bare = folder / "bare"
        self.git("clone", "-q", "--bare", str(self.project), str(self.bare))
        self.tip = self.git("rev-parse", "HEAD")
        self.cache = Repository(folder / "cache", str(self.bare))
        self.cache.prepare()

    def commit(self, text: str, *parents: str) -> str:
        """A commit in the cache."""
        git = self.cache.git
        blob = git.ask("hash-object", "-w", "--stdin", stdin=text.encode())
        tree = git.ask("mktree", stdin=f"100644 blob {blob}\ta\n".encode())
        return git.make_commit(tree, *parents, message=text)

    def refs(self) -> dict[str, str]:
        lines = self.git("--git-dir", str(self.bare), "show-ref").splitlines()
        return {name: commit for commit, name in map(str.split, lines)}


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote(tmp_path)


@pytest.mark.parametrize("name", ["HEAD", "main", "v1", "commit"])
def test_a_branch_a_tag_and_a_commit_can_be_fetched(remote: Remote, name: str) -> None:
    assert not remote.cache.has(remote.tip)
    assert remote.cache.fetch(remote.tip if name == "commit" else name) == remote.tip
    assert remote.cache.has(remote.tip)


def test_a_new_ref_is_pushed_once_and_never_moved(remote: Remote) -> None:
    commit = remote.commit("mine")
    other = remote.commit("other", commit)
    new = Push(ref="refs/heads/untildone/1", commit=commit, is_new=True)
    remote.cache.push([Push(ref="refs/untildone/work/1-1-1", commit=other)])
    assert not remote.cache.is_pushed([new])

    for _ in range(2):
        remote.cache.push([new], removed="refs/untildone/work/1-*")
        assert remote.cache.is_pushed([new])
        assert remote.refs()["refs/heads/untildone/1"] == commit
        assert "refs/untildone/work/1-1-1" not in remote.refs()
    with pytest.raises(UserError, match="`git push` failed"):
        remote.cache.push([Push(ref=new.ref, commit=other, is_new=True)])
    assert remote.refs()["refs/heads/untildone/1"] == commit


def test_settings_that_an_agent_left_in_the_cache_do_not_count(remote: Remote) -> None:
    ran = remote.folder / "ran"
    settings = {
        f"url.{remote.folder}/elsewhere.insteadOf": str(remote.folder),
        "core.sshCommand": f"touch {ran}",
        "credential.helper": f"!touch {ran}",
        "remote.origin.uploadpack": f"touch {ran}",
    }
    for name, value in settings.items():
        remote.cache.git.ask("config", name, value)

    assert remote.cache.fetch("HEAD") == remote.tip
    with pytest.raises(UserError):
        Repository(remote.folder / "cache", f"ssh://127.0.0.1:1{remote.bare}").is_pushed([])
    assert not ran.exists()


def test_an_address_that_names_a_program_is_refused(remote: Remote) -> None:
    ran = remote.folder / "ran"
    hostile = Repository(remote.folder / "cache", f"ext::touch {ran}")
    hostile.prepare()
    with pytest.raises(UserError, match=r"transport 'ext' not allowed"):
        hostile.fetch("HEAD")
    assert not ran.exists()


def test_a_cache_that_a_crash_left_half_made_is_made_anew(remote: Remote) -> None:
    (remote.cache.git.folder / ".git" / "ready").unlink()
    (remote.cache.git.folder / ".git" / "HEAD").write_text("broken", encoding="utf-8")
    remote.cache.prepare()

    assert remote.cache.fetch("HEAD") == remote.tip
