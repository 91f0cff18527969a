"""The record of what was installed brings a settings file back as it was."""

import hashlib
from pathlib import Path

import pytest

from untildone.errors import UserError
from untildone.install import manifest
from untildone.install.manifest import InstalledFile, InstalledProgram
from untildone.install.settings_editing import Entries, merge

OURS = Entries(
    hooks={"Stop": {"hooks": [{"type": "command", "command": "untildone hook Stop"}]}},
    env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "60"},
    permissions=("Bash(untildone met:*)",),
)
PROGRAM = InstalledProgram(
    interpreter="/py", interpreter_sha256="00", package="/lib", version="0.1.0"
)


def make_installed_file(path: Path, *, original: bytes | None, written: bytes) -> InstalledFile:
    return InstalledFile(
        path=str(path),
        scope="user",
        agent="claude",
        original=original,
        original_sha256=manifest.hash_bytes(original),
        written_sha256=manifest.hash_bytes(written),
        entries=OURS,
        program=PROGRAM,
    )


def merge_settings(original: bytes) -> bytes:
    return merge(original.decode(), OURS, path="x").text.encode()


def test_nothing_is_recorded_at_first(tmp_path: Path) -> None:
    assert manifest.read(tmp_path / "missing") == ()
    assert manifest.find(tmp_path, tmp_path / "settings.json") is None


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    home = tmp_path / "state"
    user = make_installed_file(tmp_path / "user.json", original=b"\xff\x00", written=b"x")
    local = make_installed_file(tmp_path / "local-\udcff.json", original=None, written=b"x")
    manifest.write(home, user)
    manifest.write(home, local)

    assert manifest.read(home) == (user, local)
    assert manifest.find(home, tmp_path / "user.json") == user


def test_a_file_has_one_record(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    manifest.write(tmp_path, make_installed_file(path, original=b"1", written=b"x"))
    second = make_installed_file(path, original=b"2", written=b"y")
    manifest.write(tmp_path, second)

    assert manifest.read(tmp_path) == (second,)


def test_what_is_forgotten_is_gone_and_the_last_takes_the_file_with_it(tmp_path: Path) -> None:
    one = make_installed_file(tmp_path / "one", original=None, written=b"x")
    other = make_installed_file(tmp_path / "other", original=None, written=b"x")
    manifest.write(tmp_path, one)
    manifest.write(tmp_path, other)

    manifest.forget(tmp_path, tmp_path / "one")
    assert manifest.read(tmp_path) == (other,)
    manifest.forget(tmp_path, tmp_path / "other")
    assert list(tmp_path.iterdir()) == []
    manifest.forget(tmp_path, tmp_path / "other")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"files": [{}]}', b"\xff"])
def test_a_damaged_record_is_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "installed.json"
    path.write_bytes(data)
    with pytest.raises(UserError) as caught:
        manifest.read(tmp_path)

    assert caught.value.message.startswith(f"`{path}` ")
    assert caught.value.hint == f"move `{path}` away, then run `untildone init`"


@pytest.mark.parametrize("original", [b'{"hooks": {}, "a": 1}', b"{}", b" \n", b"", None])
def test_an_untouched_file_comes_back_byte_for_byte(original: bytes | None) -> None:
    path = Path("settings.json")
    written = merge_settings(original or b"")
    kept = make_installed_file(path, original=original, written=written)

    assert manifest.restore_original(kept, written, path=path) == original


def test_a_file_that_was_changed_since_only_loses_ours() -> None:
    path = Path("settings.json")
    kept = make_installed_file(path, original=b"{}", written=merge_settings(b"{}"))
    current = merge_settings(b'{"model": "opus"}')

    assert manifest.restore_original(kept, current, path=path) == b'{"model": "opus"}'
    assert manifest.restore_original(None, current, path=path) == b'{"model": "opus"}'


def test_a_second_init_remembers_what_stood_there_before_the_first() -> None:
    path = Path("settings.json")
    kept = make_installed_file(
        path, original=b'{"hooks": {}}', written=merge_settings(b'{"hooks": {}}')
    )

    assert manifest.restore_original(None, None, path=path) is None
    assert manifest.restore_original(None, b'{"a":1}', path=path) == b'{"a":1}'
    assert (
        manifest.restore_original(kept, merge_settings(b'{"hooks": {}}'), path=path)
        == b'{"hooks": {}}'
    )
    assert manifest.restore_original(kept, merge_settings(b'{"b": 2}'), path=path) == b'{"b": 2}'


def test_the_program_is_known_by_its_content(tmp_path: Path) -> None:
    interpreter = tmp_path / "python"
    interpreter.write_bytes(b"binary")

    assert manifest.describe_program(
        interpreter=interpreter, package=tmp_path, version="1"
    ) == InstalledProgram(
        interpreter=str(interpreter),
        interpreter_sha256=hashlib.sha256(b"binary").hexdigest(),
        package=str(tmp_path),
        version="1",
        package_sha256=hashlib.sha256(b"").hexdigest(),
    )


def test_a_package_is_known_by_its_modules_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"1")
    first = manifest.hash_package(tmp_path)
    (tmp_path / "a.pyc").write_bytes(b"compiled")
    assert manifest.hash_package(tmp_path) == first

    (tmp_path / "a.py").rename(tmp_path / "b.py")
    moved = manifest.hash_package(tmp_path)
    (tmp_path / "b.py").write_bytes(b"2")
    assert len({first, moved, manifest.hash_package(tmp_path)}) == 3
