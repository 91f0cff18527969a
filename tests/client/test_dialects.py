"""Other tools' loop files hold the real client, and let it go, as those tools say."""

import json
import uuid
from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Call, Step, bash
from client.world import ClientWorld
from features.importers.formats import samples

pytestmark = pytest.mark.client

FILE = ".stravinsky/continuation-loop.md"
LOOP = samples.STRAVINSKY.replace("count: 1", "count: 0")
PROMISED = "It is mended.\n\nAll tests passing."


def write_loop_file(world: ClientWorld, text: str = LOOP) -> Path:
    path = world.project / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def write(world: ClientWorld, text: str = LOOP) -> Call:
    return Call("Write", {"file_path": str(world.project / FILE), "content": text})


def test_an_imported_file_holds_until_its_promise(tmp_path: Path) -> None:
    script: list[Step] = ["Done.", PROMISED]
    world = ClientWorld(tmp_path)
    write_loop_file(world)
    done = world.untildone("import", FILE, "--session", world.session, "--json")

    result, server = world.run(script)

    assert json.loads(done.stdout)["file"] == FILE
    assert (result.text, len(server.requests)) == (PROMISED, 2)
    assert world.standing() == ("finished", "claimed", 2)
    assert requests_without_us(script) == 1


def test_a_file_written_by_the_session_holds_it(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.untildone("trust", "--dialects")

    result, server = world.run([write(world), "Started.", "Still at it.", PROMISED])

    assert (result.text, len(server.requests)) == (PROMISED, 4)
    assert world.standing("session") == ("finished", "claimed", 3, world.session)
    assert not (world.project / FILE).exists()


def test_a_file_the_user_removes_ends_the_loop(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.untildone("trust", "--dialects")

    def removed(_: object) -> Step:
        (world.project / FILE).unlink()
        return "Still at it."

    result, server = world.run([write(world), "Started.", removed, "Not reached."])

    assert (result.text, len(server.requests)) == ("Still at it.", 3)
    assert world.standing() == ("finished", "cancelled", 1)


def test_a_file_the_agent_removes_does_not(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.untildone("trust", "--dialects")

    result, _ = world.run([write(world), "Started.", bash(f"rm {FILE}"), "Free?", PROMISED])

    assert result.text == PROMISED
    assert world.standing() == ("finished", "claimed", 3)


def test_another_session_of_the_project_is_untouched(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.untildone("trust", "--dialects")
    write_loop_file(world)

    result, server = world.run(["Only a question answered."])

    assert (result.text, len(server.requests)) == ("Only a question answered.", 1)
    assert world.loops() == []
    assert result.notices == (
        f"Stop says: untildone: `{FILE}` is a loop file: `!untildone continue --here` starts it",
    )


def test_the_loop_of_one_session_does_not_hold_the_next(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    world.untildone("trust", "--dialects")
    bounded = LOOP.replace("max_iterations: 15", "max_iterations: 3")
    world.run([write(world, bounded), "Started.", "Second.", "Third."])
    first, world.session = world.session, str(uuid.uuid4())

    _, server = world.run(["Hello."])

    assert len(server.requests) == 1
    assert world.standing("session") == ("paused", "out-of-rounds", 3, first)


def test_a_file_the_repository_brings_is_not_obeyed(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    write_loop_file(
        world, samples.STRAVINSKY.replace("active", "success_command: touch ran\nactive")
    )
    world.git("add", "-A")
    world.git("commit", "-qm", "a loop for whoever clones this")

    result, server = world.run(["Done."])

    assert (result.text, len(server.requests), result.notices) == ("Done.", 1, ())
    assert world.loops() == []
