"""What surrounds the checks: another program, setting or startup file is reported."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.integrity.baseline import Baseline
from untildone.integrity.comparison import compare_trees
from untildone.integrity.environment.check_programs import find_check_programs
from untildone.integrity.environment.comparison import find_concerns
from untildone.integrity.environment.facts import collect_facts
from untildone.worktree.contents import Tree


class Machine:
    """A home, a project, and a folder of programs behind the home's own on the search path."""

    def __init__(self, top: Path) -> None:
        self.home, self.project, self.bin = top / "home", top / "project", top / "bin"
        for folder in (self.home / ".local" / "bin", self.project, self.bin):
            folder.mkdir(parents=True)
        folders = (self.home / ".local" / "bin", self.bin, "/usr/bin", "/bin")
        self.environ = {"HOME": str(self.home), "PATH": os.pathsep.join(map(str, folders))}

    def write_program(self, name: str, text: str = "#!/bin/sh\n", *, home: bool = False) -> Path:
        place = (self.home / ".local" / "bin" if home else self.bin) / name
        place.write_text(text, encoding="utf-8")
        place.chmod(0o755)
        return place

    def collect(self, *commands: str) -> dict[str, str]:
        return collect_facts(self.project, commands, self.environ)

    def find_reasons(self, baseline: dict[str, str], *commands: str) -> list[str]:
        no_files = Tree(self.project, {})
        record = Baseline(entries={}, surroundings=baseline)
        comparison = compare_trees(
            no_files, no_files, commands, baseline=record, environ=self.environ
        )
        return [concern.detail for concern in find_concerns(comparison)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


needs_posix = pytest.mark.skipif(os.name == "nt", reason="programs are scripts here")


@needs_posix
def test_a_program_that_hides_another_is_reported(machine: Machine) -> None:
    real = machine.write_program("pytest")
    baseline = machine.collect("pytest -q")
    shim = machine.write_program("pytest", home=True)

    assert machine.find_reasons(baseline, "pytest -q") == [
        f"`pytest` was `{real}` in the baseline and is now `{shim}`"
    ]


@needs_posix
def test_a_program_with_changed_content_is_reported(machine: Machine) -> None:
    place = machine.write_program("lint")
    baseline = machine.collect("cd src && lint .")
    machine.write_program("lint", "#!/bin/sh\nexit 0\n")

    assert machine.find_reasons(baseline, "cd src && lint .") == [
        f"the program `{place}` differs from the baseline"
    ]


@needs_posix
def test_a_program_that_was_missing_may_be_installed(machine: Machine) -> None:
    baseline = machine.collect("pytest -q")
    machine.write_program("pytest")

    assert machine.find_reasons(baseline, "pytest -q") == []


@needs_posix
def test_another_search_path_of_the_hook_is_no_change(machine: Machine) -> None:
    machine.write_program("pytest")
    baseline = machine.collect("pytest -q")
    machine.write_program("pytest", home=True).unlink()
    machine.environ["PATH"] = "/usr/bin:/bin"

    assert machine.find_reasons(baseline, "pytest -q") == []


@needs_posix
def test_a_program_that_no_check_starts_any_more_is_not_reported(machine: Machine) -> None:
    machine.write_program("jest")
    package = write_tree(machine.project, {"package.json": '{"scripts": {"test": "jest"}}'})
    baseline = machine.collect("npm test")
    write_tree(package, {"package.json": '{"scripts": {"test": "vitest run"}}'})

    assert machine.find_reasons(baseline, "npm test") == []


@needs_posix
def test_the_scripts_of_npm_are_followed(machine: Machine) -> None:
    package = (
        '{"scripts": {"pretest": "tsc", "test": "vitest run && npm run more", "more": "mocha"}}'
    )
    write_tree(machine.project, {"package.json": package, "node_modules/.bin/vitest": ""})
    (machine.project / "node_modules/.bin/vitest").chmod(0o755)

    found = find_check_programs(machine.project, ["npm test"], {"PATH": ""})

    assert found == {
        "npm": "",
        "tsc": "",
        "vitest": str(machine.project / "node_modules/.bin/vitest"),
        "mocha": "",
    }


@pytest.mark.parametrize(
    ("command", "path", "text"),
    [
        ("npm test", ".npmrc", "node-options=--require ./x.cjs\n"),
        ("cargo test", ".cargo/config.toml", '[target."cfg(all())"]\nrunner = "true"\n'),
        ("go test ./...", ".config/go/env", "GOFLAGS=-run=None\n"),
        ("ruff check", ".config/ruff/ruff.toml", 'ignore = ["F"]\n'),
    ],
)
def test_settings_in_the_home_folder_are_reported(
    machine: Machine, command: str, path: str, text: str
) -> None:
    baseline = machine.collect(command)
    write_tree(machine.home, {path: text})

    place = machine.home / path
    assert machine.find_reasons(baseline, command) == [
        f"`{place}` configures the tools and differs from the baseline"
    ]


@pytest.mark.parametrize(
    ("command", "path", "text"),
    [
        ("npm test", ".npmrc", "registry=https://r.example/\n//r.example/:_authToken=x\n"),
        ("go test ./...", ".config/go/env", "GOPROXY=off\n"),
        ("npm test", ".cargo/config.toml", 'runner = "true"\n'),
    ],
)
def test_settings_that_no_check_depends_on_are_not_reported(
    machine: Machine, command: str, path: str, text: str
) -> None:
    baseline = machine.collect(command)
    write_tree(machine.home, {path: text})

    assert machine.find_reasons(baseline, command) == []


def git(project: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)


def test_git_settings_count_where_a_check_uses_git(machine: Machine) -> None:
    git(machine.project, "init", "-q")
    asks, asks_not = machine.collect("git hook run pre-commit"), machine.collect("make")
    git(machine.project, "config", "core.hooksPath", ".nohooks")
    git(machine.project, "config", "user.name", "a")

    assert machine.find_reasons(asks, "git hook run pre-commit") == [
        "git's `core.hookspath` was `not set` in the baseline and is now `.nohooks`"
    ]
    assert machine.find_reasons(asks_not, "make") == []


def test_git_settings_that_the_check_makes_are_no_change(machine: Machine) -> None:
    command = (
        "git config --get core.hooksPath >/dev/null"
        " || git config --local core.hooksPath .githooks; git hook run pre-commit"
    )
    git(machine.project, "init", "-q")
    baseline = machine.collect(command)
    git(machine.project, "config", "core.hooksPath", ".githooks")
    assert machine.find_reasons(baseline, command) == []

    git(machine.project, "config", "core.hooksPath", ".nohooks")
    assert machine.find_reasons(baseline, command) == [
        "git's `core.hookspath` was `.githooks` in the baseline and is now `.nohooks`"
    ]


def test_a_check_that_makes_another_git_setting_excuses_no_change(
    machine: Machine,
) -> None:
    command = "git config core.hooksPath .githooks && git hook run pre-commit"
    git(machine.project, "init", "-q")
    git(machine.project, "config", "core.hooksPath", ".strict")
    baseline = machine.collect(command)
    git(machine.project, "config", "core.hooksPath", ".githooks")

    assert machine.find_reasons(baseline, command) == [
        "git's `core.hookspath` was `.strict` in the baseline and is now `.githooks`"
    ]


def test_nothing_is_compared_without_facts_of_the_baseline(machine: Machine) -> None:
    write_tree(machine.home, {".npmrc": "node-options=x\n"})

    assert machine.find_reasons({}, "npm test") == []


@pytest.fixture
def site(machine: Machine) -> Path:
    """A real environment with one real package in it."""
    venv = machine.project / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (folder,) = venv.glob("lib/python3*/site-packages")
    text = "def same(a, b):\n    assert a == b\n"
    digest = "sha256=" + _urlsafe(text)
    write_tree(
        folder,
        {
            "same.py": text,
            "same-1.dist-info/INSTALLER": "pip\n",
            "same-1.dist-info/RECORD": f"same.py,{digest},{len(text)}\nsame-1.dist-info/RECORD,,\n",
        },
    )
    time.sleep(0.05)
    return folder


def _urlsafe(text: str) -> str:
    import base64
    import hashlib

    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


@needs_posix
def test_a_changed_installed_file_is_reported(machine: Machine, site: Path) -> None:
    baseline = machine.collect(".venv/bin/python -m pytest")
    (site / "same.py").write_text("def same(a, b): ...\n", encoding="utf-8")

    assert machine.find_reasons(baseline, ".venv/bin/python -m pytest") == [
        f"`{site / 'same.py'}` is not what was installed"
    ]


@needs_posix
def test_a_record_written_long_after_the_install_is_reported(machine: Machine, site: Path) -> None:
    baseline = machine.collect(".venv/bin/python -m pytest")
    record = site / "same-1.dist-info" / "RECORD"
    later = time.time() + 3_600
    os.utime(record, (later, later))

    assert machine.find_reasons(baseline, ".venv/bin/python -m pytest") == [
        f"`{record}` is not what was installed"
    ]


@needs_posix
@pytest.mark.parametrize("name", ["sitecustomize.py", "x.pth", "usercustomize/__init__.py"])
def test_new_startup_code_of_python_is_reported(machine: Machine, site: Path, name: str) -> None:
    baseline = machine.collect(".venv/bin/python -m pytest")
    write_tree(site, {name: "import os\n"})

    assert machine.find_reasons(baseline, ".venv/bin/python -m pytest") == [
        f"`{site / name}` runs at every start of Python and differs from the baseline"
    ]


@needs_posix
def test_installing_a_package_is_no_concern(machine: Machine, site: Path) -> None:
    baseline = machine.collect(".venv/bin/python -m pytest")
    text = "VERSION = 2\n"
    write_tree(
        site,
        {
            "more.py": text,
            "more.pth": "import more\n",
            "more-2.dist-info/INSTALLER": "pip\n",
            "more-2.dist-info/RECORD": (
                f"more.py,sha256={_urlsafe(text)},{len(text)}\n"
                f"more.pth,sha256={_urlsafe('import more')},\n"
            ),
        },
    )

    assert machine.find_reasons(baseline, ".venv/bin/python -m pytest") == []


@needs_posix
def test_unrecorded_files_may_be_added_but_not_changed(machine: Machine, site: Path) -> None:
    write_tree(
        site, {"near/__init__.py": "def near(a, b):\n    return a == b\n", "far.py": "a = 1\n"}
    )
    baseline = machine.collect(".venv/bin/python -m pytest")
    write_tree(
        site, {"near/__init__.py": "def near(a, b):\n    return True\n", "new.py": "b = 1\n"}
    )

    assert machine.find_reasons(baseline, ".venv/bin/python -m pytest") == [
        f"`{site / 'near/__init__.py'}` is not what was installed"
    ]


@needs_posix
@pytest.mark.parametrize("installed", [False, True])
def test_a_plugin_that_no_installer_recorded_is_reported(
    machine: Machine, site: Path, installed: bool
) -> None:
    baseline = machine.collect(".venv/bin/python -m pytest")
    names = "more-2.dist-info/entry_points.txt"
    write_tree(site, {names: "[pytest11]\nmore = more\n", "more.py": "a = 1\n"})
    if installed:
        write_tree(site, {"more-2.dist-info/RECORD": f"more.py,,\n{names},,\n"})

    reported = f"`{site / names}` names plugins, and no installer has put it there"
    assert machine.find_reasons(baseline, ".venv/bin/python -m pytest") == (
        [] if installed else [reported]
    )


@needs_posix
@pytest.mark.parametrize(
    ("pattern", "reported"),
    [
        ("app.py", "app.py"),
        ("*.py", "app.py, pkg/more.py"),
        ("pkg/", "pkg/more.py"),
        ("# app.py", ""),
        (".idea/", ""),
        ("scratch.py", ""),
    ],
)
@pytest.mark.parametrize("place", [".git/info/exclude", "../home/.config/git/ignore"])
def test_committed_files_in_a_private_ignore_list_are_reported(
    machine: Machine, pattern: str, reported: str, place: str
) -> None:
    write_tree(machine.project, {"app.py": "", "pkg/more.py": "", "scratch.py": ""})
    subprocess.run(["git", "init", "-q"], cwd=machine.project, check=True)
    subprocess.run(["git", "add", "app.py", "pkg"], cwd=machine.project, check=True)
    baseline = machine.collect("ruff check .")
    write_tree(machine.project, {place: f"{pattern}\n"})

    name = "info/exclude" if "info" in place else "ignore"
    wanted = (
        [f"git's `{name}` was `not set` in the baseline and is now `{reported}`"]
        if reported
        else []
    )
    assert machine.find_reasons(baseline, "ruff check .") == wanted
