"""Endings that are not `done`, and turns that are never held."""

import json
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import SILENT, format_feedback, still_red
from client.world import ClientWorld
from world import CHECK

pytestmark = pytest.mark.client


def test_a_must_not_that_holds_pauses_the_loop(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("echo > secret.txt"), "Done."]
    world = ClientWorld(tmp_path)
    world.start("--check", CHECK, "--must-not", "test -f secret.txt")

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == ((still_red(1),), (SILENT,))
    assert world.standing("reason") == (
        "paused",
        "forbidden",
        2,
        "must not hold, but does: `test -f secret.txt`",
    )
    assert requests_without_us(script) == 1


def test_a_check_that_cannot_run_is_reported_once_and_then_pauses_the_loop(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", "Done.", "Done."]
    world = ClientWorld(tmp_path)
    world.start("--check", "no-such-program --now")

    _, server = world.run(script)

    assert len(server.requests) == 2
    assert world.told(server) == (
        (
            format_feedback(
                "Round 1 of 10: a check could not be run: check.",
                "- check: unrunnable (`no-such-program --now`): `no-such-program` was not found",
                "Make it runnable if that is part of the work; next time the loop pauses.",
            ),
        ),
    )
    assert world.standing("reason") == (
        "paused",
        "unrunnable",
        2,
        "check: `no-such-program` was not found",
    )
    assert requests_without_us(script) == 1


def test_the_user_s_own_variable_switches_us_off(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", "Done."]
    world = ClientWorld(tmp_path)
    world.start()
    world.variables["UNTILDONE_DISABLE"] = "1"

    _, server = world.run(script)

    assert len(server.requests) == 1
    assert world.standing() == ("active", None, 0)
    assert requests_without_us(script) == 1


def test_a_variable_of_the_project_s_settings_does_not(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("echo > done.txt"), "Done."]
    world = ClientWorld(tmp_path)
    settings = world.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"env": {"UNTILDONE_DISABLE": "1"}}), encoding="utf-8")
    world.start()

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == ((still_red(1),), (SILENT,))
    assert world.standing() == ("finished", "done", 2)
    assert requests_without_us(script) == 1


def test_plan_mode_is_never_held(tmp_path: Path) -> None:
    script: list[Step] = ["Here is my plan.", "Done."]
    world = ClientWorld(tmp_path)
    world.start()

    result, server = world.run(script, "please work", "--permission-mode", "plan")

    assert (result.text, len(server.requests)) == ("Here is my plan.", 1)
    assert world.standing() == ("active", None, 0)
    assert requests_without_us(script, "please work", "--permission-mode", "plan") == 1
