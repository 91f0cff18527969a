"""The faults that the drill plays against the installed hooks, one function for each."""

import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from untildone.engine.context import Context
from untildone.runs.claude_hooks import Settings
from untildone.runs.drill_scene import DrillScene, HookAnswer

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
    agent: str = "claude"


def stop_without_loop(scene: DrillScene) -> str:
    scene.open_agent().begin()
    answer = scene.stop()
    return answer.fault or ("" if answer.silent else answer.summary)


def stop_while_red(scene: DrillScene) -> str:
    scene.start()
    return _explain_not_held(scene.stop())


def stop_when_green(scene: DrillScene) -> str:
    scene.start()
    answer = scene.stop()
    if not answer.held:
        return f"not held before: {answer.summary}"
    scene.write("done", "")
    answer = scene.stop()
    outcome = scene.load_progress().outcome
    if outcome == "done" and not answer.held:
        return ""
    return f"{outcome or 'not ended'}: {answer.summary}"


def stop_in_other_session(scene: DrillScene) -> str:
    scene.start()
    other = str(uuid.uuid4())
    scene.open_agent(other).begin()
    answer = scene.stop(other)
    if scene.load_progress().round:
        return "the stop of another session was counted"
    return answer.fault or ("" if answer.silent else answer.summary)


def stop_in_subdirectory(scene: DrillScene) -> str:
    scene.start()
    folder = scene.project / "a" / "b"
    folder.mkdir(parents=True)
    return _explain_not_held(scene.stop(cwd=folder))


def stop_in_worktree(scene: DrillScene) -> str:
    """Stop in a red worktree of a green main checkout: held only if the worktree is judged."""
    scene.start()
    worktree = scene.folder / "worktree"
    scene.run_git("worktree", "add", "-q", str(worktree))
    scene.write("done", "")
    return _explain_not_held(scene.stop(cwd=worktree))


def send_garbage(scene: DrillScene) -> str:
    """Send payloads that are no JSON object: the user reads a line, and the loop is not done."""
    scene.start()
    scene.write("done", "")
    for stdin in (b"\xff\xfe not JSON {", b"[]"):
        answer = scene.stop_with(stdin)
        if answer.fault:
            return answer.fault
        if scene.load_progress().outcome == "done":
            return "the loop was ended as done"
        if not (answer.held or answer.notice):
            return "neither held nor a line to the user"
    return ""


def damage_state(scene: DrillScene) -> str:
    """Stop with damaged state files: the user reads a line, and the loop is not done."""
    loop = scene.start()
    folder = scene.context.loops.get_folder(loop)
    for path in folder.iterdir():
        if path.is_file():
            path.write_bytes(b"damaged")
    answer = scene.stop()
    if answer.fault:
        return answer.fault
    if answer.notice.startswith("untildone: done"):
        return f"reported as done: {answer.notice}"
    return "" if answer.notice or answer.held else "no line to the user"


def hang_check(scene: DrillScene) -> str:
    scene.start("hangs.py", timeout=_CHECK_TIMEOUT)
    began = time.monotonic()
    problem = _explain_not_held(scene.stop())
    seconds = time.monotonic() - began
    return problem or ("" if seconds < _IN_TIME else f"held only after {seconds:.0f} seconds")


def enter_hostile_repository(scene: DrillScene) -> str:
    """Stop in a repository with hostile files: none is run, no link of it is written through."""
    target = scene.folder / "elsewhere"
    target.mkdir()
    scene.write("untildone.toml", _HOSTILE)
    (scene.project / ".claude").mkdir()
    scene.write(".claude/ralph-loop.local.md", _LOOP_OF_ANOTHER)
    # On Windows not every user may create links.
    with suppress(OSError):
        (scene.project / ".untildone").symlink_to(target, target_is_directory=True)
    scene.run_git("config", "core.fsmonitor", "touch ran-by-untildone; false")
    scene.open_agent().begin()
    answer = scene.stop()
    if not answer.silent:
        return f"not silent without a loop: {answer.summary}"
    scene.start()
    problem = _explain_not_held(scene.stop())
    if (scene.project / "ran-by-untildone").exists():
        return "a command of the repository was run"
    return "written through a link of the repository" if any(target.iterdir()) else problem


def _explain_not_held(answer: HookAnswer) -> str:
    return answer.fault or ("" if answer.held else f"not held: {answer.summary}")


# name -> expectation and scene; the healthy stop comes last, after all the faults
SCENES: dict[str, tuple[str, Scene]] = {
    "no loop": ("silence", stop_without_loop),
    "red": ("held", stop_while_red),
    "green": ("done, let go", stop_when_green),
    "other session": ("not touched", stop_in_other_session),
    "subdirectory": ("held", stop_in_subdirectory),
    "worktree": ("held", stop_in_worktree),
    "garbage": ("never done", send_garbage),
    "crash": ("a line, never done", damage_state),
    "time-out": ("held in time", hang_check),
    "hostile repository": ("nothing of it is run", enter_hostile_repository),
    "canary": ("held", stop_while_red),
}


def prove(name: str, *, context: Context, settings: Sequence[Settings], folder: Path) -> Proof:
    """Play a scene in its own folder and return what it proves."""
    expected, play = SCENES[name]
    began = time.monotonic()
    with closing(DrillScene(context, settings, folder / name.replace(" ", "-"))) as scene:
        problem = play(scene)
    seconds = round(time.monotonic() - began, 2)
    return Proof(name=name, expected=expected, passed=not problem, problem=problem, seconds=seconds)
