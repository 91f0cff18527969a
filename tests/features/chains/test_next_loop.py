"""Loops one after another in one session."""

from pathlib import Path
from typing import Any

import pytest

from engine.test_stop import SESSION, World, told
from untildone.config.proposals import load_proposals
from untildone.engine import verbs
from untildone.store.home import prepare_home
from untildone.store.loops import Record
from untildone.store.trusted_files import record_trust

PROMISE = "ALL PAGES WRITTEN"
TEMPLATES = """\
[templates.second]
task = "write the index"
commands = ["test -f done.txt"]

[templates.third]
task = "read it again"
promises = ["ALL PAGES READ"]
"""


class Chained(World):
    """A loop of a promise, followed by two templates of the project."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        file = self.project / "untildone.toml"
        file.write_text(TEMPLATES, encoding="utf-8")
        prepare_home(self.here.home)
        (proposed,) = load_proposals(self.project)
        record_trust(self.here.home, proposed.path, sha256=proposed.sha256, text=TEMPLATES)
        self.start(checks=(), promises=(PROMISE,), then=("second", "third"))
        self.first = self.loop

    def next(self, **said: Any) -> Any:  # noqa: ANN401  whatever is answered
        answer = self.stop(**said)
        self.loop = self.here.session(SESSION).get_loop_id()
        return answer


@pytest.fixture
def chained(tmp_path: Path) -> Chained:
    return Chained(tmp_path)


def test_each_loop_that_ends_well_is_followed_by_the_next(chained: Chained) -> None:
    second = chained.next(last_assistant_message=PROMISE)
    begun = chained.loop
    chained.next(last_assistant_message="Done.")
    chained.finish()
    third = chained.next(last_assistant_message="Done.")
    last = chained.next(last_assistant_message="ALL PAGES READ")

    assert told(second).startswith(
        f"[untildone] That task is finished (loop {chained.first}). Continue with the next"
        f" task, in loop {begun}: when you stop, its criteria are judged.\n- check: `test -f"
        " done.txt`\n\nThe task, as agreed:\nwrite the index"
    )
    assert told(third).endswith("The task, as agreed:\nread it again")
    assert last["systemMessage"].startswith("untildone: claimed after 1 round")
    assert {
        shown.contract.task: (shown.progress.outcome, shown.contract.after)
        for shown in chained.here.loops.list_all()
        if isinstance(shown, Record)
    } == {
        "do it": ("claimed", ""),
        "write the index": ("done", chained.first),
        "read it again": ("claimed", begun),
    }


def test_a_stop_that_two_installed_commands_tell_of_is_judged_once(chained: Chained) -> None:
    chained.next(last_assistant_message=PROMISE)

    twice = chained.stop("plugin", last_assistant_message=PROMISE)

    assert (twice, chained.state) == (None, ("active", None, 0))


def test_a_cancelled_loop_is_followed_by_nothing(chained: Chained) -> None:
    verbs.cancel(chained.here, chained.first)

    assert chained.stop() is None
    assert chained.here.session(SESSION).get_loop_id() == ""
