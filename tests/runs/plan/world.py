"""A repository with a plan in it, and `untildone run --plan` called there as a user does."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from untildone.process.command import quote_argument
from world import Machine

CLIENT = Path(__file__).with_name("client.py")
PROGRAM = Path(sys.executable).with_name("untildone")
Step = dict[str, Any]


def has(name: str, content: str) -> str:
    """A check that a file has this line."""
    code = f"import sys; sys.exit({content!r} not in open({name!r}).read())"
    return f"{quote_argument(sys.executable)} -c {quote_argument(code)}"


def task(*needs: str, checks: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    return {
        "title": "Something",
        "points": 1,
        "status": "not_started",
        "depends_on": list(needs),
        "acceptance_criteria": [],
        "checks": list(checks),
        **more,
    }


class PlanWorld(Machine):
    def __init__(self, folder: Path, *, git: bool = True) -> None:
        super().__init__(folder)
        self.plan = self.project / "TASKS.json"
        self.plays: dict[str, list[Step]] = {}
        self.tasks: dict[str, dict[str, object]] = {}
        self.environ = {
            **{
                name: text
                for name, text in os.environ.items()
                if name in ("PATH", "SYSTEMROOT") or name.startswith("COVERAGE_")
            },
            "HOME": str(folder),
            "USERPROFILE": str(folder),
            "UNTILDONE_HOME": str(folder / "state"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        if git:
            self.git("init", "-q", "-b", "main")

    def add(self, name: str, *steps: Step, **task: object) -> None:
        self.tasks[name] = task
        self.plays[name] = list(steps)

    def written(self, *, commit: bool = True) -> None:
        plan = {"version": "1.0", "feature": "pay", "tasks": self.tasks}
        self.plan.write_text(json.dumps(plan, indent=2), encoding="utf-8")
        (self.project / "README").write_text("pay\n", encoding="utf-8")
        (self.folder / "plays.json").write_text(json.dumps(self.plays), encoding="utf-8")
        if commit:
            self.git("add", "-A")
            self.git("commit", "-q", "-m", "Begin")

    def command(self, *options: str) -> list[str]:
        client = " ".join(map(quote_argument, (sys.executable, str(CLIENT), str(self.folder))))
        given = ("run", "--plan", str(self.plan), "--client", client, *options)
        return [str(PROGRAM), *given]

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*options),
            cwd=self.project,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )

    def events(self, *options: str) -> list[dict[str, Any]]:
        ran = self.run("--json", *options)
        assert not ran.stderr, ran.stderr
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def ended(self, *options: str) -> dict[str, Any]:
        return self.events(*options)[-1]

    def calls(self) -> list[str]:
        log = self.folder / "calls.log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def tree(self, name: str = "untildone/pay") -> str:
        return self.git("rev-parse", f"{name}^{{tree}}")

    def shown(self, path: str, name: str = "untildone/pay") -> str:
        return self.git("show", f"{name}:{path}")


def writes(**files: str) -> Step:
    return {"writes": {name.replace("__", "."): text for name, text in files.items()}}


def simple(folder: Path, *, git: bool = True) -> PlanWorld:
    """Three tasks; the second needs two rounds, the third needs both."""
    world = PlanWorld(folder, git=git)
    world.add("A", writes(a="one\n"), **task(checks=(has("a", "one"),)))
    world.add(
        "B",
        writes(b="half\n"),
        writes(b="whole\n"),
        **task(checks=(has("b", "whole"),)),
    )
    world.add("C", writes(c="end\n"), **task("A", "B", checks=(has("c", "end"),)))
    return world
