"""What the drill proves of the installed hooks, one function per fault."""

import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from untildone.engine.context import Context
from untildone.runs.drill_scene import DrillScene, HookAnswer, open_scene
from untildone.runs.hooks import Settings

# Plays a scene and returns what went wrong, or nothing.
Scene: TypeAlias = Callable[[DrillScene], str]

_CHECK_TIMEOUT = 1.0
_IN_TIME = 15.0
_HOSTILE = """\
[checks.test]
command = "touch ran-by-untildone"
"""
_LOOP_OF_ANOTHER = "---\nactive: true\nmax_iterations: 0\n---\ntouch ran-by-untildone\n"


class Proof(Struct, frozen=True, kw_only=True):
    """The result of one scene; `problem` is empty if it passed."""

    name: str
    expected: str
    passed: bool
    problem: str = ""
    seconds: float = 0


def no_loop(scene: DrillScene) -> str:
    scene.agent().begin()
    said = scene.stop()
    return said.fault or ("" if said.silent else said.told)


def red(scene: DrillScene) -> str:
    scene.start()
    return _held(scene.stop())


def green(scene: DrillScene) -> str:
    scene.start()
    first = scene.stop()
    if not first.held:
        return f"not held before: {first.told}"
    scene.write("done", "")
    said = scene.stop()
    outcome = scene.progress().outcome
    return "" if outcome == "done" and not said.held else f"{outcome or 'not ended'}: {said.told}"


def other_session(scene: DrillScene) -> str:
    scene.start()
    other = str(uuid.uuid4())
    scene.agent(other).begin()
    said = scene.stop(other)
    if scene.progress().round:
        return "the stop of another session was counted"
    return said.fault or ("" if said.silent else said.told)


def subdirectory(scene: DrillScene) -> str:
    scene.start()
    below = scene.project / "a" / "b"
    below.mkdir(parents=True)
    return _held(scene.stop(cwd=below))


def worktree(scene: DrillScene) -> str:
    """The main checkout is green, so only a judged worktree can be red."""
    scene.start()
    place = scene.folder / "worktree"
    scene.git("worktree", "add", "-q", str(place))
    scene.write("done", "")
    return _held(scene.stop(cwd=place))


def garbage(scene: DrillScene) -> str:
    scene.start()
    scene.write("done", "")
    for stdin in (b"\xff\xfe not JSON {", b"[]"):
        said = scene.stop_with(stdin)
        if said.fault:
            return said.fault
        if scene.progress().outcome == "done":
            return "the loop was ended as done"
        if not (said.held or said.notice):
            return "neither held nor a line to the user"
    return ""


def crash(scene: DrillScene) -> str:
    loop = scene.start()
    folder = scene.context.loops.get_folder(loop)
    for path in folder.iterdir():
        if path.is_file():
            path.write_bytes(b"damaged")
    said = scene.stop()
    if said.fault:
        return said.fault
    if said.notice.startswith("untildone: done"):
        return f"said to be done: {said.notice}"
    return "" if said.notice or said.held else "no line to the user"


def time_out(scene: DrillScene) -> str:
    scene.start("hangs.py", timeout=_CHECK_TIMEOUT)
    began = time.monotonic()
    problem = _held(scene.stop())
    late = time.monotonic() - began
    return problem or ("" if late < _IN_TIME else f"held only after {late:.0f} seconds")


def hostile(scene: DrillScene) -> str:
    """What a repository contains is neither run nor written through."""
    target = scene.folder / "elsewhere"
    target.mkdir()
    scene.write("untildone.toml", _HOSTILE)
    (scene.project / ".claude").mkdir()
    scene.write(".claude/ralph-loop.local.md", _LOOP_OF_ANOTHER)
    # On Windows not every user may create links.
    with suppress(OSError):
        (scene.project / ".untildone").symlink_to(target, target_is_directory=True)
    scene.git("config", "core.fsmonitor", "touch ran-by-untildone; false")
    scene.agent().begin()
    before = scene.stop()
    if not before.silent:
        return f"not silent without a loop: {before.told}"
    scene.start()
    problem = _held(scene.stop())
    if (scene.project / "ran-by-untildone").exists():
        return "a command of the repository was run"
    return "written through a link of the repository" if any(target.iterdir()) else problem


def _held(said: HookAnswer) -> str:
    return said.fault or ("" if said.held else f"not held: {said.told}")


# name -> expectation and scene; the healthy stop comes last, after all the faults
SCENES: dict[str, tuple[str, Scene]] = {
    "no loop": ("silence", no_loop),
    "red": ("held", red),
    "green": ("done, let go", green),
    "other session": ("not touched", other_session),
    "subdirectory": ("held", subdirectory),
    "worktree": ("held", worktree),
    "garbage": ("never done", garbage),
    "crash": ("a line, never done", crash),
    "time-out": ("held in time", time_out),
    "hostile repository": ("nothing of it is run", hostile),
    "canary": ("held", red),
}


def prove(name: str, *, context: Context, settings: Sequence[Settings], folder: Path) -> Proof:
    expected, scene = SCENES[name]
    began = time.monotonic()
    with open_scene(context, settings, folder / name.replace(" ", "-")) as stage:
        problem = scene(stage)
    seconds = round(time.monotonic() - began, 2)
    return Proof(name=name, expected=expected, passed=not problem, problem=problem, seconds=seconds)
