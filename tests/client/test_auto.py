"""Automatic mode with the real client: turns without a loop whose edits bring errors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from client.script import Call, Step, bash
from client.world import ClientWorld
from keepers import end_keepers

pytestmark = pytest.mark.client

BROKEN = "print(undefined)\n"
WHOLE = "print('whole')\n"
# An interpreter that starts leaves its mark.
COUNTING = """\
#!/bin/sh
echo >>{mark}
exec {python} "$@"
"""


def format_hold(hold: int) -> str:
    return (
        f"<system-reminder>\nStop hook additional context: [untildone] AUTO-CONTINUE {hold} of 3:"
        " your edits in this turn brought what was not there before: 1 error.\n"
        "cart.py\n  1: error F821 Undefined name `undefined`\n"
        "Next: fix the code and stop again; what was there before is not counted. If it is meant"
        " to be so, say why and end your message with <untildone:done />.\n</system-reminder>"
    )


class Auto(ClientWorld):
    """A project that uses ruff, and a user who wants automatic mode, or not."""

    def __init__(self, folder: Path, *options: str) -> None:
        super().__init__(folder)
        self.write("ruff.toml", 'lint.select = ["F"]\n')
        self.untildone("init", *options)

    def write_call(self, text: str) -> Call:
        return Call("Write", {"file_path": str(self.project / "cart.py"), "content": text})

    def holds(self, *steps: Step) -> list[str]:
        """What the model was shown after each of its stops."""
        _, server = self.run(steps)
        reported = [text for texts in self.told(server) for text in texts]
        return [text for text in reported if "Stop hook additional context" in text]


@pytest.fixture
def auto(tmp_path: Path) -> Iterator[Auto]:
    world = Auto(tmp_path, "--auto")
    yield world
    end_keepers(world.project)


def test_a_turn_that_broke_a_file_is_held_once_and_released_when_it_is_fixed(auto: Auto) -> None:
    script: list[Step] = [
        auto.write_call(BROKEN),
        "Done.",
        auto.write_call(WHOLE),
        "Now it is.",
        "Unheard.",
    ]

    result, server = auto.run(script)

    assert (result.exit_code, result.text, len(server.requests)) == (0, "Now it is.", 4)
    assert auto.told(server)[1] == (format_hold(1),)
    assert result.notices == ("Stop says: untildone: held automatically (1 of 3): 1 error",)
    assert auto.loops() == []


def test_what_stood_in_the_file_before_the_turn_is_not_held_against_it(auto: Auto) -> None:
    auto.project.joinpath("cart.py").write_text(BROKEN, encoding="utf-8")
    read = Call("Read", {"file_path": str(auto.project / "cart.py")})
    more = {"old_string": BROKEN, "new_string": f"x = 1\n{BROKEN}"}
    edit = Call("Edit", {"file_path": str(auto.project / "cart.py"), **more})

    assert auto.holds(read, edit, "Done.", "Unheard.") == []
    assert "x = 1" in auto.project.joinpath("cart.py").read_text(encoding="utf-8")


def test_three_holds_at_most(auto: Auto) -> None:
    script: list[Step] = [auto.write_call(BROKEN), *(f"Done {number}." for number in range(6))]

    result, server = auto.run(script)

    assert (result.text, len(server.requests)) == ("Done 3.", 5)
    assert auto.told(server)[1:] == tuple((format_hold(hold),) for hold in (1, 2, 3))
    assert result.notices[-1] == (
        "Stop says: untildone: released after 3 automatic holds; this turn's edits left 1 error in"
        " cart.py"
    )


def test_the_marker_ends_it(auto: Auto) -> None:
    meant = "It is meant so.\n<untildone:done />"

    assert auto.holds(auto.write_call(BROKEN), "Done.", meant, "Unheard.") == [format_hold(1)]


def test_a_turn_without_an_edit_starts_no_interpreter(auto: Auto, tmp_path: Path) -> None:
    mark, settings = tmp_path / "started", auto.home / ".claude" / "settings.json"
    auto.run(["Hello."])
    counting = tmp_path / "python"
    text = settings.read_text(encoding="utf-8")
    python = text.partition(" -I -S ")[0].rpartition(" ")[2]
    counting.write_text(COUNTING.format(mark=mark, python=python), encoding="utf-8")
    counting.chmod(0o755)
    settings.write_text(text.replace(python, str(counting)), encoding="utf-8")

    auto.run([bash("true"), "Done."])
    idle = len(mark.read_text(encoding="utf-8"))
    auto.run([auto.write_call(WHOLE), "Done."])
    busy = len(mark.read_text(encoding="utf-8")) - idle

    # A session's beginning and end have their own; an edit and its stop come on top.
    assert (idle, busy) == (2, 4)


def test_off_without_the_option(tmp_path: Path) -> None:
    world = Auto(tmp_path)

    assert world.holds(world.write_call(BROKEN), "Done.", "Unheard.") == []


def test_off_where_the_user_says_so(auto: Auto) -> None:
    auto.variables["UNTILDONE_DISABLE"] = "1"

    assert auto.holds(auto.write_call(BROKEN), "Done.", "Unheard.") == []


def test_findings_are_reported_right_after_the_edit_where_wanted(tmp_path: Path) -> None:
    world = Auto(tmp_path, "--diagnostics")
    try:
        # A cold server may need longer than an edit waits.
        _, server = world.run([*map(world.write_call, (BROKEN, WHOLE) * 5), "Done."])
    finally:
        end_keepers(world.project)

    reported = [
        text for texts in world.told(server) for text in texts if "This edit brought" in text
    ]
    assert "cart.py\n  1: error F821 Undefined name `undefined`" in reported[0]
