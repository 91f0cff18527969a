import os
import stat
from pathlib import Path

import pytest

from store.faults import at_call
from untildone.store.durable_files import (
    DamagedFileError,
    add_checksum,
    quote_path,
    read_bounded,
    read_or_recover,
    strip_checksum,
    write_atomically,
)


def parse(body: bytes) -> bytes:
    if body == b"foreign":
        raise DamagedFileError("is foreign")
    return body


def two_generations(path: Path) -> None:
    write_atomically(path, add_checksum(b"old"))
    write_atomically(path, add_checksum(b"new"))


def damage(path: Path, reason: str) -> tuple[str, ...]:
    return (
        f"`{path}` {reason}; the previous generation is used",
        f"the damaged file is kept as `{path}.corrupt`",
    )


def test_a_file_is_written_whole_for_its_owner_and_keeps_its_previous_generation(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file"
    two_generations(path)

    contents = {found.name: strip_checksum(found.read_bytes()) for found in tmp_path.iterdir()}
    assert contents == {"file": b"new", "file.previous": b"old"}
    assert {stat.S_IMODE(found.stat().st_mode) for found in tmp_path.iterdir()} == {0o600}


def test_what_is_sealed_is_read_back() -> None:
    assert strip_checksum(add_checksum(b"a\nb\x00\xff")) == b"a\nb\x00\xff"
    assert strip_checksum(add_checksum(b"")) == b""


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"\0" * 100, "is not a file of untildone"),
        (b'{"round": 1}', "is not a file of untildone"),
        (add_checksum(b"body")[:-1], "is cut off or was altered"),
        (add_checksum(b"body") + b"x", "is cut off or was altered"),
        (add_checksum(b"body").replace(b"body", b"bodY"), "is cut off or was altered"),
    ],
)
def test_what_is_not_sealed_is_damaged(data: bytes, reason: str) -> None:
    with pytest.raises(DamagedFileError) as caught:
        strip_checksum(data)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"garbage", "is not a file of untildone"),
        (add_checksum(b"new")[:-1], "is cut off or was altered"),
        (add_checksum(b"foreign"), "is foreign"),
        (b"x" * 1_000_001, "is larger than 1000000 bytes"),
    ],
)
def test_a_damaged_file_is_kept_aside_and_the_previous_generation_put_back(
    tmp_path: Path, data: bytes, reason: str
) -> None:
    path = tmp_path / "file"
    two_generations(path)
    path.write_bytes(data)

    assert read_or_recover(path, parse) == (b"old", damage(path, reason))
    assert (tmp_path / "file.corrupt").read_bytes() == data
    assert read_or_recover(path, parse) == (b"old", ())


def test_damage_upon_damage_keeps_every_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    two_generations(path)
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        assert read_or_recover(path, parse)[0] == b"old"

    kept = [path.with_name(f"file.corrupt{end}").read_bytes() for end in ("", ".2", ".3")]
    assert kept == [b"one", b"two", b"three"]


def test_a_missing_file_with_a_previous_generation_is_damaged_not_absent(tmp_path: Path) -> None:
    path = tmp_path / "file"
    two_generations(path)
    path.unlink()

    warning = f"`{path}` is missing; the previous generation is used"
    assert read_or_recover(path, parse) == (b"old", (warning,))
    assert not path.exists()


def test_a_file_that_never_was_is_absent(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_or_recover(tmp_path / "file", parse)


def test_both_generations_damaged_names_both(tmp_path: Path) -> None:
    path = tmp_path / "file"
    two_generations(path)
    path.write_bytes(b"x")
    (tmp_path / "file.previous").write_bytes(b"")

    with pytest.raises(DamagedFileError) as caught:
        read_or_recover(path, parse)
    assert caught.value.reason == (
        f"`{path}` is not a file of untildone and `{path}.previous` is empty"
    )


def test_the_same_damage_is_kept_aside_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    for _ in range(3):
        with pytest.raises(DamagedFileError):
            read_or_recover(path, parse)

    assert sorted(found.name for found in tmp_path.iterdir()) == ["file", "file.corrupt"]


def test_a_damaged_file_without_a_previous_generation_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")

    with pytest.raises(DamagedFileError) as caught:
        read_or_recover(path, parse)
    assert caught.value.reason == (
        f"`{path}` is not a file of untildone and there is no previous generation"
    )


def test_a_link_a_pipe_and_a_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(add_checksum(b"body"))
    (tmp_path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()

    for name, reason in (
        ("link", "is a symbolic link"),
        ("pipe", "is not a regular file"),
        ("folder", "is not a regular file"),
    ):
        with pytest.raises(DamagedFileError) as caught:
            read_bounded(tmp_path / name)
        assert caught.value.reason == f"`{tmp_path / name}` {reason}"


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"

    with at_call(0, lambda: None) as calls, pytest.raises(DamagedFileError) as caught:
        read_bounded(path, 4)
    assert caught.value.reason == f"`{path}` is larger than 4 bytes"
    assert "read" not in calls


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED, needs root: another owner")
def test_the_file_of_another_user_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(add_checksum(b"body"))
    os.chown(path, 12345, 12345)

    with pytest.raises(DamagedFileError) as caught:
        read_bounded(path)
    assert caught.value.reason == f"`{path}` belongs to user 12345"


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_was_planted_in_place_of_a_file_is_kept_aside(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    two_generations(path)
    path.unlink()
    if kind == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.mkdir()

    assert read_or_recover(path, parse)[0] == b"old"
    assert read_or_recover(path, parse) == (b"old", ())
    assert os.path.lexists(tmp_path / "file.corrupt")


def test_a_name_is_shown_on_one_line_whatever_its_bytes() -> None:
    assert quote_path(Path(os.fsdecode(b"/a b/new\nline/\xff"))) == r"`/a b/new\nline/\udcff`"
