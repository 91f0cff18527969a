"""The user's switch for edits, and the reasons to look at a session's stops."""

from pathlib import Path

from untildone.features.edits import switch
from untildone.store.sessions import Session


def test_what_was_wanted_is_read_again(tmp_path: Path) -> None:
    home = str(tmp_path)
    seen = [switch.read_modes(home)]
    for modes in ({"auto"}, {"auto", "tell"}, set[str](), set[str]()):
        switch.write_modes(home, frozenset(modes))
        seen.append(switch.read_modes(home))

    assert seen == [set(), {"auto"}, {"auto", "tell"}, set(), set()]
    assert list(tmp_path.iterdir()) == []


def test_unknown_words_are_no_wish(tmp_path: Path) -> None:
    (tmp_path / "edits").write_bytes(b"\xff auto everything " + b"x" * 1_000)

    assert switch.read_modes(str(tmp_path)) == {"auto"}


def test_stops_are_looked_at_while_somebody_has_a_reason(tmp_path: Path) -> None:
    session = Session(str(tmp_path), "claude", "one")
    session.watch_stops("auto")
    session.watch_stops("other")
    both = session.read_stop_reasons()
    session.watch_stops("auto", wanted=False)
    session.watch_stops("auto", wanted=False)
    one = session.read_stop_reasons()
    session.watch_stops("other", wanted=False)

    assert (both, one, session.has("look")) == ({"auto", "other"}, {"other"}, False)
