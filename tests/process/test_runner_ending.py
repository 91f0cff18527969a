"""What happens to subprocesses when this process ends."""

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from process.hostile_programs import HOSTILE, SOURCE, Marked, outcome, python, wait_until
from untildone.process.runner import end_runs_on_signal, is_alive, run
from untildone.process.trees import start_detached


@pytest.fixture
def marked() -> Marked:
    return Marked()


GUARDED = """
import sys
from concurrent.futures import ThreadPoolExecutor
from untildone.process.runner import end_runs_on_signal, run

with end_runs_on_signal():
    if sys.argv[1] == "main":
        run(sys.argv[2:], cwd=".", timeout=60)
    else:
        with ThreadPoolExecutor(2) as pool:
            for _ in range(4):
                pool.submit(run, sys.argv[2:], cwd=".", timeout=60)
"""


@pytest.mark.parametrize("thread", ["main", "workers"])
@pytest.mark.parametrize(
    ("number", "expected"),
    [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, -signal.SIGINT)],
)
def test_a_signal_to_us_ends_the_tree_first(
    number: int, expected: int, thread: str, *, tmp_path: Path, marked: Marked
) -> None:
    script = '(setsid sleep 60 &); touch started; exec python3 -c "$0"'
    ignoring = HOSTILE.joinpath("deaf.py").read_text(encoding="utf-8")
    argv = [*python(GUARDED), thread, "sh", "-c", script, ignoring]
    with subprocess.Popen(argv, cwd=tmp_path, env=marked.env, stderr=subprocess.PIPE) as guarded:
        assert wait_until((tmp_path / "started").exists)
        time.sleep(0.1)
        guarded.send_signal(number)
        _, said = guarded.communicate(timeout=10)
        assert guarded.returncode == expected, said.decode()

    assert wait_until(lambda: not marked.left(), seconds=1), marked.left()


UNGUARDED = """
import sys
from untildone.process.runner import run

run(sys.argv[1:], cwd=".", timeout=60)
"""


def test_an_exception_ends_the_tree_too(tmp_path: Path, marked: Marked) -> None:
    argv = [*python(UNGUARDED), "sh", "-c", "(setsid sleep 60 &); touch started; sleep 60"]
    with subprocess.Popen(argv, cwd=tmp_path, env=marked.env, stderr=subprocess.PIPE) as unguarded:
        assert wait_until((tmp_path / "started").exists)
        unguarded.send_signal(signal.SIGINT)
        assert unguarded.wait(10) == -signal.SIGINT

    assert marked.left() == []


def test_handlers_are_given_back_and_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        handlers = [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)]
        with end_runs_on_signal():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) not in handlers
        assert [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)] == handlers
    finally:
        signal.signal(signal.SIGHUP, before)


def test_after_a_signal_only_workers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit), end_runs_on_signal():
        signal.raise_signal(signal.SIGTERM)

    with ThreadPoolExecutor(1) as pool:
        refused = pool.submit(run, ["true"], cwd=tmp_path, timeout=9).result()
        allowed = run(["true"], cwd=tmp_path, timeout=9)
        with end_runs_on_signal():
            again = pool.submit(run, ["true"], cwd=tmp_path, timeout=9).result()
    assert [outcome(finished) for finished in (refused, allowed, again)] == [
        {"interrupted": True},
        {},
        {},
    ]


def test_a_worker_thread_takes_no_handlers() -> None:
    def handler() -> object:
        with end_runs_on_signal():
            return signal.getsignal(signal.SIGTERM)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(handler).result() is signal.getsignal(signal.SIGTERM)


def test_what_we_ended_ourselves_is_interrupted_and_not_red(tmp_path: Path) -> None:
    waiting = ["sh", "-c", "touch started; exec sleep 60"]
    with ThreadPoolExecutor(1) as pool, end_runs_on_signal():
        ended = pool.submit(run, waiting, cwd=tmp_path, timeout=30)
        assert wait_until((tmp_path / "started").exists)
        with pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        assert outcome(ended.result()) == {"interrupted": True}

    # what comes after in this process may run again
    with end_runs_on_signal():
        pass


STARTER = """
import sys
from untildone.process.trees import start_detached

print(start_detached(sys.argv[1:], cwd=".", env={"PATH": "/usr/bin:/bin"}))
"""


def test_a_detached_program_outlives_us(tmp_path: Path) -> None:
    script = "echo on >log; until [ -e go ]; do sleep 0.05; done; echo still on >>log"
    argv = [*python(STARTER), "sh", "-c", script]
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    started = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, check=True)

    assert is_alive(int(started.stdout))
    (tmp_path / "go").touch()
    assert wait_until(lambda: not is_alive(int(started.stdout)))
    assert (tmp_path / "log").read_text(encoding="utf-8") == "on\nstill on\n"


def test_an_own_detached_program_is_alive_until_it_ends(tmp_path: Path) -> None:
    pid = start_detached(["sleep", "60"], cwd=tmp_path, env=os.environ)

    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(pid))
