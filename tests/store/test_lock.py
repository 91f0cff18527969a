import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from untildone.store.durable_files import DamagedFileError
from untildone.store.lock import LockTimeoutError, hold_lock

HOLDER = """
import sys, time
from pathlib import Path
from untildone.store.lock import hold_lock
with hold_lock(Path(sys.argv[1]), timeout=5):
    print("held", flush=True)
    time.sleep(60)
"""


def holder(path: Path) -> subprocess.Popen[str]:
    argv = [sys.executable, "-c", HOLDER, str(path)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_held_lock_is_busy_at_the_deadline_and_free_when_its_holder_is_killed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lock"
    with holder(path) as process:
        before = time.monotonic()
        with pytest.raises(LockTimeoutError), hold_lock(path, timeout=0.2):
            pass
        assert 0.2 <= time.monotonic() - before < 30

        process.kill()
        process.wait()
        with hold_lock(path, timeout=1):
            assert path.stat().st_mode & 0o777 == 0o600


def test_who_waits_gets_the_lock_once_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    order: list[str] = []

    def wait() -> None:
        with hold_lock(path, timeout=5):
            order.append("second")

    with hold_lock(path, timeout=1):
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.1)
        order.append("first")
    waiting.join()

    assert order == ["first", "second"]


def test_a_lock_file_deleted_while_waiting_lets_nobody_in_twice(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    inside: list[str] = []

    def wait() -> None:
        with hold_lock(path, timeout=5):
            inside.append("waiter")
            time.sleep(0.3)
            inside.append("waiter leaves")

    with hold_lock(path, timeout=1):
        waiting = threading.Thread(target=wait)
        waiting.start()
        time.sleep(0.1)
        path.unlink()
    time.sleep(0.1)
    with hold_lock(path, timeout=5):
        inside.append("third")
    waiting.join()

    assert inside == ["waiter", "waiter leaves", "third"]


def test_a_lock_is_never_taken_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to(tmp_path / "target")

    with pytest.raises(DamagedFileError), hold_lock(tmp_path / "lock", timeout=1):
        pass
    assert list(tmp_path.iterdir()) == [tmp_path / "lock"]
