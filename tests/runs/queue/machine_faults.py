"""What goes wrong on machines: a cut cable, a full or read-only disk, a clock that is set."""

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tools import missing


class Cable:
    """A network namespace as another machine, and the cable between it and this one."""

    def __init__(self) -> None:
        number = os.getpid()
        self._name = f"untildone-{number}"
        self._here, self._there = f"ud{number}a", f"ud{number}b"
        network = f"10.213.{number // 64 % 256}.{number % 64 * 4}"
        first, _, last = network.rpartition(".")
        self.address = f"{first}.{int(last) + 1}"
        other = f"{first}.{int(last) + 2}"
        self.prefix = ("ip", "netns", "exec", self._name)
        _ip("netns", "add", self._name)
        ends = (self._here, "type", "veth", "peer", "name", self._there, "netns", self._name)
        _ip("link", "add", *ends)
        _ip("address", "add", f"{self.address}/30", "dev", self._here)
        _ip("-n", self._name, "address", "add", f"{other}/30", "dev", self._there)
        for there in ("lo", self._there):
            _ip("-n", self._name, "link", "set", there, "up")
        self.mend()

    def cut(self) -> None:
        """Let nothing pass any more, without a word to either side."""
        _ip("link", "set", self._here, "down")

    def mend(self) -> None:
        _ip("link", "set", self._here, "up")

    def close(self) -> None:
        _ip("netns", "delete", self._name)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


@contextmanager
def open_cable() -> Iterator[Cable]:
    try:
        cable = Cable()
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        missing(f"no network namespace can be made: {error}")
    try:
        yield cable
    finally:
        cable.close()


def fill(folder: Path) -> Path:
    """Fill the disk of the folder; return the file to remove."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    return ballast


@contextmanager
def make_read_only(path: Path) -> Iterator[None]:
    """Mount a file or folder over itself, read-only also for root."""
    subprocess.run(["mount", "--bind", str(path), str(path)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(path)], check=True)
        yield
    finally:
        subprocess.run(["umount", str(path)], check=True)


def preload_clock(folder: Path) -> dict[str, str]:
    """Return an environment whose programs have the clock that `set_clock` sets."""
    library = folder / "set_clock.so"
    source = Path(__file__).with_name("set_clock.c")
    argv = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(source), "-ldl"]
    try:
        subprocess.run(argv, check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        missing(f"a clock cannot be set: {error}")
    set_clock(folder, hours=0)
    return {"LD_PRELOAD": str(library), "UNTILDONE_TEST_CLOCK": str(folder / "clock")}


def set_clock(folder: Path, *, hours: int) -> None:
    """Set the clock of programs that run already."""
    new = folder / "clock.new"
    new.write_text(str(3_600 * hours), encoding="utf-8")
    new.replace(folder / "clock")


def pause_outside_transactions(worker: subprocess.Popen[str], file: str) -> None:
    """Stop the worker at a moment when it does not keep the file locked, which others wait for."""
    for _ in range(100):
        worker.send_signal(signal.SIGSTOP)
        with closing(sqlite3.connect(file, timeout=0.2)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                worker.send_signal(signal.SIGCONT)
                time.sleep(0.05)
            else:
                return
    pytest.fail("the worker keeps the file locked")
