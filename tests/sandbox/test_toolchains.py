"""Toolchains that lie in a home folder work in a sandbox as they do outside."""

import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from integrity.trees import write_tree
from tools import maven, on_machine, tool
from untildone.core.sandbox_trial import ALL_WALLS
from untildone.process.runner import run
from untildone.sandbox.sandbox_source import SandboxFiles, SandboxSource
from untildone.sandbox.sandboxes import open_sandbox
from untildone.worktree.contents import walk_files
from untildone.worktree.stamps import read_stamps

pytestmark = pytest.mark.slow
SYSTEM = "/usr/local/bin:/usr/bin:/bin"
JAVA = (Path(__file__).parents[1] / "languages" / "projects" / "java.txt").read_text("utf-8")


class Case(NamedTuple):
    """The files of a project, a command, variables, and folders that git would ignore."""

    files: dict[str, str]
    command: str
    environ: Mapping[str, str] = MappingProxyType({})
    ignored: tuple[str, ...] = ()


def get_folder(word: str) -> str:
    return str(Path(shlex.split(word)[0]).parent)


def make_go(_: Path) -> Case:
    files = {
        "go.mod": "module a\n\ngo 1.21\n",
        "a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
    }
    environ = {"PATH": f"{get_folder(tool('go'))}:{SYSTEM}", "GOTOOLCHAIN": "local"}
    return Case(files, "go test ./...", environ)


def make_nvm(home: Path) -> Case:
    folder = home / ".nvm" / "versions" / "node" / "v1.0.0" / "bin"
    folder.mkdir(parents=True)
    shutil.copy(shlex.split(on_machine("node"))[0], folder / "node")
    environ = {"PATH": f"{folder}:{SYSTEM}", "NVM_DIR": str(home / ".nvm")}
    test = {"a.test.js": "require('node:test')('a', () => {});\n"}
    return Case(test, 'which node | grep -q "$NVM_DIR" && node --test', environ)


def make_cargo(_: Path) -> Case:
    cargo = get_folder(on_machine("cargo"))
    rustup = os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup")
    files = {
        "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "#[test]\nfn passes() {}\n",
    }
    environ = {"PATH": f"{cargo}:{SYSTEM}", "RUSTUP_HOME": rustup}
    return Case(files, "cargo test -q --offline", environ, ("target",))


def make_gradle(_: Path) -> Case:
    on_machine("gradle")
    files = {
        "build.gradle": "plugins { id 'java' }\n",
        "settings.gradle": "rootProject.name = 'a'\n",
        "src/main/java/A.java": "class A {}\n",
    }
    ignored = ("build", ".gradle")
    return Case(files, "gradle --no-daemon --offline -q compileJava", MappingProxyType({}), ignored)


def make_maven(_: Path) -> Case:
    files = {
        "pom.xml": JAVA.partition("-- pom.xml --\n")[2].partition("-- ")[0],
        "src/main/java/A.java": "class A {}\n",
    }
    return Case(files, f"{maven()} -B -q compile", MappingProxyType({}), ("target",))


def make_poetry(_: Path) -> Case:
    settings = '[project]\nname = "a"\nversion = "1"\nrequires-python = ">=3.11"\n'
    files = {"pyproject.toml": f"{settings}[tool.poetry]\npackage-mode = false\n"}
    environ = {"PATH": f"{get_folder(tool('poetry'))}:{SYSTEM}"}
    return Case(files, "poetry run python -c 'import sys; assert sys.prefix'", environ)


CASES: dict[str, Callable[[Path], Case]] = {
    "Go, with its caches": make_go,
    "nvm": make_nvm,
    "cargo": make_cargo,
    "Gradle": make_gradle,
    "Maven": make_maven,
    "Poetry": make_poetry,
}


@pytest.mark.parametrize("name", CASES)
def test_a_toolchain_works_behind_all_walls(tmp_path: Path, name: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    case = CASES[name](home)
    project = write_tree(home / "project", case.files)
    environ = {"HOME": str(home), "PATH": SYSTEM, "LANG": "C.UTF-8", **case.environ}
    outside = subprocess.run(["sh", "-c", case.command], cwd=project, env=environ, check=False)
    source = SandboxSource(
        project=project,
        environ=environ,
        baseline_environ={},
        since=time.time() + 1,
        ignored=case.ignored,
        stamps=dict(read_stamps(project, case.ignored)),
    )
    paths = walk_files(project, ignored=case.ignored)

    with open_sandbox(SandboxFiles({path: project / path for path in paths}, ()), source) as place:
        argv = (*place.wrapper_argv, "sh", "-c", case.command)
        inside = run(argv, cwd=project, timeout=110, env=place.environ)

    assert (outside.returncode, inside.exit_code, place.walls) == (0, 0, ALL_WALLS), inside.text
