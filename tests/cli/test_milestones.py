"""Milestones: sent with the event on stdin, never waited for, never with secrets."""

import http.server
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cli.world import CommandLine
from untildone.app import open_context
from untildone.config.schema import Milestone
from untildone.engine.context import Context
from untildone.extras import describe_extra
from untildone.features.milestones.delivery import deliver
from untildone.features.milestones.events import Delivery, build_event
from world import CHECK, SESSION

HEARD = "heard.jsonl"
LISTENER = """\
import json, os, sys
from pathlib import Path
event = json.load(sys.stdin)
event["key"] = os.environ.get("ANTHROPIC_API_KEY")
with Path(sys.argv[1]).open("a", encoding="utf-8") as file:
    file.write(json.dumps(event) + "\\n")
"""


def personal(cli: CommandLine, on: str, run: str = "", notify: str = "") -> None:
    what = f"run = '''{run}'''" if run else f"notify = '{notify}'"
    path = cli.state_folder / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"[[milestones]]\non = {on}\n{what}\n")


def listener(cli: CommandLine) -> str:
    script = cli.home / "listen.py"
    script.write_text(LISTENER, encoding="utf-8")
    return f"{sys.executable} {script} {cli.home / HEARD}"


def wait_for_events(cli: CommandLine, count: int) -> list[dict[str, Any]]:
    """The events that were sent, once that many have arrived."""
    path = cli.home / HEARD
    lines = eventually(lambda: _lines(path) if len(_lines(path)) >= count else [])
    return [json.loads(line) for line in lines]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def eventually(look: Any) -> Any:  # noqa: ANN401  whatever is looked for
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen within a minute")


def stop(cli: CommandLine) -> Any:  # noqa: ANN401  as the hook answers
    return cli.event("Stop", stop_hook_active=False, last_assistant_message="finished")


def test_a_command_hears_of_the_whole_loop(cli: CommandLine) -> None:
    personal(cli, '["start", "round", "half", "done", "pause"]', listener(cli))
    cli.environ["ANTHROPIC_API_KEY"] = "sk-ant-0123456789"
    task = "Port it with token ghp_abcdefghijklmnopqrstuvwxyz"
    loop = cli.start("--check", CHECK, "--task", task, "--rounds", "4")
    wait_for_events(cli, 1)
    for expected in (2, 3, 4):
        stop(cli)
        wait_for_events(cli, expected)
    (cli.project / "done.txt").touch()
    stop(cli)

    reported = wait_for_events(cli, 5)

    assert [each["event"] for each in reported] == ["start", "round", "half", "round", "done"]
    assert {each["task"] for each in reported} == {"Port it with token [secret removed]"}
    assert {
        key: reported[1][key] for key in reported[1] if key not in ("at", "task", "reason")
    } == {
        "event": "round",
        "loop": loop,
        "agent": "claude",
        "session": SESSION,
        "project": str(cli.project),
        "status": "active",
        "outcome": None,
        "round": 1,
        "max_rounds": 4,
        "unmet": ["check"],
        "remaining": 1,
        "improved": 0,
        "spend_usd": None,
        "needs_you": "",
        "link": "",
        "look": f"`untildone report {loop}`",
        "key": None,
    }
    assert (reported[4]["status"], reported[4]["outcome"]) == ("finished", "done")


def test_an_event_counts_each_failing_test_once(cli: CommandLine) -> None:
    personal(cli, '["round"]', listener(cli))
    cli.write("test_a.py", "def test_one():\n    assert 1 == 2\n\ndef test_two():\n    assert 0\n")
    cli.start("--check", f"{sys.executable} -m pytest -q")

    stop(cli)

    (reported,) = wait_for_events(cli, 1)
    assert (reported["unmet"], reported["remaining"]) == (["check"], 2)


def test_a_pause_is_reported_with_its_outcome(cli: CommandLine) -> None:
    personal(cli, '["pause"]', listener(cli))
    cli.start("--check", CHECK, "--rounds", "1")

    stop(cli)

    (reported,) = wait_for_events(cli, 1)
    assert (reported["event"], reported["outcome"]) == ("pause", "out-of-rounds")


MISBEHAVING = {
    "hangs": "time.sleep(600)",
    "fails": "raise SystemExit(9)",
    "floods": "while time.monotonic() < began + 5: sys.stdout.write('x' * 65536)",
    "does not read": "sys.stdin.close()\ntime.sleep(5)",
}


@pytest.mark.parametrize("program", MISBEHAVING.values(), ids=MISBEHAVING)
def test_a_command_that_misbehaves_changes_nothing(cli: CommandLine, program: str) -> None:
    without = read_answers(CommandLine(cli.home.parent / "other"))
    script = cli.home / "bad.py"
    script.write_text(f"import sys, time\nbegan = time.monotonic()\n{program}\n", encoding="utf-8")
    personal(cli, '["start", "round"]', f"{sys.executable} {script}")

    began = time.monotonic()
    assert read_answers(cli) == without
    assert time.monotonic() - began < 60


def read_answers(cli: CommandLine) -> tuple[object, ...]:
    loop = cli.start("--check", CHECK, "--rounds", "2")
    answer = stop(cli)
    return sorted(answer), cli.standing(loop)


def letter(cli: CommandLine, milestone: Milestone) -> tuple[Context, str]:
    loop = cli.start("--promise", "ALL DONE NOW", session=SESSION)
    here = open_context(cli.environ, home=str(cli.state_folder))
    record = here.loops.load(loop)
    reported = Delivery(
        milestone=milestone, message=build_event(record, "start", {}, at=here.now())
    )
    path = cli.state_folder / "milestones" / "0123456789abcdef.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.encode([reported]))
    return here, path.name


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("sleep 600", "did not end within 1 seconds"),
        ("echo no such host; exit 3", "ended with 3: no such host"),
        ("no-such-program", "ended with None: `no-such-program` was not found"),
    ],
)
def test_what_went_wrong_is_kept(cli: CommandLine, run: str, why: str) -> None:
    here, name = letter(cli, Milestone(on=("start",), run=run))

    deliver(here, name, timeout=1)

    (line,) = _lines(cli.state_folder / "milestones.log")
    assert line.partition(" start: ")[2] == f"`{run}` {why}"
    assert list((cli.state_folder / "milestones").iterdir()) == []


def test_a_log_that_grew_large_begins_anew(cli: CommandLine) -> None:
    here, name = letter(cli, Milestone(on=("start",), run="exit 1"))
    (cli.state_folder / "milestones.log").write_text("x" * 200_001, encoding="utf-8")

    deliver(here, name)

    assert len(_lines(cli.state_folder / "milestones.log")) == 1


@pytest.mark.parametrize("name", ["../outside.json", "0123456789abcdef.json", ""])
def test_a_letter_that_is_none_is_not_read(cli: CommandLine, name: str) -> None:
    (cli.state_folder / "milestones").mkdir(parents=True, mode=0o700)
    cli.state_folder.chmod(0o700)
    outside = cli.state_folder / "outside.json"
    outside.write_text("[]", encoding="utf-8")

    assert cli.run("milestone", name) == (0, "", "")
    assert outside.exists()


@contextmanager
def post() -> Iterator[tuple[str, list[bytes]]]:
    """A server on this machine that takes notifications."""
    bodies: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"json://127.0.0.1:{server.server_port}/", bodies
        finally:
            server.shutdown()
            thread.join()


def test_an_address_is_notified(cli: CommandLine) -> None:
    with post() as (address, bodies):
        here, name = letter(cli, Milestone(on=("start",), notify=address))
        deliver(here, name)

    (body,) = bodies
    reported = json.loads(body)
    assert reported["title"] == "untildone: started (project, round 0)"
    (loop,) = cli.json("status")["loops"]
    assert reported["message"] == f"Finish the work.\n`untildone report {loop['id']}`"
    assert not (cli.state_folder / "milestones.log").exists()


def test_an_address_nobody_knows(cli: CommandLine) -> None:
    here, name = letter(cli, Milestone(on=("start",), notify="strange://x"))

    deliver(here, name)

    (line,) = _lines(cli.state_folder / "milestones.log")
    assert line.endswith("`notify` ended with 1: apprise does not know this kind of address")


def test_those_of_the_repository_need_trust(cli: CommandLine) -> None:
    text = f"[[milestones]]\non = ['start', 'pause']\nrun = '{listener(cli)}'\n"
    path = cli.write("untildone.toml", text)
    loop = cli.start("--check", CHECK, "--rounds", "1")
    stop(cli)
    cli.run("cancel", loop)
    assert not (cli.state_folder / "milestones").exists()

    cli.run("trust", "--yes")
    cli.start("--check", CHECK, "--rounds", "1")
    assert [each["event"] for each in wait_for_events(cli, 1)] == ["start"]
    # What counts is what was trusted when the loop began.
    path.write_text("", encoding="utf-8")
    stop(cli)
    assert [each["event"] for each in wait_for_events(cli, 2)] == ["start", "pause"]


def test_a_mistake_in_a_configuration_is_reported_and_the_loop_starts(cli: CommandLine) -> None:
    personal(cli, '["end"]', "x")

    code, _, stderr = cli.run("start", "--session", SESSION, "--check", CHECK)

    assert (code, stderr.splitlines()[0]) == (
        0,
        "the milestones of a configuration with mistakes are left out:"
        f" {cli.state_folder / 'config.toml'}:2: `on` is `end`;"
        " allowed: `start`, `round`, `half`, `done`, `pause`, `budget`, `gate`, `approval`",
    )


def test_a_loop_without_milestones_keeps_none(cli: CommandLine) -> None:
    loop = cli.start("--check", CHECK)
    stop(cli)

    assert not (cli.state_folder / "loops" / loop / "milestones.json").exists()
    assert not (cli.state_folder / "milestones").exists()


def test_a_notification_that_fails_changes_nothing(cli: CommandLine) -> None:
    personal(cli, '["start", "round"]', "true")
    (cli.state_folder / "milestones").write_text("in the way", encoding="utf-8")

    code, _, stderr = cli.run("start", "--session", SESSION, "--check", CHECK)
    answer = stop(cli)

    assert (code, stderr.splitlines()[0]) == (0, "milestones cannot be sent: File exists")
    assert answer["hookSpecificOutput"]["hookEventName"] == "Stop"


WITHOUT_APPRISE = "import sys; sys.modules['apprise'] = None; "


def test_a_missing_extra_is_one_line_at_the_start(cli: CommandLine) -> None:
    personal(cli, '["done"]', notify="json://x")
    call = ("start", "--session", SESSION, "--check", CHECK)
    code = f"{WITHOUT_APPRISE}from untildone.cli.main import main; sys.exit(main({call}))"

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cli.project,
        env=cli.environ,
        capture_output=True,
        text=True,
        check=False,
    )

    install = f"milestones cannot notify: {describe_extra('notify')}"
    assert (done.returncode, done.stderr.splitlines()[0]) == (0, install)


def test_a_missing_extra_is_said_where_it_is_needed(cli: CommandLine) -> None:
    letter(cli, Milestone(on=("start",), notify="json://x"))
    (written,) = (cli.state_folder / "milestones").iterdir()
    (reported,) = json.loads(written.read_bytes())
    code = f"{WITHOUT_APPRISE}from untildone.features.milestones.notify import main; "
    code += "sys.exit(main(sys.stdin.buffer.read()))"

    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(reported),
        capture_output=True,
        text=True,
        check=False,
    )

    install = f"apprise is not installed: {describe_extra('notify')}\n"
    assert (done.returncode, done.stderr) == (1, install)
