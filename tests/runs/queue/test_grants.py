"""The SQL of the roles: made of one declaration that knows every table and column."""

from pathlib import Path

import pytest

from untildone.errors import UserError
from untildone.runs.queue.grants import format_grants
from untildone.runs.queue.rights import RIGHTS, get_writing
from untildone.runs.queue.tables import METADATA, TASKS
from untildone.runs.queue.task_changes import CHANGES


def test_every_table_has_its_rights_declared() -> None:
    assert sorted(RIGHTS) == sorted(METADATA.tables)


@pytest.mark.parametrize("name", sorted(METADATA.tables))
def test_somebody_decided_who_writes_each_column(name: str) -> None:
    rights = RIGHTS[name]
    written = {
        *rights.neither,
        *(column for one in (rights.submitter, rights.worker) for column in one.inserts),
        *(column for one in (rights.submitter, rights.worker) for column in one.updates),
    }
    assert written == set(METADATA.tables[name].c.keys())


def test_submitters_write_what_their_changes_need() -> None:
    needed = {name for change in CHANGES for name in (*change.values, *change.may_be_cleared)}
    updates = get_writing(TASKS.name, "submitter").updates
    assert set(updates) == needed | {"attempt", "since_attempt", "updated_at"}


def test_names_are_quoted() -> None:
    text = format_grants('q"1', [("reader", 'a"; DROP TABLE x; --')])
    assert 'GRANT CONNECT ON DATABASE "q""1" TO "a""; DROP TABLE x; --";' in text
    assert "INSERT (" not in text
    for name in ("", "a\nb"):
        with pytest.raises(UserError, match="is no name of a role"):
            format_grants("q", [("reader", name)])


def test_a_role_is_of_one_kind() -> None:
    with pytest.raises(UserError, match="a role is named twice"):
        format_grants("q", [("submitter", "alice"), ("worker", "alice")])


def test_the_documentation_has_the_sql() -> None:
    page = (Path(__file__).parents[3] / "docs" / "queue.md").read_text("utf-8")
    shown = page.split("<!-- grants: begin -->\n```sql\n")[1].split("\n```\n")[0]
    printed = format_grants("queue", [("submitter", "alice"), ("worker", "build")])
    assert shown == printed, "put what step 2 of docs/queue.md prints there"
