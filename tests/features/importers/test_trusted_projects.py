"""Which projects' loop files of other tools are trusted, and what that leaves in a session."""

from pathlib import Path

import pytest

from untildone.features.importers import trusted_projects
from untildone.store.sessions import Session


def test_a_project_is_trusted_with_its_folders_and_no_other(tmp_path: Path) -> None:
    trusted_projects.set_trust(str(tmp_path), str(tmp_path / "a"), wanted=True)

    places = ("a", "a/b", "ab", "", "c")
    found = [
        trusted_projects.is_trusted_project(str(tmp_path), str(tmp_path / place))
        for place in places
    ]
    assert found == [True, True, False, False, False]
    assert trusted_projects.is_trusted_project(str(tmp_path), "") is False


def test_trust_is_taken_back_for_one_project(tmp_path: Path) -> None:
    home = str(tmp_path)
    for name in ("a", "b", "a"):
        trusted_projects.set_trust(home, str(tmp_path / name), wanted=True)
    trusted_projects.set_trust(home, str(tmp_path / "b"), wanted=False)

    assert trusted_projects.list_trusted_projects(home) == [str(tmp_path.resolve() / "a")]


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}', b"[" * 100_000, b'["", ""]'])
def test_a_damaged_record_trusts_nothing(tmp_path: Path, content: bytes) -> None:
    tmp_path.joinpath("dialects.json").write_bytes(content)

    assert trusted_projects.list_trusted_projects(str(tmp_path)) == []


def test_a_watched_session_is_looked_at_and_keeps_its_calls(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "s1")
    session.watch_stops("another")

    trusted_projects.watch_session(session)
    watched = (session.read_stop_reasons(), session.has("dialects"), session.has("calls"))
    trusted_projects.watch_session(session, wanted=False)

    assert watched == ({"another", "dialects"}, True, True)
    assert (session.read_stop_reasons(), session.has("dialects")) == ({"another"}, False)
