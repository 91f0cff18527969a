"""What an agent may not do to its own loop, and that it is held in spite of trying."""

from pathlib import Path

import pytest

from client.control import requests_without_us
from client.script import Call, Step, bash
from client.texts import SILENT, still_red
from client.world import ClientWorld
from snippets import snippet
from world import CHECK

pytestmark = pytest.mark.client

PERSONS = "only the user can do that; if you cannot go on, run `untildone blocked REASON`"
KEPT = "the loop's state is kept by untildone; use `untildone note`, `met` or `signal`"
ENTRIES = "leave untildone's entries as they are; change other keys with Edit"


def attempts(world: ClientWorld, loop: str) -> list[tuple[Call, str]]:
    """Tool calls, each with the reason that the model is shown."""
    state = str(world.state_folder / "loops" / loop / "extra.json")
    settings = str(world.project / ".claude" / "settings.local.json")
    soon = {"cron": "*/1 * * * *", "recurring": False}
    return [
        (
            bash("untildone cancel"),
            f"PreToolUse:Bash hook error: untildone: `untildone cancel` is refused: {PERSONS}",
        ),
        (
            bash("cd . && sh -c 'env A=b untildone pause'"),
            f"PreToolUse:Bash hook error: untildone: `untildone pause` is refused: {PERSONS}",
        ),
        (
            Call("Write", {"file_path": state, "content": "{}"}),
            "PreToolUse:Write hook error: untildone:"
            f" `STATE/loops/LOOP/extra.json` belongs to untildone: {KEPT}",
        ),
        (
            bash(f"echo > {state}"),
            "PreToolUse:Bash hook error: untildone:"
            f" `STATE/loops/LOOP/extra.json` belongs to untildone: {KEPT}",
        ),
        (
            bash("rm -rf ~/.local/state/untildone"),
            "PreToolUse:Bash hook error: untildone:"
            f" `~/.local/state/untildone` belongs to untildone: {KEPT}",
        ),
        (
            Call("Write", {"file_path": settings, "content": '{"disableAllHooks": true}'}),
            "PreToolUse:Write hook error: untildone: refused, because it sets `disableAllHooks`:"
            f" {ENTRIES}",
        ),
        (
            Call("CronCreate", {**soon, "prompt": "/untildone:cancel"}),
            "PreToolUse:CronCreate hook error: untildone: scheduling `/untildone:cancel` is"
            f" refused: {PERSONS}",
        ),
        # An honest call before it must not make the next one look like the user's.
        (bash("true"), SILENT),
        (
            bash("sh cancel.sh"),
            snippet("""
                Exit code 2
                error: only the user may run `untildone cancel`

                hint: if you cannot go on, run `untildone blocked REASON`"""),
        ),
    ]


@pytest.mark.parametrize("install", ["settings", "plugin", "both"])
def test_the_agent_cannot_end_its_own_loop(tmp_path: Path, install: str) -> None:
    world = ClientWorld(tmp_path, install=install)
    loop = world.start("--check", CHECK, "--rounds", "3")
    world.project.joinpath("cancel.sh").write_text("untildone cancel\n", encoding="utf-8")
    tried = attempts(world, loop)
    # The client reminds a model that calls tool after tool without a word.
    script: list[Step] = ["Done.", *(("I try.", call) for call, _ in tried), "Done.", "Done."]

    _, server = world.run(script)

    assert len(server.requests) == len(script)
    assert world.told(server) == (
        (still_red(1, of=3),),
        *((refused,) for _, refused in tried),
        (still_red(2, of=3),),
    )
    assert world.standing() == ("paused", "out-of-rounds", 3)
    assert requests_without_us(script) == 1


def test_hooks_are_not_switched_off_by_a_change_of_the_settings(tmp_path: Path) -> None:
    # The client asks before it writes its settings itself, but does not look into a script.
    off = """\
import json, pathlib, sys
pathlib.Path(".claude").mkdir(exist_ok=True)
pathlib.Path(".claude", sys.argv[1]).write_text(json.dumps({sys.argv[2]: True}))
"""
    script: list[Step] = [
        "Done.",
        bash("python3 off.py settings.local.json disableAllHooks && sleep 1.5"),
        # A refused change is only put off: the client reads every file again at the next one.
        bash("python3 off.py settings.json spinnerTipsEnabled && sleep 1.5"),
        "Done.",
        "Done.",
    ]
    world = ClientWorld(tmp_path)
    world.start("--check", CHECK, "--rounds", "3")
    world.project.joinpath("off.py").write_text(off, encoding="utf-8")

    _, server = world.run(script)

    assert len(server.requests) == 5
    assert world.told(server) == (
        (still_red(1, of=3),),
        (SILENT,),
        (SILENT,),
        (still_red(2, of=3, changed=True),),
    )
    assert world.standing() == ("paused", "out-of-rounds", 3)
    assert requests_without_us(script) == 1
