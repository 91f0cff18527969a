"""A small real project of one language, on a cli where its real tools lie."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from cli.world import CommandLine
from client.world import BIN
from tools import LIMIT_SECONDS, on_machine, tool

PROJECTS = Path(__file__).parent / "projects"
# -- fare.c --
# -- fixed: fare.c --
_FILE = re.compile(r"^-- (?:(?P<stage>\w+): )?(?P<path>\S+) --\n", re.MULTILINE)
Place: TypeAlias = tuple[str, int, str]


class Counted(NamedTuple):
    passed: int
    failed: int
    failing: tuple[str, ...] = ()


class Came(NamedTuple):
    """What a check came to, where its findings are, and what became of its tests."""

    outcome: str
    places: AbstractSet[Place] = frozenset()
    tests: Counted | None = None
    reason: str = ""

    @property
    def says(self) -> tuple[str, str]:
        return self.outcome, self.reason


GREEN = Came("green")


class Workshop:
    """`tools`: words of command lines whose programs are to be found."""

    def __init__(self, folder: Path, project: str, *tools: str, **environ: str) -> None:
        self._desk = CommandLine(folder)
        self.project = self._desk.project
        folders = [str(Path(shlex.split(words)[0]).parent) for words in tools]
        path = os.pathsep.join([str(BIN), *folders, "/usr/bin", "/bin"])
        self._environ = self._desk.environ | {"PATH": path} | environ
        self._stages = _stages(PROJECTS.joinpath(f"{project}.txt").read_text(encoding="utf-8"))
        self.apply("")
        self._run("git", "init", "-q")
        self._run("git", "add", "-A")

    def apply(self, stage: str) -> None:
        for path, text in self._stages[stage].items():
            self._desk.write(path, text)

    def write(self, path: str, text: str) -> None:
        self._desk.write(path, text)

    def remove(self, path: str) -> None:
        self.project.joinpath(path).unlink()

    def install(self, *programs: str) -> None:
        """Node's packages, as if they had been installed here."""
        modules = self.project / "node_modules"
        modules.joinpath(".bin").mkdir(parents=True)
        for program in programs:
            folder = Path(shlex.split(tool(program))[0]).parents[1]
            for path in (folder / ".bin" / program, *folder.glob("[!.@]*"), *folder.glob("@*/*")):
                link = modules / path.relative_to(folder)
                link.parent.mkdir(exist_ok=True)
                if not link.exists():
                    link.symlink_to(path.resolve())

    def detected(self) -> dict[str, str]:
        """Names and commands."""
        return {check["name"]: check["command"] for check in self._json("detect")["checks"]}

    def checked(self, *names: str) -> dict[str, Came]:
        report = self._json("check", *names)
        return {check["name"]: _came(check, report["findings"]) for check in report["checks"]}

    def without_tools(self) -> None:
        """Only what untildone itself needs is still to be found."""
        bare = self._desk.home / "bare"
        bare.mkdir()
        for program in ("git", "sh"):
            bare.joinpath(program).symlink_to(shlex.split(on_machine(program))[0])
        self._environ["PATH"] = str(bare)

    def _json(self, *arguments: str) -> Any:  # noqa: ANN401  whatever is printed
        done = self._run(str(BIN / "untildone"), *arguments, "--json")
        assert done.stdout, done.stderr
        report = json.loads(done.stdout)
        codes = {"green": 0, "red": 1, "unrunnable": 17}
        assert done.returncode == codes[report.get("outcome", "green")]
        return report

    def _run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=self.project,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_SECONDS,
        )


def _stages(text: str) -> dict[str, dict[str, str]]:
    """Files as the project begins (stage ""), and as each later stage has them."""
    _, *parts = _FILE.split(text)
    stages: dict[str, dict[str, str]] = {}
    for stage, path, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        stages.setdefault(stage or "", {})[path] = content
    return stages


def _came(check: dict[str, Any], findings: list[dict[str, Any]]) -> Came:
    own = [finding for finding in findings if finding["check"] == check["name"]]
    tests = check["tests"]
    return Came(
        outcome=check["outcome"],
        places=frozenset((finding["path"], finding["line"], finding["code"]) for finding in own),
        tests=tests and Counted(tests["passed"], tests["failed"], tuple(tests["failing"])),
        reason=check["reason"],
    )
