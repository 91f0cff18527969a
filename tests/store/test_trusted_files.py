"""Content of a repository that the user trusted on this machine."""

from pathlib import Path

import pytest

from untildone.store.trusted_files import read_trusted_hash, read_trusted_text, record_trust


@pytest.fixture
def home(tmp_path: Path) -> Path:
    made = tmp_path / "state"
    made.mkdir(mode=0o700)
    return made


def test_nothing_is_trusted_before_it_was(home: Path, tmp_path: Path) -> None:
    assert (
        read_trusted_hash(home, tmp_path / "a.toml"),
        read_trusted_text(home, tmp_path / "a"),
    ) == ("", "")


def test_the_content_that_was_trusted(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "untildone.toml"
    record_trust(home, path, sha256="abc", text="é = 1\n")
    record_trust(home, path, sha256="def", text="é = 2\n")

    assert (read_trusted_hash(home, path), read_trusted_text(home, path)) == ("def", "é = 2\n")
    assert read_trusted_hash(home, tmp_path / "other.toml") == ""


def test_a_file_is_known_by_where_it_really_is(home: Path, tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    record_trust(home, link / "untildone.toml", sha256="abc", text="")

    assert read_trusted_hash(home, real / "untildone.toml") == "abc"


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"7", b"\xff"])
def test_a_damaged_record_trusts_nothing(home: Path, tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "untildone.toml"
    record_trust(home, path, sha256="abc", text="x")
    (record,) = [file for file in (home / "trust").iterdir() if file.suffix == ".json"]
    record.write_bytes(damage)

    assert (read_trusted_hash(home, path), read_trusted_text(home, path)) == ("", "")


def test_the_record_is_the_users_alone(home: Path, tmp_path: Path) -> None:
    record_trust(home, tmp_path / "untildone.toml", sha256="abc", text="x")

    modes = {path.stat().st_mode & 0o077 for path in (home / "trust", *(home / "trust").iterdir())}
    assert modes == {0}
