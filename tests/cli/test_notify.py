"""Notifications: sent once for one event to a real receiver, not in quiet hours, tried out."""

import json
import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from cli.test_milestones import eventually, post
from cli.world import CommandLine, error
from untildone.app import open_context
from untildone.config.schema import Milestone
from untildone.core.verdict import Pause
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.features.milestones.delivery import deliver
from untildone.features.milestones.events import Delivery, build_event
from world import CHECK, SESSION

NAMES = ("0123456789abcdef.json", "fedcba9876543210.json")


class Receiver:
    """A server on this machine that takes notifications."""

    def __init__(self, address: str, bodies: list[bytes]) -> None:
        self.address = address
        self.bodies = bodies

    @property
    def titles(self) -> list[str]:
        return [json.loads(body)["title"] for body in self.bodies]

    def wait(self) -> list[dict[str, str]]:
        """What has arrived, once nothing more can come."""
        eventually(lambda: self.bodies)
        time.sleep(0.5)
        return [json.loads(body) for body in self.bodies]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with post() as (address, bodies):
        yield Receiver(address, bodies)


def configure(cli: CommandLine, text: str) -> Path:
    path = cli.state_folder / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_pause_is_sent_once_to_an_address_that_is_named_twice(
    cli: CommandLine, receiver: Receiver
) -> None:
    milestone = f"[[milestones]]\non = ['round', 'pause']\nnotify = '{receiver.address}'\n"
    configure(cli, f"{milestone}[notify]\nto = ['{receiver.address}']\n")
    loop = cli.start("--check", CHECK, "--rounds", "1")

    cli.event("Stop", last_assistant_message="finished")

    (sent,) = receiver.wait()
    assert sent["title"] == "untildone: paused (out-of-rounds) (project, round 1)"
    assert sent["message"].splitlines() == [
        "Finish the work.",
        "round 1 of 1",
        "unmet: check",
        f"to continue: `untildone continue {loop} --rounds +N`",
        f"{cli.project}/.untildone/receipt.md or `untildone report {loop}`",
    ]


def open_state(cli: CommandLine, *, clock: Callable[[], float] = time.time) -> Context:
    return replace(open_context(cli.environ, home=str(cli.state_folder)), clock=clock)


def test_an_end_without_a_stop_is_sent_and_one_of_the_user_is_not(
    cli: CommandLine, receiver: Receiver
) -> None:
    configure(cli, f"[notify]\nto = ['{receiver.address}']\non = ['pause']\n")
    loop = cli.start()
    cli.run("pause")
    cli.run("continue")

    verbs.end(open_state(cli), loop, Pause(outcome="blocked", reason="no permission"))

    (sent,) = receiver.wait()
    assert sent["title"] == "untildone: paused (blocked) (project, round 0)"


def write_letter(cli: CommandLine, here: Context, name: str, address: str) -> Delivery:
    loop = cli.json("status")["loops"][0]["id"]
    message = build_event(here.loops.load(loop), "start", {}, at=here.now())
    reported = Delivery(milestone=Milestone(on=("start",), notify=address), message=message)
    path = cli.state_folder / "milestones" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(msgspec.json.encode([reported]))
    return reported


def test_the_page_is_linked_while_it_is_served(cli: CommandLine, receiver: Receiver) -> None:
    loop = cli.start()
    here = open_state(cli)
    served = cli.state_folder / "serve.json"
    for process in (os.getpid(), 2**22 + 1, "x"):
        served.write_text(json.dumps({"url": "http://127.0.0.1:8123/", "pid": process}))
        write_letter(cli, here, NAMES[0], receiver.address)
        deliver(here, NAMES[0])

    looked = [json.loads(body)["message"].splitlines()[-1] for body in receiver.bodies]
    command = f"`untildone report {loop}`"
    assert looked == [f"http://127.0.0.1:8123/loops/{loop}", command, command]


class Night:
    """A clock that shows 23:00 until somebody has slept long enough."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 23, 0).timestamp()  # noqa: DTZ001  the user's own time
        self.slept = 0

    def sleep(self, _: float) -> None:
        self.slept += 1
        self.now += 3_600


def test_in_quiet_hours_only_the_newest_is_kept_until_they_end(
    cli: CommandLine, receiver: Receiver
) -> None:
    configure(cli, "[notify]\nquiet = '22:00-07:00'\n")
    cli.start()
    night = Night()
    here = open_state(cli, clock=lambda: night.now)
    write_letter(cli, here, NAMES[0], receiver.address)
    # The process that waits is killed.
    with pytest.raises(KeyboardInterrupt):
        deliver(here, NAMES[0], sleep=interrupt)
    assert receiver.bodies == []

    write_letter(cli, here, NAMES[1], receiver.address)
    deliver(here, NAMES[1], sleep=night.sleep)

    assert (night.slept, len(receiver.bodies)) == (8, 1)
    assert not list((cli.state_folder / "milestones").glob("*.json"))


def interrupt(_: float) -> None:
    raise KeyboardInterrupt


def test_commands_run_in_quiet_hours_too(cli: CommandLine) -> None:
    configure(cli, "[notify]\nquiet = '00:00-23:59'\n")
    cli.start()
    night = Night()
    here = open_state(cli, clock=lambda: night.now)
    reported = write_letter(cli, here, NAMES[0], "")
    heard = cli.home / "heard"
    command = replace(reported, milestone=Milestone(run=f"touch {heard}"))
    path = cli.state_folder / "milestones" / NAMES[0]
    path.write_bytes(msgspec.json.encode([command]))

    deliver(here, NAMES[0], sleep=interrupt)

    assert heard.exists()


def test_a_failure_is_logged_once_and_noted_by_the_doctor_until_it_works(cli: CommandLine) -> None:
    cli.start()
    here = open_state(cli)
    reported = write_letter(cli, here, NAMES[0], "json://x")
    arrives = cli.home / "arrives"
    command = replace(reported, milestone=Milestone(run=f"test -f {arrives}"))

    def try_again() -> list[str]:
        path = cli.state_folder / "milestones" / NAMES[0]
        path.write_bytes(msgspec.json.encode([command]))
        deliver(here, NAMES[0])
        found = cli.json("doctor")["findings"]
        return [each["mend"] for each in found if each["name"] == "notifications"]

    log = cli.state_folder / "milestones.log"
    fix = f"`untildone notify test` tries it; see `{log}`"
    assert try_again() == try_again() == [fix]
    assert len(log.read_text(encoding="utf-8").splitlines()) == 1
    arrives.touch()
    assert try_again() == []


def test_a_test_is_sent_to_each_address(cli: CommandLine, receiver: Receiver) -> None:
    configure(cli, f"[notify]\nto = ['{receiver.address}', 'json://127.0.0.1:9/secret']\n")

    code, stdout, stderr = cli.run("notify", "test")

    problem = "ended with 1: the service refused it or cannot be reached"
    assert (code, stderr) == (1, "")
    assert stdout == f"json://…  sent\njson://…  failed: {problem}\n"
    assert receiver.titles == ["untildone: this is a test (project, round 0)"]

    configure(cli, f"[notify]\nto = ['{receiver.address}']\n")
    assert cli.json("notify", "test") == {
        "results": [{"address": "json://…", "sent": True, "problem": ""}]
    }


def test_without_an_address_there_is_nothing_to_test(cli: CommandLine) -> None:
    cli.start()

    assert cli.run("notify", "test") == error(
        f"no address is configured in `{cli.state_folder / 'config.toml'}`",
        'add `[notify]` and `to = ["ntfys://example.org/my-topic"]` there',
    )


def test_an_agent_does_not_notify(cli: CommandLine, receiver: Receiver) -> None:
    configure(cli, f"[notify]\nto = ['{receiver.address}']\n")
    cli.event("SessionStart", source="startup")
    cli.start()
    cli.agent_calls_a_tool()

    code, _, stderr = cli.run_process("notify", "test", CLAUDE_CODE_SESSION_ID=SESSION)

    assert (code, receiver.bodies) == (2, [])
    assert stderr.startswith("error: only the user may run `untildone notify`")


def test_a_repository_names_no_address(cli: CommandLine) -> None:
    cli.write("untildone.toml", "[notify]\nto = ['json://127.0.0.1:9/']\n")

    assert "`notify` is unknown" in cli.run("trust", "--yes")[2]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("to = ['']", "3: `to` holds an empty text"),
        ("quiet = '22-7'", "3: `quiet` is `22-7`; allowed: two times such as `22:00-07:00`"),
        ("on = ['end']", "3: `on` is `end`; allowed: `start`, `round`,"),
    ],
)
def test_a_mistake_is_named(cli: CommandLine, text: str, problem: str) -> None:
    path = configure(cli, f"\n[notify]\n{text}\n")

    assert cli.run("notify", "test")[2].startswith(f"error: {path}:{problem}")
