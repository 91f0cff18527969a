import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from store.disk import mount
from untildone.errors import UserError
from untildone.store.home import find_state_home, find_volatile_file_system, prepare_home

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="NOT TESTED, needs root: another owner")
ELSEWHERE = "set `UNTILDONE_HOME` to a folder of your own on a local disk"


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        pytest.param(
            {"UNTILDONE_HOME": "/a b", "XDG_STATE_HOME": "/x", "HOME": "/h"},
            "linux",
            "/a b",
            id="ours first",
        ),
        pytest.param({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "linux", "/x/untildone", id="xdg"),
        pytest.param(
            {"XDG_STATE_HOME": "x", "HOME": "/h"},
            "linux",
            "/h/.local/state/untildone",
            id="relative xdg is ignored",
        ),
        pytest.param(
            {"UNTILDONE_HOME": "", "XDG_STATE_HOME": "", "HOME": "/h"},
            "darwin",
            "/h/.local/state/untildone",
            id="empty is unset",
        ),
        pytest.param({"LOCALAPPDATA": "/local"}, "win32", "/local/untildone", id="windows"),
        pytest.param(
            {"USERPROFILE": "/me"}, "win32", "/me/AppData/Local/untildone", id="windows, bare"
        ),
    ],
)
def test_the_home_is_where_the_environment_says(
    environ: dict[str, str], platform: str, expected: str
) -> None:
    assert find_state_home(environ, platform=platform) == Path(expected)


def test_a_relative_home_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        find_state_home({"UNTILDONE_HOME": "state"})

    assert caught.value.message == "`UNTILDONE_HOME` is `state`, which is not an absolute path"
    assert caught.value.hint == f"set it to `{Path.cwd() / 'state'}`"


@pytest.mark.parametrize(
    "name", [b"a b", b'it\'s "q"', b"new\nline", b"bytes-\xff\xfe", b"$(x)`y`"], ids=repr
)
def test_a_home_of_any_name_is_made_for_its_owner_only(tmp_path: Path, name: bytes) -> None:
    home = tmp_path / os.fsdecode(name) / "untildone"

    prepare_home(home)
    prepare_home(home)

    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert list(home.iterdir()) == []


def test_a_home_open_to_others_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)

    prepare_home(home)

    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def refusal(home: Path) -> tuple[str, str]:
    with pytest.raises(UserError) as caught:
        prepare_home(home)
    return caught.value.message, caught.value.hint


def test_a_home_is_prepared_by_several_threads_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(prepare_home, [tmp_path / "state"] * 400))

    assert list((tmp_path / "state").iterdir()) == []


def test_a_symlinked_home_is_refused(tmp_path: Path) -> None:
    target, home = tmp_path / "target", tmp_path / "home"
    target.mkdir()
    home.symlink_to(target)

    assert refusal(home) == (
        f"the state folder `{home}` is a symbolic link",
        f"set `UNTILDONE_HOME` to the folder it points to, `{target}`",
    )


def test_a_dangling_link_is_refused_and_not_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.symlink_to(tmp_path / "nowhere")

    assert refusal(home)[0] == f"the state folder `{home}` is a symbolic link"
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_place_of_the_home_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("", encoding="utf-8")

    assert refusal(home) == (f"the state folder `{home}` is not a folder", ELSEWHERE)


def test_a_home_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    home = tmp_path / "file" / "home"

    message = f"the state folder `{home}` cannot be made: {os.strerror(errno.ENOTDIR)}"
    assert refusal(home) == (message, ELSEWHERE)


@ROOT_ONLY
def test_the_home_of_another_user_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 12345, 12345)

    assert refusal(home) == (f"the state folder `{home}` belongs to user 12345", ELSEWHERE)


def test_a_read_only_home_is_refused(tmp_path: Path) -> None:
    with mount(tmp_path, options="ro,mode=700"):
        message = f"the state folder `{tmp_path}` cannot be written: {os.strerror(errno.EROFS)}"
        assert refusal(tmp_path) == (message, ELSEWHERE)


def no_locks(_: int) -> bool:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def test_a_home_without_locks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        prepare_home(tmp_path, seize=no_locks)

    reason = f"does not allow file locks: {os.strerror(errno.ENOLCK)}"
    assert caught.value.message == f"the state folder `{tmp_path}` {reason}"


def test_a_home_where_two_hold_one_lock_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        prepare_home(tmp_path, seize=lambda _: True)

    reason = "does not allow file locks: two holders at once"
    assert caught.value.message == f"the state folder `{tmp_path}` {reason}"


MOUNTS = rb"""rootfs / rootfs rw 0 0
/dev/sda / ext4 rw 0 0
tmpfs /run tmpfs rw 0 0
tmpfs /with\040blank tmpfs rw 0 0
/dev/sdb /run/kept ext4 rw 0 0
overlay /layer overlay rw 0 0
"""


@pytest.mark.parametrize(
    ("home", "expected"),
    [
        ("/home/me/state", ""),
        ("/run/state", "tmpfs"),
        ("/running/state", ""),
        ("/run/kept/state", ""),
        ("/with blank/state", "tmpfs"),
        ("/layer", "overlay"),
    ],
)
def test_a_file_system_that_vanishes_is_named(tmp_path: Path, home: str, expected: str) -> None:
    table = tmp_path / "mounts"
    table.write_bytes(MOUNTS)

    assert find_volatile_file_system(Path(home), mounts=table) == expected


def test_without_a_table_of_mounts_nothing_is_said(tmp_path: Path) -> None:
    assert find_volatile_file_system(tmp_path, mounts=tmp_path / "none") == ""


def test_a_real_tmpfs_is_named(tmp_path: Path) -> None:
    with mount(tmp_path, options="size=64k"):
        assert find_volatile_file_system(tmp_path / "state") == "tmpfs"
