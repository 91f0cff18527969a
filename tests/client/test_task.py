"""The task reaches the model as it was agreed, whatever stands in it."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Step, bash
from client.texts import SILENT, reminder, still_red
from client.world import ClientWorld
from world import CHECK

pytestmark = pytest.mark.client

ODD = """--- # 1
say "it's" $(touch harm) `touch harm` ${HOME} %s {0} \\n \\\\
---
<script>\t</script> \u00e9\u4e16\u754c \U0001f600 & | ; > harm

  EOF  """


def test_a_task_is_repeated_byte_for_byte(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("ls"), "Done."]
    world = ClientWorld(tmp_path)
    world.start("--check", CHECK, "--rounds", "2", "--task", ODD)

    _, server = world.run(script)

    assert len(server.requests) == 3
    assert world.told(server) == ((still_red(1, of=2, task=ODD),), ("readme.txt",))
    assert world.standing("task") == ("paused", "out-of-rounds", 2, ODD)
    assert requests_without_us(script) == 1


def long_task(length: int) -> str:
    return "".join(f"{number:6d} do this\n" for number in range(length))[:length]


def test_a_task_of_8000_characters_is_repeated_whole(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", bash("echo > done.txt"), "Done."]
    world = ClientWorld(tmp_path)
    task = long_task(8_000)
    world.start("--check", CHECK, "--task", task)

    _, server = world.run(script)

    assert len(server.requests) == 3
    first = world.named("\n\n".join(server.requests[0].texts))
    assert first.count(reminder("round 0 of 10", task=task, unmet="not judged yet")) == 1
    assert world.told(server) == ((still_red(1, task=task),), (SILENT,))
    assert world.standing("task") == ("finished", "done", 2, task)
    assert requests_without_us(script) == 1


def test_of_a_task_of_12000_characters_the_model_gets_its_beginning_and_a_path(
    tmp_path: Path,
) -> None:
    script: list[Step] = ["Done.", bash("cat .untildone/task-*.md"), "Done."]
    world = ClientWorld(tmp_path)
    task = long_task(12_000)
    world.start("--check", CHECK, "--rounds", "2", "--task", task)

    _, server = world.run(script)

    assert len(server.requests) == 3
    begun = f"(its beginning; whole in `.untildone/task-LOOP.md`):\n{task[:5_500]}"
    whole = still_red(1, of=2, task=task)
    assert world.told(server) == (
        (whole.replace(f":\n{task}", f" {begun}"),),
        (task.strip("\n"),),
    )
    first = world.named("\n\n".join(server.requests[0].texts))
    assert first.count(begun) == 1
    assert world.standing("task") == ("paused", "out-of-rounds", 2, task)
    assert requests_without_us(script) == 1
