"""Subprocesses, tried with programs that misbehave."""

import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from process.hostile_programs import SOURCE, Marked, command, outcome, python, zombies
from untildone.process.command import filter_environment, parse_argv
from untildone.process.runner import Finished, is_alive, list_ancestors, run
from untildone.process.trees import KILL_STEP, end_tree, get_stdout, open_tree, start_detached


@pytest.fixture
def marked() -> Marked:
    return Marked()


MEMORY_LIMIT = 64 * 1024
RED = {"exit_code": 1}
CUT = {"timed_out": True}


@pytest.mark.parametrize(
    ("script", "env", "expected"),
    [
        pytest.param("garbage.py", {}, RED, id="no text"),
        pytest.param("pipe_keeper.sh", {}, {"survivors": 1}, id="keeps the pipe"),
        pytest.param("double_fork.py", {}, {**RED, "survivors": 1}, id="daemon"),
        pytest.param("exits.sh", {"STATUS": "127"}, {"exit_code": 127}, id="not found"),
        pytest.param("exits.sh", {"STATUS": "126"}, {"exit_code": 126}, id="not executable"),
        pytest.param("exits.sh", {"STATUS": "137"}, {"exit_code": 137}, id="says 137"),
        pytest.param("exits.sh", {"STATUS": "5"}, {"exit_code": 5}, id="no tests"),
        pytest.param("exits.sh", {"STATUS": "77"}, {"exit_code": 77}, id="skipped"),
        pytest.param("exits.sh", {"STATUS": "0"}, {}, id="green"),
        pytest.param("swarm.sh", {}, {**RED, "survivors": 200}, id="two hundred children"),
        pytest.param("forever.sh", {}, CUT, id="hangs"),
        pytest.param("deaf.py", {}, CUT, id="ignores signals"),
        pytest.param("stopped.sh", {}, CUT, id="stops itself"),
        pytest.param("preacher.sh", {}, RED, id="instructions"),
        pytest.param("leaky.sh", {}, RED, id="secrets"),
        pytest.param("killed.sh", {}, {"exit_code": 137, "signal": 9}, id="killed"),
        pytest.param("asks_stdin.sh", {}, RED, id="reads stdin"),
        pytest.param("asks_terminal.sh", {}, RED, id="reads the terminal"),
        pytest.param("rewrites.sh", {}, {}, id="changes the tree"),
        pytest.param("flood.py", {"MEGABYTES": "1"}, RED, id="flood"),
        pytest.param("long_line.py", {"MEGABYTES": "1"}, RED, id="long line"),
    ],
)
def test_a_hostile_program_gets_its_verdict_and_leaves_nothing(
    script: str, env: Mapping[str, str], expected: object, *, tmp_path: Path, marked: Marked
) -> None:
    limit = 0.6 if expected is CUT else 30
    earlier = zombies()
    finished = run(command(script), cwd=tmp_path, timeout=limit, env={**marked.env, **env})

    assert outcome(finished) == expected
    assert marked.left() == []
    assert zombies() == earlier


AT_A_TERMINAL = """
import fcntl, sys, termios
from untildone.process.runner import run

fcntl.ioctl(0, termios.TIOCSCTTY, 0)
open("/dev/tty").close()
print(*[run(["sh", script], cwd=".", timeout=3).exit_code for script in sys.argv[1:]])
"""


def test_our_own_terminal_is_out_of_reach(tmp_path: Path, marked: Marked) -> None:
    ours, theirs = os.openpty()
    argv = [*python(AT_A_TERMINAL), command("asks_stdin.sh")[1], command("asks_terminal.sh")[1]]
    try:
        reported = subprocess.check_output(
            argv, cwd=tmp_path, env=marked.env, stdin=theirs, start_new_session=True
        )
    finally:
        os.close(ours)
        os.close(theirs)

    assert reported == b"1 1\n"


def test_each_run_of_a_program_reports_its_own_exit_code(tmp_path: Path) -> None:
    env = {**os.environ, "COUNTER": str(tmp_path / "counter")}

    codes = [run(command("every_other.py"), cwd=tmp_path, timeout=30, env=env) for _ in range(3)]

    assert [finished.exit_code for finished in codes] == [0, 1, 0]


def test_the_program_runs_in_its_folder(tmp_path: Path) -> None:
    run(command("rewrites.sh"), cwd=tmp_path, timeout=30)

    assert (tmp_path / "judged.txt").read_text(encoding="utf-8") == "written by the check\n"


def test_garbage_is_decoded_with_replacement(tmp_path: Path) -> None:
    finished = run(command("garbage.py"), cwd=tmp_path, timeout=30)

    assert finished.text.splitlines()[0] == "before \ufffd\ufffd\ufffd( after"
    assert finished.tail == b""


def test_both_streams_arrive_in_order(tmp_path: Path) -> None:
    finished = run(parse_argv("echo one; echo two >&2; echo three"), cwd=tmp_path, timeout=30)

    assert (finished.text, finished.size) == ("one\ntwo\nthree\n", 14)


def test_the_deadline_is_kept_even_by_who_ignores_signals(tmp_path: Path) -> None:
    began = time.monotonic()
    finished = run(command("deaf.py"), cwd=tmp_path, timeout=3)

    assert (finished.text, finished.exit_code) == ("deaf\n", None)
    assert finished.seconds >= 3
    assert time.monotonic() - began < 60


def test_an_interrupted_program_may_clean_up(tmp_path: Path) -> None:
    finished = run(
        parse_argv("trap 'echo cleaned; exit 0' INT; sleep 60 & wait"), cwd=tmp_path, timeout=3
    )

    assert (finished.text, outcome(finished)) == ("cleaned\n", {"timed_out": True})


def test_a_leftover_costs_no_more_than_the_draining_time(tmp_path: Path) -> None:
    began = time.monotonic()
    finished = run(command("pipe_keeper.sh"), cwd=tmp_path, timeout=30)

    assert (finished.text, finished.exit_code) == ("ready\n", 0)
    assert time.monotonic() - began < 60


def test_what_ends_by_itself_is_no_survivor(tmp_path: Path) -> None:
    finished = run(parse_argv("(sleep 0.1; echo late) & echo early"), cwd=tmp_path, timeout=30)

    assert (finished.text, finished.survivors) == ("early\nlate\n", 0)


def test_a_daemon_that_drops_its_environment_is_known_from_before(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    daemon = f"sleep 0.4; exec setsid env -i sh -c 'echo $$ > {pidfile}; sleep 60'"
    finished = run(["sh", "-c", f"({daemon}) & sleep 0.7"], cwd=tmp_path, timeout=30)

    assert finished.survivors == 2
    assert not is_alive(int(pidfile.read_text(encoding="utf-8")))


def test_a_daemon_that_was_never_seen_before_does_not_outlive_the_last_run(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    daemon = f"setsid env -i sh -c 'echo $$ > {pidfile}; sleep 60'"
    waiting = f"({daemon} </dev/null >/dev/null 2>&1 &); until test -s {pidfile}; do :; done"
    with subprocess.Popen(["sleep", "0.2"]) as own:
        run(["sh", "-c", waiting], cwd=tmp_path, timeout=30)

    assert own.returncode == 0
    assert not is_alive(int(pidfile.read_text(encoding="utf-8")))


def test_what_is_detached_during_a_run_outlives_it(tmp_path: Path) -> None:
    kept: list[int] = []

    def detach(_said: bytes) -> None:
        kept.append(start_detached(["sleep", "60"], cwd=tmp_path, env=os.environ))

    run(["sh", "-c", "echo now; sleep 0.3"], cwd=tmp_path, timeout=9, on_output=detach)

    assert [is_alive(pid) for pid in kept] == [True]
    os.kill(kept[0], signal.SIGKILL)


def test_an_orphan_without_environment_is_known_by_its_session(tmp_path: Path) -> None:
    finished = run(["sh", "-c", "env -i sleep 60 & exit 0"], cwd=tmp_path, timeout=30)

    assert outcome(finished) == {"survivors": 1}


THREAD_EXIT = {"x86_64": 60, "aarch64": 93}
HEADLESS = """
import ctypes, sys, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
ctypes.CDLL(None).syscall(int(sys.argv[1]), 0)
"""


@pytest.mark.skipif(platform.machine() not in THREAD_EXIT, reason="number of the call unknown")
def test_a_process_whose_first_thread_has_ended_is_no_zombie(tmp_path: Path) -> None:
    argv = [*python(HEADLESS), str(THREAD_EXIT[platform.machine()])]
    finished = run(["sh", "-c", '"$@" & sleep 0.5', "sh", *argv], cwd=tmp_path, timeout=30)

    assert outcome(finished) == {"survivors": 1}


KILLED_INNER = """
import os, pathlib, threading, time
from untildone.process.runner import run

def die():
    while not pathlib.Path("up").exists():
        time.sleep(0.001)
    os.kill(os.getpid(), 9)

threading.Thread(target=die).start()
run(["sh", "-c", "setsid sleep 60 & touch up; sleep 60"], cwd=".", timeout=30)
"""


def test_an_outer_run_ends_what_a_killed_inner_one_left(tmp_path: Path, marked: Marked) -> None:
    finished = run(python(KILLED_INNER), cwd=tmp_path, timeout=30, env=marked.env)

    assert (finished.signal, finished.survivors) == (9, 3)
    assert marked.left() == []


def test_parallel_runs_do_not_disturb_one_another(tmp_path: Path, marked: Marked) -> None:
    orphan = "(setsid sh -c 'sleep 1.2; echo late' &); sleep 1.3; exit 7"
    with ThreadPoolExecutor(3) as pool:
        slow = pool.submit(run, parse_argv(orphan), cwd=tmp_path, timeout=30, env=marked.env)
        cut = pool.submit(run, command("forever.sh"), cwd=tmp_path, timeout=0.3, env=marked.env)
        daemon = pool.submit(run, command("double_fork.py"), cwd=tmp_path, timeout=9)

    assert outcome(cut.result()) == CUT
    assert outcome(daemon.result()) == {**RED, "survivors": 1}
    assert (outcome(slow.result()), slow.result().text) == ({"exit_code": 7}, "late\n")
    assert marked.left() == []


def test_children_of_others_keep_their_life_and_exit_status(tmp_path: Path) -> None:
    with (
        subprocess.Popen(["sh", "-c", "sleep 0.9; exit 3"], start_new_session=True) as other,
        subprocess.Popen(["sh", "-c", "exit 4"], start_new_session=True) as ended,
    ):
        run(command("pipe_keeper.sh"), cwd=tmp_path, timeout=30)

    assert (other.returncode, ended.returncode) == (3, 4)


def test_a_stop_ends_the_tree(tmp_path: Path, marked: Marked) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    finished = run(command("forever.sh"), cwd=tmp_path, timeout=30, env=marked.env, stop=stop)

    assert outcome(finished) == {"interrupted": True}
    assert finished.text.startswith("waiting\n")
    assert marked.left() == []
    assert run(["touch", "x"], cwd=tmp_path, timeout=9, stop=stop) == Finished(
        exit_code=None, interrupted=True
    )


def test_why_a_program_cannot_be_started_is_said(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("echo\n", encoding="utf-8")
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    script.chmod(0o755)

    def missing(*argv: str, cwd: Path = tmp_path) -> Finished:
        return run(argv, cwd=cwd, timeout=9)

    def reason(text: str) -> Finished:
        return Finished(exit_code=None, missing=text)

    assert missing("no-such-program") == reason("`no-such-program` was not found")
    assert missing("./plain") == reason("`./plain` is not executable")
    assert missing("./script") == reason("the interpreter of `./script` was not found")
    assert missing("true", cwd=tmp_path / "x") == reason(
        f"the folder `{tmp_path}/x` does not exist"
    )
    assert missing("a\0b") == reason("`a\0b` cannot be started: embedded null byte")
    assert missing() == reason("the command is empty")


def test_a_script_without_its_first_line_is_run_by_the_shell(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$1"\n', encoding="utf-8")
    script.chmod(0o755)

    assert run(["./script", "a b"], cwd=tmp_path, timeout=9).text == "a b\n"


MEASURED = """
import sys
from pathlib import Path
from untildone.process.runner import run

finished = run(sys.argv[1:], cwd=".", timeout=60, log=Path("log"))
status = Path("/proc/self/status").read_text()
peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
print(peak, finished.exit_code, finished.size, len(finished.head), len(finished.tail))
print(finished.text[-40:])
"""


# The peak of the program image itself: ru_maxrss would include the process it was forked from.
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize(
    ("script", "megabytes", "end"),
    [
        ("flood.py", 256, b"\nFAILED test_end.py::test_reason\n"),
        ("long_line.py", 200, b"-" * 40),
    ],
)
def test_memory_stays_fixed(script: str, megabytes: int, end: bytes, *, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "MEGABYTES": str(megabytes)}
    measured = [*python(MEASURED), *command(script)]
    printed = subprocess.run(measured, cwd=tmp_path, env=env, capture_output=True, check=True)

    first, _, text = printed.stdout.partition(b"\n")
    peak, *rest = map(int, first.split())
    size = megabytes * 1048576 + (32 if script == "flood.py" else 0)
    assert rest == [1, size, 32768, 65536]
    assert text.rstrip(b"\n").endswith(end.rstrip(b"\n"))
    assert peak < MEMORY_LIMIT


DEAF_TO_CHILDREN = """
import signal, threading
from untildone.process.runner import run

def tell():
    finished = run(["sh", "-c", "exit 3"], cwd=".", timeout=9)
    print(finished.exit_code, bool(finished.missing))

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
worker = threading.Thread(target=tell)
worker.start()
worker.join()
tell()
"""


def test_a_lost_exit_status_is_never_green(tmp_path: Path, marked: Marked) -> None:
    finished = run(python(DEAF_TO_CHILDREN), cwd=tmp_path, timeout=30, env=marked.env)

    assert finished.text == "None True\n3 False\n"


def test_nobody_has_an_impossible_number() -> None:
    assert [is_alive(number) for number in (0, -1, 2**31 - 1)] == [False, False, False]
    assert is_alive(os.getpid())


def test_ancestors_lead_to_the_first_process(tmp_path: Path) -> None:
    finished = run(["sh", "-c", "echo $PPID; :"], cwd=tmp_path, timeout=9)

    assert finished.text == f"{os.getpid()}\n"
    assert list_ancestors(os.getpid())[0] == os.getppid()
    assert list_ancestors(2**31 - 1) == []


def test_a_check_runs_without_the_keys_of_the_client(tmp_path: Path) -> None:
    secret = {**os.environ, "ANTHROPIC_API_KEY": "x", "CLAUDECODE": "1"}
    finished = run(["env"], cwd=tmp_path, timeout=9, env=filter_environment(secret))

    names = {line.partition("=")[0] for line in finished.text.splitlines()}
    assert not names & {"ANTHROPIC_API_KEY", "CLAUDECODE"}
    assert names >= {"UNTILDONE_NESTED", "UNTILDONE_RUN", "PATH"}


def test_a_program_reads_what_it_is_given_on_stdin(tmp_path: Path) -> None:
    given = b"line\n" * 400_000

    finished = run(["wc", "-c"], cwd=tmp_path, timeout=20, stdin=given)

    assert (finished.exit_code, int(finished.text)) == (0, len(given))


def test_a_program_may_leave_its_stdin_unread(tmp_path: Path) -> None:
    finished = run(["sh", "-c", "exit 3"], cwd=tmp_path, timeout=20, stdin=b"x" * 2_000_000)

    assert (finished.exit_code, finished.timed_out, finished.size) == (3, False, 0)


def test_errors_are_kept_apart_where_a_file_is_named_for_them(tmp_path: Path) -> None:
    errors = tmp_path / "errors"

    finished = run(["sh", "-c", "echo out; echo err >&2"], cwd=tmp_path, timeout=20, errors=errors)

    assert (finished.text, errors.read_text(encoding="utf-8")) == ("out\n", "err\n")


def test_a_leftover_is_found_beside_other_programs(tmp_path: Path) -> None:
    with open_tree(["sleep", "20"], cwd=tmp_path, env=os.environ) as (other, child):
        clean = run(["true"], cwd=tmp_path, timeout=20)
        left = run(["sh", "-c", "sleep 20 > /dev/null 2>&1 &"], cwd=tmp_path, timeout=20)
        end_tree(other, KILL_STEP)
        get_stdout(child).close()

    assert (clean.survivors, left.survivors) == (0, 1)
